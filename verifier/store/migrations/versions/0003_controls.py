"""Where a control comes from, whether a person has confirmed it, and whether it was retired."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go to this revision; the controls there are count as generated, and nobody has confirmed them."""
    op.create_table(
        "control",
        sa.Column("task_id", NUMBER, nullable=False),
        sa.Column("origin", sa.String(length=10), nullable=False),
        sa.Column("confirmed", TIME, nullable=True),
        sa.Column("retired", TIME, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_control_task_id_task"),
        sa.PrimaryKeyConstraint("task_id", name="pk_control"),
        sa.CheckConstraint("origin in ('generated', 'given')", name="ck_control_origin"),
    )
    op.execute(
        "insert into control (task_id, origin) select id, 'generated' from task where kind = 'control'"
    )
