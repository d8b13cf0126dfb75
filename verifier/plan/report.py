"""What a plan reports: as data for --json, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.plan.budget import Budget, Design, Precision


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
        controls: number of control tasks; their displays by expected decision; wrong links by difficulty.
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
        parameters = ", ".join(f"{name} {value}" for name, value in self.splitter["parameters"].items())
        yield ""
        yield (
            f"Segments: {self.segments} of {low} to {high} characters (mean {mean:.0f}); splitter "
            f"{self.splitter['name']} {self.splitter['version']} ({parameters})."
        )

    def _work(self) -> Iterator[str]:
        money, added = self.budget, self.added
        more = f", {added.repeated} of them once more for agreement" if added.repeated else ""
        yield f"Real tasks: {money.tasks}, judged {money.task_judgments} times in all{more}."
        answers = ", ".join(f"{count} {decision}" for decision, count in self.controls["expected"].items())
        hard = self.controls["wrong"].get("hard", 0)
        wrong = f"; {hard} of the wrong links are namesakes" if answers else ""
        yield f"Controls: {self.controls['tasks']} tasks" + (f" ({answers}{wrong})." if answers else ".")
        yield (
            f"Places: {money.places} of {money.real_tasks} real tasks and {money.controls} controls; "
            f"{self.open_places} still open. At least {money.workers_least} different workers."
        )
        cap = f", cap {money.cap} {money.currency}" if money.cap is not None else ""
        yield (
            f"Cost: {money.pay} {money.currency} pay + {money.fee} fee ({money.fee_note}) = {money.total} "
            f"{money.currency}{cap}; {money.minutes} minutes, {money.hourly_wage} {money.currency} an hour."
        )

    def _precision(self) -> Iterator[str]:
        yield ""
        yield (
            f"Expected 95 % half-width of the verification rate (assuming a rate of {self.design.rate};"
            f" shares of variance: document {self.design.document}, worker {self.design.worker}, annotation "
            f"{self.design.annotation}):"
        )
        yield from table(
            ["dataset", "source", "annotations", "k", "documents", "workers", "half-width"],
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


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Rows under their heads, columns aligned."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
