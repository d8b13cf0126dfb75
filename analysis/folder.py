"""Writing a folder whole or not at all, and the hash of a file."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analysis.errors import InputError, StateError

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})

MANIFEST: Final = "manifest.json"


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path, what: str, maker: str) -> dict[str, Any]:
    """What the manifest of a folder says; empty if it is no object.

    Args:
        folder: where it is.
        what: what the folder should be, in messages ("a bundle").
        maker: the command that writes one.

    Raises:
        InputError: there is no manifest, or it is not JSON.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise InputError(
            f"not {what}", where=str(folder), got=f"no {MANIFEST}", expected=f"a folder written by {maker}"
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError("not JSON", where=str(file), got=str(error)) from error
    return manifest if isinstance(manifest, dict) else {}


@dataclass(frozen=True)
class Kind:
    """A kind of folder that we write, and how one is told from what is not ours.

    Attributes:
        name: in messages ("a bundle").
        key: what its manifest holds and no other kind's does: the hashes of its files.
        files: the names of its files, from the value at that key.
    """

    name: str
    key: str
    files: Callable[[Mapping[str, Any]], Iterable[str]]

    def is_found_in(self, folder: Path) -> bool:
        """Whether `folder` is of this kind and holds nothing else."""
        try:
            listed = read_manifest(folder, self.name, "").get(self.key)
        except (OSError, InputError):
            return False
        if not isinstance(listed, dict):
            return False
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        return there <= {MANIFEST, *self.files(listed)}


def refuse_foreign(folder: Path, kind: Kind) -> None:
    """Refuse to replace what we did not write.

    Raises:
        StateError: `folder` is a file, or a folder that holds anything that is not of `kind`.
    """
    if folder.is_dir() and (not any(folder.iterdir()) or kind.is_found_in(folder)):
        return
    if folder.exists() or folder.is_symlink():
        raise StateError(
            f"not {kind.name} of ours, or more than that, so it is not replaced",
            where=str(folder),
            got="a folder with other files" if folder.is_dir() else "a file",
            expected=f"a new name, an empty folder, or {kind.name} to write anew",
            remedy="Choose another --out, or move it away.",
        )


@contextmanager
def written_whole(folder: Path, kind: Kind) -> Iterator[Path]:
    """A temporary sibling to write into, which becomes `folder` if all goes well and vanishes if not.

    Raises:
        StateError: `folder` exists and is not ours (see `refuse_foreign`).
    """
    # Where a link leads is written, and the link stays.
    folder = folder.resolve()
    refuse_foreign(folder, kind)
    with _said_of(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        # mkdtemp makes a folder for its owner alone; the result is to be readable as any other.
        draft.chmod(0o777 & ~_umask())
        with _said_of(folder, _NO_ROOM):
            yield draft
            _swap(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _said_of(folder: Path, codes: Collection[int] | None = None) -> Iterator[None]:
    """Say of the folder that was asked for what the system says of drafts, by these codes alone or any."""
    try:
        yield
    except OSError as error:
        if codes is not None and error.errno not in codes:
            raise
        raise StateError("cannot be written", where=str(folder), got=os.strerror(error.errno or 0)) from error


def _swap(draft: Path, folder: Path) -> None:
    """Put `draft` in the place of `folder`; the old one is removed only when the new one stands."""
    if not folder.exists():
        draft.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    folder.rename(old / "old")
    try:
        draft.rename(folder)
    except OSError:
        (old / "old").rename(folder)
        old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
