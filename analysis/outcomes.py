"""A study under a policy: judgments become votes, votes become the values of annotations and items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes
from analysis.keys import LINK
from analysis.measured import Measured
from analysis.policy import DEFAULT_POLICY, Policy, get_policy
from analysis.sampled import notes
from analysis.schemes import differences
from analysis.study import Study
from analysis.voices import UNKNOWN_TARGET, Heard, Voices, hear, resolve


def measure(study: Study, policy: str | Policy = DEFAULT_POLICY) -> Measured:
    """Everything that metrics count from, computed once.

    Raises:
        ConfigError: the policy asks for what the study does not hold.
    """
    policy = get_policy(policy)
    sources = _sources(study)
    documents = study["documents"][["dataset", "document", "evaluation_start", "evaluation_end"]]
    segments = _segments(study, documents)
    ran = _ran(study, documents, sources)
    annotations = _annotations(study, documents, segments, sources)
    heard = hear(study, policy)
    keys, target = _keys(annotations, heard)
    identity = _identity(annotations, keys)
    speaker = identity if policy.pooling == "item" else np.arange(len(annotations))
    row, credited = _credited(study, heard, annotations)
    voices = resolve(heard, row, speaker[credited], target, policy.resolution)
    votes = _votes(annotations, speaker, voices)
    annotations = _values(annotations, votes)
    spoken = _Spoken(annotations, speaker, voices, keys, policy.union_edits == "yes")
    items, support, item_votes, item = _items(spoken, len(sources))
    annotations["item"] = item
    votes["item"] = item[votes["annotation"].to_numpy()]
    segments["shared"] = _shared(annotations, segments, documents, ran)
    for frame in (annotations, items):
        frame["in_scope"] = _in_scope(frame["segment"].to_numpy(), segments, policy.scope)
    return Measured(
        study=study,
        policy=policy,
        sources=sources,
        documents=documents,
        ran=ran,
        workers=heard.workers,
        segments=segments,
        annotations=annotations,
        votes=votes,
        items=items,
        support=support,
        item_votes=item_votes,
        left_out=_left_out(heard, voices),
        judgments=voices.judgments,
        anonymous=bool((heard.worker < 0).any()),
        warnings=(*_warnings(study, heard, policy), *_alone(documents, ran, study.ground_truth)),
    )


def _left_out(heard: Heard, voices: Voices) -> dict[str, int]:
    replaced = {"judgments replaced by a later one of the same worker on the same thing": voices.replaced}
    return {**heard.left_out, **(replaced if voices.replaced else {})}


def _sources(study: Study) -> tuple[str, ...]:
    gt = study.ground_truth
    return tuple(sorted(map(str, study["sources"]["source"]), key=lambda name: (name != gt, name)))


def _document_codes(frame: pd.DataFrame, documents: pd.DataFrame) -> Codes:
    index = pd.MultiIndex.from_frame(documents[["dataset", "document"]])
    return index.get_indexer(pd.MultiIndex.from_frame(frame[["dataset", "document"]])).astype(np.int64)


def _segments(study: Study, documents: pd.DataFrame) -> pd.DataFrame:
    """The segments in order; a document whose segments are not known is one."""
    table = study["segments"]
    known = pd.DataFrame(
        {
            "document_code": _document_codes(table, documents),
            "start": table["start"],
            "end": table["end"],
            "weight": table["weight"],
            "segment": table["segment"],
        }
    )
    rest = np.setdiff1d(np.arange(len(documents)), known["document_code"].to_numpy())
    if len(rest):
        # An annotation may reach past the evaluation span, not past the document.
        whole = pd.DataFrame({"document_code": rest, "start": 0, "end": np.iinfo(np.int64).max})
        known = pd.concat([known, whole.assign(weight=1.0, segment=-1)], ignore_index=True)
    return known.sort_values(["document_code", "start", "end", "segment"], ignore_index=True)


def _ran(study: Study, documents: pd.DataFrame, sources: tuple[str, ...]) -> Bools:
    table = study["source_documents"]
    table = table[table["ran"]]
    ran = np.zeros((len(documents), len(sources)), dtype=bool)
    ran[_document_codes(table, documents), pd.Index(sources).get_indexer(pd.Index(table["source"]))] = True
    return ran


def _annotations(
    study: Study, documents: pd.DataFrame, segments: pd.DataFrame, sources: tuple[str, ...]
) -> pd.DataFrame:
    frame = study["annotations"].copy()
    frame["document_code"] = _document_codes(frame, documents)
    frame["source_code"] = pd.Index(sources).get_indexer(pd.Index(frame["source"])).astype(np.int64)
    frame["segment"] = within(frame, segments)
    # Where it was judged is known better than where its span lies (segments of a CSV may interleave).
    credits_, displays, tasks = study["credits"], study["displays"], study["tasks"]
    display = np.searchsorted(displays["display"].to_numpy(), credits_["display"].to_numpy())
    task = np.searchsorted(tasks["task"].to_numpy(), displays["task"].to_numpy()[display])
    by_id = pd.Series(segments.index, index=segments["segment"])
    by_id = by_id[by_id.index >= 0]
    row = np.searchsorted(frame["annotation"].to_numpy(), credits_["annotation"].to_numpy())
    frame.loc[row, "segment"] = by_id.loc[tasks["segment"].to_numpy()[task]].to_numpy()
    return frame


def within(annotations: pd.DataFrame, segments: pd.DataFrame) -> Codes:
    """The segment that holds each annotation whole; -1 where none does.

    Args:
        annotations: with document_code, start and end.
        segments: in the order of document and start.
    """
    width = int(max(annotations["end"].max(), segments["start"].max())) + 1 if len(annotations) else 1
    first = segments["document_code"].to_numpy() * width + segments["start"].to_numpy()
    document = annotations["document_code"].to_numpy()
    code = np.searchsorted(first, document * width + annotations["start"].to_numpy(), side="right") - 1
    inside = (
        (code >= 0)
        & (segments["document_code"].to_numpy()[code] == document)
        & (annotations["end"].to_numpy() <= segments["end"].to_numpy()[code])
    )
    return np.where(inside, code, -1)


def _keys(annotations: pd.DataFrame, heard: Heard) -> tuple[pd.Index, Codes]:
    """All entity keys, sorted, and the code of each judgment's edited key."""
    links = annotations.loc[annotations["kind"] == LINK, "key"]
    edited = heard.target.where(heard.target != "NIL")
    every = pd.concat([links.drop_duplicates(), edited.dropna().drop_duplicates()]).drop_duplicates()
    keys = pd.Index(sorted(every.to_numpy(dtype=object).tolist()), dtype="str")
    target = keys.get_indexer(edited).astype(np.int64)
    return keys, np.where(edited.isna(), UNKNOWN_TARGET, target)


def _identity(annotations: pd.DataFrame, keys: pd.Index) -> Codes:
    """Equal for annotations that a worker could not tell apart: same document, span and entity.

    Numbered in the order of document, start, end and key; what is no link comes after all links.
    """
    link = (annotations["kind"] == LINK).to_numpy()
    key = keys.get_indexer(pd.Index(annotations["key"].where(link))).astype(np.int64)
    if not link.all():
        other = annotations["kind"] + "\0" + annotations["raw"].fillna("")
        key = np.where(link, key, len(keys) + pd.factorize(other, sort=True)[0])
    parts = [annotations[name].to_numpy() for name in ("document_code", "start", "end")]
    return _rank(~link, *parts, key)


def _rank(*columns: Codes | Bools) -> Codes:
    """Dense rank of rows by columns, the first being the most significant."""
    if not len(columns[0]):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort(columns[::-1])
    changed = np.zeros(len(order), dtype=bool)
    for column in columns:
        changed[1:] |= column[order][1:] != column[order][:-1]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(changed)
    return rank


def _credited(study: Study, heard: Heard, annotations: pd.DataFrame) -> tuple[Codes, Codes]:
    """Judgment row and annotation of every credit of every judgment; only what was shown is credited."""
    table = study["credits"]
    display = study["displays"]["display"].to_numpy()[heard.display]
    row, place = expand(
        np.searchsorted(table["display"].to_numpy(), display, side="left"),
        np.searchsorted(table["display"].to_numpy(), display, side="right"),
    )
    credited = np.searchsorted(annotations["annotation"].to_numpy(), table["annotation"].to_numpy()[place])
    shown = annotations["shown"].to_numpy()[credited]
    return row[shown], credited[shown]


def expand(low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """For each i, pairs (i, j) with j from low[i] to high[i] - 1."""
    count = high - low
    row = np.repeat(np.arange(len(count)), count)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(low, count)


def _votes(annotations: pd.DataFrame, speaker: Codes, voices: Voices) -> pd.DataFrame:
    """The voices that speak for each shown annotation."""
    shown = np.flatnonzero(annotations["shown"].to_numpy())
    row, voice = expand(
        np.searchsorted(voices.speaker, speaker[shown], side="left"),
        np.searchsorted(voices.speaker, speaker[shown], side="right"),
    )
    annotation = shown[row]
    votes = pd.DataFrame(
        {
            "annotation": annotation,
            "worker": voices.worker[voice],
            "verify": voices.verify[voice],
            "edit": voices.edit[voice],
            "remove": voices.remove[voice],
            "weight": voices.weight[voice],
            "n": voices.n[voice],
        }
    )
    for name in ("document_code", "segment", "source_code"):
        votes[name] = annotations[name].to_numpy()[annotation]
    return votes


def _values(annotations: pd.DataFrame, votes: pd.DataFrame) -> pd.DataFrame:
    size = len(annotations)
    code = votes["annotation"].to_numpy()
    n = np.bincount(code, minlength=size)
    annotations = annotations.assign(judged=n > 0, n=np.zeros(size, dtype=np.int64))
    # n is the same in every vote of an annotation; under `first` it is 1.
    annotations.loc[code, "n"] = votes["n"].to_numpy()
    for name in ("verify", "edit", "remove"):
        total = np.bincount(code, weights=votes[name].to_numpy(), minlength=size)
        annotations[name] = total.astype(np.int64)
    return annotations


@dataclass(frozen=True)
class _Spoken:
    """What items are made of."""

    annotations: pd.DataFrame
    speaker: Codes
    voices: Voices
    keys: pd.Index
    edits: bool


def _items(spoken: _Spoken, sources: int) -> tuple[pd.DataFrame, Bools, pd.DataFrame, Codes]:
    """Items, their sources, their votes, and the item of each annotation."""
    annotations, keys = spoken.annotations, spoken.keys
    links = np.flatnonzero((annotations["kind"] == LINK).to_numpy())
    edited, edit_of, edit_key = _edited(spoken)
    origin = np.concatenate([links, edit_of])
    own = keys.get_indexer(pd.Index(annotations["key"].iloc[links])).astype(np.int64)
    key = np.concatenate([own, edit_key])
    place = {name: annotations[name].to_numpy()[origin] for name in ("document_code", "start", "end")}
    code = _rank(*place.values(), key)
    frame = pd.DataFrame({**place, "key": key, "segment": annotations["segment"].to_numpy()[origin]})
    # An item may cross a boundary for a source that came late; it lies where any source has it.
    items = frame.groupby(code).agg({**dict.fromkeys([*place, "key"], "first"), "segment": "max"})
    items["key"] = keys.take(items["key"].to_numpy()).astype("str") if len(items) else pd.Series(dtype="str")
    item = np.full(len(annotations), -1, dtype=np.int64)
    item[links] = code[: len(links)]
    support: Bools = np.zeros((len(items), sources), dtype=bool)
    shown = links[annotations["shown"].to_numpy()[links]]
    support[item[shown], annotations["source_code"].to_numpy()[shown]] = True
    best = _best(spoken, item, shown, code[len(links) :], edited)
    items["shown"] = np.asarray(support.any(axis=1))
    items["edited"] = np.bincount(item[links], minlength=len(items)) == 0
    items["judged"] = np.isin(items.index.to_numpy(), best["item"].to_numpy())
    for name in ("n", "verify"):
        items[name] = best.set_index("item")[name].reindex(items.index, fill_value=0).astype("int64")
    items["y"] = items["verify"] / items["n"].where(items["n"] > 0, 1)
    return items, support, _item_votes(items, best, spoken.voices), item


def _edited(spoken: _Spoken) -> tuple[pd.DataFrame, Codes, Codes]:
    """Speaker and target of edits whose target is known; an annotation of the speaker; the target."""
    voices = spoken.voices
    rows = (voices.edit > 0) & (voices.target != UNKNOWN_TARGET) & spoken.edits
    frame = pd.DataFrame(
        {
            "speaker": voices.speaker[rows],
            "target": voices.target[rows],
            "n": voices.n[rows],
            "weight": voices.weight[rows],
        }
    )
    grouped = frame.groupby(["speaker", "target"], as_index=False)
    frame = grouped.agg(n=("n", "first"), verify=("weight", "sum"))
    shown = np.flatnonzero(spoken.annotations["shown"].to_numpy())
    first = pd.Series(shown, index=spoken.speaker[shown]).groupby(level=0).first()
    return frame, first.reindex(frame["speaker"]).to_numpy(np.int64), frame["target"].to_numpy(np.int64)


def _best(spoken: _Spoken, item: Codes, shown: Codes, edit_item: Codes, edited: pd.DataFrame) -> pd.DataFrame:
    """For each judged item what gives it its largest value: a speaker, or a speaker's edits to the item."""
    own = spoken.annotations.iloc[shown]
    candidates = pd.DataFrame(
        {
            "item": item[shown],
            "speaker": spoken.speaker[shown],
            "target": UNKNOWN_TARGET,
            "n": own["n"].to_numpy(),
            "verify": own["verify"].to_numpy(),
        }
    )
    candidates = candidates[own["judged"].to_numpy()]
    if len(edited):
        candidates = pd.concat([candidates, edited.assign(item=edit_item)], ignore_index=True)
    candidates["fall"] = -candidates["verify"] / candidates["n"]
    return candidates.sort_values(["item", "fall", "target", "speaker"]).drop_duplicates("item")


def _item_votes(items: pd.DataFrame, best: pd.DataFrame, voices: Voices) -> pd.DataFrame:
    row, voice = expand(
        np.searchsorted(voices.speaker, best["speaker"].to_numpy(), side="left"),
        np.searchsorted(voices.speaker, best["speaker"].to_numpy(), side="right"),
    )
    item, target = best["item"].to_numpy()[row], best["target"].to_numpy()[row]
    edit = (voices.edit[voice] > 0) & (voices.target[voice] == target)
    weight = voices.weight[voice]
    verify = np.where(target == UNKNOWN_TARGET, voices.verify[voice], edit * weight)
    votes = pd.DataFrame(
        {
            "item": item,
            "worker": voices.worker[voice],
            "verify": verify.astype(np.int64),
            "weight": weight,
            "n": voices.n[voice],
        }
    )
    for name in ("document_code", "segment"):
        votes[name] = items[name].to_numpy()[item]
    return votes


def _shared(annotations: pd.DataFrame, segments: pd.DataFrame, documents: pd.DataFrame, ran: Bools) -> Bools:
    """Segments where every source of the dataset has a shown annotation, and all shown ones are judged."""
    shape = (len(segments), ran.shape[1])
    shown = annotations[annotations["shown"] & (annotations["segment"] >= 0)]
    place = shown["segment"].to_numpy() * shape[1] + shown["source_code"].to_numpy()
    count = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    judged = np.bincount(place, weights=shown["judged"].to_numpy(), minlength=count.size).reshape(shape)
    dataset, names = pd.factorize(documents["dataset"])
    wanted = np.zeros((len(names), shape[1]), dtype=bool)
    np.logical_or.at(wanted, dataset, ran)
    wanted = wanted[dataset[segments["document_code"].to_numpy()]]
    return np.asarray(((count > 0) | ~wanted).all(axis=1) & (count == judged).all(axis=1))


def _in_scope(segment: Codes, segments: pd.DataFrame, scope: str) -> Bools:
    if scope == "all":
        return np.ones(len(segment), dtype=bool)
    return np.append(segments["shared"].to_numpy(), False)[segment]


def _alone(documents: pd.DataFrame, ran: Bools, gt: str | None) -> list[str]:
    """Datasets where only the ground truth ran: what is so by definition is no finding."""
    if gt is None:
        return []
    others = pd.Series(ran[:, 1:].any(axis=1)).groupby(documents["dataset"].to_numpy()).any()
    return [
        f"Dataset {name} has the ground truth alone: by definition its recall is 1 and nothing is outside it."
        for name in others.index[~others.to_numpy(bool)]
    ]


def _warnings(study: Study, heard: Heard, policy: Policy) -> tuple[str, ...]:
    links = study["annotations"].loc[study["annotations"]["kind"] == LINK]
    keys = {str(source): each for source, each in links.groupby("source")["key"]}
    out = [*study.notes, *differences(keys, study.ground_truth or ""), *notes(study)]
    if study.simulated:
        out.append("The judgments were made by a simulated crowd.")
    if len(study["judgments"]) and not len(heard.order):
        out.append("No assignment counts: every rate is undefined.")
    if policy.resolution == "majority":
        out.append(
            "Under majority, sources whose items have different numbers of judgments come out different even"
            " if they are equally good."
        )
    if (heard.worker < 0).any():
        out.append(
            "Some judgments have no worker id: intervals are by documents and know nothing of differences"
            " between workers."
        )
    return tuple(out)
