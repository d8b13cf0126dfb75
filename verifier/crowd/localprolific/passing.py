"""What time does by itself: work is timed out, and after three weeks approved."""

from __future__ import annotations

from typing import Final

from verifier.crowd.localprolific import studies, submissions
from verifier.crowd.localprolific.state import State

AUTOMATIC: Final = 21 * 24 * 3600


def pass_time(state: State) -> None:
    """Bring the state up to the platform's time, inside a transaction."""
    now = state.now
    for row in state.all("select * from submission where status = 'ACTIVE' and deadline <= ?", now):
        state.run("update submission set status = 'TIMED-OUT' where number = ?", row["number"])
        studies.settle(state, row["study"])
    waiting = "select * from submission where status = 'AWAITING REVIEW' and completed <= ?"
    for row in state.all(waiting, now - AUTOMATIC):
        submissions.approve(state, row)
