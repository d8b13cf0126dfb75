"""The credit of a card's image by a name of its own: `credit` is what a source is given for a display."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Go to this revision."""
    op.execute("alter table card rename column credit to image_credit")
