"""The study in numbers: four counts kept apart, people, money, and what was left out."""

from dataclasses import replace
from decimal import Decimal

import pandas as pd

from analysis.load import load
from analysis.outcomes import measure
from analysis.report.facts import gather
from analysis.report.sections import money, people
from analysis.study import Study

COLUMNS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "counted"]
ROWS = [
    ("d", "x", "GT", 0, 5, "Q1", "a", "verify", 1),
    ("d", "x", "GT", 0, 5, "Q1", "b", "edit", 1),
    ("d", "x", "GT", 6, 9, "Q2", "c", "remove", 0),
    ("d", "x", "A", 0, 5, "Q1", "b", "verify", 1),
    ("d", "x", "A", 6, 9, "Q5", "", "", 1),
]


def known(study=None):
    study = study or load(pd.DataFrame(ROWS, columns=COLUMNS))
    return gather(study, measure(study, "paper"))


def test_imported_shown_judged_and_outcomes_are_kept_apart():
    line = next(line for line in known().lines if line.source == "GT")
    assert (line.imported, line.shown, line.judged, line.verified) == (2, 2, 1, 1.0)


def test_who_was_not_counted_is_said():
    facts = known()
    assert (facts.workers, facts.workers_counted, facts.assignments_counted) == (3, 2, 2)
    assert sum(facts.left_out.values()) == 1
    assert people(facts).startswith("3 workers took 3 assignments; 2 of these, by 2 workers, count.")


def test_workers_without_a_name_are_not_counted_as_one():
    unnamed = known(load(pd.DataFrame(ROWS, columns=COLUMNS).assign(worker="")))
    assert unnamed.workers == 0
    assert people(unnamed).startswith("Workers who are not named took")


def test_only_what_was_handed_in_costs_money():
    study = load(pd.DataFrame(ROWS, columns=COLUMNS))
    paid = study["assignments"].assign(reward="1.20", fee="0.24", currency="USD")
    paid["state"] = ["submitted", "submitted", "expired"]
    facts = known(Study({**study.tables, "assignments": paid}))
    assert facts.money == {"USD": (Decimal("2.40"), Decimal("0.48"), Decimal(0))}
    assert money(facts) == "What was handed in costs 2.88 USD (pay 2.40, fees 0.48, bonuses 0.00)."


def test_without_judgments_it_says_so():
    assert "Nobody has judged" in people(replace(known(), assignments=0))
