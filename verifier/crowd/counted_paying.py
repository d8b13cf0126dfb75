"""Approving where the platform takes many at once: written down first, then asked for together."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, cast

from verifier.crowd import paying
from verifier.crowd.counted_base import CountedRequester
from verifier.store import counted

if TYPE_CHECKING:
    from verifier.crowd.base import Requester
    from verifier.study import Study


def pay(study: Study, requester: Requester, *, now: datetime) -> paying.Paid:
    """Approve on the platform whatever is approved here and was not approved there through us before.

    Raises:
        StateError: the platform refuses, or does not answer. What is done is kept; the next run goes on.
    """
    account = cast("CountedRequester", requester)
    with study.read() as session:
        due = counted.to_approve(session, study.config.platform.kind, paying.APPROVE)
    by_study: dict[str, dict[str, int]] = defaultdict(dict)
    for number, hosted, submission in due:
        by_study[hosted][submission] = number
    with study.write(alone=True) as session:
        for number, _, _ in due:
            paying.intend(session, study.config, number, now)
    done = 0
    for hosted, numbers in by_study.items():
        approved = account.approve_all(hosted, list(numbers))
        with study.write(alone=True) as session:
            for submission in approved:
                paying.note_paid(session, study.config, numbers[submission], now)
        done += len(approved)
    return paying.Paid(done, len(due) - done)
