"""Search: aliases, accents, beginnings, misspellings; the better known first; cards; namesakes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from analysis.errors import StateError
from tests.support import tiny
from verifier.kb.build import build
from verifier.kb.local import LocalKb

MORE = (
    "wd:Q76\tBarack Obama\tAmerican politician\t\tObama\t999\n"
    "wd:Q13133\tMichelle Obama\tAmerican lawyer\t\t\t500\n"
    "wd:Q41773\tObama\tcity in Japan\t\t\t5\n"
    "wd:Q38022\tSaint Louis\tcity in Missouri\t\t\t90\n"
    "wd:Q38076\tMcDonald's\trestaurants\t\t\t80\n"
    "wd:Q371938\t!!!\tmusic group\t\t\t3\n"
    "wd:Q4936747\tBogumi\u0142\tgiven name\t\t\t2\n"
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> LocalKb:
    folder = tmp_path_factory.mktemp("kb")
    table = tiny.write_kb(folder / "kb.tsv")
    table.write_text(table.read_text(encoding="utf-8") + MORE, encoding="utf-8")
    build(table, folder / "kb.db")
    return LocalKb(folder / "kb.db")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Obama", "Barack Obama"),
        ("obam", "Barack Obama"),
        ("barak obama", "Barack Obama"),
        ("obama barack", "Barack Obama"),
        ("München", "Munich"),
        ("munchen", "Munich"),
        ("the boss", "Bruce Springsteen"),
        ("springstein", "Bruce Springsteen"),
        ("Paris", "Paris"),
        ("paris t", "Paris, Texas"),
        ("  RIVER   seine! ", "Seine"),
    ],
)
def test_what_is_found_first(kb: LocalKb, query: str, first: str) -> None:
    assert kb.search(query)[0].title == first


@pytest.mark.parametrize("query", ["", "?!", "zzzz", '"', 'x" OR *', "AND NOT", "\u0000", "日本"])
def test_nothing_found_is_no_error(kb: LocalKb, query: str) -> None:
    assert kb.search(query) == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("barrack obma", "Barack Obama"),
        ("arack obama", "Barack Obama"),
        ("Pparis", "Paris"),
        ("springsten", "Bruce Springsteen"),
        ("sprngs", "Bruce Springsteen"),
        ("Merkel's", "Angela Merkel"),
        ("B. Springsteen", "Bruce Springsteen"),
        ("brucespringsteen", "Bruce Springsteen"),
        ("bruce-springsteen", "Bruce Springsteen"),
        ("river of seine", "Seine"),
        ("texas scottish", "Texas (band)"),
        ("merkel german politician", "Angela Merkel"),
        ("rome city in georgia", "Rome, Georgia"),
        ("the paris in texas", "Paris, Texas"),
        ("St. Louis", "Saint Louis"),
        ("mcdonalds", "McDonald's"),
        ("!!!", "!!!"),
        ("Bogumil", "Bogumił"),
    ],
)
def test_what_is_typed_otherwise_than_it_is_written(kb: LocalKb, query: str, first: str) -> None:
    assert kb.search(query)[0].title == first


def test_of_words_nearly_so_the_nearest_come_first(tmp_path: Path) -> None:
    """A swap of neighbours is one edit; a short word bears none, one of four letters one."""
    titles = ["Martin", "Marten", "Marvin", "Abc", "Iran", "Oman"]
    (tmp_path / "kb.tsv").write_text("\n".join(["title\tkey"] + [f"{t}\tid:{t}" for t in titles]))
    build(tmp_path / "kb.tsv", tmp_path / "kb.db")
    kb = LocalKb(tmp_path / "kb.db")
    found = {query: [one.title for one in kb.search(query)] for query in ("mratin", "marvni", "xb", "iram")}
    assert {query: titles[:1] for query, titles in found.items()} == {
        "mratin": ["Martin"],
        "marvni": ["Marvin"],
        "xb": [],
        "iram": ["Iran"],
    }


@pytest.mark.parametrize(
    "query",
    [
        "a" * 10_000,
        "a " * 5_000,
        "a b c d e f g h i j k l m n o p",
        '"' * 500,
        '"paris" NEAR(france)',
        "paris AND NOT (x OR",
        "* ^ ~ + - :",
        "words : paris*",
        "^paris ~city",
        "'; drop table entity; --",
        "%_%",
        "\ud800",
        "\u202eparis\u0000",
        "e\u0301" * 300,
        "\U0001f642" * 300,
    ],
)
def test_hostile_queries_are_harmless_and_answered_alike(kb: LocalKb, query: str) -> None:
    assert kb.search(query) == kb.search(query)
    assert kb.search("paris")[0].key == "wd:Q90"


def test_all_namesakes_are_found_and_counted(kb: LocalKb) -> None:
    assert {candidate.key for candidate in kb.search("obama")} == {"wd:Q76", "wd:Q13133", "wd:Q41773"}
    assert len(kb.search("a", 3)) == 3


def test_a_query_may_be_very_long(kb: LocalKb) -> None:
    assert kb.search("obama " * 5000)[0].key in ("wd:Q76", "wd:Q41773")


def test_namesakes_share_a_title_or_an_alias(kb: LocalKb) -> None:
    assert kb.namesakes("wd:Q90") == ["wd:Q830149"]
    assert kb.namesakes("wd:Q1439") == ["wd:Q831717"]
    assert kb.namesakes("wd:Q567") == []
    assert kb.namesakes("wd:Q999999") == []


def test_random_follows_from_the_seed(kb: LocalKb) -> None:
    drawn = kb.random("a", 5)
    assert (drawn, len(set(drawn))) == (kb.random("a", 5), 5)
    assert drawn != kb.random("b", 5)
    assert len(kb.random(1, 1000)) == kb.size


def test_threads_share_it(kb: LocalKb) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(kb.search("seine")[0].key)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["wd:Q1471"] * 8


def test_not_a_knowledge_base(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="not built"):
        LocalKb(tmp_path / "none.db")
    (tmp_path / "other.db").write_text("something else entirely", encoding="utf-8")
    with pytest.raises(StateError, match="cannot be read"):
        LocalKb(tmp_path / "other.db")


def test_real_labels(shared_data: Path, tmp_path: Path) -> None:
    """The Wikidata labels of two corpora, as they come."""
    report = build(shared_data / "qid_labels.tsv", tmp_path / "kb.db")
    assert report.entities == 6270
    assert LocalKb(tmp_path / "kb.db").search("barak obama")[0].key == "wd:Q76"
