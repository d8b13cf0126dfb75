"""Whether a platform ever takes or puts aside more than a cap, whatever is done step by step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from analysis.errors import PosthocError
from tests.support.campaign import Killed
from verifier.store import crowd
from verifier.study import Study

# What an account on a local platform has at first, in cents.
BALANCE = 1_000_000


def taken(platform: Any) -> int:
    """What the platform has taken and put aside, in cents."""
    told = platform.service.statement()
    return int(BALANCE - told["balance"] + told["held"])


def endure(
    study: Study, platform: Any, steps: Sequence[Any], step: Callable[[Any, int], None], cap: int
) -> None:
    """Do one thing after another; refusals, kills and faults break one off. None may pass the cap."""
    for number, wish in enumerate(steps):
        with contextlib.suppress(PosthocError, Killed, AssertionError):
            step(wish, number)
        assert taken(platform) <= cap
        with study.read() as session:
            assert crowd.committed(session) <= Decimal(cap) / 100
