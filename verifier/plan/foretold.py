"""Says in lines for people what a plan's numbers will be worth, and what two points take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from verifier.plan.budget import CENT
from verifier.plan.design import Design
from verifier.plan.foresight import TARGET, Contrast, Foresight, Need, Precision
from verifier.plan.tables import count, table

_SHARED: Final = (("document", "a document"), ("worker", "a worker"), ("annotation", "an item"))


def lines(found: Foresight, design: Design, total: Decimal, currency: str, k: int) -> Iterator[str]:
    """The forecast.

    Args:
        found: it.
        design: what it assumes or has measured.
        total: what the plan costs.
        currency: of that.
        k: judgments of a task, as planned.
    """
    yield _assumed(design)
    yield from _precision(found.precision)
    yield from _agreement(found.precision)
    yield from _curve(found)
    for need in found.needs:
        yield _needed(need, total, currency, k)
    for contrast in found.contrasts:
        yield _told_apart(contrast, total, currency)


def _assumed(design: Design) -> str:
    common = ", ".join(f"{100 * getattr(design, name):.0f} % to {what}" for name, what in _SHARED)
    basis = "assuming"
    if design.measured:
        assumed = [name for name in ("rate", *(name for name, _ in _SHARED)) if name not in design.measured]
        basis = f"from {count(design.judgments, 'judgment')} so far"
        basis += f" ({', '.join(assumed)} assumed)" if assumed else ""
    return (
        f"Expected 95 % half-widths, {basis}: a rate of {design.rate:.3g}; of judgments' variance is common"
        f" {common}."
    )


def _precision(rows: Sequence[Precision]) -> Iterator[str]:
    recall = {(row.dataset, row.source): row for row in rows if row.metric == "posthoc_recall"}
    yield from table(
        ["dataset", "source", "annotations", "judged", "documents", "workers", "rate", "recall", "rate here"],
        [
            [
                row.dataset,
                row.source,
                row.n,
                f"{row.k:.2f} times",
                f"{row.documents:.0f}",
                f"{row.workers:.0f}",
                points(row.half_width, row.reason),
                points(recall[row.dataset, row.source].half_width, recall[row.dataset, row.source].reason),
                points(row.here, "-"),
            ]
            for row in rows
            if row.metric == "verification_rate"
        ],
    )
    yield (
        "  Documents, workers: so many of equal size would tell as much. Judged: identical items of all"
        " sources count together."
    )
    yield "  Rate, recall: of documents like these, which these are a sample of."
    clusters = {row.cluster for row in rows if row.cluster}
    if clusters:
        [cluster] = clusters
        what = "only who judges them is chance" if cluster == "worker" else "those not drawn are unknown"
        yield f"  Rate here: of these very texts, as analyze --cluster {cluster} has it; {what}."


def _agreement(rows: Sequence[Precision]) -> Iterator[str]:
    whole = [row for row in rows if not row.source]
    last = whole[-1].dataset if whole else ""
    for row in whole:
        if row.dataset == last and row.value is not None:
            name = "alpha" if row.metric.startswith("alpha") else "observed agreement"
            half = row.reason if row.half_width is None else f"{row.half_width:.3f}"
            yield f"  Agreement, {count(row.n, 'item')}: {name} about {row.value:.2f}, half-width {half}."
    if not whole:
        yield "  Agreement: no item has two judgments."


def _curve(found: Foresight) -> Iterator[str]:
    """How the half-width of a rate falls with k, and with the share that is judged."""
    names = list(dict.fromkeys(point.source for point in found.curve))
    if not names:
        return
    columns = sorted({(point.k, point.share) for point in found.curve}, key=lambda how: (how[1] < 1, how))
    halves = {(point.source, point.k, point.share): point.half_width for point in found.curve}
    yield ""
    yield "The rate's half-width with other k, and with other shares of the segments:"
    yield from table(
        ["source", *(f"k {k}" if share == 1 else f"{100 * share:.0f} %" for k, share in columns)],
        [[name, *(points(halves.get((name, *how)), "-") for how in columns)] for name in names],
    )


def _needed(need: Need, total: Decimal, currency: str, k: int) -> str:
    ask = f"+-{100 * TARGET:g} points for {need.source}"
    if need.half_width is None:
        return f"{ask}: cannot be said, there are too few documents or workers."
    if need.share is not None and need.share < 1:
        cost = f"about {_times(total, need.share)} {currency}"
        return f"{ask}: {100 * need.share:.0f} % of the segments are enough, {cost}."
    if need.half_width <= TARGET:
        return f"{ask}: reached as planned."
    if need.k is not None:
        return f"{ask}: k = {need.k}, about {_times(total, need.k / k)} {currency}."
    if need.documents is None:
        return f"{ask}: no number of documents like these reaches it."
    return (
        f"{ask}: no k up to 5 reaches it; {need.documents:.1f} times the documents, with as many more"
        f" workers, do, about {_times(total, need.documents)} {currency}."
    )


def _told_apart(contrast: Contrast, total: Decimal, currency: str) -> str:
    one, other = contrast.sources
    ask = f"To tell {one} and {other} apart by {100 * TARGET:g} points with 80 % power"
    if contrast.detectable is None or contrast.documents is None:
        return f"{ask}: cannot be said, there are too few documents or workers."
    found = f"as planned {100 * contrast.detectable:.1f} points are"
    if contrast.detectable <= TARGET:
        return f"{ask}: enough; {found}."
    return (
        f"{ask}: {contrast.documents:.2f} times the documents, about"
        f" {_times(total, contrast.documents)} {currency}; {found}."
    )


def points(half: float | None, otherwise: str) -> str:
    """A half-width in points."""
    return otherwise if half is None else f"{100 * half:.1f}"


def _times(total: Decimal, factor: float) -> Decimal:
    return (total * Decimal(str(round(factor, 4)))).quantize(CENT)
