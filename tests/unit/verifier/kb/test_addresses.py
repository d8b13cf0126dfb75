"""What people paste when they mean an entity: each form leads to its key, or is refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.kb import addresses
from verifier.kb.build import build
from verifier.kb.local import LocalKb
from verifier.kb.understand import is_address, is_identifier, understand

PARIS = "w:en:Paris"
MUNICH = "w:de:München"
TWICE = "https%3A%2F%2Fen.wikipedia.org%2Fwiki%2FParis"

UNDERSTOOD = [
    ("https://en.wikipedia.org/wiki/Paris", PARIS),
    ("http://en.wikipedia.org/wiki/Paris", PARIS),
    ("HTTPS://EN.WIKIPEDIA.ORG/wiki/Paris", PARIS),
    ("//en.wikipedia.org/wiki/Paris", PARIS),
    ("en.wikipedia.org/wiki/Paris", PARIS),
    ("www.wikipedia.org/wiki/Paris", PARIS),
    ("wikipedia.org/wiki/Paris", PARIS),
    ("https://en.wikipedia.com/wiki/Paris", PARIS),
    ("https://en.m.wikipedia.org/wiki/Paris", PARIS),
    ("en.m.wikipedia.org/wiki/Paris#/media/File:Seine.jpg", PARIS),
    ("https://m.wikipedia.org/wiki/Paris", PARIS),
    ("https://en.wikipedia.org:443/wiki/Paris", PARIS),
    ("https://en.wikipedia.org/wiki/Paris/", PARIS),
    ("https://en.wikipedia.org/wiki/paris", PARIS),
    ("https://simple.wikipedia.org/wiki/Paris", "w:simple:Paris"),
    ("https://de.wikipedia.org/wiki/München", MUNICH),
    ("https://de.wikipedia.org/wiki/M%C3%BCnchen", MUNICH),
    ("https://de.wikipedia.org/wiki/M%25C3%25BCnchen", MUNICH),
    ("https://de.m.wikipedia.org/wiki/M%C3%BCnchen?wprov=sfla1", MUNICH),
    ("https://zh.wikipedia.org/zh-hans/巴黎", "w:zh:巴黎"),
    ("https://be-tarask.wikipedia.org/wiki/Парыж", "w:be-tarask:Парыж"),
    ("https://en.wikipedia.org/wiki/Paris,_Texas", "w:en:Paris, Texas"),
    ("https://en.wikipedia.org/wiki/Paris#History", PARIS),
    ("https://en.wikipedia.org/wiki/Paris#:~:text=The%20capital,is%20Paris.", PARIS),
    ("https://en.wikipedia.org/w/index.php?title=Paris", PARIS),
    ("https://en.wikipedia.org/w/index.php?title=Paris&oldid=123", PARIS),
    ("https://en.wikipedia.org/w/index.php?title=Paris&action=history", PARIS),
    ("https://en.wikipedia.org/?title=Paris&redirect=no", PARIS),
    ("https://en.wikipedia.org/w/index.php/Paris", PARIS),
    ("https://en.wikipedia.org/index.php/Paris", PARIS),
    ("https://en.wikipedia.org/api/rest_v1/page/summary/Paris", PARIS),
    ("https://en.wikipedia.org/wiki/:Paris", PARIS),
    ("https://en.wikipedia.org/wiki/AC/DC", "w:en:AC/DC"),
    ("https://en.wikipedia.org/wiki/Mercury_(planet)", "w:en:Mercury (planet)"),
    ("https://en.wikipedia.org/wiki/Star_Wars:_Episode_IV", "w:en:Star Wars: Episode IV"),
    ("https://en.wikipedia.org/wiki/Portal:_Companion", "w:en:Portal: Companion"),
    ("https://en.wikipedia.org/wiki/Who_Wants_to_Be_a_Millionaire%3F", "w:en:Who Wants to Be a Millionaire?"),
    ("https://en.wikipedia.org/wiki/Apple_Inc.", "w:en:Apple Inc."),
    ("https://secure.wikimedia.org/wikipedia/en/wiki/Paris", PARIS),
    ("<https://en.wikipedia.org/wiki/Paris>", PARIS),
    ("(https://en.wikipedia.org/wiki/Paris)", PARIS),
    ("https://en.wikipedia.org/wiki/Paris,", PARIS),
    ("https://en.wikipedia.org/wiki/Paris);", PARIS),
    ("\u201chttps://en.wikipedia.org/wiki/Paris\u201d", PARIS),
    ("[Paris](https://en.wikipedia.org/wiki/Paris)", PARIS),
    ("URL: https://en.wikipedia.org/wiki/Paris", PARIS),
    ("\u200bhttps://en.wikipedia.org/wiki/Par\u200bis\ufeff", PARIS),
    ("\u00a0https://en.wikipedia.org/wiki/Paris\u00a0\n", PARIS),
    ("https://www.google.com/url?q=https://en.wikipedia.org/wiki/Paris&sa=U", PARIS),
    (f"https://www.google.de/url?sa=t&url={TWICE}&usg=x", PARIS),
    ("https://www.google.com/amp/s/en.m.wikipedia.org/wiki/Paris", PARIS),
    (f"https://duckduckgo.com/l/?uddg={TWICE}", PARIS),
    ("https://www.bing.com/ck/a?!&&p=x&u=a1aHR0cHM6Ly9lbi53aWtpcGVkaWEub3JnL3dpa2kvUGFyaXM&ntb=1", PARIS),
    (f"https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU={TWICE}/RK=2/RS=x-", PARIS),
    (f"https://eur01.safelinks.protection.outlook.com/?url={TWICE}&data=1", PARIS),
    (f"https://l.facebook.com/l.php?u={TWICE}&h=1", PARIS),
    ("https://web.archive.org/web/20200101000000/https://en.wikipedia.org/wiki/Paris", PARIS),
    ("https://en-m-wikipedia-org.translate.goog/wiki/Paris?_x_tr_sl=en&_x_tr_tl=de", PARIS),
    ("https://www.wikiwand.com/en/Paris", PARIS),
    ("https://www.wikiwand.com/en/articles/Paris", PARIS),
    ("https://library.kiwix.org/viewer#wikipedia_en_all_maxi_2024-01/A/Paris", PARIS),
    ("http://192.168.0.2:8080/wikipedia_de_all/A/München", MUNICH),
    ("https://www.wikidata.org/wiki/Q90", "wd:Q90"),
    ("http://www.wikidata.org/entity/Q90", "wd:Q90"),
    ("https://m.wikidata.org/wiki/Q90", "wd:Q90"),
    ("wikidata.org/wiki/Q90#sitelinks-wikipedia", "wd:Q90"),
    ("https://www.wikidata.org/wiki/Special:EntityPage/Q90", "wd:Q90"),
    ("https://www.wikidata.org/wiki/Special:EntityData/Q90.json", "wd:Q90"),
    ("https://www.wikidata.org/w/index.php?title=Q90&action=history", "wd:Q90"),
    ("https://www.wikidata.org/wiki/q90", "wd:Q90"),
    ("https://www.wikidata.org/wiki/Q90.", "wd:Q90"),
    ("Q90", "wd:Q90"),
    (" Q90\u200b ", "wd:Q90"),
    ("wd:Q90", "wd:Q90"),
    ("http://dbpedia.org/resource/Paris", "dbp:en:Paris"),
    ("https://dbpedia.org/page/Paris", "dbp:en:Paris"),
    ("http://dbpedia.org/data/Paris.json", "dbp:en:Paris"),
    ("http://de.dbpedia.org/resource/München", "dbp:de:München"),
]

REFUSED = [
    ("https://en.wikipedia.org/wiki/Special:Search?search=Paris", addresses.SEARCH),
    ("https://en.wikipedia.org/w/index.php?search=Paris&title=Special%3ASearch", addresses.SEARCH),
    ("https://de.wikipedia.org/wiki/Spezial:Suche?search=Paris", addresses.SEARCH),
    ("https://www.wikidata.org/w/index.php?search=Paris", addresses.SEARCH),
    ("https://www.google.com/search?q=paris+france", addresses.SEARCH),
    ("https://duckduckgo.com/?q=paris", addresses.SEARCH),
    ("https://en.wikipedia.org/wiki/Mercury_(disambiguation)", addresses.LIST),
    ("https://de.wikipedia.org/wiki/Merkur_(Begriffsklärung)", addresses.LIST),
    ("https://en.wikipedia.org/wiki/Talk:Paris", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/User_talk:Somebody", addresses.NO_ARTICLE),
    ("https://de.wikipedia.org/wiki/Benutzer_Diskussion:Jemand", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/File:Paris.jpg", addresses.NO_ARTICLE),
    ("https://de.wikipedia.org/wiki/Datei:Paris.jpg", addresses.NO_ARTICLE),
    ("https://commons.wikimedia.org/wiki/File:Paris.jpg", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/Category:Paris", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/Template:Paris", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/Special:WhatLinksHere/Paris", addresses.NO_ARTICLE),
    ("https://en.wikipedia.org/wiki/Main_Page", addresses.NO_ARTICLE),
    ("http://dbpedia.org/ontology/Place", addresses.NO_ARTICLE),
    ("https://www.wikidata.org/wiki/Property:P31", addresses.NO_ITEM),
    ("http://www.wikidata.org/prop/direct/P31", addresses.NO_ITEM),
    ("https://www.wikidata.org/wiki/Lexeme:L1", addresses.NO_ITEM),
    ("https://en.wikipedia.org/w/index.php?oldid=123", addresses.VERSION),
    ("https://en.wikipedia.org/wiki/Special:Permalink/123", addresses.VERSION),
    ("https://w.wiki/4Qz", addresses.SHORT),
    ("https://en.wikipedia.beta.wmflabs.org/wiki/Paris", addresses.OTHER_SITE),
    ("https://en.wiktionary.org/wiki/paris", addresses.OTHER_SITE),
    ("https://www.britannica.com/place/Paris", addresses.OTHER_SITE),
    ("https://en.wikipedia.org/", addresses.NOT_UNDERSTOOD),
    ("https://en.wikipedia.org/wiki/", addresses.NOT_UNDERSTOOD),
    ("https://en.wikipedia.org/wiki/%FF", addresses.NOT_UNDERSTOOD),
    ("https://www.wikidata.org/wiki/Wikidata:Main_Page", addresses.NOT_UNDERSTOOD),
    ("javascript://en.wikipedia.org/wiki/Paris", addresses.NOT_UNDERSTOOD),
    ("https://[broken", addresses.NOT_UNDERSTOOD),
    ("https://" + "a" * 1900 + ".org/x", addresses.OTHER_SITE),
    ("https://en.wikipedia.org/?curid=8091", "page number"),
    ("https://en.wikipedia.org/wiki/Special:Redirect/page/8091", "page number"),
]


@pytest.mark.parametrize(("pasted", "key"), UNDERSTOOD)
def test_understood(pasted: str, key: str) -> None:
    assert is_address(pasted) or is_identifier(pasted)
    assert understand(pasted, "en", None) == key


@pytest.mark.parametrize(("pasted", "reason"), REFUSED)
def test_refused_with_what_to_do(pasted: str, reason: str) -> None:
    assert is_address(pasted)
    with pytest.raises(InputError) as refused:
        understand(pasted, "en", None)
    assert reason in refused.value.problems[0].what


def test_a_mark_at_the_end_is_the_title_s_where_the_knowledge_base_says_so(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    table.write_text("key\ttitle\nw:en:Apple Inc.\tApple Inc.\nw:en:Paris\tParis\n", encoding="utf-8")
    build(table, tmp_path / "kb.db")
    kb = LocalKb(tmp_path / "kb.db")
    found = [understand(f"https://en.wikipedia.org/wiki/{end}.", "en", kb) for end in ("Apple_Inc", "Paris")]
    assert found == ["w:en:Apple Inc.", "w:en:Paris"]


def test_an_article_leads_to_the_item_whose_row_has_its_address(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    rows = "key\ttitle\turl\nQ90\tParis\thttps://fr.wikipedia.org/wiki/Paris\n"
    table.write_text(rows + "id:https://example.org/kb/7\tSeven\t\n", encoding="utf-8")
    build(table, tmp_path / "kb.db")
    kb = LocalKb(tmp_path / "kb.db")
    assert understand("https://fr.m.wikipedia.org/wiki/Paris#Histoire", "en", kb) == "wd:Q90"
    assert understand("https://example.org/kb/7", "en", kb) == "id:https://example.org/kb/7"


def test_a_name_is_no_address() -> None:
    names = ("Paris", "St. Louis", "AT&T", "AC/DC", "Yahoo!", "1984.", "e.g. this", "Q", "U.S./Mexico border")
    assert [name for name in names if is_address(name)] == []


@pytest.mark.parametrize("pasted", ["<" * 1900, "(" * 1900 + "en.wikipedia.org/wiki/x", "%25" * 600])
def test_hostile_text_takes_no_time(pasted: str) -> None:
    with pytest.raises(InputError):
        understand(pasted, "en", None)
