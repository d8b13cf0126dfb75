"""What a plan reports: as data for --json, as lines for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from verifier.plan import foretold
from verifier.plan.budget import Budget
from verifier.plan.design import Design
from verifier.plan.foresight import Foresight
from verifier.plan.gate import Gate
from verifier.plan.lock import Lock
from verifier.plan.tables import count, table
from verifier.plan.timing import Timing

# A place that takes so many times the minutes that are paid is told.
_TOO_LONG: Final = 1.15


@dataclass(frozen=True)
class SourceReport:
    """One dataset and source in the plan (of a pooled study too).

    Attributes:
        dataset, source: which.
        imported: its annotations.
        shown: of them, by this plan and earlier ones.
        added: of them, by this plan.
        not_shown: reason -> how many, of all.
        tasks: real tasks of its own; of a pooled study none.
        slots: how often they are judged, all in all.
    """

    dataset: str
    source: str
    imported: int
    shown: int
    added: int
    not_shown: Mapping[str, int]
    tasks: int
    slots: int


@dataclass(frozen=True)
class Added:
    """What this plan adds to the study."""

    documents: int = 0
    segments: int = 0
    tasks: int = 0
    displays: int = 0
    slots: int = 0
    repeated: int = 0
    controls: int = 0
    cards: int = 0

    @property
    def nothing(self) -> bool:
        """Whether there was nothing new to plan."""
        return not any(vars(self).values())


@dataclass(frozen=True)
class OtherWay:
    """What showing annotations the other way would be, with the same k and pay.

    Attributes:
        show: `pooled` where the plan shows each source's apart, else `source`.
        links: displays.
        tasks, places: how many.
        total: what it costs.
    """

    show: str
    links: int
    tasks: int
    places: int
    total: Decimal


@dataclass(frozen=True)
class Sampled:
    """How the study is sampled, and what that came to.

    Attributes:
        unit, method, share, n, strata, audit: as recorded.
        segments: of the whole grid.
        drawn: of them; all where single tasks are drawn.
        weights: the least and the greatest of those drawn.
    """

    unit: str
    method: str
    share: float
    n: int | None
    strata: Sequence[str]
    audit: bool
    segments: int
    drawn: int
    weights: tuple[float, float]


@dataclass(frozen=True)
class PlanReport:
    """A plan, drawn up or stored.

    Attributes:
        dry_run: nothing was stored.
        nothing_new: all was planned already; nothing was stored.
        splitter: its name, version and parameters.
        show: `source` or `pooled`.
        k: judgments of a task.
        sources: a row for each dataset and source.
        segments: of the whole grid.
        segment_chars: least, mean and greatest length of segments.
        added: by this plan.
        controls: number of control tasks; their graded displays by expected decision; wrong links by
            difficulty; displays that only measure; all displays.
        gate: what the rule for controls asks of an assignment, and who passes it; None without controls.
        sampling: how much of the study is judged; None: all of it.
        budget: of the whole study.
        open_places: places that what is open needs: all of them at first, later what is left.
        foresight: half-widths to expect, how they fall, and what two points take.
        design: what they assume, or have measured.
        timing: how long a place takes, and what it then pays an hour.
        other_way: what it would be to show annotations the other way, pooled or each source's apart.
        warnings: what a researcher should know before going on.
        plan_sha256: hash of the plan as it stands.
    """

    dry_run: bool
    nothing_new: bool
    splitter: Mapping[str, Any]
    show: str
    k: int
    sources: Sequence[SourceReport]
    segments: int
    segment_chars: tuple[int, float, int]
    added: Added
    controls: Mapping[str, Any]
    gate: Gate | None
    sampling: Sampled | None
    budget: Budget
    open_places: int
    foresight: Foresight
    design: Design
    timing: Timing
    other_way: OtherWay
    warnings: Sequence[str] = field(default=())
    plan_sha256: str = ""
    lock: Lock | None = None

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield self._headline()
        yield from self._shown()
        yield from self._work()
        yield from self._precision()
        if self.lock is not None:
            yield ""
            yield from self._locked(self.lock)
        for warning in self.warnings:
            yield f"Note: {warning}"

    def _headline(self) -> str:
        if self.nothing_new:
            return "Nothing new to plan: every annotation is planned already. The plan stays as it is:"
        if self.dry_run:
            return "This is what would be planned; nothing was stored."
        return "Planned and stored." if self.added.tasks else "Stored; no new task was needed."

    def _shown(self) -> Iterator[str]:
        yield ""
        yield from table(
            ["dataset", "source", "imported", "shown", "new", "tasks", "judged", "not shown"],
            [
                [
                    row.dataset,
                    row.source,
                    row.imported,
                    row.shown,
                    row.added,
                    row.tasks if self.show == "source" else "pooled",
                    row.slots if self.show == "source" else "pooled",
                    ", ".join(f"{count} {reason}" for reason, count in row.not_shown.items()) or "-",
                ]
                for row in self.sources
            ],
        )
        low, mean, high = self.segment_chars
        floor = self.splitter["parameters"]["min_chars"]
        yield ""
        yield (
            f"Segments: {self.segments} of {low} to {high} characters (mean {mean:.0f}); splitter "
            f"{self.splitter['name']} {self.splitter['version']} (at least {floor})."
        )
        yield from self._sampled()

    def _sampled(self) -> Iterator[str]:
        """What part of the study is judged, and what that breaks."""
        found = self.sampling
        if found is None:
            return
        how = f" by {', '.join(found.strata)}" if found.strata else ""
        what = f"Sampled: {100 * found.share:.4g} % of the {found.unit}s, {found.method}{how}"
        if found.unit == "task":
            yield (
                f"{what}. Sources are not judged on the same segments: the analysis refuses whatever unites"
                " or compares them there (recall, F1, the union, coverage, i of n). Draw segments or"
                " documents to have them."
            )
            return
        low, high = found.weights
        more = (
            " Those on which sources disagree, or contradict the ground truth, are likelier."
            if found.audit
            else ""
        )
        yield (
            f"{what}: {found.drawn} of {count(found.segments, 'segment')}, weights {low:.3g} to {high:.3g}."
            f"{more}"
        )

    def _work(self) -> Iterator[str]:
        money, added = self.budget, self.added
        more = f", {added.repeated} of them once more for agreement" if added.repeated else ""
        yield f"Real tasks: {money.tasks}, judged {count(money.task_judgments, 'time')} in all{more}."
        yield from self._controls()
        yield (
            f"Places: {money.places} of {count(money.real_tasks, 'real task')} and "
            f"{count(money.controls, 'control')}; {self.open_places} still open. At least "
            f"{count(money.workers_least, 'different worker')}."
        )
        passes = " if everybody passes the controls" if money.failing else ""
        yield (
            f"Cost{passes}: {money.pay} {money.currency} pay + {money.fee} fee ({money.fee_note}) = "
            f"{money.total} {money.currency}; {money.minutes} minutes, {money.hourly_wage} {money.currency}"
            " an hour."
        )
        yield from self._times()
        yield from self._worse()

    def _times(self) -> Iterator[str]:
        low, middle, high = self.timing.minutes
        least, usual, most = self.timing.hourly
        basis = f"measured on {count(self.timing.places, 'place')}" if self.timing.places else "reckoned"
        yield (
            f"Time on a place ({basis}): {low:.0f}, {middle:.0f}, {high:.0f} minutes at p25, p50, p75; pay an"
            f" hour {least}, {usual}, {most} {self.budget.currency} at p25, p50, p75."
        )
        money = self.budget
        paid = float(money.minutes) / money.places if money.places else 0.0
        fitting = int((money.real_tasks + money.controls) * paid / middle) if middle else 0
        if paid and middle >= paid * _TOO_LONG:
            fewer = f"place.tasks to {fitting}, or " if fitting > money.controls else ""
            yield (
                f"Half of the workers need more than the {paid:g} minutes that are paid: set {fewer}"
                f"place.minutes to {middle:.0f} and place.pay to what is fair for them."
            )

    def _controls(self) -> Iterator[str]:
        answers = ", ".join(f"{number} {decision}" for decision, number in self.controls["expected"].items())
        if not answers:
            yield f"Controls: {count(self.controls['tasks'], 'task')}."
            return
        hard = self.controls["wrong"].get("hard", 0)
        yield (
            f"Controls: {count(self.controls['tasks'], 'task')}; right answers that count: {answers};"
            f" {hard} of the wrong links are namesakes. They show"
            f" {count(self.controls['displays'], 'link')} in all, as real tasks do. Look them through:"
            " posthoc controls STUDY --out FILE"
        )
        if self.gate is not None:
            gate = self.gate
            yield (
                f"Gate: {gate.needed} of {count(gate.questions, 'answer')} right (rule: {gate.rule}). A"
                f" careful worker (each right with .95) passes with probability {_chance(gate.careful)}, a"
                f" guesser (1/3) with {_chance(gate.guessing)}."
            )

    @staticmethod
    def _locked(lock: Lock) -> Iterator[str]:
        margin = lock.terms["margin"]
        said = "no margin" if margin is None else f"a margin of {100 * margin:g} points"
        yield (
            f"Locked on {lock.at}: policies {', '.join(lock.terms['policies'])}, {said}, gate"
            f" {lock.terms['gate']['rule']} per {lock.terms['gate']['per']}. Whatever is analysed otherwise"
            " is listed as a departure. To preregister, publish:"
        )
        yield f"  sha256 {lock.sha256}"

    def _worse(self) -> Iterator[str]:
        """What it costs where not everybody passes, and at worst."""
        money = self.budget
        if money.failing:
            dearer = ", ".join(
                f"where {100 * case.share:.0f} % fail about {case.total} {money.currency} "
                f"({count(case.places, 'place')})"
                for case in money.failing
            )
            yield f"Who fails is paid, and his work is done again: {dearer}."
        if money.cap is None:
            yield "At worst: without end, for no budget.cap is set." if money.failing else "No cap is set."
        elif money.cap_places is None or money.cap_failing is None:
            yield f"At worst: {money.cap} {money.currency}, the cap."
        else:
            yield (
                f"At worst: {money.cap} {money.currency}, the cap, which has room for "
                f"{count(money.cap_places, 'place')}: enough if at most"
                f" {math.floor(100 * money.cap_failing)} % of them do not count."
            )

    def _precision(self) -> Iterator[str]:
        money = self.budget
        yield ""
        yield from foretold.lines(self.foresight, self.design, money.total, money.currency, self.k)
        other = self.other_way
        told = "each distinct item once for all" if other.show == "pooled" else "each source's apart"
        yield (
            f"Shown {told}: {count(other.links, 'link')}, {count(other.tasks, 'task')},"
            f" {count(other.places, 'place')}, about {other.total} {money.currency} in place of"
            f" {money.places} places and {money.total} {money.currency}."
        )


def _chance(value: float) -> str:
    """A probability to three places; never a rounded certainty."""
    if value in (0, 1):
        return f"{value:.0f}"
    shown = f"{value:.3f}"
    return {"1.000": "over .999", "0.000": "under .001"}.get(shown, shown[1:])
