"""The tables of a study's database. Append-only where a human acted; what a worker saw is kept exactly."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from verifier.store.times import AwareTime

# SQLite gives rowid aliases to INTEGER keys only; PostgreSQL gets 64 bits.
BigId = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """Base of all tables, with a naming convention so that migrations can name constraints."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: AwareTime, dict[str, Any]: JSON, list[Any]: JSON, int: BigId}  # noqa: RUF012 - SQLAlchemy reads it


class StudyFact(Base):
    """A fact about the study as a whole: name, nonce, seed, origin, lock hash, splitter in force."""

    __tablename__ = "study_fact"
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


# --- corpus -----------------------------------------------------------------------------------------------


class Dataset(Base):
    """A named corpus in one language."""

    __tablename__ = "dataset"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    language: Mapped[str] = mapped_column(String(20))
    licence: Mapped[str | None] = mapped_column(Text)


class DocumentRow(Base):
    """One text of a dataset; it never changes after import."""

    __tablename__ = "document"
    __table_args__ = (UniqueConstraint("dataset_id", "name"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("dataset.id"))
    name: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))
    evaluation_start: Mapped[int]
    evaluation_end: Mapped[int]
    import_id: Mapped[int] = mapped_column(ForeignKey("import_file.id"))
    dataset: Mapped[Dataset] = relationship()


class SourceRow(Base):
    """Who made annotations: the ground truth or a model."""

    __tablename__ = "source"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    version: Mapped[str | None] = mapped_column(Text)


class ImportFile(Base):
    """A file that was imported: identical bytes do nothing, changed ones are refused."""

    __tablename__ = "import_file"
    __table_args__ = (Index(None, "dataset_id", "source_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("dataset.id"))
    source_id: Mapped[int] = mapped_column(ForeignKey("source.id"))
    file: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))
    format: Mapped[str] = mapped_column(String(40))
    importer: Mapped[str] = mapped_column(String(40))
    imported: Mapped[datetime]


class ImportLayout(Base):
    """All that stood in an imported file, compressed: of formats that say more than the study keeps."""

    __tablename__ = "import_layout"
    import_id: Mapped[int] = mapped_column(ForeignKey("import_file.id"), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class SourceDocument(Base):
    """Whether a source ran on a document, and how many annotations it made there."""

    __tablename__ = "source_document"
    source_id: Mapped[int] = mapped_column(ForeignKey("source.id"), primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("document.id"), primary_key=True)
    ran: Mapped[bool]
    n: Mapped[int]


class AnnotationRow(Base):
    """One source's mention span in one document, with its entity. `shown` is null until planned."""

    __tablename__ = "annotation"
    __table_args__ = (Index(None, "document_id", "source_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("source.id"))
    document_id: Mapped[int] = mapped_column(ForeignKey("document.id"))
    start: Mapped[int]
    end: Mapped[int]
    mention: Mapped[str] = mapped_column(Text)
    raw: Mapped[str | None] = mapped_column(Text)
    key: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(10))
    confidence: Mapped[float | None]
    shown: Mapped[bool | None]
    reason: Mapped[str | None] = mapped_column(String(40))


class RedirectSnapshot(Base):
    """A dated set of redirects; the newest is in force."""

    __tablename__ = "redirect_snapshot"
    id: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    taken: Mapped[datetime]


class Redirect(Base):
    """One redirect of a snapshot, chains already followed."""

    __tablename__ = "redirect"
    snapshot_id: Mapped[int] = mapped_column(ForeignKey("redirect_snapshot.id"), primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    target: Mapped[str] = mapped_column(Text)


class CardRow(Base):
    """What was shown about an entity, by the hash of its content."""

    __tablename__ = "card"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    key: Mapped[str] = mapped_column(Text)
    title: Mapped[str | None] = mapped_column(Text)
    description: Mapped[str | None] = mapped_column(Text)
    extract: Mapped[str | None] = mapped_column(Text)
    url: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(Text)
    image_credit: Mapped[str | None] = mapped_column(Text)
    fetched: Mapped[datetime | None]


# --- plan -------------------------------------------------------------------------------------------------


class Splitter(Base):
    """How texts were cut into segments."""

    __tablename__ = "splitter"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    version: Mapped[str] = mapped_column(String(40))
    parameters: Mapped[dict[str, Any]]


class SegmentRow(Base):
    """A stretch of a document short enough for one screen; the same grid for all sources.

    `passage_id` is the first segment that holds the same text: a worker reads a passage once.
    """

    __tablename__ = "segment"
    __table_args__ = (UniqueConstraint("document_id", "start"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    splitter_id: Mapped[int] = mapped_column(ForeignKey("splitter.id"))
    document_id: Mapped[int] = mapped_column(ForeignKey("document.id"))
    start: Mapped[int]
    end: Mapped[int]
    passage_id: Mapped[int] = mapped_column(server_default="0")
    weight: Mapped[float] = mapped_column(default=1.0)


class TaskRow(Base):
    """What is judged together: a segment with one source's annotations, with pooled items, or a control."""

    __tablename__ = "task"
    __table_args__ = (CheckConstraint("kind in ('real', 'control')", name="kind"), Index(None, "segment_id"))
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    segment_id: Mapped[int] = mapped_column(ForeignKey("segment.id"))
    source_id: Mapped[int | None] = mapped_column(ForeignKey("source.id"))
    k: Mapped[int]


class DisplayRow(Base):
    """One highlighted span with one entity, as a worker sees it."""

    __tablename__ = "display"
    __table_args__ = (UniqueConstraint("task_id", "ordinal"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    ordinal: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    key: Mapped[str] = mapped_column(Text)
    card_id: Mapped[str | None] = mapped_column(ForeignKey("card.id"))


class Credit(Base):
    """Which annotations a display stands for; none for controls."""

    __tablename__ = "credit"
    display_id: Mapped[int] = mapped_column(ForeignKey("display.id"), primary_key=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), primary_key=True, index=True)


class ControlAnswer(Base):
    """The known answer to a control's display. The worker's pages never join this table."""

    __tablename__ = "control_answer"
    display_id: Mapped[int] = mapped_column(ForeignKey("display.id"), primary_key=True)
    expected: Mapped[str] = mapped_column(String(10))
    acceptable: Mapped[list[Any] | None]
    difficulty: Mapped[str | None] = mapped_column(String(20))
    use: Mapped[str] = mapped_column(String(10))


class ControlRow(Base):
    """A control as a whole: generated or given, confirmed by a person or not, retired and why.

    `replaces` is the task of the retired control in whose place it was made.
    """

    __tablename__ = "control"
    __table_args__ = (CheckConstraint("origin in ('generated', 'given')", name="origin"),)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"), primary_key=True)
    origin: Mapped[str] = mapped_column(String(10))
    confirmed: Mapped[datetime | None]
    retired: Mapped[datetime | None]
    reason: Mapped[str | None] = mapped_column(Text)
    replaces: Mapped[int | None]


class TaskSlot(Base):
    """One of the k judgments wanted for a task, with its place in the drawing order.

    `stratum` names dataset and source, `passage_id` the text, so that a draw can count and take what is open
    without a join.
    """

    __tablename__ = "task_slot"
    __table_args__ = (
        UniqueConstraint("task_id", "ordinal"),
        CheckConstraint("state in ('open', 'leased', 'done')", name="state"),
        Index("ix_task_slot_draw", "state", "stratum", "position"),
        Index(None, "assignment_id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    passage_id: Mapped[int] = mapped_column(ForeignKey("segment.id"))
    stratum: Mapped[str] = mapped_column(String(420))
    ordinal: Mapped[int]
    position: Mapped[int]
    state: Mapped[str] = mapped_column(String(10), default="open")
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"))
    leased_until: Mapped[datetime | None]


class StratumRow(Base):
    """How many slots of a stratum are open, kept with each change: to count a million would slow a draw."""

    __tablename__ = "stratum"
    name: Mapped[str] = mapped_column(String(420), primary_key=True)
    open: Mapped[int]


# --- crowd ------------------------------------------------------------------------------------------------


class Worker(Base):
    """A person, as a random pseudonym."""

    __tablename__ = "worker"
    id: Mapped[int] = mapped_column(primary_key=True)
    pseudonym: Mapped[str] = mapped_column(String(40), unique=True)
    excluded: Mapped[str | None] = mapped_column(Text)


class Vault(Base):
    """The only place of a platform's worker id; used to pay and to exclude, deleted by `forget`."""

    __tablename__ = "vault"
    __table_args__ = (UniqueConstraint("platform", "hmac"),)
    worker_id: Mapped[int] = mapped_column(ForeignKey("worker.id"), primary_key=True)
    platform: Mapped[str] = mapped_column(String(20), primary_key=True)
    hmac: Mapped[str] = mapped_column(String(64))
    platform_worker: Mapped[str] = mapped_column(Text)


class Place(Base):
    """One paid participation on a crowd platform."""

    __tablename__ = "place"
    __table_args__ = (
        CheckConstraint("state in ('open', 'taken', 'submitted', 'closed')", name="state"),
        Index(None, "platform", "platform_place"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    platform: Mapped[str] = mapped_column(String(20))
    platform_place: Mapped[str | None] = mapped_column(Text)
    reward: Mapped[str] = mapped_column(String(20))
    fee: Mapped[str | None] = mapped_column(String(20))
    currency: Mapped[str] = mapped_column(String(3))
    state: Mapped[str] = mapped_column(String(10), default="open")
    origin: Mapped[str] = mapped_column(String(10))
    created: Mapped[datetime]


class AssignmentRow(Base):
    """One worker in one place. Claim, submit, count and approve are four different things."""

    __tablename__ = "assignment"
    __table_args__ = (
        CheckConstraint(
            "state in ('claimed', 'submitted', 'returned', 'expired', 'no_consent')", name="state"
        ),
        Index(None, "worker_id"),
        Index(None, "state", "deadline"),
        Index(None, "platform_assignment"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    place_id: Mapped[int] = mapped_column(ForeignKey("place.id"))
    worker_id: Mapped[int] = mapped_column(ForeignKey("worker.id"))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    platform_assignment: Mapped[str | None] = mapped_column(Text)
    platform_state: Mapped[str | None] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(12), default="claimed")
    origin: Mapped[str] = mapped_column(String(10))
    claimed: Mapped[datetime]
    deadline: Mapped[datetime]
    step: Mapped[str] = mapped_column(String(20), default="consent")
    consent: Mapped[str | None] = mapped_column(String(80))
    consented: Mapped[datetime | None]
    submitted: Mapped[datetime | None]
    active_seconds: Mapped[float | None]
    counted: Mapped[bool | None]
    counted_reason: Mapped[str | None] = mapped_column(Text)
    decision: Mapped[str | None] = mapped_column(String(20))
    decision_reason: Mapped[str | None] = mapped_column(Text)
    decided: Mapped[datetime | None]
    bonus: Mapped[str | None] = mapped_column(String(20))
    completion_code: Mapped[str | None] = mapped_column(String(40))
    # The page's options that held for him (of `pages` in study.yaml), whatever the file says later.
    options: Mapped[dict[str, Any] | None]


class AssignmentTask(Base):
    """The tasks drawn for an assignment, in the order shown; `slot_id` is null for controls.

    `arm`: how its links are shown, where a study compares: at once (`shown`), or only after the worker has
    named the entity himself (`hidden`); null where it does not compare.
    """

    __tablename__ = "assignment_task"
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    slot_id: Mapped[int | None] = mapped_column(ForeignKey("task_slot.id"))
    arm: Mapped[str | None] = mapped_column(String(10))


class JudgmentRow(Base):
    """One decision of one worker on one display; kept for ever, the highest sequence is current."""

    __tablename__ = "judgment"
    __table_args__ = (
        UniqueConstraint("assignment_id", "sequence"),
        CheckConstraint("decision in ('verify', 'edit', 'remove')", name="decision"),
        Index(None, "display_id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    display_id: Mapped[int] = mapped_column(ForeignKey("display.id"))
    sequence: Mapped[int]
    decision: Mapped[str] = mapped_column(String(10))
    key: Mapped[str | None] = mapped_column(Text)
    raw: Mapped[str | None] = mapped_column(Text)
    opened: Mapped[bool]
    seconds: Mapped[float]
    role: Mapped[str] = mapped_column(String(10), default="worker")
    made: Mapped[datetime]


class Naming(Base):
    """The entity that a worker named before its link was shown to him (arm `hidden`); the first stands."""

    __tablename__ = "naming"
    __table_args__ = (UniqueConstraint("assignment_id", "display_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    display_id: Mapped[int] = mapped_column(ForeignKey("display.id"))
    key: Mapped[str] = mapped_column(Text)
    raw: Mapped[str] = mapped_column(Text)
    seconds: Mapped[float]
    made: Mapped[datetime]


class Comment(Base):
    """What a worker had to say about a display; the latest stands, an empty one takes it back."""

    __tablename__ = "comment"
    __table_args__ = (Index(None, "assignment_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    display_id: Mapped[int] = mapped_column(ForeignKey("display.id"))
    text: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]


class MissingMention(Base):
    """A mention that no source marked where the worker looked; no judgment, and never counted as one."""

    __tablename__ = "missing_mention"
    __table_args__ = (Index(None, "assignment_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    start: Mapped[int]
    end: Mapped[int]
    made: Mapped[datetime]
    withdrawn: Mapped[datetime | None]


class PlatformCall(Base):
    """The ledger: intent, request token and outcome of every call that can cost money."""

    __tablename__ = "platform_call"
    __table_args__ = (CheckConstraint("state in ('intent', 'done', 'failed', 'unknown')", name="state"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(80), unique=True)
    platform: Mapped[str] = mapped_column(String(20))
    operation: Mapped[str] = mapped_column(String(40))
    request: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(10), default="intent")
    outcome: Mapped[dict[str, Any] | None]
    amount: Mapped[str | None] = mapped_column(String(20))
    currency: Mapped[str | None] = mapped_column(String(3))
    intended: Mapped[datetime]
    finished: Mapped[datetime | None]


class Event(Base):
    """What else happened, for quality work: focus lost, a search and its candidates, an error."""

    __tablename__ = "event"
    __table_args__ = (Index(None, "assignment_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"))
    kind: Mapped[str] = mapped_column(String(40))
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime]
