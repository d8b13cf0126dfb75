"""Scores by ELEVANT's rules: optional labels, labels that stand for their parent, spans widened to words."""

import pytest

from analysis.documents import Annotation, Document, Label, Span
from analysis.elevant import match, widened
from analysis.errors import InputError
from analysis.keys import OTHER, Entity, read_entity
from analysis.score import score

TEXT = "Mandan, North Dakota in 1968"
WHOLE, TOWN, STATE, YEAR = (0, 20), (0, 6), (8, 20), (24, 28)


def label(span, raw, number=None, parent=None, *, parts=(), optional=False):
    """A label of the benchmark."""
    entity = Entity(OTHER, None, raw) if raw == "DATETIME" else read_entity(raw, "en")
    return Annotation(Span(*span), entity, label=Label(number, parent, parts, optional))


def counts(labels, found, nil="drop"):
    """Hits, predicted and gold of links at spans."""
    made = tuple(Annotation(Span(*span), read_entity(raw, "en")) for span, raw in found)
    got = match([(Document("d", TEXT, tuple(labels)), Document("d", TEXT, made))], nil)
    return got.hits.tolist() + got.predicted.tolist() + got.gold.tolist()


NESTED = [label(WHOLE, "Q1", 0), label(TOWN, "Q1", 1, 0), label(STATE, "Q2", 2, 0)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([(WHOLE, "Q1")], [1, 1, 1]),
        ([(TOWN, "Q1"), (STATE, "Q2")], [1, 1, 1]),
        ([(STATE, "Q2")], [0, 0, 1]),
        ([(TOWN, "Q9"), (STATE, "Q2")], [0, 1, 1]),
        ([(TOWN, "Q9"), (STATE, "Q9")], [0, 2, 1]),
        ([(WHOLE, "Q9")], [0, 1, 1]),
        ([], [0, 0, 1]),
    ],
)
def test_labels_of_one_parent_count_once_together(found, expected):
    assert counts(NESTED, found) == expected


def test_parts_of_another_parent_stand_for_a_label_that_names_them():
    labels = [*NESTED, label(YEAR, "Q3", 3, parts=(2,))]
    assert counts(labels, [(WHOLE, "Q1"), (STATE, "Q2")]) == [2, 2, 2]


@pytest.mark.parametrize(("raw", "expected"), [("Q1", [0, 0, 0]), ("Q9", [0, 1, 0])])
def test_an_optional_label_is_no_hit_and_a_wrong_link_on_it_is_wrong(raw, expected):
    assert counts([label(TOWN, "Q1", optional=True)], [(TOWN, raw)]) == expected
    assert counts([label(TOWN, "Q1", optional=True)], []) == [0, 0, 0]


def test_an_optional_parent_is_missed_if_a_part_of_it_has_to_be_found():
    labels = [label(WHOLE, "Q1", 0, optional=True), label(STATE, "Q2", 1, 0)]
    assert counts(labels, []) == [0, 0, 1]


def test_a_date_need_not_be_found_and_a_link_on_it_is_wrong():
    assert counts([label(YEAR, "DATETIME")], []) == [0, 0, 0]
    assert counts([label(YEAR, "DATETIME")], [(YEAR, "Q9")]) == [0, 1, 0]


def test_nil_counts_only_if_required():
    assert counts([label(TOWN, "NIL")], [(TOWN, "NIL")]) == [0, 0, 0]
    assert counts([label(TOWN, "NIL")], [(TOWN, "NIL")], "require") == [1, 1, 1]
    assert counts([label(TOWN, "NIL")], [(TOWN, "Q1")]) == [0, 1, 0]


def test_labels_that_are_each_other_s_parents_do_no_harm():
    circle = [label(WHOLE, "Q1", 0, 1, parts=(1,)), label(TOWN, "Q2", 1, 0, parts=(0,))]
    assert counts(circle, [(TOWN, "Q2")])[2] >= 1


def test_spans_within_a_word_match_the_word():
    assert widened(Span(0, 3), TEXT) == (0, 6)
    assert counts([label(TOWN, "Q1")], [((0, 3), "Q1")]) == [1, 1, 1]


def test_the_name_of_the_match_is_known_to_score():
    gold = [Document("d", TEXT, (label(TOWN, "Q1", optional=True),))]
    [record] = score(gold, {"M": gold}, match="elevant")
    assert (record["match"], record["gold"]) == ("elevant", 0)
    with pytest.raises(InputError, match="exact, overlap, elevant"):
        score(gold, {"M": gold}, match="other")
    with pytest.raises(InputError, match="drop or require"):
        score(gold, {"M": gold}, match="elevant", nil="ignore")
