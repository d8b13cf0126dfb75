"""Segments of equal text are one passage, which a worker reads once; slots name the passage."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TEXTS = sa.text(
    'select s.id, substr(d.text, cast(s.start + 1 as integer), cast(s."end" - s.start as integer)) as held'
    " from segment s join document d on d.id = s.document_id order by s.id"
)
_SLOTS = (
    "update task_slot set passage_id = (select s.passage_id from segment s where s.id = task_slot.passage_id)"
    " where passage_id in (select id from segment where passage_id <> id)"
)


# Slots that were taken lie dead before those that are open in the order of drawing: cleared away at every
# hundredth part, not at every fifth.
_TIDY = "alter table task_slot set (autovacuum_vacuum_scale_factor = 0.01)"


def upgrade() -> None:
    """Go to this revision: the first segment that holds a text names the passage."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_TIDY)
    op.add_column("segment", sa.Column("passage_id", NUMBER, nullable=False, server_default="0"))
    op.execute("alter table task_slot rename column segment_id to passage_id")
    op.execute("update segment set passage_id = id")
    connection = op.get_bind()
    first: dict[bytes, int] = {}
    alike: list[dict[str, int]] = []
    for row in connection.execute(_TEXTS, execution_options={"yield_per": 1000}):
        text = " ".join(unicodedata.normalize("NFC", row.held).split())
        passage = first.setdefault(blake2b(text.encode(), digest_size=16).digest(), row.id)
        if passage != row.id:
            alike.append({"segment": row.id, "passage": passage})
    if alike:
        connection.execute(sa.text("update segment set passage_id = :passage where id = :segment"), alike)
        op.execute(_SLOTS)
