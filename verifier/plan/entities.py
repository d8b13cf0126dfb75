"""Entities for planning: cards to show and wrong entities for controls, with or without a knowledge base."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, Protocol

from verifier.kb.local import Card, LocalKb
from verifier.kb.names import address_of, fold, title_of, without_qualifier
from verifier.plan import chance

if TYPE_CHECKING:
    from verifier.kb.wikipedia import WikipediaKb

# Of a large knowledge base so many of the best known are compared by their descriptions.
_COMPARED: Final = 5_000
_WORD = re.compile(r"\w{4,}")


class Entities(Protocol):
    """Where wrong entities come from: the knowledge base, or the corpus where none is built."""

    def named(self, mention: str) -> list[str]:
        """Entities that go by this name, in the knowledge base or anywhere in the corpus."""

    def namesakes(self, key: str, limit: int) -> list[str]:
        """Other entities that share a name with this one."""

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """Entities that a search for the mention finds."""

    def containing(self, word: str, limit: int) -> list[str]:
        """Entities whose title has this word among others."""

    def alike(self, key: str, limit: int) -> list[str]:
        """Entities described in the same words as this one, the most alike first."""

    def words(self, key: str) -> set[str]:
        """The words in which this entity is described."""

    def random(self, seed: str, limit: int) -> list[str]:
        """Any entities, from a seed."""


class Names:
    """Which entities the sources of a corpus give to which mentions."""

    def __init__(self, given: Iterable[tuple[str, str]]) -> None:
        """Take pairs of a mention and the key that some source gave it."""
        self._keys: dict[str, Counter[str]] = defaultdict(Counter)
        self._names: dict[str, set[str]] = defaultdict(set)
        for mention, key in given:
            name = mention.casefold()
            self._keys[name][key] += 1
            self._names[key].add(name)

    @property
    def keys(self) -> list[str]:
        """Every key, in order."""
        return sorted(self._names)

    def named(self, mention: str) -> list[str]:
        """The keys given to this mention, the most frequent first."""
        counts: Mapping[str, int] = self._keys.get(mention.casefold(), {})
        return sorted(counts, key=lambda key: (-counts[key], key))

    def namesakes(self, key: str) -> list[str]:
        """Other keys given to a mention that this key is given to."""
        found = (other for name in sorted(self._names.get(key, ())) for other in self.named(name))
        return [other for other in dict.fromkeys(found) if other != key]


class KbEntities:
    """Entities from the knowledge base; their names from the corpus too."""

    def __init__(self, kb: LocalKb | WikipediaKb, names: Names) -> None:
        self._kb = kb
        self._names = names
        self._described: tuple[dict[str, set[str]], dict[str, list[str]]] | None = None

    def named(self, mention: str) -> list[str]:
        """Who goes by this name, those of the knowledge base first and the better known of them first."""
        return list(dict.fromkeys([*self._kb.named(mention), *self._names.named(mention)]))

    def namesakes(self, key: str, limit: int) -> list[str]:
        """Entities that share a title or an alias with this one, or a mention in the corpus."""
        return list(dict.fromkeys([*self._kb.namesakes(key, limit), *self._names.namesakes(key)]))[:limit]

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """What a search for the mention finds."""
        return [candidate.key for candidate in self._kb.search(mention, limit)]

    def containing(self, word: str, limit: int) -> list[str]:
        """Of what a search for the word finds, titles of several words that have it."""
        folded = fold(word)
        found = (
            (candidate.key, fold(without_qualifier(candidate.title)).split())
            for candidate in self._kb.search(word, limit)
        )
        return [key for key, words in found if len(words) > 1 and folded in words]

    def alike(self, key: str, limit: int) -> list[str]:
        """By the share of words that the descriptions have in common; none where nothing is described."""
        words, by_word = self._descriptions()
        card = self._kb.card(key)
        own = words.get(key) or described_in(card.description if card else None)
        shared = Counter(other for word in own for other in by_word.get(word, ()) if other != key)
        ranked = sorted(shared, key=lambda other: (-shared[other] / len(own | words[other]), other))
        return ranked[:limit]

    def words(self, key: str) -> set[str]:
        """Those of its title, description and extract."""
        card = self._kb.card(key)
        return described_in(f"{card.title} {card.description} {card.extract}") if card else set()

    def random(self, seed: str, limit: int) -> list[str]:
        """Any entities of the knowledge base; of the corpus, where it draws none."""
        return self._kb.random(seed, limit) or CorpusEntities(self._names).random(seed, limit)

    def fetch(self, keys: Iterable[str], language: str) -> None:
        """Have the knowledge base ask for all of them at once, where it asks others."""
        self._kb.fetch(keys, language)

    def card(self, key: str, language: str) -> Card | None:
        """The card in a language, if the knowledge base has one."""
        return self._kb.card(key, language)

    def _descriptions(self) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
        if self._described is None:
            words = {key: described_in(description) for key, description in self._kb.described(_COMPARED)}
            by_word: dict[str, list[str]] = defaultdict(list)
            for key, own in words.items():
                for word in own:
                    by_word[word].append(key)
            self._described = words, dict(by_word)
        return self._described


class CorpusEntities:
    """Entities of the corpus itself, where no knowledge base is built: only the names that sources gave."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._keys = names.keys

    def named(self, mention: str) -> list[str]:
        """Who is given this name in the corpus."""
        return self._names.named(mention)

    def namesakes(self, key: str, limit: int) -> list[str]:
        """Entities that are given a mention of this one somewhere."""
        return self._names.namesakes(key)[:limit]

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """None: there is nothing to search in."""
        del mention, limit
        return []

    def containing(self, word: str, limit: int) -> list[str]:
        """None, for the same reason."""
        del word, limit
        return []

    def alike(self, key: str, limit: int) -> list[str]:
        """None: nothing is described."""
        del key, limit
        return []

    def words(self, key: str) -> set[str]:
        """None."""
        del key
        return set()

    def random(self, seed: str, limit: int) -> list[str]:
        """Entities that a source names somewhere in the corpus."""
        start = chance.number(0, "corpus", seed) % max(len(self._keys), 1)
        return (self._keys[start:] + self._keys[:start])[:limit]

    def card(self, key: str, language: str) -> None:
        """None."""
        del key, language


def bare_card(key: str) -> Card:
    """What a key alone tells: a title from it, and the address of the article where there is one."""
    return Card(key, title_of(key), None, None, address_of(key))


def card_id(card: Card) -> str:
    """Hash of a card's content, so that what was shown is told apart from what is shown later."""
    said = asdict(card)
    credit = said.pop("image_credit")
    del said["fetched"]
    # What cards of earlier versions showed keeps its name: they had no credit once, and called it so then.
    if credit is not None:
        said["credit"] = credit
    content = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()


def described_in(description: str | None) -> set[str]:
    """The words of four letters and more, in small letters."""
    return set(_WORD.findall((description or "").casefold()))
