"""Entities for planning: cards to show and wrong entities for controls, with or without a knowledge base."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict

from verifier.kb.local import Card, LocalKb
from verifier.kb.names import address_of, title_of
from verifier.plan import chance


class KbEntities:
    """Entities from the knowledge base."""

    def __init__(self, kb: LocalKb) -> None:
        self._kb = kb

    def namesakes(self, key: str, limit: int) -> list[str]:
        """Entities that share a title or an alias with this one."""
        return self._kb.namesakes(key, limit)

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """What a search for the mention finds."""
        return [candidate.key for candidate in self._kb.search(mention, limit)]

    def random(self, seed: str, limit: int) -> list[str]:
        """Any entities of the knowledge base."""
        return self._kb.random(seed, limit)

    def card(self, key: str) -> Card | None:
        """The card, if the knowledge base has one."""
        return self._kb.card(key)


class CorpusEntities:
    """Entities of the corpus itself, where no knowledge base is built: no names, so no namesakes."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted(set(keys))

    def namesakes(self, key: str, limit: int) -> list[str]:
        """None: a key alone says no name."""
        del key, limit
        return []

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """None, for the same reason."""
        del mention, limit
        return []

    def random(self, seed: str, limit: int) -> list[str]:
        """Entities that a source names somewhere in the corpus."""
        start = chance.number(0, "corpus", seed) % max(len(self._keys), 1)
        return (self._keys[start:] + self._keys[:start])[:limit]

    def card(self, key: str) -> None:
        """None."""
        del key


def bare_card(key: str) -> Card:
    """What a key alone tells: a title from it, and the address of the article where there is one."""
    return Card(key, title_of(key), None, None, address_of(key))


def card_id(card: Card) -> str:
    """Hash of a card's content, so that what was shown is told apart from what is shown later."""
    content = json.dumps(asdict(card), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()
