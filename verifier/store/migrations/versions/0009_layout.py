"""What stood in files whose layout is written again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "import_layout",
        sa.Column("import_id", NUMBER, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"], ["import_file.id"], name="fk_import_layout_import_id_import_file"
        ),
        sa.PrimaryKeyConstraint("import_id", name="pk_import_layout"),
    )
