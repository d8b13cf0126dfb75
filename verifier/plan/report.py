"""What a plan reports: as data for --json, as lines for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.plan.budget import Budget, Design, Precision
from verifier.plan.gate import Gate


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
class PlanReport:
    """A plan, drawn up or stored.

    Attributes:
        dry_run: nothing was stored.
        nothing_new: all was planned already; nothing was stored.
        splitter: its name, version and parameters.
        show: `source` or `pooled`.
        sources: a row for each dataset and source.
        segments: of the whole grid.
        segment_chars: least, mean and greatest length of segments.
        added: by this plan.
        controls: number of control tasks; their graded displays by expected decision; wrong links by
            difficulty; displays that only measure; all displays.
        gate: what the rule for controls asks of an assignment, and who passes it; None without controls.
        budget: of the whole study.
        open_places: places that what is open needs: all of them at first, later what is left.
        precision: half-widths to expect of each source's verification rate.
        design: what they assume.
        warnings: what a researcher should know before going on.
        plan_sha256: hash of the plan as it stands.
    """

    dry_run: bool
    nothing_new: bool
    splitter: Mapping[str, Any]
    show: str
    sources: Sequence[SourceReport]
    segments: int
    segment_chars: tuple[int, float, int]
    added: Added
    controls: Mapping[str, Any]
    gate: Gate | None
    budget: Budget
    open_places: int
    precision: Sequence[Precision]
    design: Design
    warnings: Sequence[str] = field(default=())
    plan_sha256: str = ""

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield self._headline()
        yield from self._shown()
        yield from self._work()
        yield from self._precision()
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
        yield from self._worse()

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
            " posthoc plan STUDY --controls FILE"
        )
        if self.gate is not None:
            gate = self.gate
            yield (
                f"Gate: {gate.needed} of {count(gate.questions, 'answer')} right (rule: {gate.rule}). A"
                f" careful worker (each right with .95) passes with probability {_chance(gate.careful)}, a"
                f" guesser (1/3) with {_chance(gate.guessing)}."
            )

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
        design = self.design
        yield ""
        yield (
            f"Expected 95 % half-width of the verification rate, assuming a rate of {design.rate} and"
            f" judgments that resemble each other: {100 * design.document:.0f} % of their variance is common"
            f" to a document, {100 * design.worker:.0f} % to a worker, {100 * design.annotation:.0f} % to an"
            " annotation:"
        )
        yield from table(
            ["dataset", "source", "annotations", "k", "effective documents", "workers", "half-width"],
            [
                [
                    row.dataset,
                    row.source,
                    row.n,
                    f"{row.k:.2f}",
                    f"{row.documents:.1f}",
                    row.workers,
                    row.reason if row.half_width is None else f"{100 * row.half_width:.1f} points",
                ]
                for row in self.precision
            ],
        )
        yield "  Effective documents: so many of equal size would tell as much; long ones count for less."


def count(number: int, thing: str) -> str:
    """A number of things, in words that fit: `1 control`, `2 controls`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _chance(value: float) -> str:
    """A probability to three places; never a rounded certainty."""
    if value in (0, 1):
        return f"{value:.0f}"
    shown = f"{value:.3f}"
    return {"1.000": "over .999", "0.000": "under .001"}.get(shown, shown[1:])


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Rows under their heads, columns aligned."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
