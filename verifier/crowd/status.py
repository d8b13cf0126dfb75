"""How a study stands: progress, rates with intervals, controls, people and money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.alpha import Coefficient, alpha_nominal, observed_agreement, table_of
from analysis.decisions import DECISIONS, EDIT, REMOVE, VERIFY, Decision
from analysis.engine.proportions import always, wilson
from verifier import clock
from verifier.crowd.control_audit import answers_of
from verifier.crowd.pace import Pace, pace_of
from verifier.crowd.tally import Ints, Made, Tally
from verifier.plan import draw, halting, terms
from verifier.plan.gate import GATE
from verifier.store import crowd, facts, ledger, progress

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
    """k of n with Wilson's 95 % interval; empty, with the reason, where n is 0.

    `always`: limits that hold at every look at once, however often one looks and whenever one stops.
    """

    k: int
    n: int
    estimate: float | None
    low: float | None
    high: float | None
    reason: str = ""
    always: tuple[float, float] | None = None


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
    """What is committed, places and bonuses with their fees; hourly pay as planned, and as lived (a median).

    The hourly pay is None until some assignments were handed in by people: fewer, or a simulated crowd's
    seconds, say nothing about it. `spent`: of what is committed, for work that was handed in; `a_place`:
    what a place costs, pay and fee.
    """

    committed: Decimal
    places: dict[str, int]
    approved: Decimal
    bonuses: Decimal
    cap: Decimal | None
    currency: str
    planned: float
    hourly: float | None
    minutes: float | None
    spent: Decimal = Decimal(0)
    a_place: Decimal = Decimal(0)

    @property
    def left(self) -> Decimal | None:
        """What the cap leaves; None without a cap."""
        return None if self.cap is None else self.cap - self.committed


@dataclass(frozen=True)
class Status:
    """All of it. Intervals here take judgments as independent; those of `analyze` do not, and are wider.

    `changed`: settings that are not what they were when the study was planned. `pace`: where it is going,
    once something was handed in. `experts`: decisions of experts, which are in no other number here.
    `halted`: `paused` or `closed`, if somebody did.
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
    pace: Pace | None = None
    experts: int = 0
    halted: str = ""


def status(study: Study, tally: Tally | None = None) -> Status:
    """How the study stands now.

    Args:
        study: open.
        tally: of the study, up to date; None: one is made.
    """
    tally = tally or Tally(study).refresh()
    votes = tally.votes()
    counts = counts_by_display(tally, votes)
    with study.read() as session:
        return Status(
            study=study.config.study.name,
            origin=facts.get(session, crowd.ORIGIN),
            cells=tuple(_cells(tally, votes)),
            places_needed=(needed := draw.places_left(session, study.config.place)),
            controls=_controls(tally),
            people=_people(tally.people),
            money=_money(study, progress.spending(session), tally.people, ledger.bonuses(session)),
            alpha=alpha_nominal(counts),
            observed=observed_agreement(counts),
            seconds=_quartiles(tally),
            changed=tuple(terms.departures(session, study.config)),
            pace=pace_of(tally.people, needed, clock.now()),
            experts=len({(one.expert, one.display) for one in tally.decided}),
            halted=halting.state(session),
        )


def share(k: int, n: int) -> Share:
    """The share k of n, with its interval."""
    if not n:
        return Share(k, n, None, None, None, "no counted judgment yet")
    low, high = wilson(k, n, LEVEL)
    return Share(k, n, k / n, low, high, always=always(k, n, LEVEL))


def counts_by_display(tally: Tally, votes: Made) -> Ints:
    """How many counted judgments of each display came to each decision, of displays that have any."""
    wide = len(DECISIONS)
    if not len(votes):
        return np.zeros((0, wide), dtype=np.int64)
    size = len(tally.displays.display)
    counts = table_of(votes.display.astype(np.int64), votes.decision.astype(np.int64), size, wide)
    return counts[counts.any(axis=1)]


def _cells(tally: Tally, votes: Made) -> Iterable[Cell]:
    shown = tally.displays
    code = shown.cell[votes.display].astype(np.int64)
    counts = table_of(code, votes.decision.astype(np.int64), len(shown.cells), len(DECISIONS))
    number = {pair: at for at, pair in enumerate(shown.cells)}
    for work in tally.work:
        found = number.get((work.dataset, work.source))
        row = counts[found] if found is not None else np.zeros(len(DECISIONS), dtype=np.int64)
        yield Cell(work, *(share(int(n), int(row.sum())) for n in row))


def _controls(tally: Tally) -> Controls:
    answers = answers_of(tally)
    questions = tally.questions
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for at, question in enumerate(questions):
        mine = answers.question == at
        total[question.expected] += int(mine.sum())
        right[question.expected] += int(answers.right[mine].sum())
    gates = np.array([question.use == GATE for question in questions], dtype=bool)
    gated = np.unique(answers.person[gates[answers.question]]) if len(questions) else answers.person
    passed = int(tally.counted[gated].sum()) if len(gated) else 0
    return Controls(
        share(passed, len(gated)),
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


def _money(
    study: Study,
    spending: Sequence[progress.Spending],
    people: Sequence[progress.Person],
    bonuses: Decimal,
) -> Money:
    done = [(p, p.active_seconds) for p in people if p.state == "submitted" and p.active_seconds]
    lived = [float(p.reward) * 3600 / seconds for p, seconds in done if p.origin != crowd.SIMULATED]
    return Money(
        committed=sum((row.amount for row in spending if row.state != "closed"), bonuses),
        places={row.state: row.places for row in spending},
        approved=sum(
            (p.reward + p.fee for p in people if p.decision in ("approve", "approve_flag")), Decimal(0)
        ),
        bonuses=bonuses,
        cap=study.config.budget.cap,
        currency=study.config.place.currency,
        planned=round(float(study.config.place.pay) * 60 / float(study.config.place.minutes), 2),
        hourly=round(median(lived), 2) if len(lived) >= _ENOUGH else None,
        minutes=round(median(seconds for _, seconds in done) / 60, 1) if done else None,
        spent=sum((row.amount for row in spending if row.state == "submitted"), bonuses),
        a_place=next((p.reward + p.fee for p in reversed(people)), study.config.place.pay),
    )


def _quartiles(tally: Tally) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile of the time of a counted judgment, controls' too."""
    seconds = tally.made.seconds[tally.counted[tally.made.person]] if len(tally.made) else tally.made.seconds
    if not len(seconds):
        return None
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)
