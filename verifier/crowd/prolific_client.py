"""Calls to Prolific: one request at a time, lists to their last page, refusals in our words."""

from __future__ import annotations

import json
import logging
import ssl
import weakref
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import httpx

from analysis.errors import StateError
from verifier.crowd.base import PlaceGoneError
from verifier.crowd.pacing import BusyError

PRODUCTION: Final = "https://api.prolific.com"
_ROOT: Final = "/api/v1/"
_PAGE: Final = 100
_MOST_PAGES: Final = 10_000
_TIMEOUT: Final = httpx.Timeout(30.0, connect=10.0)
# httpx names every address that it calls, and addresses hold the ids of participants' submissions.
logging.getLogger("httpx").setLevel(logging.WARNING)


class GoneError(PlaceGoneError):
    """Prolific has nothing under this id (any more)."""


class RefusedError(StateError):
    """Prolific understood the request and refused it; `detail` is what it said, which may hold ids.

    Attributes:
        detail: what it said.
    """

    def __init__(self, what: str, detail: str, **more: Any) -> None:
        super().__init__(what, **more)
        self.detail = detail


class ThrottledError(BusyError):
    """Prolific refused to look at the request before it could do anything."""


class ProlificClient:
    """Our connection to Prolific, or to what speaks like it.

    Args:
        address: where it answers.
        token: opens the account.
    """

    def __init__(self, address: str, token: str) -> None:
        self._client = httpx.Client(
            base_url=address.rstrip("/") + _ROOT,
            headers={"Authorization": f"Token {token}"},
            timeout=_TIMEOUT,
            follow_redirects=False,
            verify=_certificates(),
        )
        # Nobody owns the connection for longer than this object lives.
        weakref.finalize(self, self._client.close)

    def get(self, path: str, **query: str) -> Any:
        """Ask for something."""
        return self._call("GET", path, query=query)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Ask for something to be done."""
        return self._call("POST", path, body=body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Ask for something to be changed."""
        return self._call("PATCH", path, body=body)

    def delete(self, path: str) -> None:
        """Ask for something to be taken away."""
        self._call("DELETE", path)

    def all(self, path: str, **query: str) -> list[dict[str, Any]]:
        """All items of a list, from every page, each once.

        Items move from page to page while others come in, so what has an id is kept by it; the links are
        followed by their parameters alone, never to another address, which would be told the token.
        """
        found: dict[str, dict[str, Any]] = {}
        for page in self._pages(path, {"page_size": str(_PAGE), **query}):
            for item in page.get("results", []):
                found.setdefault(str(item.get("id", len(found))), item)
        return list(found.values())

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for _ in range(_MOST_PAGES):
            page = self._call("GET", path, query=query)
            yield page
            following = ((page.get("_links") or {}).get("next") or {}).get("href")
            if not following:
                return
            query = dict(parse_qsl(urlsplit(str(following)).query, keep_blank_values=True))
        raise StateError("a list of Prolific's does not end", got=f"{_MOST_PAGES} pages")

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            answer = self._client.request(method, path, params=query, json=body)
        except httpx.HTTPError as error:
            raise BusyError(
                "Prolific cannot be reached, or broke off",
                got=type(error).__name__,
                remedy="Nothing is lost: run the same command again.",
            ) from None
        if answer.is_success:
            return _read(answer)
        raise _refusal(method, path, answer)


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust: what the system trusts, or SSL_CERT_FILE names; read once, since reading takes long."""
    return ssl.create_default_context()


def _read(answer: httpx.Response) -> Any:
    if not answer.content:
        return None
    try:
        return answer.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise StateError(
            "what answers is not Prolific",
            where="platform.api_url",
            got="an answer that is not JSON",
            remedy="See that the address is that of Prolific, or of posthoc platform prolific.",
        ) from None


def _refusal(method: str, path: str, answer: httpx.Response) -> StateError:
    """Our words for a refusal. What Prolific says may hold ids: it is kept aside and not told."""
    status = answer.status_code
    room = path.split("/", 1)[0]
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return ThrottledError("Prolific is busy", got="429", remedy="Run the same command again later.")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return BusyError(
            "Prolific is out of order", got=str(status), remedy="Run the same command again later."
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return StateError(
            "Prolific does not accept the credentials",
            got=str(status),
            remedy="Check PROLIFIC_TOKEN in secrets.env or in the environment, and that its owner may use"
            " the workspace.",
        )
    if status == HTTPStatus.NOT_FOUND:
        return GoneError("Prolific has nothing there", got=f"{method} {room}")
    detail = _detail(answer)
    if "insufficient" in detail.lower() or "not enough" in detail.lower():
        remedy = "Add money on Prolific's site, and run this again."
        return RefusedError("the Prolific workspace has too little money", detail, remedy=remedy)
    return RefusedError(
        "Prolific refused the call", detail, got=f"{method} {room}: {status}{_fields(answer)}"
    )


def _error(answer: httpx.Response) -> Any:
    try:
        return answer.json().get("error", {}).get("detail", "")
    except (ValueError, AttributeError):
        return ""


def _detail(answer: httpx.Response) -> str:
    told = _error(answer)
    return told if isinstance(told, str) else json.dumps(told)


def _fields(answer: httpx.Response) -> str:
    """The names of the fields that were refused, which are no ids."""
    told = _error(answer)
    return f", {', '.join(sorted(told))}" if isinstance(told, dict) else ""
