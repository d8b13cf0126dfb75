"""The one clock: only routes and commands ask it, services are handed the time."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time, aware, in UTC."""
    return datetime.now(UTC)
