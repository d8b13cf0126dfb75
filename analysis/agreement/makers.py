"""From the facts of a table to what a coefficient sums there, or why it cannot be computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.agreement import formulas, scales
from analysis.agreement.blocks import apart, weighted
from analysis.agreement.coefficient import Facts, Ready
from analysis.agreement.formulas import Formula
from analysis.engine.counts import Floats

Make = Callable[[Facts], list[Ready] | str]

_TWO: Final = 2
_TWO_WORKERS: Final = "it is defined for two workers"
_DECLARE: Final = "it hangs on how many categories there are, and they were not declared"
_ORDER: Final = "the order of the categories was not declared, and the labels are no numbers"
_NUMBERS: Final = "the labels are no numbers"
_TWO_CATEGORIES: Final = "it is defined for two declared categories"


def always(formula: Formula, *blocks: str) -> Make:
    """A coefficient that every table has."""
    return lambda _: [Ready(formula, blocks)]


def two(formula: Formula, *blocks: str) -> Make:
    """A coefficient of two workers."""
    return lambda facts: [Ready(formula, blocks)] if facts.workers == _TWO else _TWO_WORKERS


def uniform(facts: Facts) -> list[Ready] | str:
    """S and Brennan-Prediger."""
    return [Ready(formulas.uniform(facts.size), ("agree", "paired"))] if facts.declared else _DECLARE


def multi_kappa(facts: Facts) -> list[Ready] | str:
    """Multi-kappa."""
    return [Ready(formulas.multi_kappa(facts.workers), ("agree", "paired", "margin"))]


def cohen(facts: Facts) -> list[Ready] | str:
    """Cohen's kappa: multi-kappa of two workers."""
    return multi_kappa(facts) if facts.workers == _TWO else f"{_TWO_WORKERS}; for more see multi_kappa"


def scott(facts: Facts) -> list[Ready] | str:
    """Scott's pi: multi-pi of two workers."""
    if facts.workers != _TWO:
        return f"{_TWO_WORKERS}; for more see multi_pi"
    return [Ready(formulas.multi_pi, ("agree", "paired", "share"))]


def light(facts: Facts) -> list[Ready] | str:
    """Light's kappa."""
    return [Ready(formulas.light(facts.workers), ("margin", "same", "common"))]


def by_place(weigh: Callable[[Floats], Floats]) -> Make:
    """Weighted kappa with weights by place in the order."""

    def make(facts: Facts) -> list[Ready] | str:
        if facts.workers != _TWO:
            return _TWO_WORKERS
        if not facts.in_order:
            return _ORDER
        return [Ready(formulas.kappa_weighted(weigh(facts.places)), ("joint", "margin"))]

    return make


def given_weights(facts: Facts) -> list[Ready] | str:
    """Weighted kappa with given weights."""
    if facts.weights is None:
        return "no weights were given"
    if facts.workers != _TWO:
        return f"{_TWO_WORKERS}; for more see ac2_weighted"
    return [Ready(formulas.kappa_weighted(facts.weights), ("joint", "margin"))]


def _alpha(name: str, distance: Floats) -> list[Ready]:
    """Distances scaled to at most 1, which changes no alpha."""
    largest = distance.max(initial=0.0)
    scaled = distance / (largest if largest > 0 else 1.0)
    return [Ready(formulas.alpha_distance(name, scaled), (name, "pairable", "paired"), {name: apart(scaled)})]


def alpha_ordinal(facts: Facts) -> list[Ready] | str:
    """Ordinal alpha, whose distances hang on the sums."""
    return (
        [Ready(formulas.alpha_ordinal, ("coincidence", "pairable", "paired"))] if facts.in_order else _ORDER
    )


def alpha_interval(facts: Facts) -> list[Ready] | str:
    """Interval alpha."""
    if facts.numbers is None:
        return _NUMBERS
    return _alpha("interval", scales.interval_distance(facts.numbers))


def alpha_ratio(facts: Facts) -> list[Ready] | str:
    """Ratio alpha."""
    if facts.numbers is None or facts.numbers.min() < 0:
        return f"{_NUMBERS} that are 0 or more"
    return _alpha("ratio", scales.ratio_distance(facts.numbers))


def alpha_sets(measure: str) -> Make:
    """Alpha of sets: jaccard or masi."""

    def make(facts: Facts) -> list[Ready] | str:
        if not facts.sets:
            return "the labels were not said to be sets"
        return _alpha(measure, (scales.jaccard if measure == "jaccard" else scales.masi)(facts.names))

    return make


def alpha_given(facts: Facts) -> list[Ready] | str:
    """Alpha with given distances."""
    return "no distance was given" if facts.distance is None else _alpha("given", facts.distance)


def ac(scheme: str) -> Make:
    """AC1, or AC2 with a scheme of weights."""

    def make(facts: Facts) -> list[Ready] | str:
        if reason := _ac_reason(facts, scheme):
            return reason
        if not scheme:
            return [Ready(formulas.ac1(facts.size), ("agree", "paired", "share"))]
        weights, name = _weights(facts, scheme), f"weighted {scheme}"
        return [Ready(formulas.ac2(name, weights), (name, "paired", "share"), {name: weighted(weights)})]

    return make


def _weights(facts: Facts, scheme: str) -> Floats:
    """Weights of AC2; linear and quadratic ones by number where categories are numbers, else by place."""
    at = facts.places if facts.numbers is None else facts.numbers
    if scheme == "linear":
        return scales.linear(at)
    if scheme == "quadratic":
        return scales.quadratic(at)
    if scheme == "ordinal":
        return scales.gwet_ordinal(facts.size)
    return scales.gwet_ratio(at) if scheme == "ratio" else np.asarray(facts.weights)


def _ac_reason(facts: Facts, scheme: str) -> str:
    """Why AC1 or AC2 cannot be computed; "" where it can."""
    if scheme == "weighted" and facts.weights is None:
        return "no weights were given"
    if not facts.declared:
        return _DECLARE
    if facts.size < _TWO:
        return "it needs two categories"
    if scheme == "ratio" and (facts.numbers is None or facts.numbers.min() < 0):
        return f"{_NUMBERS} that are 0 or more"
    if scheme == "weighted" and not np.allclose(np.asarray(facts.weights), np.asarray(facts.weights).T):
        return "the weights are not symmetric"
    return ""


def prevalence(facts: Facts) -> list[Ready] | str:
    """The prevalence index."""
    if facts.size != _TWO or not facts.declared:
        return _TWO_CATEGORIES
    return [Ready(formulas.prevalence, ("share", "paired"))]


def bias(facts: Facts) -> list[Ready] | str:
    """The bias index."""
    if facts.size != _TWO or not facts.declared:
        return _TWO_CATEGORIES
    if facts.workers != _TWO:
        return _TWO_WORKERS
    return [Ready(formulas.bias, ("margin", "paired"))]


def specific(facts: Facts) -> list[Ready] | str:
    """Specific agreement: a value a category."""
    blocks = ("specific", "possible", "paired")
    return [
        Ready(formulas.specific(place), blocks, category=name, place=place)
        for place, name in enumerate(facts.names)
    ]
