"""Writing a folder whole or not at all, and the hash of a file."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis.errors import StateError


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_foreign(folder: Path, marker: str) -> None:
    """Refuse to replace what we did not write.

    Raises:
        StateError: `folder` is a file, or a folder with something in it but no file `marker`.
    """
    if folder.is_dir() and ((folder / marker).is_file() or not any(folder.iterdir())):
        return
    if folder.exists() or folder.is_symlink():
        raise StateError(
            "not an output folder of ours, so it is not replaced",
            where=str(folder),
            got=f"a folder without {marker}" if folder.is_dir() else "a file",
            expected=f"a new name, an empty folder, or a folder with our {marker}",
            remedy="Choose another --out, or move it away.",
        )


@contextmanager
def written_whole(folder: Path, marker: str) -> Iterator[Path]:
    """A temporary sibling to write into, which becomes `folder` if all goes well and vanishes if not.

    Raises:
        StateError: `folder` exists and is not ours (see `refuse_foreign`).
    """
    folder = folder.absolute()
    refuse_foreign(folder, marker)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        # mkdtemp makes a folder for its owner alone; the result is to be readable as any other.
        draft.chmod(0o777 & ~_umask())
        yield draft
        _swap(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


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
