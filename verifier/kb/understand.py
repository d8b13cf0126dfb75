"""Which entity a worker means by what he chose, typed or pasted; or the reason why it cannot be told."""

from __future__ import annotations

import re
from typing import Final, Protocol

from analysis.errors import InputError, StateError
from analysis.keys import NIL, read_entity
from verifier.kb import addresses

LONGEST: Final = 2000
_TYPED = re.compile(r"(?:wd:Q\d+|Q[1-9]\d*|(?:w|dbp):[a-z][a-z0-9-]{1,15}:.+)\Z", re.DOTALL)


class Known(Protocol):
    """What is asked of a knowledge base here."""

    def meant(self, key: str, language: str) -> str | None:
        """The key, as it is best written, of an entity that is known; None if that cannot be told."""

    def titled(self, title: str, limit: int, language: str | None = None) -> list[str]:
        """Entities with just this title, accents and case aside."""


def is_address(text: str) -> bool:
    """Whether `text` looks like a web address rather than like a name to search for."""
    return addresses.is_address(addresses.clean(text))


def is_identifier(text: str) -> bool:
    """Whether `text` is an identifier (Q42, wd:Q42, w:en:Title) rather than a name to search for."""
    return _TYPED.match(addresses.clean(text)) is not None


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
    text = addresses.clean(raw)
    if not text or len(text) > LONGEST or any(ord(letter) < ord(" ") for letter in text):
        raise InputError("Nothing that can be read as an entity was given.")
    if addresses.is_address(text):
        return _at(text, language, kb)
    key = _read(text, language)
    if key == NIL:
        return key
    if kb is not None and (meant := kb.meant(key, language)) is not None:
        return meant
    if not key.startswith("id:") and is_identifier(text):
        return key
    named = _named(text, language, kb)
    if len(named) > 1:
        raise InputError("Several entities have this name. Choose one of them from the list.")
    if not named:
        raise _unknown()
    return named[0]


def _at(text: str, language: str, kb: Known | None) -> str:
    """The key of what is at an address: as the knowledge base has it, where it has it.

    An address of no Wikipedia may be how a knowledge base of one's own names its entities.
    """
    if kb is not None and (own := kb.meant(f"id:{text}", language)) is not None:
        return own
    found, refused = [], InputError(addresses.NOT_UNDERSTOOD)
    for key in addresses.readings(text):
        found.append(_read(key, language))
        try:
            if kb is not None and (meant := kb.meant(found[-1], language)) is not None:
                return meant
        except InputError as error:
            refused = error
            found.pop()
    if not found:
        raise refused
    if found[0].startswith("id:w:"):
        raise InputError(
            "This address has a page number, not a title. Open the article and copy its address."
        )
    return found[0]


def _named(text: str, language: str, kb: Known | None) -> list[str]:
    """The entities whose title is just this; none where nobody can tell."""
    try:
        return kb.titled(text, 2, language) if kb else []
    except StateError:
        return []


def _read(text: str, language: str) -> str:
    try:
        entity = read_entity(text, language)
    except (InputError, ValueError):
        raise _unknown() from None
    if entity.key is None:
        raise _unknown()
    return entity.key


def _unknown() -> InputError:
    return InputError("No such entity is known. Choose one from the list, or paste a Wikipedia address.")
