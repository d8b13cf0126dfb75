"""Who speaks: the judgments that count, one voice per worker and item, and what voices decide together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import EDIT, REMOVE, VERIFY
from analysis.engine.counts import Bools, Codes
from analysis.errors import ConfigError
from analysis.policy import Policy
from analysis.schema import DECOY, EXPERT
from analysis.skill import weights
from analysis.study import Study

UNKNOWN_TARGET: Final = -1  # an edit whose target is not known, or is not in the knowledge base


@dataclass(frozen=True)
class Heard:
    """The judgments that enter, in no order that matters.

    Attributes:
        display: row numbers of the displays table.
        worker: codes into `workers`; -1: anonymous.
        voice: equal for the judgments of one worker (of one assignment where he is anonymous).
        order: place in time; no two are equal.
        verify: 0 or 1.
        edit: 0 or 1.
        remove: 0 or 1.
        target: text of an edit's key; missing where not known.
        workers: pseudonyms of all who have an assignment, sorted.
        left_out: why -> number of assignments (or judgments, where it says so) that do not enter.
        weight: of each judgment's voice; None: all weigh the same.
    """

    display: Codes
    worker: Codes
    voice: Codes
    order: Codes
    verify: Codes
    edit: Codes
    remove: Codes
    target: pd.Series
    workers: tuple[str, ...]
    left_out: Mapping[str, int]
    weight: Codes | None = None


def hear(study: Study, policy: Policy) -> Heard:
    """The current judgments of the crowd in assignments that pass the policy's gate.

    Raises:
        ConfigError: `use=first_k` where the number of judgments wanted is not known; `resolution=weighted`
            where nobody's skill is.
    """
    name = ("heard", policy.gate, policy.use, policy.resolution == "weighted")
    if name not in study.memo:
        study.memo[name] = _hear(study, policy)
    found: Heard = study.memo[name]
    return found


def _hear(study: Study, policy: Policy) -> Heard:
    assignments = study["assignments"]
    enters, left_out = gate_of(assignments, policy.gate)
    judgments = study["judgments"]
    place = np.searchsorted(assignments["assignment"].to_numpy(), judgments["assignment"].to_numpy())
    crowd = (judgments["role"] == "worker").to_numpy()
    if not crowd.all():
        left_out["expert judgments, kept for adjudication"] = int((~crowd).sum())
    rows = enters[place] & crowd & judgments["current"].to_numpy()
    decoys = rows & (judgments["arm"] == DECOY).fillna(value=False).to_numpy(dtype=bool)
    if decoys.any():
        left_out["judgments of decoy tasks, which stand for no annotation"] = int(decoys.sum())
    # Controls stand for no annotation: they credit none.
    rows &= np.isin(judgments["display"].to_numpy(), study["credits"]["display"].to_numpy())
    if not rows.all():
        judgments, place = judgments[rows], place[rows]
    display = np.searchsorted(study["displays"]["display"].to_numpy(), judgments["display"].to_numpy())
    order = _order(judgments, assignments, place)
    if policy.use == "first_k":
        first = _first_k(study, display, place, order)
        judgments, place, display, order = judgments[first], place[first], display[first], order[first]
    names = assignments["worker"]
    workers = workers_of(assignments)
    code = pd.Index(workers).get_indexer(pd.Index(names))[place].astype(np.int64)
    verify, edit, target = _decisions(judgments, study["displays"]["key"].iloc[display])
    return Heard(
        display,
        code,
        np.where(code >= 0, code, len(workers) + place),
        order,
        verify.astype(np.int64),
        edit.astype(np.int64),
        (judgments["decision"] == REMOVE).to_numpy().astype(np.int64),
        target,
        workers,
        left_out,
        weights(study, workers)[code] if policy.resolution == "weighted" else None,
    )


def workers_of(assignments: pd.DataFrame) -> tuple[str, ...]:
    """Pseudonyms of all of the crowd who have an assignment, sorted."""
    names = assignments["worker"]
    return tuple(sorted(names[(names != "") & (assignments["state"] != EXPERT)].unique()))


def _decisions(judgments: pd.DataFrame, shown: pd.Series) -> tuple[Bools, Bools, pd.Series]:
    """Which verify, which edit, and to what; an edit to the entity that was shown is a verification."""
    verify, edit = ((judgments["decision"] == word).to_numpy(dtype=bool) for word in (VERIFY, EDIT))
    target = judgments["key"].reset_index(drop=True)
    same = (target == shown.reset_index(drop=True)).fillna(False).to_numpy(dtype=bool)
    return verify | (edit & same), edit & ~same, target.where(edit & ~same, np.nan)


def gate_of(assignments: pd.DataFrame, gate: str) -> tuple[Bools, dict[str, int]]:
    """Which assignments enter, and how many do not, by reason."""
    passed = assignments["counted"].fillna(False).to_numpy(dtype=bool)
    submitted = (assignments["state"] == "submitted").to_numpy()
    if gate == "none":
        enters = submitted
    elif gate == "assignment":
        enters = passed & submitted
    else:
        failed = submitted & ~passed & assignments["counted"].notna().to_numpy()
        refused = set(assignments.loc[failed, "worker"]) - {""}
        enters = passed & submitted & ~assignments["worker"].isin(refused).to_numpy()
    reasons: Counter[str] = Counter()
    gone = ~enters & (assignments["state"] != EXPERT).to_numpy()
    left = assignments[gone]
    for state, was_counted, reason in zip(left["state"], passed[gone], left["reason"], strict=True):
        if state != "submitted":
            reasons[f"not submitted: {state}"] += 1
        elif was_counted:
            reasons["another assignment of the same worker is not counted"] += 1
        else:
            reasons["not counted: not decided" if pd.isna(reason) else f"not counted: {reason}"] += 1
    return enters, dict(sorted(reasons.items()))


def _order(judgments: pd.DataFrame, assignments: pd.DataFrame, place: Codes) -> Codes:
    """Place in time: by the submission of the assignment (at `place`), the sequence in it, and its number.

    Judgments from a CSV have no times; their sequence is the row.
    """
    time = assignments["submitted"].fillna(assignments["claimed"]).astype("int64").to_numpy()[place]
    ranked = np.lexsort(
        (
            judgments["display"].to_numpy(),
            judgments["assignment"].to_numpy(),
            judgments["sequence"].to_numpy(),
            time,
        )
    )
    order = np.empty(len(ranked), dtype=np.int64)
    order[ranked] = np.arange(len(ranked))
    return order


def _first_k(study: Study, display: Codes, assignment: Codes, order: Codes) -> Bools:
    """The judgments of the first k assignments of each task."""
    tasks = study["tasks"]
    task = np.searchsorted(tasks["task"].to_numpy(), study["displays"]["task"].to_numpy()[display])
    wanted = tasks["k"].to_numpy()[task]
    if (wanted < 1).any():
        raise ConfigError(
            "use=first_k needs to know how many judgments of a task were wanted",
            where="--set",
            expected="a bundle, whose tasks say k",
            remedy="Use use=all.",
        )
    frame = pd.DataFrame({"task": task, "assignment": assignment, "order": order})
    begun = frame.groupby(["task", "assignment"])["order"].min().reset_index()
    begun["rank"] = begun.groupby("task")["order"].rank(method="first")
    rank = frame.merge(begun, how="left", on=["task", "assignment"])["rank"].to_numpy()
    return np.asarray(rank <= wanted)


@dataclass(frozen=True)
class Voices:
    """One voice per worker and speaker (what is spoken for: an annotation or an item), after resolution.

    `judgments` is the number of judgments that are heard in them, `replaced` that of those which their
    worker's later one on the same thing replaces.

    Sorted by speaker, then order. Numerators of a speaker's rows add to its value times n, and their weights
    (1 each, but under weighted) to n; under majority and unanimous every row carries the decision of all, so
    that a worker's share can be taken away.
    """

    speaker: Codes
    worker: Codes
    n: Codes
    weight: Codes
    verify: Codes
    edit: Codes
    remove: Codes
    target: Codes
    judgments: int
    replaced: int

    def __len__(self) -> int:
        """Number of voices."""
        return len(self.speaker)


def resolve(heard: Heard, row: Codes, speaker: Codes, target: Codes, resolution: str) -> Voices:
    """The voices of speakers under a resolution.

    Args:
        heard: the judgments.
        row: rows of `heard`, repeated for each speaker they speak for.
        speaker: code of each.
        target: code of each judgment's edited key (of `heard`); UNKNOWN_TARGET where not known.
        resolution: share | first | majority | unanimous | weighted.
    """
    order, voice = heard.order[row], heard.voice[row]
    latest = np.lexsort((order, voice, speaker))
    last = np.ones(len(latest), dtype=bool)
    ranked, voiced = speaker[latest], voice[latest]
    last[:-1] = (ranked[1:] != ranked[:-1]) | (voiced[1:] != voiced[:-1])
    kept = latest[last]
    size = len(heard.order)
    replaced = _distinct(row, size) - _distinct(row[kept], size)
    kept = kept[np.lexsort((order[kept], speaker[kept]))]
    if resolution == "first" and len(kept):
        kept = kept[np.concatenate([[True], speaker[kept][1:] != speaker[kept][:-1]])]
    rows, speaker = row[kept], speaker[kept]
    weight = _weight(heard, rows, speaker)
    n = _total(weight, speaker) if len(speaker) else speaker
    voices = Voices(
        speaker,
        heard.worker[rows],
        n,
        weight,
        heard.verify[rows] * weight,
        heard.edit[rows] * weight,
        heard.remove[rows] * weight,
        target[rows],
        _distinct(rows, size),
        replaced,
    )
    return _decide(voices, resolution) if resolution in ("majority", "unanimous") else voices


def _weight(heard: Heard, rows: Codes, speaker: Codes) -> Codes:
    """The weights of voices, in lowest terms for each speaker: one voice alone weighs 1."""
    if heard.weight is None or not len(rows):
        return np.ones(len(rows), dtype=np.int64)
    weight = heard.weight[rows]
    first = np.flatnonzero(np.concatenate([[True], speaker[1:] != speaker[:-1]]))
    common = np.gcd.reduceat(weight, first)
    return np.asarray(weight // np.repeat(common, np.diff(np.append(first, len(speaker)))))


def _distinct(codes: Codes, size: int) -> int:
    """How many different codes there are, all under `size`."""
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return int(np.count_nonzero(seen))


def _total(values: Codes, speaker: Codes) -> Codes:
    """For each row the sum over its speaker's rows."""
    return np.bincount(speaker, weights=values).astype(np.int64)[speaker]


def _decide(voices: Voices, resolution: str) -> Voices:
    """Every voice of a speaker carries what all decide; where that is nothing (tied), nothing."""
    size = int(voices.speaker.max(initial=-1)) + 1

    def wins(count: Codes) -> Bools:
        return np.asarray(2 * count > voices.n if resolution == "majority" else count == voices.n)

    def total(values: Codes) -> Codes:
        return np.bincount(voices.speaker, weights=values, minlength=size).astype(np.int64)[voices.speaker]

    # Edits to different entities are different answers.
    answers, answer = np.unique(np.stack([voices.speaker, voices.target]), axis=1, return_inverse=True)
    count = np.bincount(answer, weights=voices.edit, minlength=answers.shape[1]).astype(np.int64)
    chosen = np.full(size, UNKNOWN_TARGET, dtype=np.int64)
    edited = np.zeros(size, dtype=np.int64)
    won = wins(count[answer]) & (voices.edit > 0)
    chosen[voices.speaker[won]] = voices.target[won]
    edited[voices.speaker[won]] = 1
    return Voices(
        voices.speaker,
        voices.worker,
        voices.n,
        voices.weight,
        wins(total(voices.verify)).astype(np.int64),
        edited[voices.speaker],
        wins(total(voices.remove)).astype(np.int64),
        chosen[voices.speaker],
        voices.judgments,
        voices.replaced,
    )
