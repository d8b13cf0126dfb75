"""A small HTTP client on a socket: what it costs must not hide what the server costs."""

from __future__ import annotations

import json
import socket
from typing import Any, Self
from urllib.parse import urlsplit


class Connection:
    """One connection that is kept open."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self._host = f"{where.hostname}:{where.port}"
        self._socket = socket.create_connection((where.hostname, where.port), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        return self._ask(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())

    def post(self, path: str, body: Any) -> tuple[int, dict[str, str], bytes]:
        """The same of a JSON body, or of a form given as text."""
        kind = "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        return self._ask(head.encode() + data)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, message: bytes) -> tuple[int, dict[str, str], bytes]:
        self._socket.sendall(message)
        data = self._rest
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._more()
        first, *lines = data[:end].decode("latin-1").split("\r\n")
        parts = (line.split(": ", 1) for line in lines)
        headers = {name.lower(): value for name, value in parts}
        size = int(headers.get("content-length", 0))
        body = data[end + 4 :]
        while len(body) < size:
            body += self._more()
        self._rest = body[size:]
        return int(first.split(" ", 2)[1]), headers, body[:size]

    def _more(self) -> bytes:
        part = self._socket.recv(65536)
        if not part:
            raise ConnectionError("the server hung up")
        return part


def arrive(url: str, participant: str) -> str:
    """A worker comes in and goes through the steps; his token."""
    with Connection(url) as connection:
        status, headers, _ = connection.get(f"/start?participant={participant}")
        if status != 303:
            raise RuntimeError(f"arrival was answered with {status}")
        token = headers["location"].rsplit("/", 1)[1]
        for step in ("consent", "instructions", "example"):
            connection.post(f"/w/{token}/step", f"step={step}&agree=yes")
    return token
