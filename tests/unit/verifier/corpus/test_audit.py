"""The offset audit: what a file counted, and that only one answer is an answer."""

from __future__ import annotations

import pytest

from analysis.documents import Span
from analysis.keys import Entity
from verifier.corpus.audit import Draft, examine

LINK = Entity("link", "wd:Q1", "Q1")


def draft(start: int, end: int, mention: str | None) -> Draft:
    return Draft(start, end, mention, LINK)


def found(text: str, *drafts: tuple[int, int, str | None]) -> list[tuple[str, Span | None]]:
    return [(f.kind, f.span) for f in examine(text, [draft(*given) for given in drafts])]


def test_a_mention_at_its_span_is_exact():
    assert found("Ann met Bob", (8, 11, "Bob")) == [("exact", (8, 11))]


def test_without_a_mention_only_bounds_are_checked():
    assert found("Ann", (0, 3, None), (0, 9, None)) == [
        ("no mention to check", (0, 3)),
        ("no mention to check", None),
    ]


@pytest.mark.parametrize(
    ("text", "given", "kind", "span"),
    [
        ("🙂🙂 Ann and Ann", (5, 8, "Ann"), "UTF-16 units", (3, 6)),
        ("éééé Ann and Ann", (9, 12, "Ann"), "UTF-8 bytes", (5, 8)),
        ("R&D: Ann and Ann", (9, 12, "Ann"), "escaped text", (5, 8)),
        ("R&amp;D: Ann and Ann", (5, 8, "Ann"), "escaped text", (9, 12)),
        ("At R&amp;D", (3, 10, "R&D"), "escaped text", (3, 10)),
        ('"R" & D: Ann and Ann', (23, 26, "Ann"), "escaped text", (9, 12)),
        ("a\n\nb Ann Ann", (7, 10, "Ann"), "CRLF", (5, 8)),
        ("a\r\nb\r\nAnn Ann", (4, 7, "Ann"), "CRLF", (6, 9)),
        ("x\r\nA\r\nB", (2, 5, "A\nB"), "CRLF", (3, 7)),
        ("Zoe\u0308 met Zoe\u0308", (0, 4, "Zo\u00eb"), "another Unicode form", (0, 4)),
        ("e\u0301e\u0301 Ann and Ann", (3, 6, "Ann"), "another Unicode form", (5, 8)),
        ("\u01d6 Ann and Ann", (4, 7, "Ann"), "another Unicode form", (2, 5)),
        ("Ann met Bob", (8, 12, "Bob"), "wrong length", (8, 11)),
        ("Ann met Bob ", (8, 12, "Bob"), "wrong length", (8, 11)),
        ("by Anna Bo", (4, 7, "Anna"), "wrong length", (3, 7)),
        ("Ann met Bob", (3, 6, "Bob"), "shifted by +5", (8, 11)),
        ("Ann met Bob", (-5, -2, "Ann"), "shifted by +5", (0, 3)),
        ("Ann met Bob", (8, 11, "Eve"), "not found", None),
        ("Annabel met Bob", (8, 11, "Ann"), "not found", None),
        ("Ann, Ann, Ann", (2, 5, "Ann"), "several places", None),
    ],
)
def test_what_a_file_counted_is_said(text, given, kind, span):
    (one,) = found(text, given)
    assert one[0] == kind
    assert span is None or one[1] == span


def test_one_shift_explains_mentions_that_stand_often():
    text = "Ann, Bob, Ann, Bob, Ann, Bob"
    drafts = [(2, 5, "Ann"), (7, 10, "Bob"), (22, 25, "Ann")]
    assert found(text, *drafts) == [
        ("shifted by -2", (0, 3)),
        ("shifted by -2", (5, 8)),
        ("shifted by -2", (20, 23)),
    ]


def test_a_unit_for_the_whole_document_beats_a_chance_hit():
    """The first mention stands at its offsets by chance; in UTF-16 all three do."""
    text = "🙂 haha Ann Bob"
    drafts = [(3, 5, "ha"), (8, 11, "Ann"), (12, 15, "Bob")]
    assert found(text, *drafts)[0] == ("UTF-16 units", (2, 4))


def test_a_unit_that_contradicts_an_exact_span_is_no_answer():
    text = "é Ann, Bob, Bob"
    assert found(text, (2, 5, "Ann"), (8, 11, "Bob"))[1] == ("several places", None)


def test_neighbours_with_one_shift_decide_between_places():
    text = "Eve saw the man, the man saw Zoe"
    spans = [found_ for _, found_ in found(text, (1, 4, "Eve"), (9, 16, "the man"), (30, 33, "Zoe"))]
    assert spans == [(0, 3), (8, 15), (29, 32)]


def test_neighbours_of_different_shifts_decide_nothing():
    text = "Eve; it is the man, the man, or so. Zoe"
    assert found(text, (1, 4, "Eve"), (14, 21, "the man"), (39, 42, "Zoe"))[1] == ("several places", None)


def test_a_first_hit_near_by_is_never_taken():
    """The nearest place is 2 away, another 5: neither is an answer."""
    assert found("Bob. Ann, x, Ann", (7, 10, "Ann")) == [("several places", None)]
