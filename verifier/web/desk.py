"""What the desk of a page is given: how far the work is, and a text with all that stands on it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from verifier import clock
from verifier.plan import chance
from verifier.store import asides, work
from verifier.store.judging import HIDDEN
from verifier.store.work import AtWork, DisplayView, TaskView
from verifier.web import views
from verifier.web.state import state

if TYPE_CHECKING:
    from verifier.store import Session


def beginning(session: Session, assignment: AtWork) -> dict[str, Any]:
    """What a page begins with: how far the work is, and the first text with something to decide."""
    progress = work.progress(session, assignment.id)
    open_tasks = [task.task for task in progress if task.decided < task.displays]
    first = (open_tasks or [task.task for task in progress] or [0])[0]
    return {
        "step": "tasks",
        "state": assignment.state,
        "tasks": views.progress(progress),
        "sequence": work.highest_sequence(session, assignment.id),
        **time_left(assignment.deadline),
        "first": task(session, assignment, first),
    }


def time_left(deadline: datetime) -> dict[str, Any]:
    """How long somebody still has for his work, and whether he can have longer."""
    return {"seconds_left": max(0, int((deadline - clock.now()).total_seconds())), "more_time": gives_time()}


def gives_time() -> bool:
    """Whether nobody but the study says how long the work may take."""
    return state().study.config.platform.kind == "link"


def task(session: Session, assignment: AtWork, ordinal: int) -> dict[str, Any] | None:
    """The text at `ordinal`; None if the assignment has no such one."""
    view = work.task_view(session, assignment.id, ordinal)
    if view is None:
        return None
    options = assignment.options or {}
    said = views.Said(
        named=asides.namings(session, assignment.id) if view.arm == HIDDEN else None,
        comments=asides.comments(session, assignment.id) if options.get("comments") else {},
        missing=asides.missing(session, assignment.id, view.row) if options.get("missing_mentions") else [],
        images=bool(options.get("images", True)),
    )
    ordered = _ordered(view, assignment) if options.get("order") == "random" else view.displays
    return views.task(view, ordered, said, state().titles(_keys(view, said), view.language))


def _ordered(view: TaskView, assignment: AtWork) -> list[DisplayView]:
    """The displays in a random order of this worker's own, the same whenever he looks."""
    seed = state().study.config.study.seed
    return chance.shuffled(view.displays, seed, "displays", assignment.id, view.task)


def _keys(view: TaskView, said: views.Said) -> Iterable[str | None]:
    """The entities that have to be named beside those of the cards."""
    yield from (shown.judgment.key for shown in view.displays if shown.judgment)
    yield from (said.named or {}).values()
