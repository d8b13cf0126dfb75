"""Makes a new study folder from a template, whole or not at all, however many try at once."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

from analysis.errors import InputError, StateError, plain
from analysis.schema import SCHEMA_VERSION
from verifier import resources
from verifier.config import StudyConfig, load_config
from verifier.secrets import FILE as SECRETS_FILE
from verifier.secrets import Secrets, write_secrets
from verifier.store import facts
from verifier.store.engine import Store, locate

CONFIG_FILE: Final = "study.yaml"
DATABASE_VARIABLE: Final = "POSTHOC_DATABASE"
# How a study that is being made is called: what an `init` that was killed leaves behind can be told by it.
DRAFT: Final = ".posthoc-init"
_OLD_SECONDS: Final = 3600
_IGNORED: Final = f"{SECRETS_FILE}\n*.db\n*.db-wal\n*.db-shm\nexports/\nrehearsals/\n"


def found(folder: Path, template: str, *, name: str | None = None, database: str | None = None) -> None:
    """Make a study in `folder`, new or empty; until it is whole there is no study there.

    Raises:
        InputError: no such template, the folder holds something, or its name cannot be kept.
        StateError: the database holds a study already, or the folder cannot be written.
    """
    scaffold = _template(template)
    _refuse_undecodable(folder)
    called = name or study_name(folder)
    make = _found_inside if folder.exists() else _found_beside
    try:
        make(folder, scaffold, called, database)
    except OSError as error:
        # What the system says is of a draft, whose name means nothing to anybody.
        raise StateError(
            "the study cannot be made there",
            where=str(folder),
            got=_reason(error),
            remedy="Name a folder that can be written, on a disk with room.",
        ) from error


def _reason(error: OSError) -> str:
    """What the system says; copying a folder says it once a file, with paths that mean nothing here."""
    if isinstance(error, shutil.Error):
        found = re.search(r"\[Errno (\d+)\]", str(error))
        return os.strerror(int(found[1])) if found else "its files cannot be copied"
    return error.strerror or str(error)


def templates() -> list[str]:
    """The names of the studies that one can start from."""
    return sorted(path.parent.name for path in resources.folder("configs").glob(f"*/{CONFIG_FILE}"))


def study_name(folder: Path) -> str:
    """A study's name made from its folder's: letters, digits, dot, dash and underscore are kept."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.absolute().name).strip("-._")
    return kept[:100] or "study"


def address_of(folder: Path, config: StudyConfig) -> str:
    """The address of a study's database; the environment wins over study.yaml."""
    return locate(os.environ.get(DATABASE_VARIABLE) or config.database, folder)


def leftovers(folder: Path) -> list[Path]:
    """Drafts in `folder` of studies whose making was broken off: those that are older than an hour."""
    return [path for path in sorted(folder.glob(f"{DRAFT}*")) if _is_old(path)]


def _found_beside(folder: Path, scaffold: Path, name: str, database: str | None) -> None:
    """A new folder: drafted beside its place and put there in one step."""
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    for left in leftovers(parent):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{DRAFT}-", dir=parent) as made:
        draft = Path(made) / "study"
        _draw_up(draft, scaffold, name, database)
        try:
            draft.rename(folder.absolute())
        except OSError:
            if not folder.exists():
                raise
            raise _taken(folder) from None


def _found_inside(folder: Path, scaffold: Path, name: str, database: str | None) -> None:
    """An empty folder, which somebody may stand in: filled up, study.yaml coming last."""
    if not folder.is_dir():
        raise _taken(folder)
    draft = folder / DRAFT
    if _is_old(draft):
        shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir()
    except FileExistsError:
        raise InputError(
            "a study is being made in this folder",
            where=str(folder),
            remedy=f"If that was broken off, remove {draft} and try again.",
        ) from None
    put: list[Path] = []
    try:
        _refuse_filled(folder, draft)
        _draw_up(draft / "study", scaffold, name, database)
        items = sorted((draft / "study").iterdir(), key=lambda path: (path.name == CONFIG_FILE, path.name))
        for item in items:
            put.append(folder / item.name)
            item.rename(folder / item.name)
    except BaseException:
        # Whatever stopped it, a signal too: half a study must not be left.
        for path in put:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _draw_up(draft: Path, scaffold: Path, name: str, database: str | None) -> None:
    """Everything that a study's folder holds."""
    shutil.copytree(scaffold, draft)
    _fill_in(draft / CONFIG_FILE, name, database)
    write_secrets(draft, Secrets.random())
    (draft / ".gitignore").write_text(_IGNORED, encoding="utf-8")
    (draft / "templates").mkdir(exist_ok=True)
    _lay_out(draft)


def _refuse_filled(folder: Path, draft: Path) -> None:
    if any(path != draft for path in folder.iterdir()):
        raise _taken(folder)


def _taken(folder: Path) -> InputError:
    return InputError(
        "the folder is not empty" if folder.is_dir() else "there is a file of this name",
        where=str(folder),
        remedy="Name a new folder: a study is never made on top of something else.",
    )


def _is_old(path: Path) -> bool:
    """Whether it is a folder that nobody has touched for an hour."""
    try:
        return path.is_dir() and not path.is_symlink() and time.time() - path.stat().st_mtime > _OLD_SECONDS
    except OSError:
        return False  # gone meanwhile: it is somebody's who is at work


def _refuse_undecodable(folder: Path) -> None:
    """A name that is no text can stand in no configuration, message or database address."""
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError:
        raise InputError(
            "the folder's name is not UTF-8 text",
            where=ascii(str(folder)),
            remedy="Name a folder whose whole path is.",
        ) from None


def _template(name: str) -> Path:
    if name not in templates():
        raise InputError("no such template", got=plain(name), expected=" or ".join(templates()))
    return resources.folder("configs") / name


def _fill_in(path: Path, name: str, database: str | None) -> None:
    """Put the study's own name, and the database's address if one is given, into its configuration."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?m)^(study:\s*\{?\s*name:\s*)[^\s,}#]+", rf"\g<1>{_quoted(name)}", text, count=1)
    if database is not None:
        text = re.sub(r"(?m)^database:.*\n", "", text).rstrip("\n") + f"\ndatabase: {database!r}\n"
    path.write_text(text, encoding="utf-8")


def _quoted(name: str) -> str:
    """The name as YAML reads it back as text: 2026, 1e3 and yes are none without quotes."""
    plain = name[:1].isalpha() and name.lower() not in (
        "y",
        "n",
        "yes",
        "no",
        "on",
        "off",
        "true",
        "false",
        "null",
    )
    return name if plain else f'"{name}"'


def unguessable() -> str:
    """A text that nobody can guess, by which a study hides in which order it shows tasks."""
    return secrets.token_urlsafe(16)


def _lay_out(folder: Path) -> None:
    """Make the tables of a new study and put down its first facts."""
    config = load_config(folder / CONFIG_FILE)
    store = Store(address_of(folder, config))
    try:
        store.upgrade()
        with store.write(alone=True) as session:
            if other := facts.get(session, "name"):
                raise StateError(
                    "the database holds a study already", where=store.shown_url, got=plain(other)
                )
            start = {
                "name": config.study.name,
                "seed": str(config.study.seed),
                "nonce": secrets.token_urlsafe(16),
                facts.ORDER: unguessable(),
                "schema": str(SCHEMA_VERSION),
                "origin": "",
            }
            for fact, value in start.items():
                facts.put(session, fact, value)
    finally:
        store.close()
