"""The bundle's tables out of the database: exactly the columns of `analysis.schema`, keys after redirects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pandas as pd
from sqlalchemy import Executable, Integer, Text, and_, case, cast, func, literal, null, select
from sqlalchemy.orm import Session

from analysis.schema import EXPERT, TABLES
from verifier.store import experts, facts, redirects
from verifier.store.current import undone
from verifier.store.models import (
    AnnotationRow,
    AssignmentRow,
    AssignmentTask,
    CardRow,
    Comment,
    ControlAnswer,
    ControlRow,
    Credit,
    Dataset,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
    MissingMention,
    Naming,
    Place,
    Redirect,
    SegmentRow,
    SourceDocument,
    SourceRow,
    Splitter,
    TaskRow,
    Worker,
)

_NOT_PLANNED: Final = "not_planned"
# Where keys stand that a redirect may lead on.
_KEYED: Final = ("annotations", "displays", "cards", "judgments", "namings")


@dataclass(frozen=True)
class Snapshot:
    """The redirects in force, as a manifest names them."""

    file: str
    sha256: str
    taken: datetime
    redirects: int


@dataclass(frozen=True)
class Splitting:
    """How the texts were cut."""

    name: str
    version: str
    parameters: dict[str, Any]


def tables(session: Session, *, text: bool = True) -> dict[str, pd.DataFrame]:
    """Every table of the bundle.

    Args:
        session: one snapshot of the database.
        text: with the texts and mentions, or without them where they may not be passed on.
    """
    targets = redirects.current(session)
    found = {name: _frame(session, name, query) for name, query in _queries(text=text).items()}
    for name in _KEYED:
        found[name]["key"] = _led_on(found[name]["key"], targets)
    answers = found["control_answers"]
    answers["acceptable"] = [_acceptable(keys, targets) for keys in answers["acceptable"]]
    annotations = found["annotations"]
    annotations["reason"] = annotations["reason"].where(annotations["shown"].notna(), _NOT_PLANNED)
    annotations["shown"] = [bool(shown) for shown in annotations["shown"]]
    judgments = found["judgments"]
    latest = judgments.groupby(["assignment", "display"])["sequence"].transform("max")
    judgments["current"] = judgments["sequence"] == latest
    if gone := undone(session):
        named = zip(judgments["assignment"], judgments["sequence"], strict=True)
        judgments["current"] &= pd.Series([pair not in gone for pair in named], index=judgments.index)
    return found


def snapshot(session: Session) -> Snapshot | None:
    """The redirects in force; None if there are none."""
    newest = redirects.snapshot(session)
    if newest is None:
        return None
    count = session.scalar(select(func.count()).where(Redirect.snapshot_id == newest.id))
    return Snapshot(newest.file, newest.sha256, newest.taken, count or 0)


def splitting(session: Session) -> Splitting | None:
    """How the texts were cut; None before the first plan."""
    row = session.scalars(select(Splitter).order_by(Splitter.id)).first()
    return Splitting(row.name, row.version, row.parameters) if row else None


def fact(session: Session, name: str) -> str | None:
    """A fact of the study; None if it was never put down."""
    return facts.get(session, name) or None


def _queries(*, text: bool) -> dict[str, Executable]:
    return _corpus(text=text) | _plan() | _work() | _asides(text=text)


def _corpus(*, text: bool) -> dict[str, Executable]:
    document, annotation = DocumentRow, AnnotationRow
    placed = Dataset.name, document.name
    return {
        "documents": select(
            *placed,
            Dataset.language,
            document.text if text else null(),
            document.sha256,
            document.evaluation_start,
            document.evaluation_end,
        ).join(Dataset),
        "sources": select(SourceRow.name, SourceRow.role, SourceRow.version),
        "source_documents": select(*placed, SourceRow.name, SourceDocument.ran, SourceDocument.n)
        .select_from(SourceDocument)
        .join(SourceRow)
        .join(document)
        .join(Dataset),
        "annotations": select(
            annotation.id,
            *placed,
            SourceRow.name,
            annotation.start,
            annotation.end,
            annotation.mention if text else null(),
            annotation.key,
            annotation.raw,
            annotation.kind,
            annotation.confidence,
            annotation.shown,
            annotation.reason,
        )
        .select_from(annotation)
        .join(SourceRow)
        .join(document)
        .join(Dataset),
    }


def _plan() -> dict[str, Executable]:
    segment, display, card = SegmentRow, DisplayRow, CardRow
    shown = select(display.card_id).where(display.card_id.is_not(None))
    return {
        "segments": select(
            segment.id, Dataset.name, DocumentRow.name, segment.start, segment.end, segment.weight
        )
        .select_from(segment)
        .join(DocumentRow)
        .join(Dataset),
        "tasks": select(TaskRow.id, TaskRow.kind, TaskRow.segment_id, SourceRow.name, TaskRow.k).outerjoin(
            SourceRow
        ),
        "displays": select(
            display.id,
            display.task_id,
            display.ordinal,
            display.start,
            display.end,
            display.key,
            display.card_id,
        ),
        "credits": select(Credit.display_id, Credit.annotation_id),
        "cards": select(
            card.id,
            card.key,
            card.title,
            card.description,
            card.extract,
            card.fetched,
            card.image,
            card.image_credit,
        ).where(card.id.in_(shown)),
        "control_answers": select(
            ControlAnswer.display_id,
            ControlAnswer.expected,
            ControlAnswer.acceptable,
            ControlAnswer.difficulty,
            ControlAnswer.use,
        )
        .join(DisplayRow, DisplayRow.id == ControlAnswer.display_id)
        .outerjoin(ControlRow, ControlRow.task_id == DisplayRow.task_id)
        .where(ControlRow.retired.is_(None)),
    }


def _work() -> dict[str, Executable]:
    assignment, judgment = AssignmentRow, JudgmentRow
    return {
        "assignments": select(
            assignment.id,
            Worker.pseudonym,
            Place.platform,
            assignment.origin,
            # Whoever asks for work that was handed in must not find an expert's.
            case((Place.platform == experts.PLATFORM, EXPERT), else_=assignment.state),
            assignment.counted,
            assignment.counted_reason,
            assignment.claimed,
            assignment.submitted,
            assignment.active_seconds,
            Place.reward,
            Place.fee,
            assignment.bonus,
            Place.currency,
            cast(assignment.options, Text),
            assignment.consent,
        )
        .select_from(assignment)
        .join(Worker)
        .join(Place),
        "judgments": select(
            judgment.assignment_id,
            judgment.display_id,
            judgment.decision,
            judgment.key,
            judgment.raw,
            judgment.seconds,
            judgment.opened,
            judgment.sequence,
            literal(value=False),  # which is current is told from the sequences of all
            judgment.role,
            AssignmentTask.arm,
        )
        .select_from(judgment)
        .join(DisplayRow)
        .outerjoin(
            AssignmentTask,
            and_(
                AssignmentTask.assignment_id == judgment.assignment_id,
                AssignmentTask.task_id == DisplayRow.task_id,
            ),
        ),
    }


def _asides(*, text: bool) -> dict[str, Executable]:
    """What workers said beside their judgments, as it stands: the latest comment, marks not taken back."""
    latest = select(func.max(Comment.id)).group_by(Comment.assignment_id, Comment.display_id)
    missing, document = MissingMention, DocumentRow
    # A span of the same text may be missed in two tasks: it is one mention of one worker.
    mention = func.substr(
        document.text, cast(missing.start + 1, Integer), cast(missing.end - missing.start, Integer)
    )
    return {
        "namings": select(
            Naming.assignment_id, Naming.display_id, Naming.key, Naming.raw, Naming.seconds, Naming.made
        ),
        "comments": select(
            Comment.assignment_id, Comment.display_id, Comment.text if text else null(), Comment.made
        ).where(Comment.id.in_(latest), Comment.text != ""),
        "missing_mentions": select(
            missing.assignment_id,
            Dataset.name,
            document.name,
            missing.start,
            missing.end,
            func.max(mention) if text else null(),
            func.min(missing.made),
        )
        .select_from(missing)
        .join(TaskRow)
        .join(SegmentRow)
        .join(document)
        .join(Dataset)
        .where(missing.withdrawn.is_(None))
        .group_by(missing.assignment_id, Dataset.name, document.name, missing.start, missing.end),
    }


def _frame(session: Session, name: str, query: Executable) -> pd.DataFrame:
    """The rows of a query under the names of the table; missing values are None."""
    rows = session.execute(query).all()
    columns = TABLES[name].columns
    values: Iterable[tuple[Any, ...]] = zip(*rows, strict=True) if rows else [()] * len(columns)
    # Whole numbers with gaps must not pass through floats: every column stays what the database gave.
    made = {
        column.name: pd.Series(list(cells), dtype=_dtype(column.type))
        for column, cells in zip(columns, values, strict=True)
    }
    return pd.DataFrame(made)


def _dtype(kind: str) -> Any:
    return {"int": "int64", "float": "float64"}.get(kind, "object")


def _led_on(keys: pd.Series, targets: Mapping[str, str]) -> pd.Series:
    return pd.Series([targets.get(key, key) for key in keys], index=keys.index, dtype="object")


def _acceptable(keys: list[str] | None, targets: Mapping[str, str]) -> str | None:
    """Acceptable keys as a JSON list: a key may hold any other mark that could part them."""
    return None if keys is None else json.dumps([targets.get(key, key) for key in keys], ensure_ascii=False)
