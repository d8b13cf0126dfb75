"""The worker's side of the task server over HTTP, patient when the connection is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from analysis.errors import InputError, StateError

_PAUSE = 0.1
_UNAVAILABLE = frozenset({502, 503, 504})


def check_address(url: str) -> None:
    """Refuse at once what can be no server's address.

    Raises:
        InputError: it is none.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        sound = False
    if not sound or parts.query or parts.fragment or any(letter.isspace() for letter in url):
        raise InputError(
            "not the address of a task server",
            where="--url",
            got=ascii(url),
            expected="such as http://127.0.0.1:8000",
        )


class TaskServer:
    """Requests of one simulated browser. What is lost on the way is sent again, unchanged."""

    def __init__(self, url: str, *, patience: float = 60.0) -> None:
        """Talk to the server at `url`; give up after `patience` seconds without an answer."""
        # Redirects are read, not followed; the environment's proxies are not for a server of ours.
        self._client = httpx.Client(base_url=url, timeout=30.0, follow_redirects=False, trust_env=False)
        self._patience = patience

    def __enter__(self) -> Self:
        """Itself; the connection is closed at the end."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._client.close()

    def start(self, parameter: str, participant: str) -> str | None:
        """Arrive by the link; the token of the assignment, or None if there is no work."""
        return self.enter({parameter: participant})

    def enter(self, told: Mapping[str, str]) -> str | None:
        """Arrive with what a platform tells; the token of the assignment, or None if there is no work."""
        answer = self._patiently(lambda: self._client.get("/start", params=dict(told)))
        if answer.is_redirect:
            room, _, token = urlsplit(answer.headers["location"]).path.strip("/").rpartition("/")
            return token if room == "w" or room.endswith("/w") else None
        if answer.is_server_error:
            raise _refused(answer)
        return None

    def state(self, token: str) -> dict[str, Any]:
        """Where the assignment stands."""
        return self._json("GET", f"/api/{token}/state")

    def take_step(self, token: str, step: str) -> None:
        """Look at the page of a step and go on from it."""
        self._patiently(lambda: self._client.get(f"/w/{token}"))
        form = {"step": step, "agree": "yes"}
        answer = self._patiently(lambda: self._client.post(f"/w/{token}/step", data=form))
        if answer.is_error:
            raise _refused(answer)

    def task(self, token: str, number: int) -> dict[str, Any]:
        """One task as the page gets it."""
        return self._json("GET", f"/api/{token}/tasks/{number}")

    def judge(self, token: str, judgment: dict[str, Any]) -> None:
        """Store one judgment; it is stored for good when this returns."""
        self._json("POST", f"/api/{token}/judgments", {"judgments": [judgment]})

    def search(self, token: str, query: str, display: str) -> list[str]:
        """Keys of the candidates that a search offers."""
        params = {"q": query, "display": display}
        answer = self._patiently(lambda: self._client.get(f"/api/{token}/search", params=params))
        if answer.is_error:
            raise _refused(answer)
        return [str(candidate["key"]) for candidate in answer.json()["candidates"]]

    def name(self, token: str, display: str, entity: str) -> dict[str, Any]:
        """Name the entity whose link is hidden; the card that is shown then."""
        return self._json("POST", f"/api/{token}/name", {"display": display, "entity": entity})

    def submit(self, token: str) -> str:
        """Submit; the completion code."""
        return str(self._json("POST", f"/api/{token}/submit", {})["code"])

    def page(self, token: str) -> str:
        """The page that the worker sees now."""
        answer = self._patiently(lambda: self._client.get(f"/w/{token}"))
        if answer.is_error:
            raise _refused(answer)
        return answer.text

    def give_back(self, token: str) -> None:
        """Return the work. If only the answer was lost, the second try finds it gone."""
        self._patiently(lambda: self._client.post(f"/api/{token}/return", json={}))

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self._patiently(lambda: self._client.request(method, path, json=body))
        if answer.is_error:
            raise _refused(answer)
        content: dict[str, Any] = answer.json()
        return content

    def _patiently(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        until = time.monotonic() + self._patience
        while True:
            try:
                answer = send()
            except httpx.TransportError as error:
                if time.monotonic() > until:
                    raise StateError(
                        "the task server does not answer",
                        where=str(self._client.base_url),
                        got=type(error).__name__,
                        remedy="Start it with: posthoc serve STUDY",
                    ) from None
            else:
                if answer.status_code not in _UNAVAILABLE or time.monotonic() > until:
                    return answer
            time.sleep(_PAUSE)


def _refused(answer: httpx.Response) -> StateError:
    # The path holds the token: only its last part is named.
    path = answer.request.url.path.rsplit("/", 1)[-1]
    said = answer.text[:200] if "json" in answer.headers.get("content-type", "") else answer.reason_phrase
    return StateError(
        "the task server refused a simulated worker",
        where=f"{answer.request.method} .../{path}",
        got=f"status {answer.status_code}: {said}",
        remedy="Start it with posthoc serve STUDY to see what it says, and give its address as --url.",
    )
