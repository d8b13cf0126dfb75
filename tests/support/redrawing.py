"""The log of a study's draws, and a copy of the study on which all of them are made once more."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select, update

from verifier.plan import draw
from verifier.store.models import AssignmentRow, AssignmentTask, Event, Place
from verifier.study import Study


@dataclass(frozen=True, order=True)
class Entry:
    """A line of the log: after which assignment it stands (a draw: itself), its event, what it was."""

    after: int
    event: int
    assignment: int
    kind: str
    place: int
    worker: int
    at: datetime


def log_of(study: Study) -> list[Entry]:
    """All that bears on draws, in its order."""
    with study.read() as session:
        entries = [
            Entry(row.id, 0, row.id, "drawn", row.place_id, row.worker_id, row.claimed)
            for row in session.scalars(select(AssignmentRow))
        ]
        found = session.scalars(select(Event).where(Event.kind.in_((draw.OPENED, draw.TAKEN_BACK))))
        entries += [
            Entry(event.data["after"], event.id, event.assignment_id or 0, event.kind, 0, 0, event.at)
            for event in found
        ]
    return sorted(entries)


def copied(planned: Path, folder: Path) -> Path:
    """A copy of a study that is planned and from which nobody has drawn."""
    return Path(shutil.copytree(planned, folder))


def redraw(study: Study, log: list[Entry]) -> None:
    """Make the draws of the log."""
    for entry in log:
        if entry.kind == "drawn":
            with study.write() as session:
                session.execute(update(Place).where(Place.id == entry.place).values(state="open"))
            draw.claim(study, place_id=entry.place, worker_id=entry.worker, now=entry.at)
        else:
            with study.write() as session:
                if entry.kind == draw.OPENED:
                    draw.reopen(session, entry.assignment)
                else:
                    draw.finish(session, entry.assignment, entry.at)


def all_drawn(study: Study) -> list[tuple[int, int, int, int | None]]:
    """Assignment, ordinal, task and slot of everything drawn."""
    columns = (
        AssignmentTask.assignment_id,
        AssignmentTask.ordinal,
        AssignmentTask.task_id,
        AssignmentTask.slot_id,
    )
    with study.read() as session:
        return [tuple(row) for row in session.execute(select(*columns).order_by(*columns[:2]))]
