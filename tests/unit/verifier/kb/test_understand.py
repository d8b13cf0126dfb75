"""What a worker gives as an entity is understood, or refused with a reason; never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from tests.support import tiny
from verifier.kb.build import build
from verifier.kb.local import LocalKb
from verifier.kb.understand import understand


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> LocalKb:
    folder = tmp_path_factory.mktemp("kb")
    build(tiny.write_kb(folder / "kb.tsv"), folder / "kb.db")
    return LocalKb(folder / "kb.db")


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("NIL", "NIL"),
        ("wd:Q90", "wd:Q90"),
        ("Q90", "wd:Q90"),
        ("https://en.wikipedia.org/wiki/Paris#History", "wd:Q90"),
        ("https://fr.wikipedia.org/wiki/Paris", "w:fr:Paris"),
        ("https://en.wikipedia.org/wiki/paris (mythology)", "w:en:Paris (mythology)"),
        ("https://de.m.wikipedia.org/wiki/M%C3%BCnchen?action=raw", "w:de:München"),
        ("www.wikidata.org/wiki/Q90", "wd:Q90"),
        ("en.wikipedia.org/wiki/100_%25", "w:en:100 %"),
        ("bruce springsteen", "wd:Q1225"),
    ],
)
def test_understood(kb: LocalKb, raw: str, key: str) -> None:
    assert understand(raw, "en", kb) == key


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "Nothing"),
        ("a\nb", "Nothing"),
        ("x" * 3000, "Nothing"),
        ("no such thing", "Choose one"),
        ("<NO_MAPPING>", "Choose one"),
        ("https://example.org/wiki/Paris", "another site"),
        ("https://www.wikidata.org/wiki/Special:Search", "search results"),
        ("https://en.wikipedia.org/", "not understood"),
        ("https://[broken", "not understood"),
        ("https://en.wikipedia.org/?curid=8091", "page number"),
    ],
)
def test_refused_with_a_reason(kb: LocalKb, raw: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        understand(raw, "en", kb)


def test_a_name_that_several_entities_have_is_no_answer(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    table.write_text("key\ttitle\nQ1\tJordan\nQ2\tJordan\n", encoding="utf-8")
    build(table, tmp_path / "kb.db")
    with pytest.raises(InputError, match="Several"):
        understand("Jordan", "en", LocalKb(tmp_path / "kb.db"))


def test_an_article_leads_to_the_only_item_with_its_title_unless_that_tells_its_own(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    rows = "wd:Q1\tJordan\t\nwd:Q2\tJordan\t\nwd:Q3\tRome\t\nwd:Q4\tLinz\thttps://en.wikipedia.org/wiki/Linz,_Austria\n"
    table.write_text("key\ttitle\turl\n" + rows, encoding="utf-8")
    build(table, tmp_path / "kb.db")
    kb = LocalKb(tmp_path / "kb.db")
    assert kb.without_article() == 3
    found = [
        understand(f"https://en.wikipedia.org/wiki/{title}", "en", kb) for title in ("Jordan", "Rome", "Linz")
    ]
    assert found == ["w:en:Jordan", "wd:Q3", "w:en:Linz"]


def test_without_a_knowledge_base_addresses_still_work() -> None:
    assert understand("https://en.wikipedia.org/wiki/Rome", "en", None) == "w:en:Rome"
    with pytest.raises(InputError):
        understand("Rome", "en", None)
