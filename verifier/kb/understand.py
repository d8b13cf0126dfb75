"""Which entity a worker means by what he chose, typed or pasted; or the reason why it cannot be told."""

from __future__ import annotations

import re
from typing import Final, Protocol

from analysis.errors import InputError, StateError
from analysis.keys import NIL, read_entity
from verifier.kb.local import Candidate
from verifier.kb.names import fold

LONGEST: Final = 2000
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|www\.|(?:[a-z0-9-]+\.)+[a-z]{2,}/", re.IGNORECASE)
_TYPED = re.compile(r"(?:wd:Q\d+|Q[1-9]\d*|(?:w|dbp):[a-z][a-z0-9-]{1,15}:.+)\Z", re.DOTALL)


class Known(Protocol):
    """What is asked of a knowledge base here."""

    def meant(self, key: str, language: str) -> str | None:
        """The key, as it is best written, of an entity that is known; None if that cannot be told."""

    def search(self, query: str, limit: int = 10, language: str | None = None) -> list[Candidate]:
        """Entities that the query may mean, best first."""


def is_address(text: str) -> bool:
    """Whether `text` looks like a web address rather than like a name to search for."""
    return _ADDRESS.match(text.strip()) is not None


def is_identifier(text: str) -> bool:
    """Whether `text` is an identifier (Q42, wd:Q42, w:en:Title) rather than a name to search for."""
    return _TYPED.match(text.strip()) is not None


def understand(raw: str, language: str, kb: Known | None) -> str:
    """The key of the entity that a worker means, before redirects.

    Addresses of Wikipedia, Wikidata and DBpedia and identifiers are taken at their word; anything else must
    be an entity of the knowledge base, so that a half-typed name never becomes an answer.

    Args:
        raw: the key of a candidate, an address, an identifier, a title, or NIL.
        language: the dataset's language, for titles.
        kb: the knowledge base, where there is one.

    Raises:
        InputError: it cannot be told, with a reason fit for a worker.
    """
    text = raw.strip()
    if not text or len(text) > LONGEST or any(ord(letter) < ord(" ") for letter in text):
        raise InputError("Nothing that can be read as an entity was given.")
    key = _read(f"https://{text}" if text.lower().startswith("www.") else text, language)
    if key == NIL:
        return key
    if kb is not None and (meant := kb.meant(key, language)) is not None:
        return meant
    if key.startswith("id:w:"):
        raise InputError(
            "This address has a page number, not a title. Open the article and copy its address."
        )
    if not key.startswith("id:") and (is_address(text) or is_identifier(text)):
        return key
    named = _named(text, language, kb)
    if len(named) > 1:
        raise InputError("Several entities have this name. Choose one of them from the list.")
    if not named:
        raise _refused(text)
    return named[0]


def _named(text: str, language: str, kb: Known | None) -> list[str]:
    """The entities whose title is just this; none where nobody can tell."""
    try:
        found = kb.search(text, 2, language) if kb else []
    except StateError:
        return []
    return [one.key for one in found if fold(one.title) == fold(text)]


def _read(text: str, language: str) -> str:
    try:
        entity = read_entity(text, language)
    except (InputError, ValueError):
        raise _refused(text) from None
    if entity.key is None:
        raise _refused(text)
    return entity.key


def _refused(text: str) -> InputError:
    if is_address(text):
        return InputError(
            "This address was not understood. Paste the address of a Wikipedia article or of a Wikidata item."
        )
    return InputError("No such entity is known. Choose one from the list, or paste a Wikipedia address.")
