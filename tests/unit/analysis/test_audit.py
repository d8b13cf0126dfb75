"""audit.csv: what half or more did not verify, and what the ground truth lacks, with the votes."""

import pandas as pd

from analysis.audit import LACKING, NOT_VERIFIED, audit_frame
from analysis.load import load
from analysis.outcomes import measure

COLUMNS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]


def audited(*rows):
    frame = pd.DataFrame([dict(zip(COLUMNS, ("d", "x", *row), strict=True)) for row in rows])
    found = audit_frame(measure(load(frame)))
    return found[["finding", "key", "sources", "verify", "edit", "remove", "judgments"]].to_numpy().tolist()


def test_a_rejected_ground_truth_link_is_listed_with_its_votes():
    rows = [
        ("GT", 0, 5, "Q1", worker, decision)
        for worker, decision in (("a", "edit"), ("b", "remove"), ("c", "verify"))
    ]
    assert audited(*rows) == [[NOT_VERIFIED, "wd:Q1", "GT", 1, 1, 1, 3]]


def test_a_tied_link_is_not_verified():
    assert [
        row[0] for row in audited(("GT", 0, 5, "Q1", "a", "edit"), ("GT", 0, 5, "Q1", "b", "verify"))
    ] == [NOT_VERIFIED]


def test_a_verified_link_that_the_ground_truth_lacks_names_its_sources():
    rows = [(s, 0, 5, "Q2", s, "verify") for s in ("A", "B")]
    assert audited(("GT", 0, 5, "Q1", "a", "verify"), *rows) == [[LACKING, "wd:Q2", "A|B", 2, 0, 0, 2]]


def test_a_verified_ground_truth_and_an_unjudged_link_are_not_listed():
    assert audited(("GT", 0, 5, "Q1", "a", "verify"), ("GT", 9, 12, "Q3", "", "")) == []


def test_without_a_ground_truth_there_is_nothing_to_list():
    assert audited(("A", 0, 5, "Q1", "a", "remove")) == []
