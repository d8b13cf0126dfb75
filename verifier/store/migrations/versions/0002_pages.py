"""What pages may ask besides judgments: names given before a link is shown, comments, missing mentions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("assignment", sa.Column("options", sa.JSON(), nullable=True))
    op.add_column("assignment_task", sa.Column("arm", sa.String(length=10), nullable=True))
    _namings()
    _comments()
    _missing_mentions()


def _namings() -> None:
    op.create_table(
        "naming",
        *_whose("naming", "display"),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("made", TIME, nullable=False),
        sa.UniqueConstraint("assignment_id", "display_id", name="uq_naming_assignment_id_display_id"),
    )


def _comments() -> None:
    op.create_table(
        "comment",
        *_whose("comment", "display"),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made", TIME, nullable=False),
    )
    op.create_index("ix_comment_assignment_id", "comment", ["assignment_id"])


def _missing_mentions() -> None:
    op.create_table(
        "missing_mention",
        *_whose("missing_mention", "task"),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sa.Column("made", TIME, nullable=False),
        sa.Column("withdrawn", TIME, nullable=True),
    )
    op.create_index("ix_missing_mention_assignment_id", "missing_mention", ["assignment_id"])


def _whose(table: str, about: str) -> list[sa.Column[int] | sa.Constraint]:
    """Id, assignment, and the display or task that a row is about."""
    return [
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("assignment_id", NUMBER, nullable=False),
        sa.Column(f"{about}_id", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=f"fk_{table}_assignment_id_assignment"
        ),
        sa.ForeignKeyConstraint([f"{about}_id"], [f"{about}.id"], name=f"fk_{table}_{about}_id_{about}"),
    ]
