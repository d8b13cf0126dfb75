"""Offsets leave in UTF-16 units, which is what browsers count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verifier.config import PagesSection
from verifier.kb.local import Candidate
from verifier.plan.conditions import options
from verifier.store.models import CardRow
from verifier.web.views import Utf16, candidates, card


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_emoji_and_combining_marks() -> None:
    text = "e\u0301👩🏽‍🚀Zoë🙂"
    assert [Utf16(text)(offset) for offset in (0, 2, 3, 4, len(text))] == [0, 2, 4, 6, units(text)]


@given(st.text(), st.data())
def test_every_offset(text: str, data: st.DataObject) -> None:
    """The offset is the length of the text before it, in UTF-16 units."""
    offset = data.draw(st.integers(0, len(text)))
    assert Utf16(text)(offset) == units(text[:offset])


def test_a_card_is_made_of_the_key_where_nothing_is_known() -> None:
    made = card("w:en:Paris", None)
    assert (made["title"], made["url"]) == ("Paris", "https://en.wikipedia.org/wiki/Paris")
    assert made["description"] is made["extract"] is made["image"] is None


def test_images_can_be_switched_off() -> None:
    """`pages.images` takes them from card and search at the server, and is put down with the assignment."""
    row = CardRow(key="wd:Q2", title="Earth", image=f"{'0' * 64}.png", image_credit="Ann, CC0")
    made = card("wd:Q2", row, with_images=False)
    assert (made["title"], made["image"], made["image_by"]) == ("Earth", None, None)
    found = [Candidate("wd:Q2", "Earth", None, 0.0, row.image)]
    assert candidates(found, with_images=False)[0]["image"] is None
    assert options(PagesSection(images=False))["images"] is False
