"""Agreement of workers about the same item: observed agreement and nominal alpha, as sums over items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY
from analysis.alpha import agreeing_pairs, alpha_from_sums, labels_of
from analysis.decided import OVER, units
from analysis.engine.counts import Counts
from analysis.measured import View
from analysis.metrics.registry import Metric, ratio, register
from analysis.spans import Ints

IN_WORDS: Final = {"decisions": "verify, edit, remove", "verified": "verified or not"}
Sums = Mapping[str, NDArray[Any]]


def _counter(over: str) -> Callable[[View], Counts]:
    """The count over one set of categories; both coefficients share it, so that it is made once."""

    def count(view: View) -> Counts:
        where, counts = units(view, over)
        kept = labels_of(counts) > 1
        where, counts = where.loc[kept], counts[kept]
        m, agree = labels_of(counts), agreeing_pairs(counts)
        totals = {name: counts[:, i] for i, name in enumerate(OVER[over])}
        parts = [
            _rows(where, m * (m - 1), {"agreement": agree}),
            _rows(where, m - 1, {"agree": agree}),
            _rows(where, np.ones_like(m), {"units": np.ones_like(m), **totals}),
        ]
        return Counts.concat(parts)

    return count


def _rows(where: pd.DataFrame, n: Ints, quantities: Mapping[str, Ints]) -> Counts:
    return Counts.of(
        document=where["document_code"],
        segment=where["segment"],
        unit=where["item"],
        n=n,
        quantities=quantities,
    )


def _value_of_alpha(over: str) -> Callable[[Sums], NDArray[Any]]:
    def value(sums: Sums) -> NDArray[Any]:
        return alpha_from_sums(sums["agree"], [sums[name] for name in OVER[over]])

    return value


def _register(over: str, end: str) -> None:
    words, count = IN_WORDS[over], _counter(over)
    register(
        Metric(
            name=f"observed_agreement{end}",
            title=f"Observed agreement ({words})",
            formula="mean over items of the share of pairs of workers who decided alike",
            range=(0.0, 1.0),
            better="higher",
            undefined=NO_OVERLAP.replace("unit has labels", "item has decisions"),
            clusters=("document", "segment", "unit"),
            reference="docs/definitions.md section 6",
            family="agreement",
            per="dataset",
            count=count,
            value=ratio("agreement", "units"),
            size="units",
        )
    )
    register(
        Metric(
            name=f"alpha_nominal{end}",
            title=f"Krippendorff's alpha, nominal ({words})",
            formula="1 - observed / expected disagreement, of pairable values",
            range=(-1.0, 1.0),
            better="higher",
            undefined=f"{NO_OVERLAP.replace('unit has labels', 'item has decisions')}, or {ONE_CATEGORY}",
            clusters=("document", "segment", "unit"),
            reference="Krippendorff (2004), Content Analysis, chapter 11; docs/definitions.md section 6",
            family="agreement",
            per="dataset",
            count=count,
            value=_value_of_alpha(over),
            size="units",
        )
    )


_register("decisions", "")
_register("verified", "_verified")
