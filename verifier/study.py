"""Study: an opened study (its configuration, secrets and database); what every command starts from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self

from analysis.errors import StateError
from verifier.config import StudyConfig, load_config
from verifier.founding import CONFIG_FILE, DATABASE_VARIABLE, address_of, found, study_name, templates
from verifier.plan import terms
from verifier.secrets import Secrets, read_secrets
from verifier.store.engine import Store, missing_file

if TYPE_CHECKING:
    from verifier.kb.asking import Patience
    from verifier.kb.local import LocalKb
    from verifier.kb.shelf import LiveShelf, Shelf
    from verifier.kb.wikipedia import WikipediaKb
    from verifier.store import Session

__all__ = ["CONFIG_FILE", "DATABASE_VARIABLE", "Study", "study_name", "templates"]


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
            StateError: it has no database, or one of a newer version; or its name or seed was changed since
                it was planned.
        """
        config = load_config(path / CONFIG_FILE)
        address = address_of(path, config)
        if lost := missing_file(address):
            raise StateError(
                "the study has no database",
                where=str(lost),
                remedy="Put it back, or make a new study with: posthoc init DIR",
            )
        study = cls(path, config, read_secrets(path), Store(address))
        try:
            study.store.check_revision()
            with study.read() as session:
                terms.check_identity(session, config)
        except StateError:
            study.close()
            raise
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
            InputError: no such template, the folder holds something, or its path is no text.
            StateError: the database holds a study already.
        """
        found(folder, template, name=name, database=database)
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

    def kb(self) -> LocalKb | WikipediaKb:
        """The knowledge base, opened for reading; a live one waits as long as a researcher would.

        Raises:
            StateError: it was not built.
        """
        from verifier.kb.local import LocalKb  # noqa: PLC0415 - most commands need none

        if self.config.kb.kind == "wikipedia":
            from verifier.kb.asking import RESEARCHER  # noqa: PLC0415 - most commands need none

            return self._wikipedia(RESEARCHER)
        path = self.file(self.config.kb.file)
        if not path.is_file():
            raise StateError(
                "the knowledge base is not built",
                where=str(path),
                remedy=f"Build it with: posthoc kb build {self.path} FILE",
            )
        return LocalKb(path)

    def shelf(self) -> Shelf | LiveShelf:
        """The knowledge base for servers: where there is none, or no answer, it finds nothing."""
        from verifier.kb.shelf import LiveShelf, Shelf  # noqa: PLC0415 - most commands need none

        if self.config.kb.kind == "local":
            return Shelf(self.file(self.config.kb.file))
        from verifier.kb.asking import WORKER  # noqa: PLC0415 - most commands need none

        return LiveShelf(self._wikipedia(WORKER))

    def _wikipedia(self, patience: Patience) -> WikipediaKb:
        from verifier import clock  # noqa: PLC0415 - most commands need none
        from verifier.kb.wikipedia import Place, WikipediaKb  # noqa: PLC0415 - most commands need none

        told = self.config.kb
        languages = tuple(dict.fromkeys(one.language for one in self.config.datasets.values())) or ("en",)
        keep = timedelta(days=told.keep_days)
        contact = told.contact or ""
        place = Place(told.api, told.wikidata, contact, told.keys, keep, languages, told.images)
        return WikipediaKb(place, self.file(told.cache), patience, clock.now)

    def close(self) -> None:
        """Give up the database connections."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
