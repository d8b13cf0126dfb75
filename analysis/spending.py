"""spending.csv: the verification rate of each source as it stood when so much money was spent."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Codes, Floats
from analysis.measured import Measured
from analysis.schema import ALL

COLUMNS: Final = ("policy", "source", "assignments", "spent", "currency", "n", "verification_rate")
_POINTS: Final = 60


def spending(measured: Measured) -> pd.DataFrame:
    """The rate over all datasets after the first assignments handed in, in the order of their submission.

    Money is pay, fees and bonuses of everything handed in, counted or not. The last row of a source is its
    verification rate under the policy.

    Returns:
        No rows where nothing was paid, amounts are of several currencies, or times are not known.
    """
    paid = _paid(measured)
    rows = (
        []
        if paid is None
        else [row for source in measured.sources for row in _source(measured, source, paid)]
    )
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame["policy"] = measured.policy.name
    return frame.astype({"policy": "str", "source": "str", "currency": "str"}) if rows else frame


def _paid(measured: Measured) -> pd.DataFrame | None:
    """Assignments handed in, in order, with the cents spent so far; None where that is not known."""
    rows = measured.study["assignments"]
    rows = rows[rows["state"] == "submitted"]
    if rows.empty or rows["submitted"].isna().any() or len(rows["currency"].dropna().unique()) != 1:
        return None
    rows = rows.sort_values(["submitted", "assignment"], kind="stable")
    cost = [
        sum((Decimal(str(value)) for value in values if not pd.isna(value)), Decimal(0))
        for values in zip(rows["reward"], rows["fee"], rows["bonus"], strict=True)
    ]
    total = np.cumsum(np.array(cost, dtype=object))
    if not total[-1]:
        return None
    return pd.DataFrame(
        {
            "assignment": rows["assignment"].to_numpy(),
            "worker": rows["worker"].to_numpy(),
            "currency": rows["currency"].fillna(rows["currency"].dropna().iloc[0]).to_numpy(),
            "spent": [float(amount) for amount in total],
        }
    )


def _source(measured: Measured, source: str, paid: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    votes = measured.view(ALL, source).votes
    if votes.empty:
        return
    order = _order(measured, votes, paid)
    votes = votes.iloc[np.argsort(order, kind="stable")]
    order = np.sort(order)
    rate, n = _running(measured, votes)
    for place in _places(len(paid)):
        seen = int(np.searchsorted(order, place, side="right"))
        if seen:
            row = paid.iloc[place]
            spent, currency = float(row["spent"]), str(row["currency"])
            yield ("", source, place + 1, spent, currency, int(n[seen - 1]), float(rate[seen - 1]))


def _places(amount: int) -> list[int]:
    """Which assignments get a point: all, or `_POINTS` spread evenly, the last among them."""
    return sorted({round(place) for place in np.linspace(0, amount - 1, min(amount, _POINTS))})


def _order(measured: Measured, votes: pd.DataFrame, paid: pd.DataFrame) -> Codes:
    """For each vote the place of the assignment that brought it; the first for what cannot be told."""
    made = measured.study["judgments"]
    made = made.loc[made["current"].astype(bool) & (made["role"] == "worker"), ["assignment", "display"]]
    made = made.merge(
        paid.assign(place=np.arange(len(paid)))[["assignment", "worker", "place"]], on="assignment"
    )
    annotations = measured.annotations[["annotation", "item"]].assign(
        code=np.arange(len(measured.annotations))
    )
    made = made.merge(measured.study["credits"], on="display").merge(annotations, on="annotation")
    worker = {name: code for code, name in enumerate(measured.workers)}
    code = made["worker"].map(worker).fillna(-1).astype(np.int64)
    # A worker has one voice on an item, whichever source it was shown for; what is no item speaks for itself.
    about = np.where(made["item"] >= 0, made["item"], -2 - made["code"])
    known = made.assign(code=code, about=about).groupby(["code", "about"])["place"].max()
    item, annotation = votes["item"].to_numpy(), votes["annotation"].to_numpy()
    wanted = pd.MultiIndex.from_arrays(
        [votes["worker"].to_numpy(), np.where(item >= 0, item, -2 - annotation)]
    )
    return known.reindex(wanted).fillna(0).to_numpy().astype(np.int64)


def _running(measured: Measured, votes: pd.DataFrame) -> tuple[Floats, Codes]:
    """After each vote: the mean value of what was judged so far, and how many annotations that is."""
    annotation = votes["annotation"].to_numpy()
    groups = votes.groupby(annotation, sort=False)
    share = (groups["verify"].cumsum() / groups["weight"].cumsum()).to_numpy(float)
    before = pd.Series(share).groupby(annotation, sort=False).shift(fill_value=0.0).to_numpy(float)
    first = (groups.cumcount() == 0).to_numpy()
    weight = np.ones(len(votes))
    if measured.weight is not None:
        weight = np.append(measured.weight, 1.0)[votes["segment"].to_numpy()]
    return (
        np.cumsum((share - before) * weight) / np.maximum(np.cumsum(first * weight), 1e-300),
        np.cumsum(first).astype(np.int64),
    )
