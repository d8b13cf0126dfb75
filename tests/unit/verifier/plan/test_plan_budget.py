"""What a plan costs."""

import csv
from decimal import Decimal

import pytest

from verifier.config import StudyConfig
from verifier.plan.budget import budget


def config(**sections):
    return StudyConfig.model_validate({"study": {"name": "s"}, **sections})


def test_places_money_and_wage():
    found = budget(config(), tasks=149, annotations=411, slots_by_passage=[3] * 49 + [2], capacity=19)
    assert (found.places, found.workers_least, found.task_judgments) == (8, 3, 149)
    assert (found.pay, found.fee, found.total) == (Decimal("24.00"), Decimal("0.00"), Decimal("24.00"))
    assert (found.minutes, found.hourly_wage) == (Decimal(160), Decimal("9.00"))


def test_the_published_study_at_three_dollars():
    """31,105 tasks in 1,638 places of 3 USD."""
    found = budget(config(), tasks=31_105, annotations=1, slots_by_passage=[1] * 31_105, capacity=19)
    assert (found.places, found.pay) == (1638, Decimal("4914.00"))


def test_the_published_counts_need_1638_places_and_cost_with_fees_what_mturk_takes(shared_data):
    """table1_counts.csv: the tasks of all datasets and sources, 19 a place, 3 USD and 20 % of it."""
    with (shared_data / "published" / "table1_counts.csv").open(encoding="utf-8", newline="") as file:
        tasks = sum(int(row["tasks_with_annotation"]) for row in csv.DictReader(file))
    assert tasks == 31_105
    of = {"tasks": tasks, "annotations": 167_190, "slots_by_passage": [1] * tasks, "capacity": 19}
    free, mturk = (budget(config(platform={"kind": kind}), **of) for kind in ("link", "mturk"))
    assert (free.places, free.fee, free.total) == (1638, 0, Decimal("4914.00"))
    assert (mturk.places, mturk.fee, mturk.total) == (1638, Decimal("982.80"), Decimal("5896.80"))


def test_how_far_the_cap_is_passed():
    capped = config(budget={"cap": "20.00"})
    found = budget(capped, tasks=149, annotations=1, slots_by_passage=[3] * 49 + [2], capacity=19)
    assert found.over_cap == Decimal("4.00")


def test_what_failures_cost_is_places_over_the_share_that_passes():
    found = budget(
        config(budget={"cap": "30.00"}),
        tasks=149,
        annotations=1,
        slots_by_passage=[3] * 49 + [2],
        capacity=19,
    )
    assert [(float(case.share), case.places, case.total) for case in found.failing] == [
        (0.1, 9, Decimal("27.00")),
        (0.3, 12, Decimal("36.00")),
    ]
    assert (found.cap_places, found.cap_failing) == (10, pytest.approx(0.2))


def test_without_controls_or_cap_nothing_is_said_of_failures():
    found = budget(config(place={"controls": 0}), tasks=1, annotations=1, slots_by_passage=[1], capacity=20)
    assert (found.failing, found.cap_places, found.cap_failing) == ((), None, None)
