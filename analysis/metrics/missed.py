"""What nobody found: mentions that people marked who were asked to mark what nothing highlights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from analysis.engine.counts import Bools, Counts
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, ratio, register
from analysis.spans import Spans, overlapping
from analysis.union import best_of_group, group_of, union
from analysis.voices import gate_of

OPTION: Final = "missing_mentions"
_UNASKED: Final = "nobody who counts was asked to mark mentions that nothing highlights"
_CLUSTERS: Final = ("document", "segment")


def count(view: View) -> Counts:
    """Searched segments, groups of marked spans that no link touches, and mention groups of the union."""
    measured = view.measured
    name = f"missed {view.dataset}"
    if name not in measured.memo:
        measured.memo[name] = _count(view)
    found: Counts = measured.memo[name]
    return found


def _count(view: View) -> Counts:
    measured = view.measured
    searched = _searched(measured)
    document = measured.segments["document_code"].to_numpy()
    searched = searched & view.in_documents[document]
    segments = np.flatnonzero(searched)
    marked = _marked(measured, searched)
    best = _groups(view, searched)
    votes = view.item_votes[np.isin(view.item_votes["item"].to_numpy(), best)]
    return Counts.concat(
        [
            Counts.of(
                document=document[segments], segment=segments, unit=segments, quantities={"searched": 1}
            ),
            Counts.of(
                document=marked["document_code"],
                segment=marked["segment"],
                unit=marked.index,
                quantities={"missed": 1, "mentions": 1},
            ),
            Counts.of(
                document=votes["document_code"],
                segment=votes["segment"],
                unit=votes["item"],
                n=votes["n"],
                quantities={"mentions": votes["verify"], "known": votes["verify"]},
            ),
        ]
    )


def _asked(measured: Measured) -> NDArray[np.int64]:
    """Assignments that count and whose workers were asked."""
    study = measured.study
    assignments = study["assignments"]
    enters, _ = gate_of(assignments, measured.policy.gate)
    who = assignments[enters]
    if "options" not in who:
        return np.empty(0, dtype=np.int64)
    asked = [_option(given) for given in who["options"]]
    return np.asarray(who["assignment"].to_numpy()[np.asarray(asked, dtype=bool)], dtype=np.int64)


def _option(given: object) -> bool:
    try:
        options = json.loads(given) if isinstance(given, str) else None
    except ValueError:
        return False
    return isinstance(options, dict) and bool(options.get(OPTION))


def _searched(measured: Measured) -> Bools:
    """Segments that somebody who was asked has read: he judged something in them."""
    study = measured.study
    made = study["judgments"]
    display = made.loc[made["assignment"].isin(_asked(measured)), "display"]
    task = study["displays"].set_index("display")["task"].reindex(display.unique()).dropna()
    real = study["tasks"].set_index("task")
    read = real.loc[task.unique()]
    identity = read.loc[read["kind"] == "real", "segment"]
    return measured.segments["segment"].isin(identity).to_numpy(dtype=bool)


def _marked(measured: Measured, searched: Bools) -> pd.DataFrame:
    """Groups of overlapping marked spans in searched segments that overlap no link of any source."""
    empty = pd.DataFrame({"document_code": [], "segment": []}, dtype=np.int64)
    table = measured.study.tables.get(OPTION)
    if table is None or table.empty:
        return empty
    rows = table[table["assignment"].isin(_asked(measured))]
    index = pd.MultiIndex.from_frame(measured.documents[["dataset", "document"]])
    code = index.get_indexer(pd.MultiIndex.from_frame(rows[["dataset", "document"]]))
    rows = rows.assign(document_code=code).drop_duplicates(["document_code", "start", "end"])
    spans = Spans.of(rows, document="document_code")
    touched, _ = overlapping(spans, Spans.of(measured.items, document="document_code"))
    rows = rows[~np.isin(np.arange(len(rows)), touched)]
    spans = Spans.of(rows, document="document_code")
    left, right = overlapping(spans, spans)
    graph = csr_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(len(rows), len(rows)))
    _, label = connected_components(graph, directed=False)
    rows = rows.assign(label=label).drop_duplicates("label").reset_index(drop=True)
    rows["segment"] = _segment_of(measured, rows)
    inside = np.append(searched, False)[rows["segment"].to_numpy()]
    kept: pd.DataFrame = rows.loc[inside, ["document_code", "segment"]]
    return kept


def _segment_of(measured: Measured, rows: pd.DataFrame) -> NDArray[np.int64]:
    """The segment in which each span starts; -1 where none is."""
    segments = measured.segments
    out = np.full(len(rows), -1, dtype=np.int64)
    for place, (document, start) in enumerate(zip(rows["document_code"], rows["start"], strict=True)):
        around = (segments["start"] <= start) & (segments["end"] > start)
        found = np.flatnonzero((around & (segments["document_code"] == document)).to_numpy())
        out[place] = found[0] if len(found) else -1
    return out


def _groups(view: View, searched: Bools) -> NDArray[np.int64]:
    """The best item of each mention group of the union, in searched segments."""
    measured = view.measured
    items = union(view)
    items = items[np.append(searched, False)[measured.items["segment"].to_numpy()[items]]]
    frame = pd.DataFrame({"item": items, "y": measured.items["y"].to_numpy()[items]})
    frame["counted"] = items[group_of(measured, items)] if len(items) else items
    return best_of_group(frame)["item"].to_numpy(np.int64)


def _total(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    return np.where(np.asarray(sums["searched"]) > 0, sums["missed"], np.nan)


def _share(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    share = ratio("known", "mentions")(sums)
    return np.where(np.asarray(sums["searched"]) > 0, share, np.nan)


register(
    Metric(
        name="missed_mentions",
        title="Mentions that nobody found",
        formula="groups of spans that people marked and that no link of any source touches, in segments whose"
        " workers were asked to mark them; weighted by segment",
        range=(0.0, None),
        better="none",
        undefined=_UNASKED,
        clusters=_CLUSTERS,
        reference="docs/definitions.md section 5",
        family="union",
        per="dataset",
        count=count,
        value=_total,
        size="searched",
        printed="missed",
    )
)
register(
    Metric(
        name="found_share",
        title="Share of mentions that some source found",
        formula="mention groups of the union in searched segments / these and the missed mentions there",
        range=(0.0, 1.0),
        better="none",
        undefined=f"{_UNASKED}, or nothing was found and nothing marked",
        clusters=_CLUSTERS,
        reference="docs/definitions.md section 5",
        family="union",
        per="dataset",
        count=count,
        value=_share,
        size="mentions",
    )
)
