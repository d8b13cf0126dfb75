"""Studies of any size for tests of planning and drawing, and what was drawn, read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert, select

from verifier.corpus.importing import Request, import_files
from verifier.plan import planning
from verifier.plan.report import PlanReport
from verifier.store.models import (
    AnnotationRow,
    AssignmentRow,
    AssignmentTask,
    ControlAnswer,
    Credit,
    DisplayRow,
    Place,
    SegmentRow,
    SourceRow,
    TaskRow,
    TaskSlot,
    Worker,
)
from verifier.study import Study

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SOURCES = ("GT", "Alpha", "Beta")
_NAMES = ("Rome", "Oslo", "Lima", "Kyiv", "Bern", "Cairo", "Quito", "Paris")
CONFIG = """\
study: {{name: planned, seed: {seed}}}
datasets: {{news: {{language: en}}, wire: {{language: en}}}}
sources: {{GT: {{role: ground_truth}}, Alpha: {{}}, Beta: {{}}, Late: {{}}}}
plan: {{{plan}}}
place: {{tasks: {tasks}, controls: {controls}, minutes: 10, pay: "2.00"}}
controls: {{answers_per_task: {answers}}}
"""


def configure(
    folder: Path,
    *,
    seed: int = 3,
    plan: str = "repeat_share: 0",
    tasks: int = 20,
    controls: int = 1,
    answers: int = 3,
    more: str = "",
) -> None:
    """Write the study's configuration; its database stays where it is."""
    old = (folder / "study.yaml").read_text(encoding="utf-8")
    database = [line for line in old.splitlines() if line.startswith("database:")]
    text = CONFIG.format(seed=seed, plan=plan, tasks=tasks, controls=controls, answers=answers)
    (folder / "study.yaml").write_text("\n".join([text + more, *database]) + "\n", encoding="utf-8")


def text_of(number: int) -> str:
    """One sentence with three names, and words in small letters between them."""
    a, b, c = (_NAMES[(number + step) % len(_NAMES)] for step in (0, 1, 3))
    return f"In {a} people spoke about the long road to {b} and about text {number} before they saw {c}."


def add_source(
    study: Study, source: str, documents: Sequence[int], *, skip: int = 0, copies: bool = False
) -> None:
    """A source's links on documents: all names, but for the last `skip` of each.

    Copies are of another data set, every second with white space of another kind.
    """
    rows = []
    for number in documents:
        text = text_of(number)
        if copies and number % 2:
            text = text.replace(" people ", "\u00a0people\n")
        names = [name for name in _NAMES if name in text]
        found = [
            {"start": text.index(name), "end": text.index(name) + len(name), "entity": name}
            for name in sorted(names, key=text.index)[: len(names) - skip]
        ]
        rows.append(json.dumps({"id": f"doc{number}", "text": text, "annotations": found}))
    dataset = "wire" if copies else "news"
    path = study.path / f"{dataset}-{source}-{len(documents)}.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    import_files(study, Request((path,), dataset, source), now=NOW)


def fill(study: Study, documents: int) -> None:
    """Three sources that agree on all but the last name."""
    for source in SOURCES:
        add_source(study, source, range(documents), skip=source == "Beta")


def plan(
    study: Study,
    *,
    dry_run: bool = False,
    afresh: bool = False,
    audit: bool = False,
    now: datetime = NOW,
) -> PlanReport:
    """Plan a study that has no knowledge base."""
    return planning.plan(study, dry_run=dry_run, afresh=afresh, audit=audit, now=now)


def crowd(study: Study, places: int, workers: int | None = None) -> None:
    """Workers and open places, with ids from 1."""
    with study.write() as session:
        session.execute(insert(Worker), [{"pseudonym": f"w{n}"} for n in range(workers or places)])
        place = {
            "platform": "link",
            "reward": "2.00",
            "currency": "USD",
            "state": "open",
            "origin": "live",
            "created": NOW,
        }
        session.execute(insert(Place), [place] * places)


@dataclass(frozen=True)
class Drawn:
    """One task of an assignment."""

    ordinal: int
    kind: str
    source: str | None
    segment: int
    slot: int | None


def drawn(study: Study, assignment: int) -> list[Drawn]:
    """The tasks of an assignment, in the order shown."""
    query = (
        select(
            AssignmentTask.ordinal, TaskRow.kind, SourceRow.name, TaskRow.segment_id, AssignmentTask.slot_id
        )
        .join(TaskRow, TaskRow.id == AssignmentTask.task_id)
        .outerjoin(SourceRow, SourceRow.id == TaskRow.source_id)
        .where(AssignmentTask.assignment_id == assignment)
        .order_by(AssignmentTask.ordinal)
    )
    with study.read() as session:
        return [Drawn(*row) for row in session.execute(query)]


def passages(study: Study) -> dict[int, int]:
    """Segment -> the first one that holds the same text."""
    with study.read() as session:
        return {
            row.id: row.passage_id for row in session.execute(select(SegmentRow.id, SegmentRow.passage_id))
        }


def slots(study: Study) -> list[TaskSlot]:
    """Every slot, by id."""
    with study.read() as session:
        return list(session.scalars(select(TaskSlot).order_by(TaskSlot.id)))


def assignment(study: Study, identity: int) -> AssignmentRow:
    """One assignment."""
    with study.read() as session:
        return session.get_one(AssignmentRow, identity)


def reasons(study: Study) -> dict[int, tuple[bool | None, str | None]]:
    """Annotation -> whether it is shown, and why not."""
    with study.read() as session:
        rows = session.execute(select(AnnotationRow.id, AnnotationRow.shown, AnnotationRow.reason))
        return {row.id: (row.shown, row.reason) for row in rows}


def answers(study: Study) -> list[ControlAnswer]:
    """The answers of all controls, by display."""
    with study.read() as session:
        return list(session.scalars(select(ControlAnswer).order_by(ControlAnswer.display_id)))


def snapshot(study: Study) -> list[tuple[object, ...]]:
    """All of a plan, to compare: segments, tasks, displays, credits, slots with their positions."""
    columns = (
        (SegmentRow.id, SegmentRow.document_id, SegmentRow.start, SegmentRow.end),
        (TaskRow.id, TaskRow.kind, TaskRow.segment_id, TaskRow.source_id, TaskRow.k),
        (
            DisplayRow.id,
            DisplayRow.task_id,
            DisplayRow.start,
            DisplayRow.end,
            DisplayRow.key,
            DisplayRow.card_id,
        ),
        (Credit.display_id, Credit.annotation_id),
        (TaskSlot.id, TaskSlot.task_id, TaskSlot.stratum, TaskSlot.position, TaskSlot.state),
    )
    with study.read() as session:
        return [
            tuple(row) for wanted in columns for row in session.execute(select(*wanted).order_by(*wanted))
        ]
