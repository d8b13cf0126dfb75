"""What a reader of a study must know of it, said beside its numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools
from analysis.policy import Policy
from analysis.sampled import notes
from analysis.schemes import of_counts, schemes
from analysis.study import Study


def alone(documents: pd.DataFrame, ran: Bools, gt: str | None) -> list[str]:
    """Datasets where only the ground truth ran: what is so by definition is no finding."""
    if gt is None:
        return []
    others = pd.Series(ran[:, 1:].any(axis=1)).groupby(documents["dataset"].to_numpy()).any()
    return [
        f"Dataset {name} has the ground truth alone: by definition its recall is 1 and nothing is outside it."
        for name in others.index[~others.to_numpy(bool)]
    ]


def schemes_of(annotations: pd.DataFrame, sources: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """How many links of each source name their entity in each scheme.

    Args:
        annotations: of a study that is measured.
        sources: their names.
    """
    code = annotations["key_code"].to_numpy()
    # Each key is looked at once.
    keys, first, place = np.unique(code, return_index=True, return_inverse=True)
    kind, names = pd.factorize(schemes(annotations["key"].iloc[first]))
    kind[keys < 0] = -1
    of, source = kind[place], annotations["source_code"].to_numpy()
    size = max(len(names), 1)
    count = np.bincount((source * size + of)[of >= 0], minlength=len(sources) * size).reshape(-1, size)
    return {
        name: {str(one): int(many) for one, many in zip(names, row, strict=False) if many}
        for name, row in zip(sources, count, strict=True)
        if row.any()
    }


def warnings_of(
    study: Study, policy: Policy, found: Mapping[str, Mapping[str, int]], heard: int, *, anonymous: bool
) -> tuple[str, ...]:
    """What a reader of a study must know.

    Args:
        study: of its tables the large ones are only looked at for whether they hold anything.
        policy: the choices.
        found: source -> how many of its links name their entity in each scheme.
        heard: number of judgments that enter.
        anonymous: some of them have no worker.
    """
    out = [*study.notes, *of_counts(found, study.ground_truth or ""), *notes(study)]
    if study.simulated:
        out.append("The judgments were made by a simulated crowd.")
    if len(study["judgments"]) and not heard:
        out.append("No assignment counts: every rate is undefined.")
    if policy.resolution == "majority":
        out.append(
            "Under majority, sources whose items have different numbers of judgments come out different even"
            " if they are equally good."
        )
    if anonymous:
        out.append(
            "Some judgments have no worker id: intervals are by documents and know nothing of differences"
            " between workers."
        )
    return tuple(out)
