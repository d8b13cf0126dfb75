"""Every frame that an analysis writes, computed from a study and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from analysis.agreement_table import agreement_table
from analysis.audit import audit_frame
from analysis.audited import expert_rows
from analysis.capture import NOTE, capture_rows
from analysis.compare import comparisons
from analysis.control_results import control_results
from analysis.corrected import corrected_rows, read_controls
from analysis.counted import COUNTED
from analysis.coverage_table import coverage_table
from analysis.errors import ConfigError, plain
from analysis.evaluate import evaluate, metrics, typed
from analysis.given_types import GROUPING as GIVEN
from analysis.given_types import types_of
from analysis.groups import reason_against
from analysis.lock import departures, margin_notes, margin_of
from analysis.measured import Measured
from analysis.memory import give_back
from analysis.metrics.registry import CLUSTERS, get
from analysis.moves import moves
from analysis.outcomes import measure
from analysis.policy import Policy
from analysis.reliability import reliability
from analysis.resolution_bias import majority_notes
from analysis.sensitivity import sensitivity
from analysis.settings import Settings
from analysis.spending import spending
from analysis.study import Study
from analysis.times import times
from analysis.waterfall import waterfall
from analysis.workers import workers_frame

_LEVEL: Final = 0.95
# What is parted by further groupings: a rate or a score of each, where the grouping allows it.
_PARTED: Final = (
    "verification_rate",
    "edit_rate",
    "removal_rate",
    "posthoc_precision",
    "posthoc_recall",
    "posthoc_f1",
)


@dataclass(frozen=True, repr=False)
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
        waterfall: frame of waterfall.csv, all policies.
        choices: frame of choices.csv: which choice moved which number.
        groups: frame of groups.csv, all policies; empty unless asked for.
        reliability: frame of reliability.csv, all policies: what people verified of each bin of confidence.
        margin: of "as good as"; None: nothing is said of it.
        departures: from the locked plan, a sentence each; empty too without a lock.
        warnings: what a reader must know, each once.
        times: frame of times.csv: seconds a judgment took.
        controls: frame of controls.csv: what people made of the controls.
        spending: frame of spending.csv, all policies: rates as they stood when so much was spent.
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
    waterfall: pd.DataFrame
    choices: pd.DataFrame
    groups: pd.DataFrame
    reliability: pd.DataFrame
    margin: float | None
    departures: tuple[str, ...]
    warnings: tuple[str, ...]
    times: pd.DataFrame = field(default_factory=pd.DataFrame)
    controls: pd.DataFrame = field(default_factory=pd.DataFrame)
    spending: pd.DataFrame = field(default_factory=pd.DataFrame)

    def __repr__(self) -> str:
        """What was computed, in a few lines."""
        from analysis.showing import as_text  # noqa: PLC0415 - only when somebody looks

        return as_text(self)

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        from analysis.showing import as_html  # noqa: PLC0415 - only when somebody looks

        return as_html(self)


def _nobody(frames: Sequence[pd.DataFrame]) -> list[str]:
    """What is said of a study in which there is nothing yet that people tell."""
    rates = pd.concat([frame.loc[frame["metric"] == "verification_rate", "estimate"] for frame in frames])
    if len(rates) and rates.isna().all():
        return ["No judgment counts yet: all that people's judgments would tell is empty, with the reason"]
    return []


def compute(study: Study, settings: Settings) -> Results:
    """Everything of an analysis, under each policy.

    Raises:
        PosthocError: a setting, or a number that was asked for, is not possible for this study.
    """
    settings.check()
    if GIVEN in settings.by:
        types_of(study)
    policies, level = settings.resolved(), settings.level or _LEVEL
    # Of the study alone: before there is more to hold.
    timed, checked = times(study), control_results(study, level)
    measured = tuple(measure(study, policy) for policy in policies)
    _put_away(measured)
    frames = [_evaluate(each, settings) for each in measured]
    _put_away(measured)
    margin = margin_of(study, settings.margin)
    corrected = [corrected_rows(each, level) for each in measured]
    _put_away(measured)
    compared = [
        comparisons(each, level=settings.level, seed=settings.seed, margin=margin) for each in measured
    ]
    _put_away(measured)
    beyond = [_beyond_crowd(each, level) for each in measured]
    moving = [sensitivity(each, curve) for each, (_, curve, _) in zip(measured, corrected, strict=True)]
    _put_away(measured)
    notes = [*_notes(measured, frames, corrected, beyond), *margin_notes(study, margin)]
    frames = [
        _with(frame, [*rows, *more])
        for frame, (rows, _, _), (more, _) in zip(frames, corrected, beyond, strict=True)
    ]
    agreeing = [_labelled(agreement_table(a, b), a.policy) for a, b in zip(measured, frames, strict=True)]
    found = Results(
        study,
        settings,
        policies,
        measured,
        metrics=_stack(frames),
        comparisons=_stack([frame for frame, _ in compared]),
        ranks=_stack([ranks for _, ranks in compared]),
        sensitivity=_stack(moving),
        coverage=_stack([_labelled(coverage_table(each), each.policy) for each in measured]),
        agreement=_stack(agreeing),
        workers=workers_frame(study, level, measured[0]),
        audit=_stack([audit_frame(each) for each in measured]),
        waterfall=_stack([waterfall(each) for each in measured]),
        choices=moves(study, measured),
        groups=_groups(measured, settings),
        reliability=_stack([reliability(each, settings.level) for each in measured]),
        margin=margin,
        departures=tuple(departures(study, policies, settings)),
        warnings=tuple(dict.fromkeys(notes)),
        times=timed,
        controls=checked,
        spending=_stack([spending(each) for each in measured]),
    )
    _put_away(measured, counts=True)
    return found


def _notes(
    measured: Sequence[Measured],
    frames: Sequence[pd.DataFrame],
    corrected: Sequence[tuple[list[dict[str, Any]], pd.DataFrame, list[str]]],
    beyond: Sequence[tuple[list[dict[str, Any]], list[str]]],
) -> list[str]:
    """What a reader must know, but for the margin; some of it more than once."""
    notes = [
        *measured[0].study.notes,
        *_nobody(frames),
        *(note for each in measured for note in each.warnings),
    ]
    notes += [note for frame in frames for note in frame.attrs.get("warnings", ())]
    notes += [note for _, _, said in corrected for note in said]
    notes += [note for _, said in beyond for note in said]
    notes += [note for each in measured for note in majority_notes(each)]
    return notes


def _with(frame: pd.DataFrame, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Metrics with more rows."""
    return pd.concat([frame, typed(rows)], ignore_index=True) if rows else frame


def _put_away(measured: Sequence[Measured], *, counts: bool = False) -> None:
    """Let go of rows that are cut again when asked for, of counts too, and of the memory that they took."""
    for each in measured:
        each.forget_views()
        if counts:
            each.memo.pop(COUNTED, None)
    give_back()


def _beyond_crowd(measured: Measured, level: float) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of metrics.csv of what experts say, and of what nobody found; and what must be said of them."""
    rows, said = expert_rows(measured, level)
    captured = capture_rows(measured, read_controls(measured), level) if measured.judgments else []
    if any("estimate" in row for row in captured):
        said.append(NOTE)
    return [*rows, *captured], said


def _groups(measured: Sequence[Measured], settings: Settings) -> pd.DataFrame:
    """The parts that were asked for, a grouping after another."""
    common: dict[str, Any] = {
        name: getattr(settings, name) for name in ("replicates", "seed", "level", "interval")
    }
    parts = []
    for each in measured:
        for grouping in settings.by:
            names = [name for name in _PARTED if not reason_against(grouping, get(name))]
            parts.append(evaluate(each, names, by=("dataset", "source", grouping), **common))
    return _stack(parts) if parts else pd.DataFrame()


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
            "no such clusters", where="--cluster", got=plain(settings.cluster), expected=", ".join(CLUSTERS)
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
