"""Every frame that an analysis writes, computed from a study and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis.agreement_table import agreement_table
from analysis.audit import audit_frame
from analysis.compare import comparisons
from analysis.corrected import corrected_rows
from analysis.coverage_table import coverage_table
from analysis.errors import ConfigError
from analysis.evaluate import evaluate, metrics, typed
from analysis.measured import Measured
from analysis.metrics.registry import CLUSTERS, get
from analysis.outcomes import measure
from analysis.policy import Policy
from analysis.resolution_bias import majority_notes
from analysis.settings import Settings
from analysis.study import Study
from analysis.workers import workers_frame

_LEVEL: Final = 0.95


@dataclass(frozen=True)
class Results:
    """What was computed.

    Attributes:
        study: the input.
        settings: what was asked.
        policies: the policies, in the order asked.
        measured: the study under each of them.
        metrics: frame of metrics.csv, all policies.
        comparisons: frame of comparisons.csv, all policies.
        ranks: frame of ranks.csv, all policies.
        sensitivity: frame of sensitivity.csv, all policies.
        coverage: frame of coverage.csv, all policies.
        agreement: frame of agreement.csv, all policies.
        workers: frame of workers.csv.
        audit: frame of audit.csv, all policies.
        warnings: what a reader must know, each once.
    """

    study: Study
    settings: Settings
    policies: tuple[Policy, ...]
    measured: tuple[Measured, ...]
    metrics: pd.DataFrame
    comparisons: pd.DataFrame
    ranks: pd.DataFrame
    sensitivity: pd.DataFrame
    coverage: pd.DataFrame
    agreement: pd.DataFrame
    workers: pd.DataFrame
    audit: pd.DataFrame
    warnings: tuple[str, ...]


def compute(study: Study, settings: Settings) -> Results:
    """Everything of an analysis, under each policy.

    Raises:
        PosthocError: a setting, or a number that was asked for, is not possible for this study.
    """
    settings.check()
    policies = settings.resolved()
    measured = tuple(measure(study, policy) for policy in policies)
    frames = [_evaluate(each, settings) for each in measured]
    corrected = [corrected_rows(each, settings.level or _LEVEL) for each in measured]
    compared = [comparisons(each, level=settings.level, seed=settings.seed) for each in measured]
    notes = [*study.notes, *(note for each in measured for note in each.warnings)]
    notes += [note for frame in frames for note in frame.attrs.get("warnings", ())]
    notes += [note for _, _, said in corrected for note in said]
    notes += [note for each in measured for note in majority_notes(each)]
    frames = [
        pd.concat([frame, typed(rows)], ignore_index=True) if rows else frame
        for frame, (rows, _, _) in zip(frames, corrected, strict=True)
    ]
    return Results(
        study,
        settings,
        policies,
        measured,
        metrics=_stack(frames),
        comparisons=_stack([frame for frame, _ in compared]),
        ranks=_stack([ranks for _, ranks in compared]),
        sensitivity=_stack([frame for _, frame, _ in corrected]),
        coverage=_stack([_labelled(coverage_table(each), each.policy) for each in measured]),
        agreement=_stack(
            [
                _labelled(agreement_table(each, frame), each.policy)
                for each, frame in zip(measured, frames, strict=True)
            ]
        ),
        workers=workers_frame(study, settings.level or _LEVEL),
        audit=_stack([audit_frame(each) for each in measured]),
        warnings=tuple(dict.fromkeys(notes)),
    )


def _evaluate(measured: Measured, settings: Settings) -> pd.DataFrame:
    """All metrics. Clusters that were asked for go to the metrics that allow them; the others keep theirs.

    Raises:
        ConfigError: no metric allows the clusters.
    """
    common: dict[str, Any] = {
        name: getattr(settings, name) for name in ("replicates", "seed", "level", "interval")
    }
    names = metrics(measured)
    if settings.cluster is None:
        return evaluate(measured, names, **common)
    allowed = [name for name in names if settings.cluster in get(name).clusters]
    if not allowed:
        raise ConfigError(
            "no such clusters", where="--cluster", got=repr(settings.cluster), expected=", ".join(CLUSTERS)
        )
    parts = [evaluate(measured, allowed, **common, cluster=settings.cluster)]
    if kept := [name for name in names if name not in allowed]:
        parts.append(evaluate(measured, kept, **common))
        parts[0].attrs["warnings"] += parts[1].attrs["warnings"]
        parts[0].attrs["warnings"].append(
            f"Clusters by {settings.cluster} are not possible for {len(kept)} of {len(names)} metrics; these "
            "keep the policy's, as the column method says."
        )
    return _in_order(parts, names)


def _in_order(parts: Sequence[pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Rows of several evaluations as one evaluation has them."""
    whole = pd.concat(parts, ignore_index=True)
    place = {name: number for number, name in enumerate(names)}
    order = pd.DataFrame(
        {
            "dataset": pd.factorize(whole["dataset"])[0],
            "source": pd.factorize(whole["source"])[0],
            "metric": whole["metric"].map(place),
        }
    ).sort_values(["dataset", "source", "metric"])
    out = whole.iloc[order.index].reset_index(drop=True)
    out.attrs["warnings"] = parts[0].attrs["warnings"]
    return out


def _labelled(frame: pd.DataFrame, policy: Policy) -> pd.DataFrame:
    """The frame with its policy as first column."""
    if "policy" in frame:
        return frame
    out = frame.copy()
    out.insert(0, "policy", policy.name)
    return out


def _stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames under one another. Empty ones do not decide the types of columns."""
    full = [frame for frame in frames if not frame.empty]
    if not full:
        return frames[0].reset_index(drop=True)
    return full[0].reset_index(drop=True) if len(full) == 1 else pd.concat(full, ignore_index=True)
