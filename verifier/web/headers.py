"""What every answer says to the browser, and which requests from other sites are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, request

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "media-src 'self'; connect-src 'self'; form-action 'self'{partners}; base-uri 'none'; "
    "frame-ancestors 'self'{partners}"
)
_ALWAYS: Final = {
    # The address holds the worker's token: no other site may learn it from a followed link.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_FILES: Final = frozenset({"static", "pages.film"})
# Named by what they hold, these say themselves how long they are good.
_BY_CONTENT: Final = frozenset({"assets.asset", "images.image"})
_OWN: Final = frozenset({"same-origin", "none"})


# What an answer to a script bears, so that it takes nobody else's for one.
STUDY: Final = "Posthoc-Study"
_FOR_SCRIPTS: Final = ("/api/", "/preview/")


def install(app: Flask, public_url: str | None, partners: Sequence[str] = (), nonce: str = "") -> None:
    """Add the headers to every answer of `app` and the origin check to every request that changes something.

    `partners` are the sites of a crowd platform that show the pages in a frame and take in the last form.
    `nonce` tells this study from others.

    The check stands in for tokens in cookies, which browsers block where a platform frames the page. Requests
    without the headers come from no browser and pass: without cookies there is nothing for them to abuse.
    """
    public = _origin(public_url) if public_url else None
    policy = _POLICY.format(partners="".join(f" {partner}" for partner in partners))

    @app.before_request
    def refuse_other_sites() -> None:
        if request.method not in _SAFE and not _from_here(request, public):
            abort(403, "This request came from another site.")

    always = list(_ALWAYS.items())

    @app.after_request
    def add_headers(response: Response) -> Response:
        headers = response.headers
        if "Content-Security-Policy" not in headers:
            headers.add("Content-Security-Policy", policy)
        headers.extend(always)
        if request.path.startswith(_FOR_SCRIPTS):
            headers[STUDY] = nonce
        if request.endpoint not in _BY_CONTENT:
            headers["Cache-Control"] = "no-cache" if request.endpoint in _FILES else "no-store"
        return response


def _from_here(asked: Request, public: str | None) -> bool:
    site = asked.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in _OWN
    origin = asked.headers.get("Origin")
    return origin is None or origin in (_origin(asked.host_url), public)


def _origin(url: str) -> str:
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}"
