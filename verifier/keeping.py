"""Backups of a whole study in one file, and studies made again from them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final

from analysis.errors import InputError, StateError
from verifier.config import load_config
from verifier.founding import CONFIG_FILE, address_of
from verifier.secrets import FILE as SECRETS_FILE
from verifier.store.copying import copy_all
from verifier.store.engine import Store
from verifier.study import Study

DATABASE: Final = "database.db"
MANIFEST: Final = "backup.json"
_OWNER_ALONE: Final = 0o600
_LEFT_OUT: Final = ("exports", "rehearsals", "report")
_NOT_COPIED: Final = re.compile(r".*\.db(-wal|-shm|-journal)?|\.posthoc-.*")
_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Kept:
    """A backup: its file, the names of what it holds, and files that the study names elsewhere."""

    file: Path
    holds: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


def backup(study: Study, file: Path) -> Kept:
    """Write a study into one file: configuration, secrets, texts, knowledge base, database as it is now.

    Workers may go on while it is made. Exports and rehearsals are left out. It holds the vault and the
    secrets: its owner alone can read it.

    Raises:
        InputError: the file exists, or would lie in the study's own folder, and so in its next backup.
        StateError: it cannot be written.
    """
    if file.resolve().is_relative_to(study.path.resolve()):
        raise InputError(
            "a backup does not belong into the study that it keeps",
            where=str(file),
            remedy="Name a file outside the study's folder, best on another disk.",
        )
    with tempfile.TemporaryDirectory(prefix="posthoc-backup-") as scratch:
        database = Path(scratch) / DATABASE
        _snapshot(study, database)
        members = {DATABASE: database, **_files(study), **_answers(study, Path(scratch) / "answers.db")}
        told = {
            "software": version("posthoc"),
            "study": study.config.study.name,
            "files": {name: _sha256(path) for name, path in members.items()},
        }
        (Path(scratch) / MANIFEST).write_text(json.dumps(told, indent=1), encoding="utf-8")
        members = {MANIFEST: Path(scratch) / MANIFEST, **members}
        _pack(file, members)
    return Kept(file, tuple(members), tuple(_elsewhere(study)))


def _pack(file: Path, members: Mapping[str, Path]) -> None:
    """Write the archive; nothing is left of one that does not get whole."""
    stream = _new(file)
    try:
        with stream, tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for name, path in members.items():
                archive.add(path, name, recursive=False)
    except BaseException as error:
        file.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        got = error.strerror or str(error)
        raise StateError("the backup cannot be written", where=str(file), got=got) from error


def restore(file: Path, folder: Path, *, database: str | None = None) -> Path:
    """Make the study of a backup again in a new folder; the folder.

    Args:
        file: the backup.
        folder: new; a study is never made on top of something else.
        database: where its database is to be, in place of what the study's configuration says.

    Raises:
        InputError: the file is no whole backup, or the folder exists.
        StateError: the database holds a study already.
    """
    if folder.exists():
        raise InputError("there is something of this name", where=str(folder), remedy="Name a new folder.")
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".posthoc-restore-", dir=folder.absolute().parent) as scratch:
        draft = Path(scratch) / "study"
        draft.mkdir()
        _unpack(file, draft)
        (draft / MANIFEST).unlink()
        if database is not None:
            _place_elsewhere(draft, database)
        _put_database(draft, draft / DATABASE)
        draft.rename(folder.absolute())
    Study.open(folder).close()
    return folder


def _snapshot(study: Study, path: Path) -> None:
    if study.store.is_sqlite:
        study.store.snapshot(path)
        return
    copy = Store(f"sqlite:///{path}")
    try:
        copy.upgrade()
        with study.read() as source, copy.write() as target:
            copy_all(source, target)
    finally:
        copy.close()


def _files(study: Study) -> dict[str, Path]:
    """What belongs to the study's folder besides its database, by name."""
    knowledge = study.file(study.config.kb.file)
    found: dict[str, Path] = {}
    for path in sorted(study.path.rglob("*")):
        name = path.relative_to(study.path)
        if not path.is_file() or path.is_symlink() or name.parts[0] in _LEFT_OUT:
            continue
        if not _NOT_COPIED.fullmatch(path.name) or path == knowledge:
            found[name.as_posix()] = path
    return found


def _answers(study: Study, copy: Path) -> dict[str, Path]:
    """What a live knowledge base has answered: as it is now, since a search may add to it at any moment."""
    path = study.file(study.config.kb.cache)
    if not path.is_file() or not path.resolve().is_relative_to(study.path.resolve()):
        return {}
    try:
        with (
            closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as answers,
            closing(sqlite3.connect(copy)) as target,
        ):
            answers.backup(target)
    except sqlite3.DatabaseError:
        return {}
    return {path.resolve().relative_to(study.path.resolve()).as_posix(): copy}


def _elsewhere(study: Study) -> Iterator[str]:
    """Files that study.yaml names and that lie outside the study's folder."""
    home = study.path.resolve()
    for named in (study.config.kb.file, study.config.controls.file):
        if named is not None and not study.file(named).resolve().is_relative_to(home):
            yield str(named)


def _new(file: Path) -> IO[bytes]:
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ALONE), "wb")
    except FileExistsError:
        raise InputError(
            "the file exists", where=str(file), remedy="Name a new one: it is never overwritten."
        ) from None
    except OSError as error:
        raise StateError("the file cannot be written", where=str(file), got=error.strerror or "") from None


def _unpack(file: Path, draft: Path) -> None:
    """Unpack a backup, and refuse one that is not whole or holds anything but plain files of its own."""
    try:
        with tarfile.open(file, "r:gz") as archive:
            archive.extractall(draft, filter="data")
        told = json.loads((draft / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError) as error:
        if isinstance(error, FileNotFoundError) and not file.exists():
            raise InputError("there is no such file", where=str(file)) from None
        raise InputError(
            "not a backup of a study",
            where=str(file),
            got=str(error),
            expected="a file that `posthoc backup` wrote",
        ) from None
    wrong = [
        name for name, sha256 in told.items() if not _is(draft / name, sha256) or (draft / name).is_symlink()
    ]
    if wrong or CONFIG_FILE not in told or DATABASE not in told:
        raise InputError(
            "the backup is damaged", where=str(file), got=", ".join(wrong) or "parts are missing"
        )
    if (draft / SECRETS_FILE).exists():
        (draft / SECRETS_FILE).chmod(_OWNER_ALONE)


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and _sha256(path) == sha256


def _place_elsewhere(draft: Path, database: str) -> None:
    path = draft / CONFIG_FILE
    text = re.sub(r"(?m)^database:.*\n", "", path.read_text(encoding="utf-8"))
    path.write_text(f"{text.rstrip(chr(10))}\ndatabase: {database!r}\n", encoding="utf-8")


def _put_database(draft: Path, kept: Path) -> None:
    """Put the database where study.yaml says: a file of the folder, or into an empty PostgreSQL database."""
    address = address_of(draft, load_config(draft / CONFIG_FILE))
    store = Store(address)
    try:
        if store.is_sqlite:
            path = Path(store.url.database or "")
            if path.exists() or not path.is_relative_to(draft.absolute()):
                raise StateError(
                    "the study keeps its database outside its folder",
                    where=str(path),
                    remedy="Say where it is to be: --database sqlite:///study.db",
                )
            shutil.move(kept, path)
            return
        if store.revision() is not None:
            raise StateError(
                "the database holds a study already",
                where=store.shown_url,
                remedy="Name an empty one: --database URL",
            )
        _load(kept, store)
        kept.unlink()
    finally:
        store.close()


def _load(kept: Path, store: Store) -> None:
    source = Store(f"sqlite:///{kept}")
    try:
        source.check_revision()
        store.upgrade()
        with source.read() as rows, store.write() as target:
            copy_all(rows, target)
    finally:
        source.close()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while part := stream.read(_BLOCK):
            digest.update(part)
    return digest.hexdigest()
