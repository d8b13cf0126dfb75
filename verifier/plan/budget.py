"""What a plan costs: places, workers, minutes, money. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from verifier import fees
from verifier.config import StudyConfig
from verifier.plan.choice import places_needed

CENT: Final = Decimal("0.01")
# Shares of failed places that a plan reckons with: few, and as many as where nobody chose the crowd.
FAILING: Final = (Decimal("0.1"), Decimal("0.3"))


@dataclass(frozen=True)
class Failing:
    """What the study costs where a share of the places fails the controls: paid, and done again by others.

    Attributes:
        share: of the places that are handed in.
        places: needed in all, places / (1 - share), since those that make up for failures fail as often.
        total: what they cost.
    """

    share: Decimal
    places: int
    total: Decimal


@dataclass(frozen=True)
class Budget:
    """What all of a study's plan asks for.

    Attributes:
        tasks: real tasks.
        task_judgments: how often a task is judged, all in all: the slots.
        annotations: shown ones.
        places: paid participations needed.
        real_tasks: real tasks that fill a place; fewer than configured where the corpus is very small.
        controls: control tasks on a place.
        workers_least: the fullest segment's slots, which as many different workers must fill.
        minutes: for all places, at the configured minutes a place.
        pay, fee, total: money for all places, in `currency`.
        fee_note: where the fee comes from.
        hourly_wage: pay an hour, at the configured minutes.
        cap: the configured most that may be spent.
        over_cap: by how much the total exceeds the cap; 0 if it does not.
        failing: what it comes to where some fail the controls; empty where there are none.
        cap_places: the most places that the cap has room for; None without a cap or without pay.
        cap_failing: the share of places that may fail before the cap ends the study; None likewise.
    """

    tasks: int
    task_judgments: int
    annotations: int
    places: int
    real_tasks: int
    controls: int
    workers_least: int
    minutes: Decimal
    pay: Decimal
    fee: Decimal
    fee_note: str
    total: Decimal
    currency: str
    hourly_wage: Decimal
    cap: Decimal | None
    over_cap: Decimal
    failing: tuple[Failing, ...] = ()
    cap_places: int | None = None
    cap_failing: float | None = None


def budget(
    config: StudyConfig, *, tasks: int, annotations: int, slots_by_passage: Sequence[int], capacity: int
) -> Budget:
    """The budget of a plan.

    Args:
        config: pay, minutes, platform and cap.
        tasks: real tasks.
        annotations: shown ones.
        slots_by_passage: slots of each passage.
        capacity: real tasks that a place can hold.
    """
    place = config.place
    places = places_needed(slots_by_passage, capacity)
    minutes = Decimal(str(place.minutes))
    pay = (place.pay * places).quantize(CENT)
    percent = getattr(config.platform, "fee_percent", None)
    each = fees.fee(config.platform.kind, place.pay, percent)
    fee = (each * places).quantize(CENT)
    total = pay + fee
    cap = config.budget.cap
    room = int(cap / (place.pay + each)) if cap is not None and place.pay + each else None
    return Budget(
        tasks=tasks,
        task_judgments=sum(slots_by_passage),
        annotations=annotations,
        places=places,
        real_tasks=capacity,
        controls=place.controls,
        workers_least=max(slots_by_passage, default=0),
        minutes=minutes * places,
        pay=pay,
        fee=fee,
        fee_note=fees.NOTES[config.platform.kind],
        total=total,
        currency=place.currency,
        hourly_wage=(place.pay * 60 / minutes).quantize(CENT, ROUND_HALF_UP),
        cap=cap,
        over_cap=max(total - cap, Decimal("0.00")) if cap is not None else Decimal("0.00"),
        failing=tuple(_failing(share, places, place.pay + each) for share in FAILING)
        if place.controls
        else (),
        cap_places=room,
        cap_failing=None if room is None else max(1 - places / room, 0.0) if room else 0.0,
    )


def _failing(share: Decimal, places: int, each: Decimal) -> Failing:
    needed = math.ceil(places / (1 - share))
    return Failing(share, needed, (each * needed).quantize(CENT))
