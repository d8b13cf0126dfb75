"""Study: an opened study (its configuration, secrets and database); what every command starts from."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from analysis.errors import InputError, StateError
from analysis.schema import SCHEMA_VERSION
from verifier import resources
from verifier.config import StudyConfig, load_config
from verifier.secrets import FILE as SECRETS_FILE
from verifier.secrets import Secrets, read_secrets, write_secrets
from verifier.store import facts
from verifier.store.engine import Store, locate, missing_file

if TYPE_CHECKING:
    from verifier.kb.local import LocalKb
    from verifier.store import Session

CONFIG_FILE: Final = "study.yaml"
DATABASE_VARIABLE: Final = "POSTHOC_DATABASE"
_IGNORED: Final = f"{SECRETS_FILE}\n*.db\n*.db-wal\n*.db-shm\nexports/\nrehearsals/\n"


@dataclass(frozen=True)
class Study:
    """An open study.

    Attributes:
        path: its folder.
        config: study.yaml, checked.
        secrets: from secrets.env or the environment.
        store: its database.
    """

    path: Path
    config: StudyConfig
    secrets: Secrets
    store: Store

    @classmethod
    def open(cls, path: Path) -> Study:
        """Open the study in the folder `path`; never makes one.

        Raises:
            ConfigError: there is no study, or its configuration or secrets are wrong.
            StateError: it has no database, or one of a newer version.
        """
        config = load_config(path / CONFIG_FILE)
        address = _address(path, config)
        if lost := missing_file(address):
            raise StateError(
                "the study has no database",
                where=str(lost),
                remedy="Put it back, or make a new study with: posthoc init DIR",
            )
        study = cls(path, config, read_secrets(path), Store(address))
        study.store.check_revision()
        return study

    @classmethod
    def create(
        cls, folder: Path, template: str = "link", *, name: str | None = None, database: str | None = None
    ) -> Study:
        """Make a study in `folder`, new or empty, from a template, and open it.

        Args:
            folder: where; its name becomes the study's unless `name` is given.
            template: one of `templates()`.
            name: what the study is called.
            database: address of its database in place of the template's.

        Raises:
            InputError: no such template, or the folder holds something.
            StateError: the database holds a study already.
        """
        scaffold = _template(template)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(
                "the folder is not empty",
                where=str(folder),
                remedy="Name a new folder: a study is never made on top of something else.",
            )
        parent = folder.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".posthoc-", dir=parent) as made:
            draft = Path(made) / "study"
            shutil.copytree(scaffold, draft)
            _fill_in(draft / CONFIG_FILE, name or study_name(folder), database)
            write_secrets(draft, Secrets.random())
            (draft / ".gitignore").write_text(_IGNORED, encoding="utf-8")
            (draft / "templates").mkdir(exist_ok=True)
            _lay_out(draft)
            folder.mkdir(exist_ok=True)
            for item in sorted(draft.iterdir()):
                shutil.move(item, folder / item.name)
        return cls.open(folder)

    def file(self, relative: Path) -> Path:
        """A path of the configuration, taken from the study's folder."""
        return self.path / relative

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one snapshot of the database."""
        with self.store.read() as session:
            yield session

    def write(self, *, alone: bool = False) -> AbstractContextManager[Session]:
        """A session whose changes are committed on exit, or rolled back if an error leaves it."""
        return self.store.write(alone=alone)

    def kb(self) -> LocalKb:
        """The knowledge base, opened for reading.

        Raises:
            StateError: it was not built.
        """
        from verifier.kb.local import LocalKb  # noqa: PLC0415 - most commands need none

        path = self.file(self.config.kb.file)
        if not path.is_file():
            raise StateError(
                "the knowledge base is not built",
                where=str(path),
                remedy=f"Build it with: posthoc kb build {self.path} FILE",
            )
        return LocalKb(path)

    def close(self) -> None:
        """Give up the database connections."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def templates() -> list[str]:
    """The names of the studies that `create` can start from."""
    return sorted(path.parent.name for path in resources.folder("configs").glob(f"*/{CONFIG_FILE}"))


def study_name(folder: Path) -> str:
    """A study's name made from its folder's: letters, digits, dot, dash and underscore are kept."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.absolute().name).strip("-._")
    return kept[:100] or "study"


def _template(name: str) -> Path:
    if name not in templates():
        raise InputError("no such template", got=repr(name), expected=" or ".join(templates()))
    return resources.folder("configs") / name


def _fill_in(path: Path, name: str, database: str | None) -> None:
    """Put the study's own name, and the database's address if one is given, into its configuration."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?m)^(study:\s*\{?\s*name:\s*)[^\s,}#]+", rf"\g<1>{name}", text, count=1)
    if database is not None:
        text = re.sub(r"(?m)^database:.*\n", "", text).rstrip("\n") + f"\ndatabase: {database!r}\n"
    path.write_text(text, encoding="utf-8")


def _address(folder: Path, config: StudyConfig) -> str:
    return locate(os.environ.get(DATABASE_VARIABLE) or config.database, folder)


def _lay_out(folder: Path) -> None:
    """Make the tables of a new study and put down its first facts."""
    config = load_config(folder / CONFIG_FILE)
    store = Store(_address(folder, config))
    try:
        store.upgrade()
        with store.write(alone=True) as session:
            if other := facts.get(session, "name"):
                raise StateError("the database holds a study already", where=store.shown_url, got=repr(other))
            start = {
                "name": config.study.name,
                "seed": str(config.study.seed),
                "nonce": secrets.token_urlsafe(16),
                "schema": str(SCHEMA_VERSION),
                "origin": "",
            }
            for fact, value in start.items():
                facts.put(session, fact, value)
    finally:
        store.close()
