"""Pause, resume and close: whether anybody new may begin. Who has begun may finish, and is paid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier.store import facts

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

# The fact that holds PAUSED, CLOSED or nothing.
HALTED: Final = "halted"
PAUSED: Final = "paused"
CLOSED: Final = "closed"
RUNNING: Final = ""


def state(session: Session) -> str:
    """PAUSED, CLOSED, or RUNNING."""
    return facts.get(session, HALTED)


def set_state(study: Study, wanted: str) -> None:
    """Pause, close, or let go on; what is so already stays.

    Raises:
        StateError: no such state.
    """
    if wanted not in (RUNNING, PAUSED, CLOSED):
        raise StateError("no such state", got=wanted, expected=f"{PAUSED}, {CLOSED}, or nothing")
    with study.write() as session:
        facts.put(session, HALTED, wanted)
