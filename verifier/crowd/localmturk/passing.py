"""What time does by itself: assignments are abandoned or approved, HITs end, tokens are forgotten."""

from __future__ import annotations

from typing import Final

from verifier.crowd.localmturk import assignments, hits
from verifier.crowd.localmturk.state import State

TOKENS_KEPT: Final = 24 * 3600


def pass_time(state: State) -> None:
    """Bring the state up to the platform's time, inside a transaction."""
    now = state.now
    state.run("delete from token where at <= ?", now - TOKENS_KEPT)
    for row in state.all("select * from assignment where status = 'Accepted' and deadline <= ?", now):
        state.run("update assignment set status = 'Abandoned' where number = ?", row["number"])
        hits.hold(state, row["hit"])
    for row in state.all("select * from assignment where status = 'Submitted' and automatic <= ?", now):
        assignments.approve(state, row, None)
    for row in state.all("select id from hit where ended = 0 and expires <= ?", now):
        state.run("update hit set ended = 1 where id = ?", row["id"])
        hits.hold(state, row["id"])
