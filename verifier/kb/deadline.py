"""A total time for each request of an HTTP client, whose own time-outs are for each read alone."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpcore
import httpx

_LEAST: Final = 0.001


class Deadline(httpcore.NetworkBackend):
    """Lends every read and write of a thread's request only what is left of its time.

    A host that sends a byte now and then, of the headers even, would else hold a request for as long as it
    likes.

    Args:
        inner: what opens the connections.
    """

    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner
        self._of_thread = threading.local()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """What this thread asks meanwhile takes no longer in all."""
        self._of_thread.until = time.monotonic() + seconds
        try:
            yield
        finally:
            self._of_thread.until = None

    def left(self, timeout: float | None) -> float | None:
        """The seconds that the next step of this thread may take; none left: next to none."""
        until = self._until
        if until is None:
            return timeout
        rest = max(until - time.monotonic(), _LEAST)
        return rest if timeout is None else min(timeout, rest)

    @property
    def is_over(self) -> bool:
        """This thread's request has had its time."""
        until = self._until
        return until is not None and time.monotonic() >= until

    @property
    def _until(self) -> float | None:
        found: float | None = getattr(self._of_thread, "until", None)
        return found

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection whose steps are timed."""
        found = self._inner.connect_tcp(host, port, self.left(timeout), local_address, socket_options)
        return _Timed(found, self)

    def sleep(self, seconds: float) -> None:
        """Wait, as the connection pool does between its attempts."""
        self._inner.sleep(seconds)


class _Timed(httpcore.NetworkStream):
    """A connection, each step of which has what is left of its request's time."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes that come."""
        if self._deadline.is_over:
            raise httpcore.ReadTimeout("too long in all")
        return self._inner.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._inner.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, private from now on."""
        left = self._deadline.left(timeout)
        return _Timed(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._inner.get_extra_info(info)


def timed(client: httpx.Client) -> Deadline:
    """The deadline of a client's requests, by proxies of the environment too.

    httpx takes no network of one's own where it finds the proxies itself, so that it is put in place here;
    where another version of it keeps its connections elsewhere, the time-outs are those of each read.
    """
    deadline = Deadline(httpcore.SyncBackend())
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001 - see above
        pool: Any = getattr(transport, "_pool", None)
        if hasattr(pool, "_network_backend"):
            pool._network_backend = deadline  # noqa: SLF001 - see above
    return deadline
