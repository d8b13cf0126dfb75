"""Warnings about a table of labels, in plain words: where a number is known to mislead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.agreement.classes import Classes
from analysis.agreement.coefficient import Facts
from analysis.agreement.found import Record

FEW_UNITS: Final = 20
FEW_OUTCOMES: Final = 5
_APART: Final = 0.05
_PREVAILS: Final = 0.8
_HIGH: Final = 0.8
_GAP: Final = 0.2
_HALF: Final = 0.5
_MOVES: Final = 0.1
_TWO: Final = 2
_NAMED: Final = 5


def caveats(of: Classes, facts: Facts, records: Sequence[Record], beside: Mapping[str, Any]) -> list[str]:
    """What a reader of these numbers must know."""
    estimates = {record["coefficient"]: record["estimate"] for record in records if not record["category"]}
    paired = int((of.count * of.paired).sum())
    return [
        *_overlap(of, facts, paired),
        *_rare(of, facts),
        *_lone(of, facts),
        *_categories(facts, beside["categories"]),
        *_prevalence(estimates, beside["categories"]),
        *_workers(estimates, beside["workers"]),
    ]


def _overlap(of: Classes, facts: Facts, paired: int) -> list[str]:
    if not paired:
        alone = ["there is one worker"] if facts.workers < _TWO else []
        return ["no unit has labels of two workers: agreement cannot be told, and it is not perfect", *alone]
    lone = int((of.count * (of.m == 1)).sum())
    found = []
    if paired < FEW_UNITS:
        found.append(
            f"units with labels of two workers are only {paired}: intervals are rough under {FEW_UNITS}"
        )
    if lone:
        found.append(
            f"{lone:,} of {int(of.count.sum()):,} units have one label alone; they say nothing of agreement"
        )
    return found


def _rare(of: Classes, facts: Facts) -> list[str]:
    """Where rare categories were hardly agreed on, correction for chance rests on little."""
    most = int(np.argmax(of.count @ of.counts))
    others = np.delete(of.counts, most, axis=1)
    if not others.shape[1] or not (of.count @ others).any():
        return []
    alike = int(of.count[(of.paired > 0) & (2 * others.max(axis=1) > of.m)].sum())
    if alike >= FEW_OUTCOMES:
        return []
    where = (
        f"units most of whose labels agree on a category other than {facts.names[most]!r} are only {alike}"
    )
    return [f"{where}: intervals of kappa, pi and alpha are too narrow then"]


def _lone(of: Classes, facts: Facts) -> list[str]:
    """Where lone labels, which count for chance under Gwet's rule, shift the shares of categories."""
    share = of.counts / np.where(of.m > 0, of.m, 1.0)[:, None]
    lone, paired = of.count * (of.m == 1), of.count * of.paired
    if not lone.any() or not paired.any():
        return []
    everybody = (lone + paired) @ share / (lone + paired).sum()
    apart = everybody - paired @ share / paired.sum()
    most = int(np.argmax(np.abs(apart)))
    if abs(apart[most]) < _APART:
        return []
    what = f"with lone labels the share of {facts.names[most]!r} is {100 * everybody[most]:.0f} %"
    without = f"without them {100 * (everybody[most] - apart[most]):.0f} %"
    return [f"{what}, {without}: pi, kappa and AC count them for chance, alpha does not"]


def _categories(facts: Facts, categories: Sequence[Record]) -> list[str]:
    used = [row["category"] for row in categories if row["labels"]]
    found = []
    if len(used) == 1:
        found.append(
            f"only the category {used[0]!r} was used: whether workers could tell it from another is unknown"
        )
    if not facts.declared and not facts.sets:
        found.append("the categories were not declared: what hangs on their number or order is not computed")
    if facts.declared and (never := [row["category"] for row in categories if not row["labels"]]):
        found.append(
            f"never used: {', '.join(never)}; S and AC count declared categories, whether used or not"
        )
    return found


def _prevalence(estimates: Mapping[str, float | None], categories: Sequence[Record]) -> list[str]:
    observed, alpha = estimates.get("observed_agreement"), estimates.get("alpha_nominal")
    shares = {row["category"]: row["share"] or 0.0 for row in categories}
    most = max(shares, key=lambda name: shares[name])
    if observed is None or alpha is None or shares[most] < _PREVAILS:
        return []
    if observed < _HIGH or observed - alpha < _GAP:
        return []
    often = f"{100 * shares[most]:.0f} % of the labels are {most!r}"
    why = "by chance alone workers would mostly agree, so kappa, pi and alpha are low although people nearly"
    return [f"{often}: {why} always agree; read them with observed and specific agreement"]


def _workers(estimates: Mapping[str, float | None], workers: Sequence[Record]) -> list[str]:
    if len(workers) <= _TWO:
        return []
    total = sum(row["labels"] for row in workers)
    found = [
        f"worker {row['worker']} gave {100 * row['labels'] / total:.0f} % of the labels"
        for row in workers
        if row["labels"] > _HALF * total
    ]
    if flagged := [str(row["worker"]) for row in workers if row["flagged"]]:
        named = ", ".join(flagged[:_NAMED]) + (
            f" and {len(flagged) - _NAMED} more" if flagged[_NAMED:] else ""
        )
        found.append(
            f"agree less with the rest than the others do with each other: {named}"
            " (after Benjamini and Hochberg; who alone is right is among them too)"
        )
    alpha = estimates.get("alpha_nominal")
    moved = [row for row in workers if row["alpha_without"] is not None and alpha is not None]
    if alpha is None or not moved:
        return found
    most = max(moved, key=lambda row: abs(row["alpha_without"] - alpha))
    if abs(most["alpha_without"] - alpha) >= _MOVES:
        found.append(
            f"one worker sways the result: without worker {most['worker']} nominal alpha would be"
            f" {most['alpha_without']:.3f} and not {alpha:.3f}"
        )
    return found
