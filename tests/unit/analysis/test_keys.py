"""Entity keys: one spelling for each entity, whoever wrote it."""

import pytest

from analysis.errors import InputError
from analysis.keys import LINK, NIL, NIL_KIND, NONE, UNMAPPED, normalise, read_entity

DOUGLAS = "w:en:Douglas Adams"


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("Q42", "wd:Q42"),
        (" Q42 ", "wd:Q42"),
        ("wd:Q42", "wd:Q42"),
        ("https://www.wikidata.org/wiki/Q42", "wd:Q42"),
        ("https://m.wikidata.org/wiki/Q42#sitelinks", "wd:Q42"),
        ("http://www.wikidata.org/entity/Q42", "wd:Q42"),
        ("https://www.wikidata.org/wiki/Special:EntityData/Q42.json", "wd:Q42"),
        ("Douglas Adams", DOUGLAS),
        ("douglas_Adams", DOUGLAS),
        ("Douglas  Adams ", DOUGLAS),
        ("w:en:douglas Adams", DOUGLAS),
        ("https://en.wikipedia.org/wiki/Douglas_Adams", DOUGLAS),
        ("https://en.m.wikipedia.org/wiki/Douglas_Adams?action=raw#Life", DOUGLAS),
        ("en.wikipedia.org/wiki/Douglas_Adams", DOUGLAS),
        ("//en.wikipedia.org/wiki/Douglas_Adams", DOUGLAS),
        ("https://en.wikipedia.org/w/index.php?title=Douglas_Adams&oldid=3", DOUGLAS),
        ("https://en.wikipedia.org/?curid=8091", "id:w:en:8091"),
        ("https://zh.wikipedia.org/zh-hans/道格拉斯", "w:zh:道格拉斯"),
        ("https://de.wikipedia.org/wiki/M%C3%BCnchen", "w:de:München"),
        ("http://dbpedia.org/resource/Douglas_Adams", "dbp:en:Douglas Adams"),
        ("http://de.dbpedia.org/resource/Berlin", "dbp:de:Berlin"),
        ("https://example.org/kb/77", "id:https://example.org/kb/77"),
        ("id:77", "id:77"),
    ],
)
def test_every_spelling_gives_the_one_key(raw, key):
    assert normalise(raw, "en") == key


@pytest.mark.parametrize(
    "title",
    [
        "100 %",
        "AC/DC",
        "Who Wants to Be a Millionaire?",
        "C#",
        "50% off",
        "Washington, D.C.",
        "%41",
        "Q",
        "Q42b",
    ],
)
def test_a_title_is_not_taken_apart_like_an_address(title):
    assert normalise(title, "en") == f"w:en:{title}"


def test_an_address_is_decoded_once():
    assert normalise("https://en.wikipedia.org/wiki/100%25", "en") == "w:en:100%"
    assert normalise("https://en.wikipedia.org/wiki/%2541", "en") == "w:en:%41"


def test_titles_are_composed_and_capitalised_by_the_language_s_own_rule():
    assert normalise("e\u0301cole", "fr") == "w:fr:École"
    assert normalise("istanbul", "tr") == "w:tr:İstanbul"
    assert normalise("ß", "de") == "w:de:ß"


@pytest.mark.parametrize("raw", ["NIL", "<NIL>", "--NME--", "--OOKBE--", "*null*", "Q-1", "Q0", "NIL0042"])
def test_nil_has_many_spellings_and_one_key(raw):
    assert read_entity(raw, "en").kind == NIL_KIND
    assert read_entity(raw, "en").key == NIL


def test_nil_unmapped_and_no_link_are_three_things():
    kinds = [read_entity(raw, "en").kind for raw in ("NIL", "<NO_MAPPING>", "", None, "Nilo")]
    assert kinds == [NIL_KIND, UNMAPPED, NONE, NONE, LINK]


def test_the_raw_value_is_kept():
    assert read_entity(" Q42 ", "en").raw == " Q42 "


@pytest.mark.parametrize(
    "raw",
    [
        "https://en.wikipedia.org/",
        "https://en.wikipedia.org/w/api.php?action=query",
        "https://www.wikidata.org/wiki/Property:P31",
        "https://en.wikipedia.org/wiki/%FF",
        "a|b",
        "[[Link]]",
        "w:en:  ",
        "//[",
    ],
)
def test_what_cannot_be_understood_is_refused(raw):
    with pytest.raises(InputError, match="not"):
        normalise(raw, "en")
