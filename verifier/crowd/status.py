"""How a study stands: progress, rates with intervals, controls, people and money."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.alpha import Coefficient, alpha_nominal, counts_of, observed_agreement
from analysis.decisions import DECISIONS, EDIT, REMOVE, VERIFY, Decision
from analysis.engine.proportions import wilson
from verifier.crowd import counting
from verifier.plan import draw, terms
from verifier.store import crowd, facts, grades, progress

if TYPE_CHECKING:
    from verifier.study import Study

LEVEL: Final = 0.95
# Assignments by people from which on their median pay an hour is told.
_ENOUGH: Final = 3
QUESTIONS: Final[dict[Decision, str]] = {
    VERIFY: "right link",
    EDIT: "wrong link",
    REMOVE: "no entity",
}


@dataclass(frozen=True)
class Share:
    """k of n with Wilson's 95 % interval; empty, with the reason, where n is 0."""

    k: int
    n: int
    estimate: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True)
class Cell:
    """One dataset and source: the work on it, and the decisions among its counted judgments."""

    work: progress.Work
    verify: Share
    edit: Share
    remove: Share


@dataclass(frozen=True)
class Controls:
    """How controls were answered: assignments that passed, right answers by kind of question."""

    passed: Share
    questions: dict[str, Share]


@dataclass(frozen=True)
class People:
    """Workers and their assignments by state; submitted ones by counted or the reason why not."""

    workers: int
    excluded: int
    assignments: dict[str, int]
    counted: int
    uncounted: dict[str, int]


@dataclass(frozen=True)
class Money:
    """What is committed, by state of the places; the hourly pay as people lived it (a median).

    The hourly pay is None until some assignments were handed in by people: fewer, or a simulated crowd's
    seconds, say nothing about it.
    """

    committed: Decimal
    places: dict[str, int]
    approved: Decimal
    cap: Decimal | None
    currency: str
    hourly: float | None
    minutes: float | None


@dataclass(frozen=True)
class Status:
    """All of it. Intervals here take judgments as independent; those of `analyze` do not, and are wider.

    `changed`: settings that are not what they were when the study was planned.
    """

    study: str
    origin: str
    cells: tuple[Cell, ...]
    places_needed: int
    controls: Controls
    people: People
    money: Money
    alpha: Coefficient
    observed: Coefficient
    seconds: tuple[float, float, float] | None
    changed: tuple[terms.Departure, ...] = ()


def status(study: Study) -> Status:
    """How the study stands now."""
    needed = draw.open_places(study)
    with study.read() as session:
        labels = progress.labels(session)
        people = progress.people(session)
        done = [person.assignment for person in people if person.state == "submitted"]
        alpha, observed = agreement(labels)
        return Status(
            study=study.config.study.name,
            origin=facts.get(session, crowd.ORIGIN),
            cells=tuple(_cells(progress.work(session), labels)),
            places_needed=needed,
            controls=_controls(grades.asked(session, done), people),
            people=_people(people),
            money=_money(study, progress.spending(session), people),
            alpha=alpha,
            observed=observed,
            seconds=_quartiles(progress.seconds(session)),
            changed=tuple(terms.departures(session, study.config)),
        )


def share(k: int, n: int) -> Share:
    """The share k of n, with its interval."""
    if not n:
        return Share(k, n, None, None, None, "no counted judgment yet")
    low, high = wilson(k, n, LEVEL)
    return Share(k, n, k / n, low, high)


def agreement(labels: Sequence[progress.Labels]) -> tuple[Coefficient, Coefficient]:
    """Nominal alpha and observed agreement on the decisions, over displays that several workers judged."""
    units = {display: code for code, display in enumerate(dict.fromkeys(row.display for row in labels))}
    unit = np.array([units[row.display] for row in labels for _ in range(row.n)], dtype=np.int64)
    label = [row.decision for row in labels for _ in range(row.n)]
    counts = counts_of(unit, label, len(units), DECISIONS)
    return alpha_nominal(counts), observed_agreement(counts)


def _cells(work: Iterable[progress.Work], labels: Iterable[progress.Labels]) -> Iterable[Cell]:
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in labels:
        counts[row.dataset, row.source][row.decision] += row.n
    for cell in work:
        found = counts[cell.dataset, cell.source]
        yield Cell(cell, *(share(found[decision], found.total()) for decision in DECISIONS))


def _controls(asked: Sequence[grades.Asked], people: Sequence[progress.Person]) -> Controls:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for question, rightly in zip(asked, counting.right_answers(asked), strict=True):
        total[question.expected] += 1
        right[question.expected] += rightly
    gated = {question.assignment for question in asked if question.use == "gate"}
    graded = [person for person in people if person.assignment in gated]
    return Controls(
        share(sum(bool(person.counted) for person in graded), len(graded)),
        {QUESTIONS[d]: share(right[d], total[d]) for d in DECISIONS if total[d]},
    )


def _people(people: Sequence[progress.Person]) -> People:
    done = [person for person in people if person.state == "submitted"]
    reasons = Counter(person.reason or "not counted" for person in done if not person.counted)
    return People(
        workers=len({person.worker_id for person in people}),
        excluded=len({person.worker_id for person in people if person.excluded}),
        assignments=dict(sorted(Counter(person.state for person in people).items())),
        counted=sum(bool(person.counted) for person in done),
        uncounted=dict(sorted(reasons.items())),
    )


def _money(study: Study, spending: Sequence[progress.Spending], people: Sequence[progress.Person]) -> Money:
    done = [(p, p.active_seconds) for p in people if p.state == "submitted" and p.active_seconds]
    lived = [float(p.reward) * 3600 / seconds for p, seconds in done if p.origin != crowd.SIMULATED]
    return Money(
        committed=sum((row.amount for row in spending if row.state != "closed"), Decimal(0)),
        places={row.state: row.places for row in spending},
        approved=sum(
            (p.reward + p.fee for p in people if p.decision in ("approve", "approve_flag")), Decimal(0)
        ),
        cap=study.config.budget.cap,
        currency=study.config.place.currency,
        hourly=round(median(lived), 2) if len(lived) >= _ENOUGH else None,
        minutes=round(median(seconds for _, seconds in done) / 60, 1) if done else None,
    )


def _quartiles(seconds: Sequence[float]) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile of the time of a judgment."""
    if not seconds:
        return None
    low, middle, high = np.quantile(np.asarray(seconds), (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)
