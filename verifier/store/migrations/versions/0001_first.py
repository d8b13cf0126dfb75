"""The first revision: corpus, plan, crowd, and what workers did."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go to this revision."""
    _datasets()
    _documents()
    _entities()
    _segments()
    _displays()
    _workers()
    _assignments()
    _slots()
    _judgments()


def _datasets() -> None:
    """What is imported, by whom."""
    op.create_table(
        "study_fact",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_study_fact"),
    )
    op.create_table(
        "dataset",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("licence", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dataset"),
        sa.UniqueConstraint("name", name="uq_dataset_name"),
    )
    op.create_table(
        "source",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("version", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_source"),
        sa.UniqueConstraint("name", name="uq_source_name"),
    )
    op.create_table(
        "import_file",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("dataset_id", NUMBER, nullable=False),
        sa.Column("source_id", NUMBER, nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("importer", sa.String(length=40), nullable=False),
        sa.Column("imported", TIME, nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_import_file_dataset_id_dataset"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_import_file_source_id_source"),
        sa.PrimaryKeyConstraint("id", name="pk_import_file"),
    )
    op.create_index("ix_import_file_dataset_id_source_id", "import_file", ["dataset_id", "source_id"])


def _documents() -> None:
    """Texts, and what was marked in them."""
    op.create_table(
        "document",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("dataset_id", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("evaluation_start", NUMBER, nullable=False),
        sa.Column("evaluation_end", NUMBER, nullable=False),
        sa.Column("import_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.id"], name="fk_document_dataset_id_dataset"),
        sa.ForeignKeyConstraint(["import_id"], ["import_file.id"], name="fk_document_import_id_import_file"),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.UniqueConstraint("dataset_id", "name", name="uq_document_dataset_id_name"),
    )
    op.create_table(
        "source_document",
        sa.Column("source_id", NUMBER, nullable=False),
        sa.Column("document_id", NUMBER, nullable=False),
        sa.Column("ran", sa.Boolean(), nullable=False),
        sa.Column("n", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["document.id"], name="fk_source_document_document_id_document"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_source_document_source_id_source"),
        sa.PrimaryKeyConstraint("source_id", "document_id", name="pk_source_document"),
    )
    op.create_table(
        "annotation",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("source_id", NUMBER, nullable=False),
        sa.Column("document_id", NUMBER, nullable=False),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sa.Column("mention", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("shown", sa.Boolean(), nullable=True),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_annotation_document_id_document"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_annotation_source_id_source"),
        sa.PrimaryKeyConstraint("id", name="pk_annotation"),
    )
    op.create_index("ix_annotation_document_id_source_id", "annotation", ["document_id", "source_id"])


def _entities() -> None:
    """Where keys lead, and what was shown of them."""
    op.create_table(
        "redirect_snapshot",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("taken", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_redirect_snapshot"),
        sa.UniqueConstraint("sha256", name="uq_redirect_snapshot_sha256"),
    )
    op.create_table(
        "redirect",
        sa.Column("snapshot_id", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["snapshot_id"], ["redirect_snapshot.id"], name="fk_redirect_snapshot_id_redirect_snapshot"
        ),
        sa.PrimaryKeyConstraint("snapshot_id", "key", name="pk_redirect"),
    )
    op.create_table(
        "card",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("extract", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("fetched", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_card"),
    )


def _segments() -> None:
    """How the texts were cut, and what is asked."""
    op.create_table(
        "splitter",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("version", sa.String(length=40), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_splitter"),
    )
    op.create_table(
        "segment",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("splitter_id", NUMBER, nullable=False),
        sa.Column("document_id", NUMBER, nullable=False),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_segment_document_id_document"),
        sa.ForeignKeyConstraint(["splitter_id"], ["splitter.id"], name="fk_segment_splitter_id_splitter"),
        sa.PrimaryKeyConstraint("id", name="pk_segment"),
        sa.UniqueConstraint("document_id", "start", name="uq_segment_document_id_start"),
    )
    op.create_table(
        "task",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("segment_id", NUMBER, nullable=False),
        sa.Column("source_id", NUMBER, nullable=True),
        sa.Column("k", NUMBER, nullable=False),
        sa.CheckConstraint("kind in ('real', 'control')", name="ck_task_kind"),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name="fk_task_segment_id_segment"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_task_source_id_source"),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
    )
    op.create_index("ix_task_segment_id", "task", ["segment_id"])


def _displays() -> None:
    """What a worker sees, and the known answers."""
    op.create_table(
        "display",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("ordinal", NUMBER, nullable=False),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("card_id", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["card_id"], ["card.id"], name="fk_display_card_id_card"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_display_task_id_task"),
        sa.PrimaryKeyConstraint("id", name="pk_display"),
        sa.UniqueConstraint("task_id", "ordinal", name="uq_display_task_id_ordinal"),
    )
    op.create_table(
        "credit",
        sa.Column("display_id", NUMBER, nullable=False),
        sa.Column("annotation_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["annotation_id"], ["annotation.id"], name="fk_credit_annotation_id_annotation"
        ),
        sa.ForeignKeyConstraint(["display_id"], ["display.id"], name="fk_credit_display_id_display"),
        sa.PrimaryKeyConstraint("display_id", "annotation_id", name="pk_credit"),
    )
    op.create_index("ix_credit_annotation_id", "credit", ["annotation_id"])
    op.create_table(
        "control_answer",
        sa.Column("display_id", NUMBER, nullable=False),
        sa.Column("expected", sa.String(length=10), nullable=False),
        sa.Column("acceptable", sa.JSON(), nullable=True),
        sa.Column("difficulty", sa.String(length=20), nullable=True),
        sa.Column("use", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["display_id"], ["display.id"], name="fk_control_answer_display_id_display"),
        sa.PrimaryKeyConstraint("display_id", name="pk_control_answer"),
    )


def _workers() -> None:
    """Who takes part, and where."""
    op.create_table(
        "worker",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("pseudonym", sa.String(length=40), nullable=False),
        sa.Column("excluded", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
        sa.UniqueConstraint("pseudonym", name="uq_worker_pseudonym"),
    )
    op.create_table(
        "vault",
        sa.Column("worker_id", NUMBER, nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("hmac", sa.String(length=64), nullable=False),
        sa.Column("platform_worker", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["worker_id"], ["worker.id"], name="fk_vault_worker_id_worker"),
        sa.PrimaryKeyConstraint("worker_id", "platform", name="pk_vault"),
        sa.UniqueConstraint("platform", "hmac", name="uq_vault_platform_hmac"),
    )
    op.create_table(
        "place",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("platform_place", sa.Text(), nullable=True),
        sa.Column("reward", sa.String(length=20), nullable=False),
        sa.Column("fee", sa.String(length=20), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("origin", sa.String(length=10), nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.CheckConstraint("state in ('open', 'taken', 'submitted', 'closed')", name="ck_place_state"),
        sa.PrimaryKeyConstraint("id", name="pk_place"),
    )
    op.create_index("ix_place_platform_platform_place", "place", ["platform", "platform_place"])


def _assignments() -> None:
    """Who works in which place."""
    op.create_table(
        "assignment",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("place_id", NUMBER, nullable=False),
        sa.Column("worker_id", NUMBER, nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("platform_assignment", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("origin", sa.String(length=10), nullable=False),
        sa.Column("claimed", TIME, nullable=False),
        sa.Column("deadline", TIME, nullable=False),
        sa.Column("step", sa.String(length=20), nullable=False),
        sa.Column("consent", sa.String(length=80), nullable=True),
        sa.Column("consented", TIME, nullable=True),
        sa.Column("submitted", TIME, nullable=True),
        sa.Column("active_seconds", sa.Double(), nullable=True),
        sa.Column("counted", sa.Boolean(), nullable=True),
        sa.Column("counted_reason", sa.Text(), nullable=True),
        sa.Column("decision", sa.String(length=20), nullable=True),
        sa.Column("decision_reason", sa.Text(), nullable=True),
        sa.Column("decided", TIME, nullable=True),
        sa.Column("bonus", sa.String(length=20), nullable=True),
        sa.Column("completion_code", sa.String(length=40), nullable=True),
        sa.CheckConstraint(
            "state in ('claimed', 'submitted', 'returned', 'expired', 'no_consent')",
            name="ck_assignment_state",
        ),
        sa.ForeignKeyConstraint(["place_id"], ["place.id"], name="fk_assignment_place_id_place"),
        sa.ForeignKeyConstraint(["worker_id"], ["worker.id"], name="fk_assignment_worker_id_worker"),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
        sa.UniqueConstraint("token", name="uq_assignment_token"),
    )
    op.create_index("ix_assignment_platform_assignment", "assignment", ["platform_assignment"])
    op.create_index("ix_assignment_state_deadline", "assignment", ["state", "deadline"])
    op.create_index("ix_assignment_worker_id", "assignment", ["worker_id"])


def _slots() -> None:
    """What was drawn."""
    op.create_table(
        "stratum",
        sa.Column("name", sa.String(length=420), nullable=False),
        sa.Column("open", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_stratum"),
    )
    op.create_table(
        "task_slot",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("segment_id", NUMBER, nullable=False),
        sa.Column("stratum", sa.String(length=420), nullable=False),
        sa.Column("ordinal", NUMBER, nullable=False),
        sa.Column("position", NUMBER, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("leased_until", TIME, nullable=True),
        sa.CheckConstraint("state in ('open', 'leased', 'done')", name="ck_task_slot_state"),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name="fk_task_slot_assignment_id_assignment"
        ),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name="fk_task_slot_segment_id_segment"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_task_slot_task_id_task"),
        sa.PrimaryKeyConstraint("id", name="pk_task_slot"),
        sa.UniqueConstraint("task_id", "ordinal", name="uq_task_slot_task_id_ordinal"),
    )
    op.create_index("ix_task_slot_assignment_id", "task_slot", ["assignment_id"])
    op.create_index("ix_task_slot_draw", "task_slot", ["state", "stratum", "position"])
    op.create_table(
        "assignment_task",
        sa.Column("assignment_id", NUMBER, nullable=False),
        sa.Column("ordinal", NUMBER, nullable=False),
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("slot_id", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name="fk_assignment_task_assignment_id_assignment"
        ),
        sa.ForeignKeyConstraint(["slot_id"], ["task_slot.id"], name="fk_assignment_task_slot_id_task_slot"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_assignment_task_task_id_task"),
        sa.PrimaryKeyConstraint("assignment_id", "ordinal", name="pk_assignment_task"),
    )


def _judgments() -> None:
    """What was judged, what else happened, what it cost."""
    op.create_table(
        "judgment",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=False),
        sa.Column("display_id", NUMBER, nullable=False),
        sa.Column("sequence", NUMBER, nullable=False),
        sa.Column("decision", sa.String(length=10), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.Column("opened", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("made", TIME, nullable=False),
        sa.CheckConstraint("decision in ('verify', 'edit', 'remove')", name="ck_judgment_decision"),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name="fk_judgment_assignment_id_assignment"
        ),
        sa.ForeignKeyConstraint(["display_id"], ["display.id"], name="fk_judgment_display_id_display"),
        sa.PrimaryKeyConstraint("id", name="pk_judgment"),
        sa.UniqueConstraint("assignment_id", "sequence", name="uq_judgment_assignment_id_sequence"),
    )
    op.create_index("ix_judgment_display_id", "judgment", ["display_id"])

    op.create_table(
        "event",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name="fk_event_assignment_id_assignment"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
    op.create_index("ix_event_assignment_id", "event", ["assignment_id"])
    op.create_table(
        "platform_call",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("token", sa.String(length=80), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("operation", sa.String(length=40), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("amount", sa.String(length=20), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("intended", TIME, nullable=False),
        sa.Column("finished", TIME, nullable=True),
        sa.CheckConstraint("state in ('intent', 'done', 'failed', 'unknown')", name="ck_platform_call_state"),
        sa.PrimaryKeyConstraint("id", name="pk_platform_call"),
        sa.UniqueConstraint("token", name="uq_platform_call_token"),
    )
