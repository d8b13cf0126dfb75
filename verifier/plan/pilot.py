"""A forecast from what a running study has shown: its design and its times, as far as they are known."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from analysis.decisions import VERIFY
from verifier.plan import timing
from verifier.plan.design import Design, measured
from verifier.plan.timing import Timing
from verifier.store import pilot

if TYPE_CHECKING:
    from verifier.store import Session


def design(session: Session) -> Design:
    """Rate and likeness of judgments: measured where there are enough, assumed otherwise."""
    rows = pilot.judged(session)
    documents: dict[object, int] = {}
    workers: dict[object, int] = {}
    items: dict[object, int] = {}
    codes = np.array(
        [
            (
                documents.setdefault(row.document, len(documents)),
                workers.setdefault(row.worker, len(workers)),
                items.setdefault((row.document, row.start, row.end, row.key), len(items)),
                row.decision == VERIFY,
            )
            for row in rows
        ],
        np.int64,
    ).reshape(-1, 4)
    return measured(codes[:, 0], codes[:, 1], codes[:, 2], codes[:, 3].astype(float))


def times(session: Session, *, chars: float, links: float, pay: Decimal) -> Timing:
    """How long a place takes: measured where enough were handed in, else from its texts and links."""
    return timing.measured(pilot.seconds(session), pay) or timing.reckoned(chars, links, pay)
