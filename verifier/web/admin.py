"""The researcher's dashboard at /admin: entered by a link that is good once, then by a session cookie."""

from __future__ import annotations

import hmac
from typing import Final

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from itsdangerous import BadSignature, TimestampSigner
from werkzeug.wrappers import Response as Answer

from verifier.web import adjudicating, calculator, overview, steering
from verifier.web.state import state

blueprint = Blueprint("admin", __name__, url_prefix="/admin")
for part in (calculator, adjudicating, overview, steering):
    blueprint.register_blueprint(part.blueprint)

KEY: Final = "dashboard_key"
COOKIE: Final = "posthoc_dashboard"
# Longer than a working day by far: nobody is timed out in the middle of an item.
_SESSION_SECONDS: Final = 24 * 3600
_OWN: Final = frozenset({"same-origin", "none"})
_OPEN: Final = frozenset({"admin.enter"})


@blueprint.before_request
def guard() -> tuple[str, int] | None:
    """Let nobody in without a session, nor on the word of another site."""
    if request.endpoint in _OPEN:
        return None
    if request.headers.get("Sec-Fetch-Site", "none") not in _OWN or not _signed_in():
        return _closed()
    return None


@blueprint.after_request
def no_frames(response: Response) -> Response:
    """The dashboard is never framed, unlike the worker's pages."""
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


@blueprint.get("/enter")
def enter() -> Answer | str | tuple[str, int]:
    """Exchange the key of the one-time link for a session.

    The answer is a page that goes on by itself, not a redirect: after a click in a mail or a chat, a redirect
    would still count as coming from there, and the browser would keep the strict cookie back.
    """
    if request.method != "GET" or request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        # A browser or a chat that looks ahead must not use the link up.
        abort(403)
    if _signed_in():
        return redirect(url_for("admin.dashboard"), 303)
    key = current_app.extensions.get(KEY)
    given = request.args.get("key", "")
    if not key or not hmac.compare_digest(given.encode(), key.encode()):
        return _closed()
    if current_app.extensions.pop(KEY, None) is None:
        return _closed()
    answer = current_app.make_response(render_template("admin/entered.html"))
    answer.set_cookie(
        COOKIE,
        _signer().sign("researcher").decode(),
        max_age=_SESSION_SECONDS,
        path=url_for("admin.dashboard").rstrip("/"),
        secure=request.is_secure or (state().study.config.server.public_url or "").startswith("https:"),
        httponly=True,
        samesite="Strict",
    )
    return answer


@blueprint.post("/leave")
def leave() -> Answer:
    """End the session in this browser."""
    answer = redirect(url_for("admin.dashboard"), 303)
    answer.delete_cookie(COOKIE, path=url_for("admin.dashboard").rstrip("/"))
    return answer


@blueprint.get("/")
def dashboard() -> str:
    """How the study stands."""
    values = overview.live()
    if values is None:
        return render_template("admin/counting.html", here="dashboard", **overview.common())
    return render_template("admin/dashboard.html", here="dashboard", **values)


@blueprint.get("/live")
def live() -> str | tuple[str, int]:
    """The part of the dashboard that changes, for the page to put in place."""
    values = overview.live()
    return ("", 503) if values is None else render_template("admin/live.html", **values)


def _signed_in() -> bool:
    try:
        _signer().unsign(request.cookies.get(COOKIE, ""), max_age=_SESSION_SECONDS)
    except BadSignature:
        return False
    return True


def _signer() -> TimestampSigner:
    return TimestampSigner(state().study.secrets.signing, salt="dashboard")


def _closed() -> tuple[str, int]:
    return render_template("admin/closed.html"), 403
