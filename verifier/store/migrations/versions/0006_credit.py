"""Who made the image of a card, and under which licence: part of what the card showed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("card", sa.Column("credit", sa.Text(), nullable=True))
