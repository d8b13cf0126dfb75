"""How Alembic runs our migrations: on the connection that the store hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from verifier.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
