"""The images of cards: small files in a folder beside the knowledge base, named by what they hold."""

from __future__ import annotations

import hashlib
import os
import re
import struct
from pathlib import Path
from typing import Final

from analysis.errors import InputError, StateError, plain

FOLDER: Final = "images"
LARGEST: Final = 200_000
LONGEST_SIDE: Final = 1024
TYPES: Final = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_NAME: Final = re.compile(r"[0-9a-f]{64}\.(?:png|jpg|gif|webp)")
_BEGINNINGS: Final = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}


class Images:
    """The images beside a knowledge base.

    A file is named by the digest of its bytes and never changes or goes, so a card that names it shows for
    ever what it showed first, whatever knowledge base is built later.

    Args:
        beside: the file of the knowledge base.
    """

    def __init__(self, beside: Path) -> None:
        self.folder = beside.parent / FOLDER

    def keep(self, body: bytes) -> str:
        """Put an image down; its name.

        Raises:
            InputError: it is none, or too large.
            StateError: the file cannot be written.
        """
        name = name_of(body)
        path = self.folder / name
        try:
            if not path.is_file():
                self.folder.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f".{name}.{os.getpid()}.part")
                part.write_bytes(body)
                part.replace(path)
        except OSError as error:
            raise StateError("an image cannot be kept", where=str(path), got=error.strerror or "") from error
        return name

    def holds(self, name: str) -> bool:
        """Whether there is an image of this name."""
        return _NAME.fullmatch(name) is not None and (self.folder / name).is_file()

    def find(self, name: str) -> tuple[bytes, str] | None:
        """Bytes and media type of an image; None if there is none of this name."""
        if not _NAME.fullmatch(name):
            return None
        try:
            body = (self.folder / name).read_bytes()
        except OSError:
            return None
        return body, TYPES[name.rpartition(".")[2]]


def name_of(body: bytes) -> str:
    """The name of an image: the digest of its bytes, and its kind, told from how they begin.

    Drawings of lines (SVG) are refused: they can hold scripts.

    Raises:
        InputError: it is no image of a kind that every browser shows, or too large.
    """
    if len(body) > LARGEST:
        raise InputError(
            "too large an image for a card",
            got=f"{len(body):,} bytes",
            expected=f"{LARGEST:,} at most",
            remedy="Make it smaller: a card shows it 96 pixels wide.",
        )
    kind = next((kind for begins, kind in _BEGINNINGS.items() if body.startswith(begins)), None)
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        kind = "webp"
    if kind is None:
        raise InputError("not an image", got=plain(body[:8]), expected="PNG, JPEG, GIF or WebP")
    try:
        width, height = _SIZES[kind](body)
    except (struct.error, IndexError):
        width = height = 0
    if not (1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE):
        raise InputError(
            "an image of this size is none for a card",
            got=f"{width} x {height} pixels",
            expected=f"1 to {LONGEST_SIDE:,} a side",
            remedy="Make it smaller: a card shows it 96 pixels wide.",
        )
    return f"{hashlib.sha256(body).hexdigest()}.{kind}"


def _png(body: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", body, 16)
    return width, height


def _gif(body: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", body, 6)
    return width, height


def _jpg(body: bytes) -> tuple[int, int]:
    """From the first segment that begins a frame (SOF); those before it are stepped over."""
    place = 2
    while body[place] == _MARKER:
        kind = body[place + 1]
        if kind in _FRAMES:
            height, width = struct.unpack_from(">HH", body, place + 5)
            return width, height
        # Filling bytes stand alone; all else before the frame tells how long it is.
        place += 1 if kind == _MARKER else 2 + struct.unpack_from(">H", body, place + 2)[0]
    return 0, 0


def _webp(body: bytes) -> tuple[int, int]:
    kind = body[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(body[24:27], "little"), 1 + int.from_bytes(body[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(body[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", body, 26)
    return width & 0x3FFF, height & 0x3FFF


_MARKER: Final = 0xFF
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SIZES: Final = {"png": _png, "jpg": _jpg, "gif": _gif, "webp": _webp}
