"""Leaving: how who has nothing to hand in tells the platform so, by a code of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from analysis.errors import InputError
from verifier.crowd import codes
from verifier.crowd.base import ENVIRONMENT, Finish
from verifier.crowd.platforms import adapter_of
from verifier.store import crowd, facts, work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.crowd.base import Adapter
    from verifier.study import Study

# What is said on a page that ends a visit -> the outcome that the platform is told.
LEAVING: Final = {
    "no_consent": codes.NO_CONSENT,
    "nothing_left": codes.NOTHING_LEFT,
    "already_done": codes.NOTHING_LEFT,
    "excluded": codes.NOTHING_LEFT,
}


def leaving(study: Study, page: str, args: Mapping[str, str] | None = None, token: str = "") -> Finish | None:
    """What a page that ends a visit tells the platform, by way of the participant; None if nothing.

    Args:
        study: the study.
        page: the page's name.
        args: what the entry link said, if it was just followed.
        token: of the assignment, if there is one.
    """
    if page not in LEAVING:
        return None
    adapter = adapter_of(study.config)
    participant = _participant(study, adapter, args or {}, token) if adapter.needs_participant else ""
    with study.read() as session:
        nonce, environment = facts.get(session, "nonce"), facts.get(session, ENVIRONMENT)
    key = codes.key(study.secrets.pseudonym, nonce)
    return adapter.leave(LEAVING[page], key, environment, participant)


def _participant(study: Study, adapter: Adapter, args: Mapping[str, str], token: str) -> str:
    """Who leaves: by his assignment, else as his entry link says."""
    with study.read() as session:
        row = work.assignment_by_token(session, token) if token else None
        if row is not None:
            return crowd.participant(session, row.worker_id, adapter.name) or ""
    try:
        return adapter.parse_arrival(args).participant
    except InputError:
        return ""
