"""What a plan leads to: how sure its numbers will be, how long a place takes, what the other way costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verifier.plan import pilot
from verifier.plan.budget import CENT, Budget
from verifier.plan.choice import places_needed
from verifier.plan.design import Design
from verifier.plan.foresight import Foresight, Named, foresee
from verifier.plan.layout import Way, tasks
from verifier.plan.report import OtherWay

if TYPE_CHECKING:
    from verifier.config import StudyConfig
    from verifier.plan.drafting import Drafting
    from verifier.plan.forecast import Tallies
    from verifier.plan.sampling import Sampling
    from verifier.plan.timing import Timing
    from verifier.store import Session


def foreseen(
    config: StudyConfig, counted: Tallies, real: int, design: Design, sampling: Sampling | None
) -> Foresight:
    """How sure its numbers will be.

    Args:
        config: the study's.
        counted: the plan.
        real: real tasks on a place.
        design: what is assumed or measured of judgments.
        sampling: how the study is sampled; None: not at all.
    """
    wanted = config.plan
    way = Way(
        wanted.k,
        wanted.repeat_share,
        counted.pooled,
        real,
        seed=config.study.seed,
        workers=wanted.workers,
        most=wanted.max_annotations,
    )
    parted = sampling is not None and sampling.unit == "task"
    drawn = {} if sampling is None else counted.drawn if sampling.unit == "segment" else None
    names = counted.datasets, counted.source_names, counted.dataset_of
    named = Named(*names, way, design, parted=parted, drawn=drawn)
    return foresee(counted.shown, named)


def timed(
    session: Session, config: StudyConfig, counted: Tallies, money: Budget, drafting: Drafting
) -> Timing:
    """How long a place takes: so many tasks, controls counted in, of average length."""
    lengths = {segment: span.end - span.start for cut in drafting.segments.values() for segment, span in cut}
    slots = max(counted.by_passage.total(), 1)
    chars = sum(lengths[passage] * number for passage, number in counted.by_passage.items()) / slots
    shown = len(np.unique(counted.shown.item)) if counted.pooled else len(counted.shown)
    links = shown / max(sum(counted.tasks.values()), 1)
    tasks = money.real_tasks + money.controls
    return pilot.times(session, chars=chars * tasks, links=links * tasks, pay=config.place.pay)


def other_way(config: StudyConfig, counted: Tallies, money: Budget) -> OtherWay:
    """What it would be to show each source's annotations apart, or pooled, whichever is not planned."""
    shown, pooled = counted.shown, not counted.pooled
    wanted = config.plan
    if pooled:
        # A display is an item.
        shown = shown.kept(np.isin(np.arange(len(shown)), np.unique(shown.item, return_index=True)[1]))
    _, first = np.unique(tasks(shown, pooled=pooled, most=wanted.max_annotations), return_index=True)
    _, numbers = np.unique(shown.segment[first], return_counts=True)
    slots = [wanted.k * int(number) for number in numbers]
    repeats = int(wanted.repeat_share * len(first) + 0.5)
    places = max(places_needed(slots, money.real_tasks), -(-(sum(slots) + repeats) // money.real_tasks))
    return OtherWay(
        show="pooled" if pooled else "source",
        links=len(shown),
        tasks=len(first),
        places=places,
        total=(money.total / max(money.places, 1) * places).quantize(CENT),
    )
