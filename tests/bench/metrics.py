"""Every metric of a study of the published size, against scipy's bootstrap and against plain pandas loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from analysis.evaluate import evaluate, metrics
from analysis.outcomes import measure
from tests.bench import published
from tests.bench.rows import Row, processor_seconds, seconds

REPLICATES = 1000
PLAIN_REPLICATES = 2


def run() -> list[Row]:
    """The rows of this bench."""
    frame = published.frame()
    study = published.study()

    def whole() -> None:
        # Anew: a study remembers what was computed from it.
        measured = measure(replace(study, memo={}))
        evaluate(measured, metrics(measured), replicates=REPLICATES)

    def one() -> None:
        evaluate(measured, ["verification_rate"], replicates=REPLICATES)

    whole()
    measured = measure(study)
    count = len(metrics(measured))
    every = seconds(whole, 3)
    plain = _plain_seconds(frame)
    return [
        Row(
            f"all {count} metrics, 8 datasets x 3 sources, {REPLICATES} replicates",
            every,
            "seconds",
            plain,
            f"pandas loop, 8 of the metrics (from {PLAIN_REPLICATES} replicates)",
            1.5,
        ),
        Row("the same, processor time", processor_seconds(whole, 2), "seconds"),
        Row(
            f"one metric, every cell, {REPLICATES} replicates and the jackknife",
            seconds(one, 3),
            "seconds",
            seconds(lambda: _scipy(frame)),
            "scipy.stats.bootstrap over documents",
        ),
    ]


def _scipy(frame: pd.DataFrame) -> None:
    """The verification rate of each dataset and source by scipy's bootstrap over documents."""
    verified = frame.assign(verify=frame["decision"] == "verify")
    sums = verified.groupby(["dataset", "source", "document"])["verify"].agg(["sum", "size"])
    parts = [part for _, part in sums.groupby(["dataset", "source"])]
    parts += [part for _, part in sums.groupby("source")]
    for part in parts:
        stats.bootstrap(
            (part["sum"].to_numpy(float), part["size"].to_numpy(float)),
            lambda hit, size, axis: hit.sum(axis=axis) / size.sum(axis=axis),
            paired=True,
            n_resamples=REPLICATES,
            method="percentile",
            rng=np.random.default_rng(0),
        )


def _plain_seconds(frame: pd.DataFrame) -> float:
    """How long a script that resamples whole documents with pandas would take, from a few replicates."""
    r = np.random.default_rng(0)
    parts = {dataset: dict(list(part.groupby("document"))) for dataset, part in frame.groupby("dataset")}

    def few() -> None:
        for documents in parts.values():
            names = sorted(documents)
            for _ in range(PLAIN_REPLICATES):
                drawn = r.integers(0, len(names), len(names))
                rows = [documents[names[n]].assign(copy=place) for place, n in enumerate(drawn)]
                _plain(pd.concat(rows, ignore_index=True))

    return seconds(few) * REPLICATES / PLAIN_REPLICATES


def _plain(rows: pd.DataFrame) -> list[dict[str, float]]:
    """Rates, precision, recall, F1, union size and the ground truth's share of it, the plain way."""
    item = ["copy", "start", "end", "entity"]
    verified = rows[rows["decision"] == "verify"]
    union = verified[item].drop_duplicates()
    out = []
    for _, part in rows.groupby("source"):
        rates = part["decision"].value_counts(normalize=True)
        own = part[part["decision"] == "verify"][item].drop_duplicates()
        recall = len(own) / len(union)
        precision = rates.get("verify", 0.0)
        out.append(
            {
                "verification": precision,
                "edit": rates.get("edit", 0.0),
                "removal": rates.get("remove", 0.0),
                "precision": precision,
                "recall": recall,
                "f1": 2 * precision * recall / (precision + recall),
                "union": len(union),
                "covered": len(union.merge(rows.loc[rows["source"] == "GT", item].drop_duplicates()))
                / len(union),
            }
        )
    return out
