"""Alembic migrations: the frozen history of the tables."""
