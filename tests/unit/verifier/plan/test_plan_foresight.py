"""How sure a plan's numbers will be: against textbook formulas, and what is said of it."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from verifier.plan import estimands, timing
from verifier.plan.design import Design, measured
from verifier.plan.foresight import Named, foresee
from verifier.plan.foretold import lines
from verifier.plan.layout import Items, Sureness, Way, lay_out, sureness, tasks
from verifier.plan.likeness import latent
from verifier.plan.whole import sureness_here

ALONE = Design(rate=0.9, document=0, worker=0, annotation=0)


def items(by_document, sources=1):
    """So many annotations in each document, each in a segment of its own, the same by every source."""
    document = np.repeat(np.arange(len(by_document)), by_document)
    n = len(document)
    return Items(
        dataset=np.zeros(n * sources, np.int64),
        document=np.tile(document, sources),
        segment=np.tile(np.arange(n), sources),
        source=np.repeat(np.arange(sources), n),
        item=np.tile(np.arange(n), sources),
        weight=np.ones(n * sources),
        ran=np.ones((sources, len(by_document)), bool),
    )


def rate(found, design, way=None):
    layout = lay_out(found, way or Way(1, 0, pooled=False, per_place=1))
    every = np.ones(found.ran.shape[1], bool)
    return sureness(layout, estimands.rate(found, 0, every, design), design)


def test_without_clustering_the_variance_is_the_textbook_one():
    """That is p (1 - p) / n, each annotation in its own document, each judged by its own worker."""
    found = rate(items([1] * 1000), ALONE)
    assert found.variance == pytest.approx(0.09 / 1000)
    assert (found.documents, found.workers) == (pytest.approx(1000), pytest.approx(1000))
    assert found.half_width(0.95) == pytest.approx(1.962341 * (0.09 / 1000) ** 0.5, rel=0.01)


def test_one_kind_of_cluster_has_kishs_design_effect():
    """1 + (m - 1) rho, of documents; of workers, of which each has ten."""
    by_document = rate(items([10] * 30), Design(document=0.2, worker=0, annotation=0))
    assert by_document.variance * 300 / 0.09 == pytest.approx(1 + 9 * 0.2)
    way = Way(1, 0, pooled=False, per_place=10)
    by_worker = rate(items([1] * 300), Design(document=0, worker=0.2, annotation=0), way)
    assert by_worker.variance * 300 / 0.09 == pytest.approx(1 + 9 * 0.2)


def test_more_judgments_help_only_against_chance_and_workers():
    once, often = (
        rate(items([5] * 40), Design(), Way(k, 0, pooled=False, per_place=5)).half_width(0.95) for k in (1, 9)
    )
    floor = Sureness(0.9, 200, 0.09 * (0.05 / 40 + 0.3 / 200), 40, 360).half_width(0.95)
    assert floor < often < once


def test_a_source_that_has_all_of_the_union_has_no_recall_to_be_unsure_of():
    found = items([5] * 20, sources=2)
    layout = lay_out(found, Way(1, 0, pooled=False, per_place=10))
    every = np.ones(20, bool)
    sure = sureness(layout, estimands.recall(found, 0, every, Design()), Design())
    assert (sure.value, sure.half_width(0.95)) == (1.0, None)


def test_identical_items_of_sources_that_are_compared_cancel_out():
    found = items([5] * 20, sources=2)
    statistic = estimands.difference(found, 0, 1, np.ones(20, bool))
    assert not statistic.coefficient.any()


def test_pooled_every_item_is_judged_once_and_apart_once_a_source():
    found = items([5] * 20, sources=3)
    apart, pooled = (lay_out(found, Way(1, 0, pooled=way, per_place=10)) for way in (False, True))
    assert (set(apart.of_item), set(pooled.of_item)) == ({3}, {1})
    assert (apart.workers, pooled.workers) == (30, 10)


def test_a_task_of_many_annotations_is_laid_out_in_the_parts_that_are_planned():
    many = replace(items([23, 4]), segment=np.repeat([0, 1], [23, 4]))
    code = tasks(many, pooled=False, most=5)
    assert sorted(np.unique(code, return_counts=True)[1]) == [4, 4, 4, 5, 5, 5]
    laid = lay_out(many, Way(1, 0, pooled=False, per_place=1, most=5))
    assert (laid.workers, lay_out(many, Way(1, 0, pooled=False, per_place=1)).workers) == (6, 2)
    assert len(laid.item) == 27


def test_of_texts_that_are_all_judged_only_who_judges_is_chance():
    """Kish's design effect of workers alone, whatever documents have in common."""
    found, way = items([1] * 300), Way(1, 0, pooled=False, per_place=10)
    layout, design = lay_out(found, way), Design(document=0.3, worker=0.2, annotation=0)
    statistic = estimands.rate(found, 0, np.ones(300, bool), design)
    here = sureness_here(found, layout, statistic, design)
    assert here.variance * 300 / 0.09 == pytest.approx(1 + 9 * 0.2)
    assert here.degrees == pytest.approx(29)


def test_of_a_sample_of_segments_only_those_not_drawn_are_unknown():
    found, way = items([1] * 300), Way(1, 0, pooled=False, per_place=1)
    layout = lay_out(found, way)
    statistic = estimands.rate(found, 0, np.ones(300, bool), ALONE)
    here = sureness_here(found, layout, statistic, ALONE, drawn=0.6)
    assert here.variance == pytest.approx(0.4 * 0.09 / 300)
    assert sureness_here(found, layout, statistic, ALONE, drawn=1.0).half_width(0.95) is None


def test_weights_count_as_in_a_sample():
    """The effective n is (sum w)^2 / sum w^2."""
    found = items([1] * 400)
    found.weight[:200] = 3
    assert rate(found, ALONE).variance == pytest.approx(0.09 * (200 * 9 + 200) / 800**2)


def test_latent_shares_give_the_likeness_that_is_asked_for():
    design = Design()
    shares = latent(design)
    r = np.random.default_rng(1)
    common, own = r.standard_normal(400_000), r.standard_normal((2, 400_000))
    value = np.sqrt(shares[1]) * common + np.sqrt(1 - shares[1]) * own
    verified = value < 1.2815515655446004
    assert verified.mean() == pytest.approx(0.9, abs=0.002)
    assert np.corrcoef(verified)[0, 1] == pytest.approx(design.worker, abs=0.01)


def test_a_design_is_measured_from_judgments_where_there_are_enough():
    r = np.random.default_rng(5)
    documents, workers = 200, 60
    document = np.repeat(np.arange(documents), 30)
    item = np.repeat(np.arange(documents * 15), 2)
    worker = r.integers(0, workers, len(item))
    chance = 0.8 + 0.1 * r.standard_normal(documents)[document] + 0.12 * r.standard_normal(workers)[worker]
    found = measured(document, worker, item, (r.random(len(item)) < chance).astype(float))
    assert found.measured == ("rate", "document", "worker", "annotation")
    assert found.document == pytest.approx(0.01 / 0.16, abs=0.03)
    assert found.worker == pytest.approx(0.0144 / 0.16, abs=0.04)
    assert found.annotation < 0.05


def test_a_few_judgments_change_nothing():
    few = np.zeros(20, np.int64)
    assert measured(few, few, few, np.ones(20)) == Design()


def test_times_are_reckoned_and_then_measured():
    reckoned = timing.reckoned(7200, 100, Decimal("3.00"))
    assert reckoned.minutes[1] == pytest.approx((90 + 360 + 800) / 60)
    assert timing.measured([600] * 4, Decimal("3.00")) is None
    found = timing.measured([600, 1200, 1200, 1200, 1800], Decimal("3.00"))
    assert (found.places, found.hourly) == (5, (Decimal("9.00"),) * 3)


def test_the_questions_have_answers():
    r = np.random.default_rng(2)
    whole = items([20] * 60, sources=2)
    found = whole.kept(r.random(len(whole)) < 0.7)
    named = Named(["d"], ["GT", "REL"], np.zeros(60, np.int64), Way(1, 0.1, False, 19), Design())
    foresight = foresee(found, named)
    text = "\n".join(lines(foresight, Design(), Decimal("100.00"), "USD", 1))
    assert "+-2 points for REL: " in text
    assert "To tell GT and REL apart by 2 points with 80 % power: " in text
    [need] = [need for need in foresight.needs if need.source == "GT"]
    assert need.documents > 1
    halves = [point.half_width for point in foresight.curve if point.source == "GT" and point.share == 1]
    assert halves == sorted(halves, reverse=True)


def test_a_large_study_is_forecast_from_a_part_of_its_documents(monkeypatch):
    found = items([20] * 300)
    named = Named(["d"], ["GT"], np.zeros(300, np.int64), Way(1, 0.1, False, 19), Design())
    exact = foresee(found, named).precision[0]
    monkeypatch.setattr("verifier.plan.foresight.LARGEST", 2000)
    part = foresee(found, named).precision[0]
    assert part.half_width == pytest.approx(exact.half_width, rel=0.05)
    assert part.documents == pytest.approx(exact.documents, rel=0.1)


def test_a_plan_without_anything_to_judge_has_no_forecast():
    empty = items([])
    named = Named([], ["GT"], np.zeros(0, np.int64), Way(1, 0, False, 19), Design())
    assert foresee(empty, named).precision == []
