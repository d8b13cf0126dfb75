"""The live knowledge base: cards and search from Wikipedia and Wikidata, each answer dated and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
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
from verifier.kb.names import address_of, fold, title_of, without_qualifier
from verifier.kb.pictures import Picture, Pictures, Wanted

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
        self._pictures = Pictures(
            Asking(place.contact, patience), self._answers, self.images, place.images, now
        )
        self._waits_for_images = patience.images and place.images is not None

    def close(self) -> None:
        """Close connection and file."""
        self._pictures.close()
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

    def fetch(self, keys: Iterable[str], language: str | None = None) -> None:
        """Ask for many entities, many at a time, so that their cards in a language are at hand.

        Raises:
            UnansweredError: there is no answer.
        """
        of = language or self._place.languages[0]
        by_language: dict[str, list[str]] = {}
        items: list[str] = []
        for key in keys:
            own, title = _article(key)
            if title:
                by_language.setdefault(own, []).append(title)
            elif key.startswith("wd:"):
                items.append(key.removeprefix("wd:"))
        told = self._items(items, of)
        by_language.setdefault(of, []).extend(
            one["article"] for one in told.values() if one and one["article"]
        )
        wanted: list[Wanted | None] = []
        if self._waits_for_images:
            wanted += [self._item_image(one["id"]) for one in told.values() if one]
        for own, titles in by_language.items():
            pages = self._pages(own, list(dict.fromkeys(titles)))
            wanted += [self._page_image(own, answer.said) for answer in pages.values()]
        if self._waits_for_images:
            self._pictures.ask_credits(one for one in wanted if one)

    def card(self, key: str, language: str | None = None) -> Card | None:
        """What is known of an entity; None if nothing is.

        Args:
            key: names it, and where it names an article the language too.
            language: of an item's card; None: that of the first dataset.

        Raises:
            UnansweredError: there is no answer.
        """
        if key.startswith("wd:"):
            return self._card_of_item(key, language or self._place.languages[0])
        language, title = _article(key)
        if not title:
            return None
        answer = self._page(language, title)
        page = answer.said
        if page is None:
            return None
        url = address_of(f"w:{language}:{page['title']}")
        picture = self._picture(self._page_image(language, page))
        told = page["title"], page["description"], page["extract"]
        return Card(key, *told, url, *_named(picture, answer.fetched))

    def candidate(self, key: str, language: str | None = None) -> Candidate:
        """The entity with this key as an answer of a search.

        Raises:
            UnansweredError: there is no answer.
        """
        of = language or self._place.languages[0]
        card = self.card(key, of)
        if card is None:
            return Candidate(key, title_of(key), None, 0.0)
        own, title = _article(key)
        if not title and (told := self._item(key.removeprefix("wd:"), of).said):
            own, title = of, told["article"] or ""
        image = (card.image, card.image_credit)
        if card.image is None and title:
            image = self._pictures.offer(self._page_image(own, self._page(own, title).said))
        return Candidate(key, card.title, card.description, 0.0, *image)

    def soon(self, name: str) -> tuple[bool, Picture | None]:
        """Whether it is known how it stands with an image of an answer, and the image if it is there."""
        return self._pictures.soon(name)

    def at_hand(self, key: str, language: str | None = None) -> Card | None:
        """The same from what was answered before; nothing is asked."""
        own, title = _article(key)
        if title:
            answer = self._answers.latest(f"page/{own}/{title}")
            told = answer.said if answer else None
        else:
            told = self._told_item(key, language)
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
        found = []
        for key, page in self._hits(query, of)[:limit]:
            image = self._pictures.offer(self._page_image(of, page))
            found.append(Candidate(key, page["title"], page["description"], 0.0, *image))
        self._put_all({f"meant/{self._place.keys}/{of}/{one.key}": one.key for one in found})
        return found

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

    def titled(self, title: str, limit: int, language: str | None = None) -> list[str]:
        """Entities with just this title, accents and case aside.

        Raises:
            UnansweredError: there is no answer.
        """
        return [one.key for one in self.search(title, limit, language) if fold(one.title) == fold(title)]

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
        self._put_items(language, found)
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

    def _card_of_item(self, key: str, language: str) -> Card | None:
        answer = self._item(key.removeprefix("wd:"), language)
        told = answer.said
        if told is None:
            return None
        article = f"w:{language}:{told['article']}" if told["article"] else None
        page = self._page(language, told["article"]).said if article else None
        picture = self._picture(self._item_image(told["id"])) or self._picture(
            self._page_image(language, page)
        )
        return Card(
            key,
            told["title"] or told["article"] or told["id"],
            told["description"] or (page["description"] if page else None),
            page["extract"] if page else None,
            address_of(article or key),
            *_named(picture, answer.fetched),
        )

    def _page_image(self, language: str, page: dict[str, Any] | None) -> Wanted | None:
        """The image of an article, if it names one."""
        if not page or not page.get("image") or not page.get("file"):
            return None
        return Wanted(page["file"], self._api(language), page["image"])

    def _item_image(self, item: str) -> Wanted | None:
        """The image of an item of Wikidata, which lies on Commons as Wikidata's other files do."""
        asked = f"image-of/{item}"
        answer = self._answers.latest(asked)
        if self._waits_for_images and not self._fresh(answer):
            ask = mediawiki.asking_image(item)
            with suppress(UnansweredError):
                answer = self._put(asked, mediawiki.item_image(self._ask(self._place.wikidata, ask)))
        return Wanted(answer.said, self._place.wikidata) if answer and answer.said else None

    def _picture(self, wanted: Wanted | None) -> Picture | None:
        """An image, fetched once and kept; workers never wait for one: they see what is at hand."""
        if self._waits_for_images:
            return self._pictures.fetch(wanted)
        return self._pictures.at_hand(wanted)

    def _told_item(self, key: str, language: str | None) -> dict[str, Any] | None:
        for of in (*([language] if language else []), *self._place.languages):
            answer = self._answers.latest(f"item/{of}/{key.removeprefix('wd:')}")
            if answer and answer.said and answer.said["title"]:
                told: dict[str, Any] = answer.said
                return told
        return None

    def _item(self, item: str, language: str) -> Answer:
        return self._kept(
            f"item/{language}/{item}",
            lambda: mediawiki.item(
                self._ask(self._place.wikidata, mediawiki.asking_items([item], language)), item, language
            ),
        )

    def _items(self, items: Sequence[str], language: str) -> dict[str, dict[str, Any] | None]:
        """What is told of items, asked for many at a time."""
        kept = {item: self._answers.latest(f"item/{language}/{item}") for item in items}
        found = {item: answer.said for item, answer in kept.items() if answer and self._fresh(answer)}
        missing = [item for item in kept if item not in found]
        for start in range(0, len(missing), mediawiki.ITEMS):
            batch = missing[start : start + mediawiki.ITEMS]
            said = self._ask(self._place.wikidata, mediawiki.asking_items(batch, language))
            told = mediawiki.items(said, batch, language)
            self._put_all({f"item/{language}/{item}": one for item, one in told.items()})
            found |= told
        return found

    def _put_items(self, language: str, pages: Iterable[dict[str, Any] | None]) -> None:
        """What articles tell of their items, so that the items have a title at hand."""
        if self._place.keys != "wikidata":
            return
        told = {}
        for page in pages:
            asked = f"item/{language}/{page['item']}" if page and page["item"] else None
            if page and asked and not self._fresh(self._answers.latest(asked)):
                known = {"id": page["item"], "title": page["title"], "description": page["description"]}
                told[asked] = known | {"article": page["title"]}
        self._put_all(told)

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
            told = mediawiki.pages(said, batch)
            kept = self._put_all({f"page/{language}/{title}": page for title, page in told.items()})
            found |= dict(zip(told, kept, strict=True))
            self._put_items(language, told.values())
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

    def _put_all(self, answers: Mapping[str, Any]) -> list[Answer]:
        now = self._now()
        self._answers.keep_all(answers, now)
        return [Answer(said, now) for said in answers.values()]

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


def _named(picture: Picture | None, fetched: datetime) -> tuple[str | None, datetime, str | None]:
    """How a card ends: the name of its image, when it was asked for, and the image's credit."""
    return (picture.name, fetched, picture.credit) if picture else (None, fetched, None)
