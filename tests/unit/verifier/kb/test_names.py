"""Names are compared without accents, case and punctuation; addresses and titles follow from keys."""

from __future__ import annotations

import pytest

from verifier.kb.names import address_of, fold, title_of, without_qualifier


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("München", "munchen"),
        ("MU\u0308NCHEN", "munchen"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("Who Wants to Be a Millionaire?", "who wants to be a millionaire"),
        ("Barack_Obama", "barack obama"),
        ("日本", "日本"),
        ("…!", ""),
    ],
)
def test_fold(name: str, folded: str) -> None:
    assert fold(name) == folded


@pytest.mark.parametrize(
    ("key", "title", "address"),
    [
        ("wd:Q42", "Q42", "https://www.wikidata.org/wiki/Q42"),
        ("w:de:Zoë Müller?", "Zoë Müller?", "https://de.wikipedia.org/wiki/Zo%C3%AB_M%C3%BCller%3F"),
        ("dbp:en:Rome", "Rome", "https://dbpedia.org/resource/Rome"),
        ("id:w:en:8091", "w:en:8091", None),
        ("NIL", "NIL", None),
    ],
)
def test_what_a_key_tells(key: str, title: str, address: str | None) -> None:
    assert (title_of(key), address_of(key)) == (title, address)


def test_only_a_qualifier_at_the_end_is_dropped() -> None:
    assert without_qualifier("Texas (band)") == "Texas"
    assert without_qualifier("(What's the Story) Morning Glory?") == "(What's the Story) Morning Glory?"
    assert without_qualifier("(sic)") == "(sic)"
