"""One policy's rows of metrics.csv, found by dataset, source and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from analysis.report.words import EVERYTHING, is_missing

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Numbers:
    """The rows of one policy.

    Attributes:
        policy: its name.
        rows: (dataset, source, metric) -> row; the source is empty for metrics of a dataset.
        datasets: names in order, without `*`.
        sources: names in order, the ground truth first.
        ground_truth: the name of the source the others are matched against; None if there is none.
        independent: (dataset, `verified_i_of_n`) -> what workers who decide independently would give.
        frames: the other frames of the policy, by the name of their file, as far as they are given.
    """

    policy: str
    rows: Mapping[tuple[str, str, str], Row]
    datasets: tuple[str, ...]
    sources: tuple[str, ...]
    ground_truth: str | None
    independent: Mapping[tuple[str, str], float] = field(default_factory=dict)
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        metrics: pd.DataFrame,
        policy: str,
        ground_truth: str | None,
        agreement: pd.DataFrame | None = None,
        frames: Mapping[str, pd.DataFrame] | None = None,
    ) -> Numbers:
        """The rows of `policy` in frames with the columns of metrics.csv, agreement.csv and other files."""
        rows: dict[tuple[str, str, str], Row] = {}
        for record in metrics[metrics["policy"] == policy].to_dict("records"):
            row: dict[str, Any] = {
                str(name): None if is_missing(value) else value for name, value in record.items()
            }
            row["source"] = row["source"] or ""
            rows[row["dataset"], row["source"], row["metric"]] = row
        datasets = tuple(dict.fromkeys(dataset for dataset, _, _ in rows if dataset != EVERYTHING))
        sources = dict.fromkeys(source for _, source, _ in rows if source)
        if ground_truth in sources:
            sources = dict.fromkeys([ground_truth, *sources])
        truth = ground_truth if ground_truth in sources else None
        return cls(
            policy,
            rows,
            datasets,
            tuple(sources),
            truth,
            _independent(agreement, policy),
            {name: _of(frame, policy) for name, frame in (frames or {}).items()},
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """The datasets, and `*` after them where there is more than one."""
        return self.datasets if len(self.datasets) == 1 else (*self.datasets, EVERYTHING)

    @property
    def overall(self) -> str:
        """The group that speaks for the whole study: its only dataset, or `*`."""
        return self.groups[-1] if self.groups else EVERYTHING

    @property
    def models(self) -> tuple[str, ...]:
        """The sources that are not the ground truth."""
        return tuple(source for source in self.sources if source != self.ground_truth)

    @property
    def alone(self) -> bool:
        """Whether the ground truth is the only source: nothing is compared with it then."""
        return self.sources == (self.ground_truth,)

    def get(self, dataset: str, source: str, metric: str) -> Row | None:
        """The row, or None where nothing of the kind was computed."""
        return self.rows.get((dataset, source, metric))

    def defined(self, dataset: str, source: str, metric: str) -> Row | None:
        """The row if it has an estimate."""
        row = self.get(dataset, source, metric)
        return row if row is not None and row["estimate"] is not None else None

    def records(self, frame: str, **where: str) -> list[Row]:
        """The rows of a frame whose cells equal those named; none where the frame is not there."""
        found = self.frames.get(frame)
        if found is None or found.empty:
            return []
        for name, value in where.items():
            found = found[found[name] == value]
        return [
            {str(name): None if is_missing(value) else value for name, value in row.items()}
            for row in found.to_dict("records")
        ]

    def i_of_n(self) -> Sequence[str]:
        """The names `verified_i_of_n`, all workers first."""
        names = {metric for _, _, metric in self.rows if metric.startswith("verified_")}
        return sorted(names, key=lambda name: int(name.split("_")[1]), reverse=True)


def _of(frame: pd.DataFrame, policy: str) -> pd.DataFrame:
    return frame[frame["policy"] == policy] if "policy" in frame else frame


def _independent(agreement: pd.DataFrame | None, policy: str) -> dict[tuple[str, str], float]:
    if agreement is None or "independent" not in agreement:
        return {}
    rows = agreement[agreement["policy"] == policy].dropna(subset=["independent"])
    names = zip(rows["dataset"], rows["coefficient"], strict=True)
    return dict(zip(names, map(float, rows["independent"]), strict=True))
