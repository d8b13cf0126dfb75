"""Asks the API of a MediaWiki: within a time, again if it was busy, then not at all for a while."""

from __future__ import annotations

import json
import logging
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from analysis.errors import StateError
from verifier.kb.deadline import timed

# httpx names every address that it calls, and these hold what workers search for.
logging.getLogger("httpx").setLevel(logging.WARNING)

_LARGEST: Final = 4 << 20
_AT_ONCE: Final = 4
_LONGEST_WAIT: Final = 60.0
_BUSY: Final = frozenset({"maxlag", "ratelimited", "readonly", "internal_api_error_DBQueryError"})
_TOO_MANY: Final = 429
_SERVER_FAULT: Final = 500
_FINE: Final = 200


class UnansweredError(StateError):
    """The knowledge base was asked and gave no answer that can be used.

    Attributes:
        wait: seconds after which it may be asked again; None: asking again is of no use.
    """

    def __init__(self, what: str, *, where: str, got: str, wait: float | None = None) -> None:
        super().__init__(
            what,
            where=where,
            got=got,
            remedy="Try again in a while; what was answered so far is kept. Is kb in study.yaml right?",
        )
        self.wait = wait


@dataclass(frozen=True)
class Patience:
    """How long to wait for an answer.

    Attributes:
        seconds: for one attempt, from the first step to the last byte.
        tries: attempts in all.
        pause: seconds before the second attempt, doubled each time; a Retry-After says more.
        rest: seconds in which an address that failed is not asked at all.
        images: whether to wait for images too.
    """

    seconds: float
    tries: int
    pause: float
    rest: float
    images: bool = False


# A worker waits at his page, a researcher at his plan.
WORKER: Final = Patience(2.0, 2, 0.2, 20.0)
RESEARCHER: Final = Patience(20.0, 5, 1.0, 0.0, images=True)


class Asking:
    """A connection to MediaWikis.

    Args:
        contact: whom their operators can write to; part of the user agent.
        patience: how long to wait.
        sleep: how to wait.
    """

    def __init__(
        self, contact: str, patience: Patience, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._patience = patience
        self._sleep = sleep
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._resting: dict[str, float] = {}
        self._client = httpx.Client(
            headers={"User-Agent": f"posthoc/{version('posthoc')} ({contact}) httpx/{httpx.__version__}"},
            timeout=patience.seconds,
            # Only addresses of study.yaml are asked, wherever an answer may point.
            follow_redirects=False,
            verify=_certificates(),
        )
        self._deadline = timed(self._client)
        # Nobody owns the connection for longer than this object lives.
        weakref.finalize(self, self._client.close)

    def __call__(self, address: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The answer of the API at `address`.

        Raises:
            UnansweredError: there is none.
        """
        if self._resting.get(address, 0.0) > time.monotonic():
            raise UnansweredError("the knowledge base is left alone for a while", where=address, got="")
        given = {**parameters, "format": "json", "formatversion": "2"}
        for turn in range(self._patience.tries - 1):
            try:
                return self._once(address, given)
            except UnansweredError as error:
                if not self._worth_waiting(error):
                    self._rest(address, error)
                    raise
                self._sleep(max(error.wait or 0.0, self._patience.pause * 2**turn))
        try:
            return self._once(address, given)
        except UnansweredError as error:
            self._rest(address, error)
            raise

    def file(self, address: str, most: int) -> bytes | None:
        """The bytes at an address, asked for once; None if they cannot be had now, or are more than `most`.

        A card can do without its image, so a host that does not answer is left alone for a minute.
        """
        host = urlsplit(address).netloc
        if self._resting.get(host, 0.0) > time.monotonic():
            return None
        if not self._places.acquire(timeout=self._patience.seconds):
            return None
        try:
            status, body, after = self._fetched(address, {}, most)
        except (httpx.HTTPError, httpx.InvalidURL):
            status, body, after = _SERVER_FAULT, b"", 0.0
        finally:
            self._places.release()
        if status == _TOO_MANY or status >= _SERVER_FAULT:
            self._resting[host] = time.monotonic() + max(_LONGEST_WAIT, after)
        return body if status == _FINE else None

    def _worth_waiting(self, error: UnansweredError) -> bool:
        longest = self._patience.pause if self._patience.rest else _LONGEST_WAIT
        return error.wait is not None and error.wait <= longest

    def _rest(self, address: str, error: UnansweredError) -> None:
        if self._patience.rest:
            self._resting[address] = time.monotonic() + max(self._patience.rest, error.wait or 0.0)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _once(self, address: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        if not self._places.acquire(timeout=self._patience.seconds):
            raise UnansweredError("the knowledge base is slow", where=address, got="too many at once", wait=0)
        try:
            status, body, after = self._fetched(address, parameters)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _silent(address, error) from error
        finally:
            self._places.release()
        if status == _TOO_MANY or status >= _SERVER_FAULT:
            got = f"status {status}"
            raise UnansweredError("the knowledge base is busy or down", where=address, got=got, wait=after)
        if status != _FINE:
            raise UnansweredError("the knowledge base refuses", where=address, got=f"status {status}")
        return _read(address, body)

    def _fetched(
        self, address: str, parameters: Mapping[str, str], most: int | None = None
    ) -> tuple[int, bytes, float]:
        """Status, body and the seconds to wait; no longer in all, and no more, than is borne.

        A file, of `most` bytes, is taken as it is sent: what unpacks to many times its size never does.
        """
        until = time.monotonic() + self._patience.seconds
        body = bytearray()
        coding = {"Accept-Encoding": "gzip" if most is None else "identity"}
        asking = self._client.stream("GET", address, params=dict(parameters), headers=coding)
        with self._deadline.within(self._patience.seconds), asking as answer:
            for piece in answer.iter_bytes() if most is None else answer.iter_raw():
                body += piece
                if len(body) > (most or _LARGEST) or time.monotonic() > until:
                    raise httpx.ReadTimeout("too long")
            return answer.status_code, bytes(body), _after(answer.headers.get("Retry-After", ""))


def _silent(address: str, error: Exception) -> UnansweredError:
    got = type(error).__name__
    return UnansweredError("the knowledge base does not answer", where=address, got=got, wait=0)


def _after(header: str) -> float:
    """The seconds that a Retry-After asks for; a date, which hardly anybody sends, counts as none."""
    return float(header) if header.isdecimal() and header.isascii() and len(header) < 7 else 0.0  # noqa: PLR2004 - days


def _read(address: str, body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise UnansweredError(
            "what answers is no MediaWiki", where=address, got=ascii(body[:60].decode("utf-8", "replace"))
        )
    if fault := said.get("error"):
        code = str(fault.get("code")) if isinstance(fault, dict) else "unknown"
        raise UnansweredError(
            "the knowledge base refuses", where=address, got=code, wait=0 if code in _BUSY else None
        )
    return said


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust; read once, since reading takes long."""
    return ssl.create_default_context()
