"""From judgments to values under each choice."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.errors import ConfigError
from analysis.load import load
from analysis.outcomes import measure
from analysis.policy import get_policy
from tests.support.judged_studies import measured

THREE = ["t GT 0-3 Q1 w1 verify", "t GT 0-3 Q1 w2 remove", "t GT 0-3 Q1 w3 verify"]


def _value(rows, *, column="verify", **choices):
    study = measured(rows).study
    annotation = measure(study, get_policy("recommended", choices)).annotations.iloc[0]
    return annotation[column] / annotation["n"]


@pytest.mark.parametrize(
    ("resolution", "value"), [("share", 2 / 3), ("majority", 1), ("first", 1), ("unanimous", 0)]
)
def test_resolutions(resolution, value):
    assert _value(THREE, resolution=resolution) == pytest.approx(value)


def test_a_tie_is_neither_verified_nor_removed_but_stays_judged():
    tied = THREE[:2]
    assert _value(tied, resolution="majority") == _value(tied, resolution="majority", column="remove") == 0
    assert (
        measure(measured(tied).study, get_policy("recommended", {"resolution": "majority"}))
        .annotations["judged"]
        .all()
    )


def _edits(*targets: str) -> pd.DataFrame:
    rows = [("d", "t", "GT", 0, 3, "Q1", f"w{i}", "edit", target) for i, target in enumerate(targets)]
    columns = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "new_entity"]
    return pd.DataFrame(rows, columns=columns)


def test_edits_to_different_entities_are_different_answers():
    """Two of three to one entity are a majority, three to three are none."""
    majority = get_policy("recommended", {"resolution": "majority"})
    assert measure(load(_edits("Q2", "Q2", "Q3")), majority).annotations["edit"].tolist() == [3]
    assert measure(load(_edits("Q2", "Q3", "Q4")), majority).annotations["edit"].tolist() == [0]


def test_an_edit_to_what_was_shown_is_a_verification():
    assert measure(load(_edits("Q1", "Q2"))).annotations[["verify", "edit"]].to_numpy().tolist() == [[1, 1]]


def test_edited_targets_enter_the_union_only_if_asked():
    study = load(_edits("Q2", "Q2", "NIL", ""))
    assert measure(study).items["key"].tolist() == ["wd:Q1"]
    items = measure(study, get_policy("recommended", {"union_edits": "yes"})).items
    assert items[["key", "edited", "y"]].to_numpy().tolist() == [["wd:Q1", False, 0.0], ["wd:Q2", True, 0.5]]


def test_pooling_by_item_lets_all_judgments_of_the_item_speak():
    rows = ["t GT 0-3 Q1 w1 verify", "t A 0-3 Q1 w2 remove"]
    assert measured(rows).annotations[["verify", "n"]].to_numpy().tolist() == [[1, 2], [1, 2]]
    assert measured(rows, "paper").annotations.set_index("source")["verify"].to_dict() == {"GT": 1, "A": 0}


def test_under_own_pooling_an_item_has_the_largest_value_of_its_annotations():
    rows = ["t GT 0-3 Q1 w1 remove", "t A 0-3 Q1 w2 verify"]
    assert measured(rows, "paper").items["y"].tolist() == [1.0]


def test_shared_segments_have_every_source_and_everything_judged():
    """In t all is judged, in u A has nothing, in v something of A is not judged."""
    rows = [f"{d} GT 0-3 Q1 w1 verify" for d in "tuv"]
    rows += ["t A 0-3 Q1 w1 verify", "v A 0-3 Q1 w1 verify", "v A 4-5 Q2 - -"]
    got = measured(rows, "original")
    assert got.segments["shared"].tolist() == [True, False, False]
    assert got.items["in_scope"].tolist() == [True, False, False, False]


def _gated() -> pd.DataFrame:
    columns = [
        "dataset",
        "document",
        "source",
        "start",
        "end",
        "entity",
        "worker",
        "decision",
        "assignment",
        "counted",
    ]
    rows = [("d", "t", "GT", i, i + 1, "Q1", w, "verify", a, c) for i, (w, a, c) in enumerate(
        [("w1", "a1", 1), ("w1", "a2", 0), ("w2", "a3", 1)]
    )]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(("gate", "judged"), [("assignment", 2), ("worker", 1), ("none", 3)])
def test_gates(gate, judged):
    """A worker with an assignment that does not count is left out whole under gate=worker."""
    got = measure(load(_gated()), get_policy("recommended", {"gate": gate}))
    assert got.annotations["judged"].sum() == judged
    assert sum(got.left_out.values()) == 3 - judged


def test_first_k_needs_to_know_k():
    with pytest.raises(ConfigError, match="how many judgments of a task were wanted"):
        measure(load(_gated()), get_policy("recommended", {"use": "first_k"}))


def test_first_k_takes_the_first_assignments_of_each_task():
    study = measured(THREE).study
    tables = {**study.tables, "tasks": study["tasks"].assign(k=2)}
    got = measure(load(tables), get_policy("recommended", {"use": "first_k"}))
    assert got.annotations[["verify", "n"]].to_numpy().tolist() == [[1, 2]]


def test_expert_judgments_are_left_out_and_counted():
    study = measured(THREE).study
    tables = {**study.tables, "judgments": study["judgments"].assign(role="expert")}
    got = measure(load(tables))
    assert got.judgments == 0
    assert got.left_out == {"expert judgments, kept for adjudication": 3}


def test_nil_annotations_are_judged_but_no_items():
    rows = ["t GT 0-3 NIL w1 verify", "t GT 4-6 Q1 w1 verify"]
    got = measured(rows)
    assert got.annotations["judged"].all()
    assert len(got.items) == 1
