"""The tables of sources compared: differences, ranks, and the negative control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from analysis.report.tables import Table
from analysis.report.text import Text
from analysis.report.words import EVERYTHING, count, dataset_name, interval, is_missing, number, signed

if TYPE_CHECKING:
    import pandas as pd

_TITLES: Final = {
    "verification_rate": "verification rate",
    "posthoc_precision": "posthoc precision",
    "posthoc_recall": "posthoc recall",
    "posthoc_f1": "posthoc F1",
}
_SMALL: Final = 0.001


def comparing_tables(comparisons: pd.DataFrame, ranks: pd.DataFrame, policy: str) -> list[Table]:
    """Differences, ranks and the control of one policy."""
    if comparisons.empty:
        return []
    rows, ranks = (_of(frame, policy) for frame in (comparisons, ranks))
    control = rows["kind"] == "negative_control"
    differences = Table(
        "differences",
        "Sources compared in pairs, over the documents that both ran on",
        "The first less the second. Intervals are not adjusted for the number of comparisons; p (Holm) is, "
        "over all pairs and datasets of one score.",
        ("Score", "Dataset", "First", "Second", "Difference", "p", "p (Holm)", "Documents"),
        tuple(_difference(row) for row in rows[rows["kind"] == "difference"].to_dict("records")),
        4,
    )
    same = Table(
        "control",
        "The same item judged under two sources",
        "Who saw an item did not know the source: a difference here is none of the sources. It would point "
        "at a leak of the source, or an unbalanced draw. n: items judged under both.",
        ("Dataset", "First", "Second", "Difference", "p", "p (Holm)", "n"),
        tuple(_same(row) for row in rows[control].to_dict("records")),
        3,
    )
    return [differences, _ranks(ranks), same]


def _of(frame: pd.DataFrame, policy: str) -> pd.DataFrame:
    """The rows of a policy; where there is one dataset, all datasets are the same again."""
    rows = frame[frame["policy"] == policy]
    return rows if rows["dataset"].nunique() > 2 else rows[rows["dataset"] != EVERYTHING]  # noqa: PLR2004 - itself, and all


def _difference(row: dict[Any, Any]) -> tuple[Text, ...]:
    title = _TITLES.get(row["metric"], row["metric"])
    return ((title,), (dataset_name(row["dataset"]),), *_tested(row), (count(row["documents"]),))


def _same(row: dict[Any, Any]) -> tuple[Text, ...]:
    return ((dataset_name(row["dataset"]),), *_tested(row), (count(row["n"]),))


def _tested(row: dict[Any, Any]) -> tuple[Text, ...]:
    """The pair, its difference, and its p values."""
    if is_missing(row["estimate"]):
        return (row["source"],), (row["other"],), (row["reason"],), ("",), ("",)
    said = f"{signed(row['estimate'])} {interval(row['low'], row['high'])}".strip()
    return (row["source"],), (row["other"],), (said,), (_p(row["p"]),), (_p(row["p_holm"]),)


def _p(value: float) -> str:
    return f"< {_SMALL:g}" if value < _SMALL else number(value)


def _ranks(rows: pd.DataFrame) -> Table:
    """A row a score, dataset and source; a column a rank."""
    known = rows[rows["probability"].notna()]
    places = sorted(known["rank"].unique().tolist())
    table = known.pivot_table(
        index=["metric", "dataset", "source"], columns="rank", values="probability", sort=False
    )
    cells = tuple(
        (
            (_TITLES.get(metric, metric),),
            (dataset_name(dataset),),
            (source,),
            *(("",) if is_missing(row[rank]) else (number(row[rank], 2),) for rank in places),
        )
        for (metric, dataset, source), row in zip(table.index, table.to_dict("records"), strict=True)
    )
    return Table(
        "ranks",
        "How probable each rank is",
        "Rank 1 is the highest value, over the documents that every source ran on.",
        ("Score", "Dataset", "Source", *(f"Rank {rank}" for rank in places)),
        cells,
        3,
    )
