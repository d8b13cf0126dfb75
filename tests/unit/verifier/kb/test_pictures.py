"""Images from a MediaWiki on this machine: with credit, within limits, and nobody waits for them."""

from __future__ import annotations

import gzip
import time
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support import wikipedia
from verifier.kb import mediawiki
from verifier.kb.asking import Asking, Patience
from verifier.kb.pictures import Picture, Wanted
from verifier.kb.wikipedia import Place, WikipediaKb

QUICK = Patience(20.0, 2, 0.01, 0.0)
PATIENT = replace(QUICK, images=True)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CREDIT = "Ann & Bob, CC BY 4.0 (https://l.example)"


@pytest.fixture
def place(wiki: wikipedia.Wikipedia) -> Place:
    begins = f"{wiki.home}/images/"
    keep = timedelta(days=30)
    return Place(wiki.api, wiki.wikidata, "me@example.org", "wikidata", keep, ("en", "de"), begins)


@pytest.fixture
def open_kb(place: Place, tmp_path: Path):
    """Opens the knowledge base of one cache, for a plan or for workers."""
    opened = []

    def make(patience: Patience, **otherwise: object) -> WikipediaKb:
        opened.append(WikipediaKb(replace(place, **otherwise), tmp_path / "cache.db", patience, lambda: NOON))
        return opened[-1]

    yield make
    for kb in opened:
        kb.close()


def settled(kb: WikipediaKb, name: str) -> Picture | None:
    """How it stands with an image once that is known; a page asks again in the same way."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        known, found = kb.soon(name)
        if known:
            return found
        time.sleep(0.01)
    pytest.fail("never known")


def test_an_item_has_a_card_in_each_language(open_kb) -> None:
    kb = open_kb(PATIENT)
    kb.fetch(["wd:Q1726"], "de")
    kb.fetch(["wd:Q1726"], "en")
    cards = {language: kb.card("wd:Q1726", language) for language in ("de", "en")}
    assert [(card.title, card.extract) for card in cards.values()] == [
        ("München", "München ist eine Stadt."),
        ("Munich", "Munich is the capital of Bavaria."),
    ]
    assert kb.at_hand("wd:Q1726", "de").title == "München"


def test_an_item_shows_its_own_image_the_preferred_one(open_kb, wiki) -> None:
    """From Commons, with author and licence; fetched when planned, at hand for workers."""
    planned = open_kb(PATIENT).card("wd:Q1726", "de")
    assert (planned.image_credit, planned.image.endswith(".png")) == (CREDIT, True)
    assert "/images/thumb/Frauenkirche Munich.jpg" in [path.replace("%20", " ") for path, _ in wiki.asked]
    asked = len(wiki.asked)
    assert open_kb(QUICK).card("wd:Q1726", "de") == planned
    assert len(wiki.asked) == asked


def test_items_and_credits_are_asked_for_fifty_at_a_time(open_kb, wiki) -> None:
    kb = open_kb(PATIENT, images=None)
    kb.fetch([f"wd:Q{number}" for number in range(100_000, 100_120)])
    assert len(wiki.asked) == 3
    wiki.asked.clear()
    kb = open_kb(PATIENT)
    kb._pictures.ask_credits([Wanted(f"{n}.png", wiki.wikidata) for n in range(70)] * 2)
    assert len(wiki.asked) == 2
    assert kb._pictures._credit(Wanted("69.png", wiki.wikidata))["credit"] == CREDIT
    kb._pictures.ask_credits([Wanted("7.png", wiki.wikidata)])
    assert len(wiki.asked) == 2


def test_a_long_answer_that_was_cut_short_is_asked_on(open_kb, wiki, monkeypatch) -> None:
    whole = wikipedia._answer

    def cut(language, given):
        said = whole(language, given)
        if len(pages := said["query"]["pages"]) > 1:
            del pages[1]["imageinfo"]
            said["continue"] = {"iistart": "x"}
        return said

    monkeypatch.setattr(wikipedia, "_answer", cut)
    kb = open_kb(PATIENT)
    wanted = [Wanted("a.png", wiki.wikidata), Wanted("b.png", wiki.wikidata)]
    kb._pictures.ask_credits(wanted)
    assert [kb._pictures._credit(one).get("credit") for one in wanted] == [CREDIT, CREDIT]
    assert len(wiki.asked) == 2


def test_an_answer_shows_its_image_once_it_is_there(open_kb, wiki) -> None:
    """The search names it without having asked for it; the next search has it at hand, with its credit."""
    kb = open_kb(QUICK)
    (found,) = kb.search("munich", 8, "en")
    assert (found.image_credit, "." in found.image) == (None, False)
    assert not [path for path, _ in wiki.asked if path.startswith("/images/")]
    picture = settled(kb, found.image)
    assert kb.images.find(picture.name) == (wikipedia.PNG, "image/png")
    (again,) = kb.search("munich", 8, "en")
    assert (again.image, again.image_credit) == (picture.name, picture.credit) == (picture.name, CREDIT)
    pasted = kb.candidate("wd:Q1726", "en")
    assert (pasted.image, pasted.title) == (picture.name, "Munich")
    assert open_kb(QUICK, images=None).search("munich", 8, "en")[0].image is None


def test_no_request_waits_for_a_slow_image(open_kb, wiki) -> None:
    kb = open_kb(replace(QUICK, seconds=1.0))
    (found,) = kb.search("munich", 8, "en")
    wiki.mood, wiki.delay = ["slow"], 10.0
    begun = time.monotonic()
    assert [kb.soon(found.image) for _ in range(5)] == [(False, None)] * 5
    assert kb.search("munich", 8, "en") == [found]
    assert time.monotonic() - begun < wiki.delay
    assert settled(kb, found.image) is None
    assert len([path for path, given in wiki.asked if given.get("prop") == "imageinfo"]) <= 2
    wiki.mood = ["well"]
    assert kb.search("paris", 8, "en")


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"], ids=["headers", "body"]
)
def test_a_host_that_drips_holds_nobody_for_long(sent) -> None:
    """A byte every so often is no answer, however soon the next one comes: the time is for all of it."""
    with wikipedia.dripping(sent) as host:
        ask = Asking("me@example.org", replace(QUICK, seconds=0.4))
        begun = time.monotonic()
        assert ask.file(f"{host.home}/images/a.png", 10_000) is None
        spent = time.monotonic() - begun
        ask.close()
        assert host.left.wait(20)
    assert spent < host.seconds / 2


@pytest.mark.parametrize(
    "body",
    [
        wikipedia.PNG + b" " * 200_000,
        b" " * 1_000_000,
        b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        b"<html>",
        b"",
        gzip.compress(wikipedia.PNG),
        wikipedia.PNG[:16] + b"\0\1\0\0\0\1\0\0" + wikipedia.PNG[24:],
    ],
    ids=["large", "huge", "drawing", "page", "nothing", "packed", "wide"],
)
def test_what_is_no_image_for_a_card_is_not_kept(open_kb, wiki, body) -> None:
    wiki.files["/images/Munich"] = body
    kb = open_kb(QUICK)
    (found,) = kb.search("munich", 8, "en")
    assert settled(kb, found.image) is None
    assert not kb.images.folder.exists()


def test_what_unpacks_to_much_is_not_unpacked(open_kb, wiki, monkeypatch) -> None:
    """A file is taken as it is sent, whatever the server says of its packing."""
    wiki.files["/images/Munich"] = gzip.compress(bytes(1_000_000), 9)
    wiki.coding = "gzip"
    kb, unpacked, unpack = open_kb(QUICK), [], zlib.decompressobj
    monkeypatch.setattr(zlib, "decompressobj", lambda *given: unpacked.append(given) or unpack(*given))
    assert settled(kb, kb.search("munich", 8, "en")[0].image) is None
    wiki.coding = None
    assert not unpacked


def test_nobody_is_led_to_another_address(open_kb, wiki, place) -> None:
    """Neither by a redirect, nor by an address that an answer tells, nor by a name that was never offered."""
    kb = open_kb(QUICK)
    (found,) = kb.search("munich", 8, "en")
    wiki.mood = ["well", "elsewhere", "well"]
    assert settled(kb, found.image) is None
    elsewhere = open_kb(QUICK, images="https://images.example/")
    assert elsewhere.search("munich", 8, "en")[0].image is None
    for name in ("0" * 64, "../x", f"{wiki.home}/secret", ""):
        assert kb.soon(name) == (True, None)
    assert "/secret" not in [path for path, _ in wiki.asked]
    for address in (place.images.replace("127.0.0.1", "127.0.0.1@x"), "http://127.0.0.1:1/images/x"):
        assert kb._pictures.offer(Wanted("x.png", wiki.wikidata, address)) == (None, None)
        assert kb._pictures.fetch(Wanted("x.png", wiki.wikidata, address)) is None


def test_without_a_licence_there_is_no_image(open_kb, wiki, monkeypatch) -> None:
    monkeypatch.setattr(wikipedia, "_credit", dict)
    kb = open_kb(PATIENT)
    (found,) = kb.search("munich", 8, "en")
    assert settled(kb, found.image) is None
    assert kb.card("wd:Q1726").image is None
    assert not [path for path, _ in wiki.asked if path.startswith("/images/")]


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"P18": 7},
        {"P18": [{"mainsnak": {"snaktype": "somevalue"}}]},
        {"P18": [{"mainsnak": {"datavalue": {"value": "a|b"}}}]},
        {"P18": [{"rank": "deprecated", "mainsnak": {"datavalue": {"value": "a.png"}}}]},
    ],
)
def test_an_item_without_a_usable_image_has_none(claims) -> None:
    assert mediawiki.item_image({"claims": claims}) is None
