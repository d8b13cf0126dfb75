"""What the routes share: the study, its knowledge base and its texts, held by the app, never by a module."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from flask import current_app, request

from analysis.errors import InputError
from verifier.kb.local import Candidate
from verifier.kb.names import title_of
from verifier.kb.shelf import LiveShelf, Shelf
from verifier.kb.understand import understand
from verifier.store.together import Together
from verifier.study import Study
from verifier.web.languages import Languages
from verifier.web.texts import Texts

NAME: Final = "posthoc"


@dataclass(frozen=True)
class State:
    """The state of one app.

    Attributes:
        study: what is served.
        shelf: holds the knowledge base; while there is none, pages offer no search, but take addresses.
        languages: what workers read, in each language.
        nonce: tells this study from others at its address.
        together: writes what workers do.
    """

    study: Study
    shelf: Shelf | LiveShelf
    languages: Languages
    nonce: str
    together: Together

    @property
    def texts(self) -> Texts:
        """What the worker reads whose request is answered."""
        return self.languages.chosen(request.accept_languages)

    def understand(self, raw: str, language: str) -> str:
        """The key that a worker means; see `verifier.kb.understand`."""
        try:
            return understand(raw, language, self.shelf.kb())
        except sqlite3.Error:
            return understand(raw, language, None)

    def look_up(self, given: Iterable[tuple[str, str]]) -> None:
        """Ask a live knowledge base what texts mean in their languages, before a transaction waits for it."""
        if self.shelf.live:
            for raw, language in set(given):
                with suppress(InputError):
                    self.understand(raw, language)

    def titles(self, keys: Iterable[str | None], language: str | None = None) -> dict[str, str]:
        """A title for each key, in a language where there are several."""
        return {key: self._title(key, language) for key in set(keys) if key}

    def candidate(self, key: str, language: str) -> Candidate:
        """The entity with this key as an answer of a search."""
        return self.shelf.candidate(key, language)

    def search(self, query: str, limit: int, language: str) -> tuple[list[Candidate], str | None]:
        """Entities that a name may mean, and what is to be said if nothing can be searched."""
        found = self.shelf.search(query, limit, language)
        return (found, None) if found is not None else ([], self.texts.words["search_none"])

    def _title(self, key: str, language: str | None) -> str:
        card = self.shelf.at_hand(key, language)
        return (card.title if card else None) or title_of(key)


def state() -> State:
    """The state of the app that answers."""
    found: State = current_app.extensions[NAME]
    return found
