"""The audit with its evidence: who voted how, and what the votes agree on."""

from __future__ import annotations

from analysis.audit import LACKING, NOT_VERIFIED
from analysis.audit_evidence import audit_table
from analysis.ballots import Rule
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


def test_too_few_votes_are_not_listed():
    assert table(Rule(min_votes=2))["finding"].tolist() == [NOT_VERIFIED]
