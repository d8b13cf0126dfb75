"""Refuses a plan that cannot be met: too few people, a gate that cannot keep its word, more than the cap."""

from __future__ import annotations

from analysis.errors import StateError
from verifier.config import StudyConfig
from verifier.plan.budget import Budget
from verifier.plan.gate import GUESSING, questions_needed
from verifier.plan.tables import count


def check(config: StudyConfig, money: Budget, asked: int) -> None:
    """Refuse what cannot be met, before anything is stored.

    Args:
        config: what is asked for.
        money: what the plan takes.
        asked: graded answers of an assignment.

    Raises:
        StateError: with which constraint it is, and by how much.
    """
    _decided(config)
    _people(config, money)
    _luck(config, asked)


def refuse_over_cap(money: Budget) -> None:
    """Refuse a plan that costs more than may be spent.

    Raises:
        StateError: with the numbers.
    """
    raise StateError(
        f"the plan costs {money.over_cap} {money.currency} more than the budget allows",
        where="study.yaml, budget.cap",
        got=f"{money.places} places, {money.total} {money.currency}",
        expected=f"at most {money.cap} {money.currency}",
        remedy="Raise budget.cap, or lower plan.k, plan.repeat_share or place.pay. Nothing was stored.",
    )


def _decided(config: StudyConfig) -> None:
    place, measure, decoys = config.place.controls, config.controls.measure, config.controls.decoys
    if place <= decoys and decoys:
        raise StateError(
            f"of {count(place, 'control')} on a place {decoys} would be decoys,"
            " and none a control that decides",
            where="study.yaml, controls.decoys",
            got=str(decoys),
            expected=f"{max(place - 1, 0)} at most",
            remedy="Raise place.controls, which counts decoys in, or lower controls.decoys."
            " Nothing was stored.",
        )
    place -= decoys
    if place and measure >= place:
        raise StateError(
            f"of {count(place, 'control')} on a place {measure} would only measure, and none decide",
            where="study.yaml, controls.measure",
            got=str(measure),
            expected=f"{place - 1} at most",
            remedy="Lower controls.measure, or raise place.controls. Nothing was stored.",
        )


def _people(config: StudyConfig, money: Budget) -> None:
    people = config.plan.workers
    if people is not None and people < money.workers_least:
        raise StateError(
            f"a segment has {count(money.workers_least, 'judgment')} by different workers, and there are"
            f" {people}: {money.workers_least - people} too few",
            where="study.yaml, plan.workers",
            got=str(people),
            expected=f"{money.workers_least} or more",
            remedy="Lower plan.k, pool the sources (plan.show), or find more people. Nothing was stored.",
        )


def _luck(config: StudyConfig, asked: int) -> None:
    rule = config.controls.rule
    if asked and (enough := questions_needed(rule, asked)) > asked:
        raise StateError(
            f"who guesses passes {count(asked, 'question')} with a chance of {GUESSING**asked:.2g} at best:"
            f" the rule takes {enough}, {enough - asked} more",
            where="study.yaml, controls.rule",
            got=rule,
            expected=f"{count(enough, 'graded answer')} on a place",
            remedy="Raise place.controls or controls.answers_per_task. Nothing was stored.",
        )
