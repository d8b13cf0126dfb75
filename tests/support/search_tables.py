"""The figures of docs/proofs/search.json as the tables of docs/explanation/search.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

OURS = "posthoc"
_TYPED = "typed letter by letter"
_TIMES = "ms of processor time"


def lines(proof: Mapping[str, Any]) -> Iterator[str]:
    """Every row of figures."""
    for told in proof.values():
        yield from _qualities(told)
    yield from _sizes(proof)


def _qualities(told: Mapping[str, Any]) -> Iterator[str]:
    """A row for each kind of query, and below it all kinds alike."""
    peers = [name for name, value in told.items() if isinstance(value, dict) and name != OURS]
    yield f"| {told['entities']:,} entities, {told['names']:,} names | n | first | in 5 | in 10 | MRR | " + (
        " | ".join(f"{name}: first, in 10 (n)" for name in peers) + " |"
    )
    kinds = [kind for kind, value in told[OURS].items() if "mrr" in value]
    for kind in kinds:
        own = told[OURS][kind]
        cells = [kind, str(own["n"]), _with_interval(own["recall@1"])]
        cells += [f"{own[what][0]:.2f}" for what in ("recall@5", "recall@10", "mrr")]
        yield f"| {' | '.join(cells + [_peer(told[name][kind]) for name in peers])} |"
    means = [_mean(told[OURS], kinds, what) for what in ("recall@1", "recall@5", "recall@10", "mrr")]
    others = [
        f"{_mean(told[name], kinds, 'recall@1')}, {_mean(told[name], kinds, 'recall@10')}" for name in peers
    ]
    yield f"| **all kinds alike** | | {' | '.join(means + others)} |"


def _sizes(proof: Mapping[str, Any]) -> Iterator[str]:
    """Letters until found, and times."""
    for told in proof.values():
        for name, value in told.items():
            if isinstance(value, dict):
                typed, times = value[_TYPED], value[_TIMES]
                first, among = (_letters(typed[f"letters until {what}"]) for what in ("first", "among 5"))
                yield (
                    f"| {told['entities']:,} | {name} | {typed['n']} | {first} | {among} |"
                    f" {typed['never first']} | {times['n']:,} | {times['p50']:g} | {times['p99']:g} |"
                )
    for told in proof.values():
        rate = told["entities built a second of processor time"]
        yield f"| {told['entities']:,} | {told['names']:,} | {rate:,} | {told['megabytes']:g} MB |"


def _with_interval(figures: list[float]) -> str:
    share, low, high = figures
    return f"{share:.2f} ({low:.2f} to {high:.2f})"


def _peer(told: Mapping[str, Any]) -> str:
    return f"{told['recall@1'][0]:.2f}, {told['recall@10'][0]:.2f} ({told['n']})" if told["n"] else ""


def _mean(told: Mapping[str, Any], kinds: list[str], what: str) -> str:
    each = [told[kind][what][0] for kind in kinds if told[kind]["n"]]
    return f"{sum(each) / len(each):.2f}"


def _letters(figures: list[float | None]) -> str:
    middle, low, high = ("never" if one is None else f"{one:g}" for one in figures)
    return f"{middle} ({low} to {high})"
