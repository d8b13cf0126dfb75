"""What workers say beside their judgments: names given before a link is shown, comments, missing mentions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from verifier.store.models import Comment, MissingMention, Naming

Span = tuple[int, int]

_NAMINGS: Final = select(Naming.display_id, Naming.key).where(Naming.assignment_id == bindparam("assignment"))
_COMMENTS: Final = (
    select(Comment.display_id, Comment.text)
    .where(Comment.assignment_id == bindparam("assignment"))
    .order_by(Comment.id)
)
_MISSING: Final = (
    select(MissingMention)
    .where(
        MissingMention.assignment_id == bindparam("assignment"),
        MissingMention.task_id == bindparam("task"),
        MissingMention.withdrawn.is_(None),
    )
    .order_by(MissingMention.start, MissingMention.end, MissingMention.id)
)


def name(
    session: Session,
    assignment_id: int,
    display_id: int,
    *,
    key: str,
    raw: str,
    seconds: float,
    now: datetime,
) -> str:
    """Keep the entity that a worker names for a display whose link he has not seen; the first one stands.

    Returns:
        The key that stands.
    """
    before = namings(session, assignment_id).get(display_id)
    if before is not None:
        return before
    session.add(
        Naming(
            assignment_id=assignment_id, display_id=display_id, key=key, raw=raw, seconds=seconds, made=now
        )
    )
    session.flush()
    return key


def namings(session: Session, assignment_id: int) -> dict[int, str]:
    """The keys that the worker of an assignment has named, by display."""
    return {row.display_id: row.key for row in session.execute(_NAMINGS, {"assignment": assignment_id})}


def comment(session: Session, assignment_id: int, display_id: int, text: str, now: datetime) -> None:
    """Keep what a worker says about a display; what stands already is not kept once more."""
    if comments(session, assignment_id).get(display_id, "") != text:
        session.add(Comment(assignment_id=assignment_id, display_id=display_id, text=text, made=now))
        session.flush()


def comments(session: Session, assignment_id: int) -> dict[int, str]:
    """The comments that stand in an assignment, by display; taken back, one is empty."""
    return {row.display_id: row.text for row in session.execute(_COMMENTS, {"assignment": assignment_id})}


def mark(session: Session, assignment_id: int, task_id: int, span: Span, now: datetime) -> None:
    """Keep a mention that the worker misses; one that stands already is not kept once more."""
    if span not in missing(session, assignment_id, task_id):
        start, end = span
        session.add(
            MissingMention(assignment_id=assignment_id, task_id=task_id, start=start, end=end, made=now)
        )
        session.flush()


def take_back(session: Session, assignment_id: int, task_id: int, span: Span, now: datetime) -> None:
    """The worker misses no mention there after all; that he did is kept."""
    for row in _standing(session, assignment_id, task_id):
        if (row.start, row.end) == span:
            row.withdrawn = now
    session.flush()


def missing(session: Session, assignment_id: int, task_id: int) -> list[Span]:
    """The mentions that the worker misses in a task, in the order of the text; offsets into the document."""
    return [(row.start, row.end) for row in _standing(session, assignment_id, task_id)]


def _standing(session: Session, assignment_id: int, task_id: int) -> Sequence[MissingMention]:
    return session.scalars(_MISSING, {"assignment": assignment_id, "task": task_id}).all()
