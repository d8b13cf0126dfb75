"""The audit with its evidence: who voted how, and what the votes agree on."""

from __future__ import annotations

import pandas as pd

from analysis.audit import LACKING, NOT_VERIFIED
from analysis.audit_evidence import audit_table
from analysis.ballots import Rule
from analysis.study import Study
from tests.support.judged_studies import measured

ROWS = (
    "x GT 0-5 Q1 a edit=Q2",
    "x GT 0-5 Q1 b edit=Q2",
    "x GT 0-5 Q1 c verify",
    "x A 0-5 Q2 a verify",
)


def table(rule):
    return audit_table(measured(ROWS).study, rule)


def test_each_finding_has_its_votes_and_what_they_agree_on():
    found = table(Rule(min_votes=1))
    assert found["finding"].tolist() == [NOT_VERIFIED, LACKING]
    assert found["answer"].tolist() == ["edit wd:Q2", "verify"]
    assert found["edited_to"].tolist() == ["wd:Q2 (2)", ""]
    assert found["votes"].tolist() == ["a:edit wd:Q2|b:edit wd:Q2|c:verify", "a:verify"]


def test_a_reader_of_the_table_needs_no_keys():
    """What links are called, and the words around them; without titles and texts nothing stands there."""
    bare = measured(ROWS).study
    cards = pd.DataFrame({"key": ["wd:Q1", "wd:Q2"], "title": ["Paris, Texas", "Paris"]})
    documents = bare["documents"].assign(text="Paris lies on the Seine.")
    study = Study({**bare.tables, "cards": cards, "documents": documents}, bare.manifest, bare.notes)
    found = audit_table(study, Rule(min_votes=1))
    assert found["title"].tolist() == ["Paris, Texas", "Paris"]
    assert found["edited_titles"].tolist() == ["Paris", ""]
    assert found["context"].tolist() == ["[Paris] lies on the Seine."] * 2
    assert set(table(Rule())["title"]) | set(table(Rule())["edited_titles"]) <= {"", "?"}


def test_too_few_votes_are_not_listed():
    assert table(Rule(min_votes=2))["finding"].tolist() == [NOT_VERIFIED]
