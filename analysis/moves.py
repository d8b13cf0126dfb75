"""Which choice moved which number: from one policy to another, a choice at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.measured import Measured
from analysis.outcomes import measure
from analysis.points import HEADLINES, Place, moved, points
from analysis.policy import CHOICES, Policy, get_policy
from analysis.schema import ALL
from analysis.study import Study

COLUMNS: Final = (
    "policy",
    "other",
    "dataset",
    "source",
    "metric",
    "choice",
    "value",
    "becomes",
    "before",
    "after",
    "change",
    "alone",
)
_NOTHING: Final = 1e-12
METRICS: Final = (*HEADLINES, "pre_precision_exact", "pre_recall_exact", "pre_precision_overlap")


def moves(study: Study, measured: Sequence[Measured]) -> pd.DataFrame:
    """A row for each number that a choice moves: between the policies asked for, and what `--set` did.

    From the first policy to each other one, and from a policy as it is named to the same with choices
    overridden. Choices change one after another, in the order of the table of choices, so that `change` adds
    up to the whole difference; `alone` is what the choice does by itself to the first policy. A number that
    no choice moves has no row.
    """
    rows: list[dict[str, Any]] = []
    made = {each.policy.name: each for each in measured}
    for start, end in _pairs([each.policy for each in measured]):
        rows += _between(study, start, end, made)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype(dict.fromkeys(("before", "after", "change", "alone"), float))


def _pairs(policies: Sequence[Policy]) -> list[tuple[Policy, Policy]]:
    plain = [get_policy(policy.name.partition("+")[0]) for policy in policies]
    overridden = [(one, other) for one, other in zip(plain, policies, strict=True) if one != other]
    return [*((policies[0], other) for other in policies[1:]), *overridden]


def _between(study: Study, start: Policy, end: Policy, made: dict[str, Measured]) -> list[dict[str, Any]]:
    """The rows from one policy to another."""
    differing = [name for name in CHOICES if start.choices[name] != end.choices[name]]

    def at(policy: Policy) -> Mapping[Place, float]:
        if policy.name not in made:
            made[policy.name] = measure(study, policy)
        return points(made[policy.name], METRICS)

    first = at(start)
    before, policy = first, start
    rows = []
    for name in differing:
        becomes = end.choices[name]
        policy = policy.override({name: becomes})
        after = at(end if policy.choices == end.choices else policy)
        alone = after if before is first else at(start.override({name: becomes}))
        for place in sorted(first, key=lambda place: (place[0] == ALL, *place[:2])):
            change, own = moved(before[place], after[place]), moved(first[place], alone[place])
            if not any(np.isnan(one) or abs(one) > _NOTHING for one in (change, own)):
                continue
            if all(np.isnan(one[place]) for one in (before, after, alone)):
                continue
            rows.append(
                {
                    "policy": start.name,
                    "other": end.name,
                    **dict(zip(("dataset", "source", "metric"), place, strict=True)),
                    "choice": name,
                    "value": start.choices[name],
                    "becomes": becomes,
                    "before": before[place],
                    "after": after[place],
                    "change": change,
                    "alone": own,
                }
            )
        before = after
    return rows
