"""McNemar's test: what one source found and the other did not, over ground-truth links and union items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy import special

from analysis.engine.counts import Bools
from analysis.keys import LINK
from analysis.measured import Measured
from analysis.sampled import parted
from analysis.schema import ALL
from analysis.union import union

KIND: Final = "mcnemar"
OF_GT: Final = "found_of_gt"
OF_UNION: Final = "found_of_union"
CAUTION: Final = "items count as independent: where those of a document go together, p is too small"


def mcnemar(alone: int, other_alone: int) -> tuple[float, float]:
    """Two-sided p by the mid-p method, and exact (McNemar 1947; Fagerland, Lydersen & Laake 2013).

    Args:
        alone: items that the first found and the second did not.
        other_alone: items that the second found and the first did not.

    >>> [round(p, 4) for p in mcnemar(1, 7)]
    [0.0391, 0.0703]
    """
    n, fewer = alone + other_alone, min(alone, other_alone)
    if not n:
        return 1.0, 1.0
    tail = float(special.bdtr(fewer, n, 0.5))
    below = float(special.bdtr(fewer - 1, n, 0.5)) if fewer else 0.0
    exact = min(1.0, 2 * tail)
    return min(1.0, tail + below), exact


def found_rows(measured: Measured, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """A row a dataset, pair and kind of item: the difference of the shares found, and p.

    Over ground-truth links (`found_of_gt`, of models alone: the ground truth has them all): found is the same
    span with the same entity. Over the union's items (`found_of_union`): found is what the source had shown.
    Both only where both sources ran.
    """
    rows: list[dict[str, Any]] = []
    owns = {OF_GT: _imported(measured), OF_UNION: measured.support}
    pools = {OF_GT: _of_gt(measured, owns[OF_GT]), OF_UNION: _of_union(measured)}
    document = measured.items["document_code"].to_numpy()
    for metric, pool in pools.items():
        for dataset in (*measured.datasets, ALL):
            stretch = measured.document_codes(dataset)
            inside = pool & (document >= stretch.start) & (document < stretch.stop)
            for source, other in pairs:
                if metric == OF_GT and measured.gt in (None, source, other):
                    continue
                codes = [measured.source_code(name) for name in (source, other)]
                if not measured.ran[stretch][:, codes].all(axis=1).any():
                    continue
                ran = measured.ran[document][:, codes].all(axis=1)
                cells = {"kind": KIND, "dataset": dataset, "metric": metric, "source": source, "other": other}
                rows.append(cells | _tested(measured, owns[metric][:, codes][inside & ran], metric))
    return rows


def _tested(measured: Measured, found: Bools, metric: str) -> dict[str, Any]:
    if metric == OF_UNION and (parted(measured) or not _even(measured)):
        return {"reason": "the sample gives items unequal weights, which the test does not know"}
    if not len(found):
        return {"reason": "there is nothing to find where both ran"}
    first, second = found[:, 0], found[:, 1]
    alone, other_alone = int((first & ~second).sum()), int((second & ~first).sum())
    p, exact = mcnemar(alone, other_alone)
    both, neither = int((first & second).sum()), int((~first & ~second).sum())
    alike = f"by both {both}, by neither {neither}"
    return {
        "estimate": (alone - other_alone) / len(found),
        "n": float(len(found)),
        "p": p,
        "method": f"McNemar, mid-p (exact p {exact:.4g}); found by the first alone {alone},"
        f" by the second alone {other_alone}, {alike}",
        "warning": CAUTION,
    }


def _even(measured: Measured) -> bool:
    if measured.weight is None:
        return True
    weight = measured.weight[measured.weight > 0]
    return bool((weight == weight[:1]).all())


def _imported(measured: Measured) -> Bools:
    """(items x sources) the source has the item, shown or not."""
    rows = measured.annotations
    item = rows["item"].to_numpy()
    link = (rows["kind"] == LINK).to_numpy() & (item >= 0)
    out: Bools = np.zeros(measured.support.shape, dtype=bool)
    out[item[link], rows["source_code"].to_numpy()[link]] = True
    return out


def _of_gt(measured: Measured, own: Bools) -> Bools:
    """Items that the ground truth has, wholly inside the evaluation spans."""
    if measured.gt is None:
        return np.zeros(len(measured.items), dtype=bool)
    items, documents = measured.items, measured.documents
    place = items["document_code"].to_numpy()
    start = documents["evaluation_start"].to_numpy()[place]
    end = documents["evaluation_end"].to_numpy()[place]
    inside = (items["start"].to_numpy() >= start) & (items["end"].to_numpy() <= end)
    return np.asarray(own[:, measured.source_code(measured.gt)] & inside)


def _of_union(measured: Measured) -> Bools:
    out: Bools = np.zeros(len(measured.items), dtype=bool)
    out[union(measured.view())] = True
    return out
