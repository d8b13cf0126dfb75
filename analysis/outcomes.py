"""A study under a policy: judgments become votes, votes become the values of annotations and items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes, cell_of, distinct
from analysis.keys import LINK
from analysis.measured import Measured
from analysis.policy import DEFAULT_POLICY, Policy, get_policy
from analysis.study import Study
from analysis.voices import UNKNOWN_TARGET, Heard, Voices, hear, resolve
from analysis.warned import alone, schemes_of, warnings_of


def measure(study: Study, policy: str | Policy = DEFAULT_POLICY) -> Measured:
    """Everything that metrics count from, computed once.

    Raises:
        ConfigError: the policy asks for what the study does not hold.
    """
    policy = get_policy(policy)
    known = _known(study)
    sources, documents, ran = known.sources, known.documents, known.ran
    segments, annotations = known.segments.copy(), known.annotations
    spoken_of = _heard(study, policy, known)
    heard, keys, target, identity = spoken_of.heard, spoken_of.keys, spoken_of.target, spoken_of.identity
    annotations = annotations.assign(key_code=spoken_of.own)
    speaker = identity if policy.pooling == "item" else np.arange(len(annotations))
    row, credited = _credited(study, heard, annotations)
    voices = resolve(heard, row, speaker[credited], target, policy.resolution)
    votes = _votes(annotations, speaker, voices)
    annotations = _values(annotations, votes)
    spoken = _Spoken(annotations, speaker, voices, keys, policy.union_edits == "yes")
    items, support, item_votes, item = _items(spoken, len(sources))
    annotations["item"] = item
    votes["item"] = item[votes["annotation"].to_numpy()]
    wanted = _wanted(study, documents, sources, ran)[segments["document_code"].to_numpy()]
    _number_cells(votes, item_votes)
    segments["shared"] = _shared(annotations, len(segments), wanted)
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
        heard=len(heard.order),
        anonymous=bool((heard.worker < 0).any()),
        warnings=() if study.around else _told(study, policy, known, heard, annotations),
    )


@dataclass(frozen=True)
class _Known:
    """What is so whatever the policy."""

    sources: tuple[str, ...]
    documents: pd.DataFrame
    segments: pd.DataFrame
    ran: Bools
    annotations: pd.DataFrame


def _known(study: Study) -> _Known:
    if "known" not in study.memo:
        sources = sources_of(study)
        documents = study["documents"][["dataset", "document", "evaluation_start", "evaluation_end"]]
        segments = segments_of(study, documents)
        ran = ran_of(study, documents, sources)
        annotations = _annotations(study, documents, segments, sources)
        study.memo["known"] = _Known(sources, documents, segments, ran, annotations)
    found: _Known = study.memo["known"]
    return found


@dataclass(frozen=True)
class _SpokenOf:
    """Who is heard, and the entities that they and the sources name.

    Attributes:
        heard: the judgments that enter.
        keys: all entity keys, sorted.
        own: code of each annotation's key; -1 where it is no link.
        target: code of the key that each judgment edits to.
        identity: equal for annotations that a worker could not tell apart.
    """

    heard: Heard
    keys: pd.Index
    own: Codes
    target: Codes
    identity: Codes


def _heard(study: Study, policy: Policy, known: _Known) -> _SpokenOf:
    heard = hear(study, policy)
    name = ("spoken of", policy.gate, policy.use, policy.resolution == "weighted")
    if name not in study.memo:
        keys, own, target = _keys(known.annotations, heard)
        study.memo[name] = _SpokenOf(heard, keys, own, target, _identity(known.annotations, len(keys), own))
    found: _SpokenOf = study.memo[name]
    return found


def _left_out(heard: Heard, voices: Voices) -> dict[str, int]:
    replaced = {"judgments replaced by a later one of the same worker on the same thing": voices.replaced}
    return {**heard.left_out, **(replaced if voices.replaced else {})}


def sources_of(study: Study) -> tuple[str, ...]:
    """Names of the sources: the ground truth first, the others sorted."""
    gt = study.ground_truth
    return tuple(sorted(map(str, study["sources"]["source"]), key=lambda name: (name != gt, name)))


def _document_codes(frame: pd.DataFrame, documents: pd.DataFrame) -> Codes:
    index = pd.MultiIndex.from_frame(documents[["dataset", "document"]])
    return index.get_indexer(pd.MultiIndex.from_frame(frame[["dataset", "document"]])).astype(np.int64)


def segments_of(study: Study, documents: pd.DataFrame) -> pd.DataFrame:
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


def ran_of(study: Study, documents: pd.DataFrame, sources: tuple[str, ...]) -> Bools:
    """(documents, sources) whether the source ran there."""
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
    named = np.flatnonzero(segments["segment"].to_numpy() >= 0)
    by_id = pd.Index(segments["segment"].to_numpy()[named])
    row = np.searchsorted(frame["annotation"].to_numpy(), credits_["annotation"].to_numpy())
    judged = by_id.get_indexer(pd.Index(tasks["segment"].to_numpy()))[task]
    segment = frame["segment"].to_numpy().copy()
    segment[row] = named[judged]
    return frame.assign(segment=segment)


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


def _keys(annotations: pd.DataFrame, heard: Heard) -> tuple[pd.Index, Codes, Codes]:
    """All entity keys, sorted; the code of each annotation's key, and of each judgment's edited one."""
    links = annotations["key"].where(annotations["kind"] == LINK)
    edited = heard.target.where(heard.target != "NIL")
    code, found = pd.factorize(pd.concat([links, edited], ignore_index=True))
    keys = pd.Index(found, dtype="str")
    order = keys.argsort()
    rank = np.full(len(keys) + 1, UNKNOWN_TARGET, dtype=np.int64)
    rank[order] = np.arange(len(keys))
    own, target = np.split(rank[code], [len(annotations)])
    return keys[order], own, target


def _identity(annotations: pd.DataFrame, keys: int, own: Codes) -> Codes:
    """Equal for annotations that a worker could not tell apart: same document, span and entity.

    Numbered in the order of document, start, end and key; what is no link comes after all links.
    """
    link, key = own >= 0, own
    if not link.all():
        other = annotations["kind"] + "\0" + annotations["raw"].fillna("")
        key = np.where(link, key, keys + pd.factorize(other, sort=True)[0])
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
    links = np.flatnonzero(annotations["key_code"].to_numpy() >= 0)
    edited, edit_of, edit_key = _edited(spoken)
    origin = np.concatenate([links, edit_of])
    key = np.concatenate([annotations["key_code"].to_numpy()[links], edit_key])
    place = {name: annotations[name].to_numpy()[origin] for name in ("document_code", "start", "end")}
    code = _rank(*place.values(), key)
    first = np.empty(int(code.max(initial=-1)) + 1, dtype=np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    items = pd.DataFrame({name: values[first] for name, values in place.items()})
    items["key"] = pd.Series(keys.take(key[first]), dtype="str", index=items.index)
    items["key_code"] = key[first]
    # An item may cross a boundary for a source that came late; it lies where any source has it.
    segment = np.full(len(first), -1, dtype=np.int64)
    np.maximum.at(segment, code, annotations["segment"].to_numpy()[origin])
    items["segment"] = segment
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


def _number_cells(*votes: pd.DataFrame) -> None:
    """Number what has the same document, worker and n, in their order, over all votes together."""
    columns = (
        np.concatenate([frame[name].to_numpy() for frame in votes])
        for name in ("document_code", "worker", "n")
    )
    _, cell = distinct(*cell_of(*columns))
    parts = np.split(cell, np.cumsum([len(frame) for frame in votes])[:-1])
    for frame, part in zip(votes, parts, strict=True):
        frame["cell"] = part


def _wanted(study: Study, documents: pd.DataFrame, sources: tuple[str, ...], ran: Bools) -> Bools:
    """(documents, sources) whether the source ran anywhere in the document's dataset."""
    dataset, names = pd.factorize(documents["dataset"])
    wanted: Bools = np.zeros((len(names), len(sources)), dtype=bool)
    if study.around is None:
        np.logical_or.at(wanted, dataset, ran)
    else:
        wanted[:] = [[source in study.around.ran[name] for source in sources] for name in names]
    return wanted[dataset]


def _shared(annotations: pd.DataFrame, segments: int, wanted: Bools) -> Bools:
    """Segments where every source of the dataset has a shown annotation, and all shown ones are judged."""
    shape = (segments, wanted.shape[1])
    shown = annotations[annotations["shown"] & (annotations["segment"] >= 0)]
    place = shown["segment"].to_numpy() * shape[1] + shown["source_code"].to_numpy()
    count = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    judged = np.bincount(place, weights=shown["judged"].to_numpy(), minlength=count.size).reshape(shape)
    return np.asarray(((count > 0) | ~wanted).all(axis=1) & (count == judged).all(axis=1))


def _in_scope(segment: Codes, segments: pd.DataFrame, scope: str) -> Bools:
    if scope == "all":
        return np.ones(len(segment), dtype=bool)
    return np.append(segments["shared"].to_numpy(), False)[segment]


def _told(
    study: Study, policy: Policy, known: _Known, heard: Heard, annotations: pd.DataFrame
) -> tuple[str, ...]:
    anonymous = bool((heard.worker < 0).any())
    found = schemes_of(annotations, known.sources)
    return (
        *warnings_of(study, policy, found, len(heard.order), anonymous=anonymous),
        *alone(known.documents, known.ran, study.ground_truth),
    )
