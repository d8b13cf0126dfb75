"""Coverage letters against their definition, written as loops."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.letters import letters
from tests.support.examples import examples

PLACE = st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 4), st.sampled_from("abc"))
ITEMS = st.lists(PLACE, max_size=6)
REFERENCE = st.lists(st.tuples(PLACE, st.sampled_from(["link", "nil", "unmapped", "other"])), max_size=6)


def _frame(rows: list) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["document", "start", "length", "key"])
    table = table.astype({"document": "int64", "start": "int64", "length": "int64"})
    return table.assign(end=table["start"] + table["length"])


def _letter(item: tuple, other: tuple) -> str | None:
    """The letter that one reference annotation gives an item; None where they do not touch."""
    if item[0] != other[0] or item[1] >= other[1] + other[2] or other[1] >= item[1] + item[2]:
        return None
    same_span, same_key = item[1:3] == other[1:3], item[3] == other[3]
    return {(True, True): "A", (True, False): "B", (False, True): "C", (False, False): "D"}[
        same_span, same_key
    ]


@examples(80)
@given(ITEMS, REFERENCE)
def test_letters_follow_their_definition(items, reference):
    table = _frame([place for place, _ in reference]).assign(kind=[kind for _, kind in reference])
    got = letters(_frame(items), table)
    for row, item in enumerate(items):
        links = {_letter(item, place) for place, kind in reference if kind == "link"} - {None}
        nils = {_letter(item, place) for place, kind in reference if kind in ("nil", "unmapped")} - {None}
        assert got.letter[row] == min(links, default="E")
        assert got.part[row] == ("" if links else "E0" if nils else "E1")
        assert set(got.any.columns[got.any.iloc[row]]) == links
        assert got.nil_same_span[row] == bool(nils & {"A", "B"})
        behind = got.behind[got.behind["item"] == row]
        assert len(behind) == sum(
            kind == "link" and _letter(item, place) == got.letter[row] for place, kind in reference
        )


@examples(30)
@given(ITEMS, REFERENCE)
def test_identical_pairs_are_as_many_in_both_directions(items, reference):
    """Type A is equal whichever side is described, once both hold each annotation once."""
    items, links = sorted(set(items)), sorted({place for place, kind in reference if kind == "link"})
    one = letters(_frame(items), _frame(links).assign(kind="link"))
    other = letters(_frame(links), _frame(items).assign(kind="link"))
    assert (one.letter == "A").sum() == (other.letter == "A").sum()
