"""What the platform says of an assignment, beside what we do: handed in, approved, rejected."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("assignment", sa.Column("platform_state", sa.String(length=20), nullable=True))
