"""The live knowledge base: cards and search from Wikipedia and Wikidata, each answer dated and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from analysis.errors import InputError
from analysis.keys import normalise
from verifier.kb import mediawiki
from verifier.kb.answers import Answer, Answers
from verifier.kb.asking import Asking, Patience, UnansweredError
from verifier.kb.images import Images
from verifier.kb.local import Candidate, Card
from verifier.kb.names import address_of, fold, without_qualifier

_LANGUAGE: Final = re.compile(r"[a-z][a-z0-9-]{1,15}")
_FEW: Final = 3
_ABSENT: Final = timedelta(hours=1)
_LONGEST_QUERY: Final = 200
_POOL: Final = 20


@dataclass(frozen=True)
class Place:
    """Where to ask, and for what.

    Attributes:
        api: address of a Wikipedia's API; `{language}` stands for its language.
        wikidata: address of Wikidata's.
        contact: whom their operators can write to.
        keys: what entities are named by: titles of articles, or Wikidata items.
        keep: how long an answer is as good as a new one.
        languages: of the study's datasets.
        images: how the addresses of images begin; None: cards have none.
    """

    api: str
    wikidata: str
    contact: str
    keys: Literal["wikipedia", "wikidata"]
    keep: timedelta
    languages: tuple[str, ...]
    images: str | None = None


class WikipediaKb:
    """Asks Wikipedia; safe to share between threads.

    What was answered lately is not asked again, and an older answer serves where there is no new one.

    Args:
        place: where to ask.
        cache: the file that keeps the answers.
        patience: how long to wait.
        now: the clock.
    """

    def __init__(self, place: Place, cache: Path, patience: Patience, now: Callable[[], datetime]) -> None:
        self._place = place
        self._now = now
        self._answers = Answers(cache)
        self.images = Images(cache)
        self._ask = Asking(place.contact, patience)
        self._waits_for_images = patience.images

    def close(self) -> None:
        """Close connection and file."""
        self._ask.close()
        self._answers.close()

    def check(self) -> None:
        """Ask every address for a sign of life.

        Raises:
            UnansweredError: one gives none.
        """
        alive = {"action": "query", "meta": "siteinfo"}
        for language in self._place.languages:
            self._ask(self._api(language), alive)
        self._ask(self._place.wikidata, alive)

    def fetch(self, keys: Iterable[str]) -> None:
        """Ask for the articles of many keys, many at a time, so that their cards are at hand.

        Raises:
            UnansweredError: there is no answer.
        """
        by_language: dict[str, list[str]] = {}
        for key in keys:
            language, title = _article(key)
            if title:
                by_language.setdefault(language, []).append(title)
        for language, titles in by_language.items():
            self._pages(language, titles)

    def card(self, key: str) -> Card | None:
        """What is known of an entity; None if nothing is.

        Raises:
            UnansweredError: there is no answer.
        """
        if key.startswith("wd:"):
            return self._card_of_item(key)
        language, title = _article(key)
        if not title:
            return None
        answer = self._page(language, title)
        page = answer.said
        if page is None:
            return None
        url = address_of(f"w:{language}:{page['title']}")
        image, credit = self._image(language, page)
        told = page["title"], page["description"], page["extract"]
        return Card(key, *told, url, image, answer.fetched, credit)

    def at_hand(self, key: str) -> Card | None:
        """The same from what was answered before; nothing is asked."""
        language, title = _article(key)
        if title:
            answer = self._answers.latest(f"page/{language}/{title}")
            told = answer.said if answer else None
        else:
            told = self._told_item(key)
        return Card(key, told["title"], told["description"], None, address_of(key)) if told else None

    def meant(self, key: str, language: str) -> str | None:
        """The key by which the study names the entity: redirects followed, from any language; None: not told.

        Raises:
            InputError: there is no such article or item, or it lists several entities.
        """
        asked = f"meant/{self._place.keys}/{language}/{key}"
        try:
            return str(self._kept(asked, lambda: self._meant(key, language)).said)
        except UnansweredError:
            return None

    def search(self, query: str, limit: int = 10, language: str | None = None) -> list[Candidate]:
        """Entities that `query` may mean, best first.

        Raises:
            UnansweredError: there is no answer.
        """
        of = language or self._place.languages[0]
        found = [
            Candidate(key, page["title"], page["description"], 0.0) for key, page in self._hits(query, of)
        ]
        for candidate in found[:limit]:
            self._put(f"meant/{self._place.keys}/{of}/{candidate.key}", candidate.key)
        return found[:limit]

    def named(self, name: str, limit: int = 10) -> list[str]:
        """Entities that go by exactly this name or are led to by it, in any language of the study."""
        wanted = fold(name)
        found = (
            key
            for language in self._place.languages
            for key, page in self._hits(name, language)
            if any(wanted in (fold(one), fold(without_qualifier(one))) for one in page["names"])
        )
        return list(dict.fromkeys(found))[:limit]

    def namesakes(self, key: str, limit: int = 10) -> list[str]:
        """Other entities with the same title, whatever stands behind it in brackets."""
        card = self.card(key)
        named = self.named(without_qualifier(card.title), limit + 1) if card else []
        return [other for other in named if other != key][:limit]

    def described(self, limit: int) -> list[tuple[str, str]]:
        """None: nobody asks Wikipedia for all that it has."""
        del limit
        return []

    def random(self, seed: int | str, limit: int = 10) -> list[str]:
        """None: what Wikipedia draws follows from no seed."""
        del seed, limit
        return []

    def _hits(self, query: str, language: str) -> list[tuple[str, dict[str, Any]]]:
        """Key and page of what a search finds."""
        typed = " ".join(query[:_LONGEST_QUERY].split())
        if not fold(typed):
            return []
        asked = f"search/{language}/{typed}"
        pages = self._kept(asked, lambda: self._searched(typed, language)).said
        keyed = ((self._key_of(language, page), page) for page in pages)
        return [(key, page) for key, page in keyed if key]

    def _searched(self, typed: str, language: str) -> list[dict[str, Any]]:
        api = self._api(language)
        found = mediawiki.hits(self._ask(api, mediawiki.asking_beginning(typed, _POOL)))
        if len(found) < _FEW:
            more = mediawiki.hits(self._ask(api, mediawiki.asking_words(typed, _POOL)))
            known = {page["title"] for page in found}
            found += [page for page in more if page["title"] not in known]
        for page in found:
            self._put_item(language, page)
        return found

    def _key_of(self, language: str, page: dict[str, Any]) -> str | None:
        if self._place.keys == "wikidata":
            return f"wd:{page['item']}" if page["item"] else None
        try:
            return normalise(f"w:{language}:{page['title']}", language)
        except InputError:
            return None

    def _meant(self, key: str, language: str) -> str:
        kind, _, rest = key.partition(":")
        if kind == "wd":
            return self._meant_by_item(rest, language)
        if kind == "id" and rest.startswith("w:"):
            _, own, number = rest.split(":", 2)
            title = mediawiki.title(self._ask(self._api(own), mediawiki.asking_number(number)))
        elif kind == "w":
            own, _, title = rest.partition(":")
        else:
            raise UnansweredError("nobody to ask about this key", where=key, got=kind)
        page = self._page(own, title).said if title else None
        if page is None:
            raise InputError("There is no such article on Wikipedia. Open the article and copy its address.")
        if page["several"]:
            raise InputError(
                "This page lists several entities. Open the one that is meant and copy its address."
            )
        if own != language and self._place.keys == "wikipedia":
            page = self._in_language(own, page, language) or page
            own = page.get("language", own)
        return self._key_of(own, page) or f"w:{own}:{page['title']}"

    def _in_language(self, own: str, page: dict[str, Any], language: str) -> dict[str, Any] | None:
        said = self._ask(self._api(own), mediawiki.asking_other_language(page["title"], language))
        title = mediawiki.other_language(said)
        return {"title": title, "language": language} if title else None

    def _meant_by_item(self, item: str, language: str) -> str:
        told = self._item(item, language).said
        if told is None:
            raise InputError("There is no such item on Wikidata.")
        if self._place.keys == "wikipedia" and told["article"]:
            return self._key_of(language, {"title": told["article"]}) or f"wd:{told['id']}"
        return f"wd:{told['id']}"

    def _card_of_item(self, key: str) -> Card | None:
        language = self._place.languages[0]
        answer = self._item(key.removeprefix("wd:"), language)
        told = answer.said
        if told is None:
            return None
        article = f"w:{language}:{told['article']}" if told["article"] else None
        page = self._page(language, told["article"]).said if article else None
        image, credit = self._image(language, page) if page else (None, None)
        return Card(
            key,
            told["title"] or told["article"] or told["id"],
            told["description"] or (page["description"] if page else None),
            page["extract"] if page else None,
            address_of(article or key),
            image,
            answer.fetched,
            credit,
        )

    def _image(self, language: str, page: dict[str, Any]) -> tuple[str | None, str | None]:
        """Name and credit of an article's image, fetched once and kept; none where its licence is not told.

        Workers never wait for one: they see those that the plan has fetched.
        """
        address, file, begins = page.get("image"), page.get("file"), self._place.images
        if not address or not file or begins is None or not address.startswith(begins):
            return None, None
        asked = f"image/{address}"
        answer = self._answers.latest(asked)
        if answer is None and self._waits_for_images and (body := self._ask.file(address)) is not None:
            try:
                credit = mediawiki.credit(self._ask(self._api(language), mediawiki.asking_credit(file)))
            except UnansweredError:
                return None, None
            answer = self._put(asked, {"name": self._put_down(body) if credit else None, "credit": credit})
        told = answer.said if answer else None
        if not isinstance(told, dict) or not told["name"] or not self.images.find(told["name"]):
            return None, None
        return told["name"], told["credit"]

    def _put_down(self, body: bytes) -> str | None:
        try:
            return self.images.keep(body)
        except InputError:
            return None

    def _told_item(self, key: str) -> dict[str, Any] | None:
        for language in self._place.languages:
            answer = self._answers.latest(f"item/{language}/{key.removeprefix('wd:')}")
            if answer and answer.said and answer.said["title"]:
                told: dict[str, Any] = answer.said
                return told
        return None

    def _item(self, item: str, language: str) -> Answer:
        return self._kept(
            f"item/{language}/{item}",
            lambda: mediawiki.item(
                self._ask(self._place.wikidata, mediawiki.asking_item(item, language)), item, language
            ),
        )

    def _put_item(self, language: str, page: dict[str, Any] | None) -> None:
        """What an article tells of its item, so that the item has a title at hand."""
        if page is None or not page["item"] or self._place.keys != "wikidata":
            return
        asked = f"item/{language}/{page['item']}"
        if not self._fresh(self._answers.latest(asked)):
            told = {"id": page["item"], "title": page["title"], "description": page["description"]}
            self._put(asked, told | {"article": page["title"]})

    def _page(self, language: str, title: str) -> Answer:
        return self._pages(language, [title])[title]

    def _pages(self, language: str, titles: Sequence[str]) -> dict[str, Answer]:
        found = {title: self._answers.latest(f"page/{language}/{title}") for title in titles}
        missing = [title for title, answer in found.items() if not self._fresh(answer)]
        for start in range(0, len(missing), mediawiki.BATCH):
            batch = missing[start : start + mediawiki.BATCH]
            try:
                said = self._ask(self._api(language), mediawiki.asking_pages(batch))
            except UnansweredError:
                if any(found[title] is None for title in batch):
                    raise
                continue
            for title, page in mediawiki.pages(said, batch).items():
                found[title] = self._put(f"page/{language}/{title}", page)
                self._put_item(language, page)
        return {title: answer for title, answer in found.items() if answer}

    def _kept(self, asked: str, ask: Callable[[], Any]) -> Answer:
        """A fresh answer: kept, or asked for; an old one where none can be had."""
        answer = self._answers.latest(asked)
        if answer is not None and self._fresh(answer):
            return answer
        try:
            return self._put(asked, ask())
        except UnansweredError:
            if answer is None:
                raise
            return answer

    def _put(self, asked: str, said: Any) -> Answer:
        answer = Answer(said, self._now())
        self._answers.keep(asked, said, answer.fetched)
        return answer

    def _fresh(self, answer: Answer | None) -> bool:
        if answer is None:
            return False
        # What is not there today may be written tomorrow.
        keep = min(self._place.keep, _ABSENT) if answer.said is None else self._place.keep
        return self._now() - answer.fetched < keep

    def _api(self, language: str) -> str:
        """The address of a language's API: a code, never a part of an address, takes the placeholder."""
        if not _LANGUAGE.fullmatch(language):
            raise UnansweredError("no language of a Wikipedia", where="kb.api", got=ascii(language))
        return self._place.api.replace("{language}", language)


def _article(key: str) -> tuple[str, str]:
    """Language and title of the article that a key names; empty where it names none."""
    kind, _, rest = key.partition(":")
    language, _, title = rest.partition(":")
    return (language, title) if kind in ("w", "dbp") else ("", "")
