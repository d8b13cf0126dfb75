"""The live knowledge base, against a server on this machine that speaks Wikipedia's API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from analysis.errors import InputError
from tests.support import wikipedia
from verifier.kb.asking import Patience, UnansweredError
from verifier.kb.shelf import LiveShelf
from verifier.kb.understand import understand
from verifier.kb.wikipedia import Place, WikipediaKb

QUICK = Patience(20.0, 2, 0.01, 0.0)
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Clock:
    """A clock that is set."""

    time = NOON

    def __call__(self) -> datetime:
        """The time that it is set to."""
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def place(wiki: wikipedia.Wikipedia) -> Place:
    return Place(wiki.api, wiki.wikidata, "me@example.org", "wikipedia", timedelta(days=30), ("en", "de"))


@pytest.fixture
def kb(place: Place, tmp_path: Path, clock: Clock) -> Iterator[WikipediaKb]:
    made = WikipediaKb(place, tmp_path / "cache.db", QUICK, clock)
    yield made
    made.close()


def test_a_card_is_dated_and_has_the_address_of_the_article(kb, wiki):
    card = kb.card("w:en:Obama")
    assert (card.key, card.title, card.description) == (
        "w:en:Obama",
        "Barack Obama",
        "President of the United States",
    )
    assert (card.url, card.fetched) == ("https://en.wikipedia.org/wiki/Barack_Obama", NOON)
    assert "posthoc/" in wiki.agents[-1]
    assert "me@example.org" in wiki.agents[-1]


def test_a_card_of_an_item_has_the_first_sentences_of_its_article(kb):
    card = kb.card("wd:Q1726")
    assert (card.title, card.extract) == ("Munich", "Munich is the capital of Bavaria.")
    assert kb.card("wd:Q404") is None
    assert kb.card("w:en:No such thing") is None


def test_many_cards_take_one_request_and_no_second_one(kb, wiki):
    keys = ["w:en:Paris", "w:en:Munich", "w:en:Obama", "w:de:Minga", "NIL"]
    kb.fetch(keys)
    assert len(wiki.asked) == 2
    assert [card.title for card in map(kb.card, keys[:4])] == ["Paris", "Munich", "Barack Obama", "München"]
    assert len(wiki.asked) == 2


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("obama", ["w:en:Barack Obama", "w:en:Obama, Fukui"]),
        ("Paris", ["w:en:Paris", "w:en:Paris (band)"]),
        ("  ", []),
        ("nothing of the kind", []),
    ],
)
def test_search_follows_redirects_and_leaves_out_lists_of_namesakes(kb, query, keys):
    assert [candidate.key for candidate in kb.search(query, 8, "en")] == keys


def test_each_dataset_is_searched_in_its_language(kb, wiki):
    assert [candidate.key for candidate in kb.search("minga", 8, "de")] == ["w:de:München"]
    assert {path for path, _ in wiki.asked} == {"/de/w/api.php"}


def test_what_a_search_engine_takes_for_commands_is_not_passed_on(kb, wiki):
    kb.search("insource:/a.*b/ ~x", 8, "en")
    assert [given["gsrsearch"] for _, given in wiki.asked if "gsrsearch" in given] == ["insource a b x"]


def test_names_and_namesakes_for_planning(kb):
    assert kb.named("Paris") == ["w:en:Paris", "w:en:Paris (band)"]
    assert kb.named("Obama") == ["w:en:Barack Obama"]
    assert kb.namesakes("w:en:Paris") == ["w:en:Paris (band)"]


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("https://en.wikipedia.org/wiki/Obama", "w:en:Barack Obama"),
        ("https://en.m.wikipedia.org/wiki/Obama?x=1#Life", "w:en:Barack Obama"),
        ("https://de.wikipedia.org/wiki/M%C3%BCnchen", "w:en:Munich"),
        ("de.wikipedia.org/wiki/Minga", "w:en:Munich"),
        ("https://www.wikidata.org/wiki/Q76", "w:en:Barack Obama"),
        ("https://en.wikipedia.org/?curid=534366", "w:en:Barack Obama"),
        ("Q90", "w:en:Paris"),
        ("obama", "w:en:Barack Obama"),
        ("https://dbpedia.org/resource/Paris", "dbp:en:Paris"),
        ("NIL", "NIL"),
    ],
)
def test_what_is_pasted_becomes_the_key_of_the_study(kb, raw, key):
    assert understand(raw, "en", kb) == key


@pytest.mark.parametrize(
    ("raw", "key"), [("https://de.wikipedia.org/wiki/Minga", "wd:Q1726"), ("w:en:Obama", "wd:Q76")]
)
def test_a_study_of_items_gets_items(place, tmp_path, clock, raw, key):
    kb = WikipediaKb(replace(place, keys="wikidata"), tmp_path / "cache.db", QUICK, clock)
    assert understand(raw, "en", kb) == key
    assert [candidate.key for candidate in kb.search("munich", 8, "en")] == ["wd:Q1726"]
    kb.close()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("https://en.wikipedia.org/wiki/No_such_thing", "no such article"),
        ("https://en.wikipedia.org/wiki/Paris_(disambiguation)", "several entities"),
        ("https://www.wikidata.org/wiki/Q404", "no such item"),
        ("https://en.wikipedia.org/?curid=1", "no such article"),
    ],
)
def test_what_is_no_entity_is_refused_with_the_reason(kb, raw, reason):
    with pytest.raises(InputError, match=reason):
        understand(raw, "en", kb)


def impatient(kb, mood, seconds=0.2):
    """Make it wait for a slow server only, and not for long: all others have answered, sooner or later."""
    if mood == "slow":
        kb._ask._client.timeout = seconds


@pytest.mark.parametrize("mood", ["slow", "busy", "fault", "garbled", "elsewhere", "refuse"])
def test_without_an_answer_an_address_is_taken_at_its_word_and_a_name_is_not(kb, wiki, mood):
    wiki.mood = [mood]
    impatient(kb, mood)
    shelf = LiveShelf(kb)
    assert shelf.search("Paris", 8, "en") is None
    assert shelf.card("w:en:Paris") is None
    assert understand("https://en.wikipedia.org/wiki/Paris", "en", kb) == "w:en:Paris"
    with pytest.raises(InputError, match="Choose one"):
        understand("Paris", "en", kb)
    assert not [path for path, _ in wiki.asked if path == "/secret"]


@pytest.mark.parametrize("mood", ["busy", "fault", "slow"])
def test_what_passes_is_tried_again(kb, wiki, mood):
    wiki.mood = [mood, "well"]
    impatient(kb, mood, 1.0)
    assert kb.card("w:en:Paris").title == "Paris"


def test_what_makes_no_sense_is_left_out(kb, wiki):
    wiki.mood = ["odd"]
    assert kb.search("Paris", 8, "en") == []
    assert kb.card("w:en:Paris") is None


def test_an_old_answer_serves_where_there_is_no_new_one_and_both_are_kept(kb, wiki, clock):
    kb.search("Paris", 8, "en")
    first = kb.card("w:en:Paris")
    clock.time = NOON + timedelta(days=31)
    wiki.mood = ["fault"]
    assert kb.card("w:en:Paris") == first
    assert len(kb.search("Paris", 8, "en")) == 2
    wiki.mood = ["well"]
    assert kb.card("w:en:Paris").fetched == clock.time
    rows = kb._answers._connection.execute("select fetched from answer where asked = 'page/en/Paris'")
    assert len(rows.fetchall()) == 2


def test_who_failed_is_left_alone_for_a_while_and_others_are_not(place, wiki, tmp_path, clock):
    kb = WikipediaKb(place, tmp_path / "cache.db", Patience(1.0, 1, 0.01, 600.0), clock)
    wiki.mood = ["slow"]
    with pytest.raises(UnansweredError):
        kb.card("w:en:Paris")
    wiki.mood = ["well"]
    asked = len(wiki.asked)
    with pytest.raises(UnansweredError, match="left alone"):
        kb.card("w:en:Paris")
    assert len(wiki.asked) == asked
    assert kb.card("w:de:Minga").title == "München"
    kb.close()


def test_a_language_never_becomes_part_of_an_address(kb, wiki):
    for language in ("evil.example/", "en@evil", "..", "EN", ""):
        with pytest.raises(UnansweredError):
            kb.search("Paris", 8, language or "/")
    assert wiki.asked == []


@pytest.mark.parametrize("content", [None, b"no database"])
def test_a_cache_that_cannot_be_used_is_done_without(place, wiki, tmp_path, clock, content):
    path = tmp_path / "cache.db"
    if content is None:
        path = tmp_path / "no such folder" / "cache.db"
    else:
        path.write_bytes(content)
    kb = WikipediaKb(place, path, QUICK, clock)
    assert kb.card("w:en:Paris") == kb.card("w:en:Paris")
    assert len(wiki.asked) == 1
    kb.close()


def test_the_plan_fetches_an_image_once_and_workers_see_it(wiki, place, tmp_path, clock):
    lit = replace(place, images=f"{wiki.home}/images/")
    planning = WikipediaKb(lit, tmp_path / "cache.db", replace(QUICK, images=True), clock)
    card = planning.card("w:en:Munich")
    assert planning.images.find(card.image) == (wikipedia.PNG, "image/png")
    assert card.image_credit == "Ann & Bob, CC BY 4.0 (https://l.example)"
    asked = len(wiki.asked)
    serving = WikipediaKb(lit, tmp_path / "cache.db", QUICK, clock)
    assert serving.card("w:en:Munich") == card
    assert serving.card("w:en:Paris").image is None
    assert [path for path, _ in wiki.asked[asked:]] == ["/en/w/api.php"]
    planning.close()
    serving.close()


def test_drawings_and_images_from_elsewhere_leave_a_card_without(wiki, place, tmp_path, clock):
    for images in (f"{wiki.home}/images/", "http://127.0.0.1:1/", None):
        lit = replace(place, images=images)
        kb = WikipediaKb(lit, tmp_path / "cache.db", replace(QUICK, images=True), clock)
        assert kb.card("w:en:Paris").image is None
        kb.close()


def test_an_image_that_cannot_be_had_holds_nothing_up(wiki, place, tmp_path, clock):
    lit = replace(place, images=f"{wiki.home}/images/")
    kb = WikipediaKb(lit, tmp_path / "cache.db", Patience(1.0, 2, 0.01, 0.0, images=True), clock)
    wiki.mood = ["well", "well", "slow"]
    assert kb.card("w:en:Munich").image is None
    wiki.mood = ["well"]
    assert kb.card("w:en:Munich").image is None
    assert [path for path, _ in wiki.asked] == ["/en/w/api.php", "/en/w/api.php", "/images/Munich"]
    kb.close()


def test_an_image_whose_licence_is_not_told_is_left_out(wiki, place, tmp_path, clock, monkeypatch):
    monkeypatch.setattr(wikipedia, "_credit", dict)
    lit = replace(place, images=f"{wiki.home}/images/")
    kb = WikipediaKb(lit, tmp_path / "cache.db", replace(QUICK, images=True), clock)
    card = kb.card("w:en:Munich")
    assert (card.image, card.image_credit) == (None, None)
    kb.close()
