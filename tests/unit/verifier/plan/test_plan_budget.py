"""What a plan costs, and how precise it is expected to be."""

from decimal import Decimal

import pytest

from verifier.config import StudyConfig
from verifier.plan.budget import Design, budget, expected_precision


def config(**sections):
    return StudyConfig.model_validate({"study": {"name": "s"}, **sections})


def test_places_money_and_wage():
    found = budget(config(), tasks=149, annotations=411, slots_by_segment=[3] * 49 + [2], capacity=19)
    assert (found.places, found.workers_least, found.task_judgments) == (8, 3, 149)
    assert (found.pay, found.fee, found.total) == (Decimal("24.00"), Decimal("0.00"), Decimal("24.00"))
    assert (found.minutes, found.hourly_wage) == (Decimal(160), Decimal("9.00"))


def test_the_published_study_at_three_dollars():
    """31,105 tasks in 1,638 places of 3 USD."""
    assert (
        budget(config(), tasks=31_105, annotations=1, slots_by_segment=[1] * 31_105, capacity=19).pay == 4914
    )


def test_how_far_the_cap_is_passed():
    capped = config(budget={"cap": "20.00"})
    found = budget(capped, tasks=149, annotations=1, slots_by_segment=[3] * 49 + [2], capacity=19)
    assert found.over_cap == Decimal("4.00")


def test_half_width_without_clustering_is_the_textbook_one():
    """t(999) sqrt(.9 .1 / 1000), each annotation in its own document, each judged by its own worker."""
    design = Design(rate=0.9, document=0, worker=0, annotation=0)
    found = expected_precision("d", "s", [1] * 1000, k=1, workers=1000, design=design)
    assert found.half_width == pytest.approx(1.962341 * (0.09 / 1000) ** 0.5, rel=1e-5)
    assert found.design_effect == pytest.approx(1)


def test_one_kind_of_cluster_has_kishs_design_effect():
    """1 + (m - 1) rho."""
    design = Design(document=0.2, worker=0, annotation=0)
    found = expected_precision("d", "s", [10] * 30, k=1, workers=10_000, design=design)
    assert found.design_effect == pytest.approx(1 + 9 * 0.2)


def test_more_judgments_of_each_annotation_help_only_against_chance():
    once, often = (expected_precision("d", "s", [5] * 40, k=k, workers=50) for k in (1, 1_000_000))
    assert 0 < often.half_width < once.half_width


@pytest.mark.parametrize(("documents", "workers"), [([5], 9), ([5, 5, 5], 1), ([], 3)])
def test_what_is_not_defined_has_a_reason(documents, workers):
    found = expected_precision("d", "s", documents, k=1, workers=workers)
    assert found.half_width is None
    assert found.reason


def test_what_failures_cost_is_places_over_the_share_that_passes():
    found = budget(
        config(budget={"cap": "30.00"}),
        tasks=149,
        annotations=1,
        slots_by_segment=[3] * 49 + [2],
        capacity=19,
    )
    assert [(float(case.share), case.places, case.total) for case in found.failing] == [
        (0.1, 9, Decimal("27.00")),
        (0.3, 12, Decimal("36.00")),
    ]
    assert (found.cap_places, found.cap_failing) == (10, pytest.approx(0.2))


def test_without_controls_or_cap_nothing_is_said_of_failures():
    found = budget(config(place={"controls": 0}), tasks=1, annotations=1, slots_by_segment=[1], capacity=20)
    assert (found.failing, found.cap_places, found.cap_failing) == ((), None, None)
