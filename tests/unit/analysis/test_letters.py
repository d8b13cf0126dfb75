"""Coverage letters of items against a reference."""

import pandas as pd
import pytest

from analysis.letters import letters

REFERENCE = pd.DataFrame(
    [
        (0, 0, 5, "a", "link"),
        (0, 3, 9, "b", "link"),
        (0, 20, 25, "NIL", "nil"),
        (0, 30, 35, None, "unmapped"),
        (0, 40, 45, None, "other"),
    ],
    columns=["document", "start", "end", "key", "kind"],
)


def one(start: int, end: int, key: str, document: int = 0):
    """The coverage of one item."""
    return letters(
        pd.DataFrame([(document, start, end, key)], columns=["document", "start", "end", "key"]), REFERENCE
    )


@pytest.mark.parametrize(
    ("item", "letter", "part"),
    [
        ((0, 5, "a"), "A", ""),
        ((0, 5, "x"), "B", ""),
        ((0, 4, "a"), "C", ""),
        ((0, 4, "x"), "D", ""),
        ((20, 25, "x"), "E", "E0"),
        ((24, 28, "x"), "E", "E0"),
        ((30, 34, "x"), "E", "E0"),
        ((40, 45, "x"), "E", "E1"),
        ((50, 55, "x"), "E", "E1"),
    ],
)
def test_each_letter(item, letter, part):
    """The five relations, and the two parts of E: a quantity or date is no NIL."""
    got = one(*item)
    assert (got.letter[0], got.part[0]) == (letter, part)


def test_another_document_is_never_touched():
    assert one(0, 5, "a", document=1).letter[0] == "E"


def test_the_first_letter_wins_and_the_flags_keep_the_others():
    got = one(0, 5, "b")  # B with (0, 5, a), C with (3, 9, b)
    assert got.letter[0] == "B"
    assert got.any.iloc[0].tolist() == [False, True, True, False]


def test_behind_names_the_annotations_that_the_letter_rests_on():
    got = one(0, 5, "b")
    assert got.behind.to_dict("records") == [{"item": 0, "reference": 0, "letter": "B"}]


def test_a_nil_on_the_very_span_is_a_flag_only_for_equal_spans():
    assert one(20, 25, "x").nil_same_span[0]
    assert not one(24, 28, "x").nil_same_span[0]


def test_with_no_reference_every_item_is_e1():
    items = pd.DataFrame([(0, 0, 5, "a")], columns=["document", "start", "end", "key"])
    got = letters(items, REFERENCE.iloc[:0])
    assert (got.letter[0], got.part[0]) == ("E", "E1")
