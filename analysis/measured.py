"""A study under one policy, computed once: what every metric counts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes, Floats
from analysis.errors import InputError, plain
from analysis.policy import Policy
from analysis.schema import ALL
from analysis.spans import codes
from analysis.study import Study

_VIEW: Final = "view "
_LOOKED_AT: Final = (
    *("document_code", "source_code", "segment", "start", "end", "item"),
    *("shown", "judged", "in_scope", "n", "verify", "edit", "remove"),
)


@dataclass(frozen=True)
class Measured:
    """A study x a policy. All codes are row numbers (0, 1, ...) of the frame they name; -1 is "none".

    Attributes:
        study: the tables.
        policy: the choices.
        sources: names; the ground truth first, the others sorted. A source's code is its place here.
        documents: dataset, document, evaluation_start, evaluation_end; sorted by dataset, then document, so
            that a dataset is a contiguous stretch of codes.
        ran: (documents x sources) whether the source ran there.
        workers: pseudonyms, sorted. A worker's code is its place here.
        segments: document_code, start, end, weight, shared (every source that ran in the dataset has a
            shown annotation here and all shown annotations here are judged).
        annotations: the bundle's columns and document_code, source_code, key_code (place of a link's key
            among all keys, sorted; -1 for what is no link), item (-1 unless kind is link), segment (-1:
            crosses a boundary), judged, in_scope, n (judgments that speak for it; under weighted their
            weight), verify, edit, remove (integer numerators over n; under majority and unanimous they may
            add to less: tied).
        votes: annotation, worker (-1: anonymous), verify, edit, remove, weight, n, and document_code,
            segment, item, source_code of the annotation. One row a judgment that speaks for a shown
            annotation: numerators over n add to the annotation's value, weights (1 each, but under weighted)
            over n to 1. cell: numbered in the order of document, worker and n, the same over item_votes.
        items: document_code, segment, start, end, key, key_code, shown (by any source), judged, in_scope, n
            and verify (y = verify / n: under own pooling the largest of its annotations'; with union_edits
            that of the edits to it if that is larger), y, edited (no source has it: only an edit brought it
            in). Sorted by document, start, end, key.
        support: (items x sources) the source has a shown annotation of the item.
        item_votes: item, worker, verify, weight, n, document_code, segment, cell: the judgments behind
            items' y.
        left_out: reason -> number of assignments that do not count; and other rows left out.
        judgments: number of judgments that enter.
        heard: number of judgments of those who count, whether or not what they are about was shown.
        anonymous: some judgments that enter have no worker id.
        warnings: what a reader must know of these data under this policy.
        memo: what was computed from it and is wanted again, by name.
    """

    study: Study
    policy: Policy
    sources: tuple[str, ...]
    documents: pd.DataFrame
    ran: Bools
    workers: tuple[str, ...]
    segments: pd.DataFrame
    annotations: pd.DataFrame
    votes: pd.DataFrame
    items: pd.DataFrame
    support: Bools
    item_votes: pd.DataFrame
    left_out: Mapping[str, int] = field(default_factory=dict)
    judgments: int = 0
    heard: int = 0
    anonymous: bool = False
    warnings: tuple[str, ...] = ()
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def gt(self) -> str | None:
        """Name of the ground truth."""
        return self.study.ground_truth

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, sorted."""
        return tuple(map(str, self.documents["dataset"].unique()))

    @cached_property
    def bounds(self) -> Codes:
        """(datasets + 1,) the documents of dataset i are bounds[i] to bounds[i + 1] - 1."""
        sizes = self.documents.groupby("dataset", sort=True).size().to_numpy()
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def weight(self) -> Floats | None:
        """Inclusion weight of each segment; None where all are 1."""
        weight = self.segments["weight"].to_numpy(float)
        around = self.study.around
        weighted = (weight != 1.0).any() if around is None else around.weighted
        return weight if weighted else None

    @cached_property
    def entity_places(self) -> Codes:
        """(items,) equal for items with one entity in one document."""
        return codes(self.items["document_code"], self.items["key_code"])

    def source_code(self, source: str) -> int:
        """Code of a source.

        Raises:
            InputError: the study has no such source.
        """
        if source not in self.sources:
            raise InputError("no such source", got=plain(source), expected=", ".join(self.sources))
        return self.sources.index(source)

    def document_codes(self, dataset: str) -> slice:
        """The stretch of document codes of a dataset; `*` is all.

        Raises:
            InputError: the study has no such dataset.
        """
        if dataset == ALL:
            return slice(0, len(self.documents))
        if dataset not in self.datasets:
            raise InputError("no such dataset", got=plain(dataset), expected=", ".join(self.datasets))
        place = self.datasets.index(dataset)
        return slice(int(self.bounds[place]), int(self.bounds[place + 1]))

    def view(self, dataset: str = ALL, source: str | None = None) -> View:
        """One cell of the grouping."""
        if source is not None:
            self.source_code(source)
        self.document_codes(dataset)
        # Metrics look at the same rows one after another: a view is cut once.
        name = f"{_VIEW}{dataset} {source}"
        if name not in self.memo:
            self.memo[name] = View(self, dataset, source)
        found: View = self.memo[name]
        return found

    def forget(self) -> None:
        """Let go of all that was computed from it; views hold it as it holds them, and would both stay."""
        self.memo.clear()

    def forget_views(self) -> None:
        """Let go of the views' rows, which are cut again when asked for: of a large study they are much."""
        for name in [name for name in self.memo if isinstance(name, str) and name.startswith(_VIEW)]:
            del self.memo[name]


@dataclass(frozen=True)
class View:
    """What a metric counts from: one dataset (or `*`, all) and one source (or None).

    The evaluation counts every metric once over all datasets and cuts the counts by document, so a metric's
    rows must each lie inside one document.
    """

    measured: Measured
    dataset: str
    source: str | None

    @cached_property
    def source_code(self) -> int:
        """Code of the source; -1 if the view has none."""
        return -1 if self.source is None else self.measured.source_code(self.source)

    @cached_property
    def in_documents(self) -> Bools:
        """(documents,) in the dataset, and the source ran there."""
        mask = np.zeros(len(self.measured.documents), dtype=bool)
        mask[self.measured.document_codes(self.dataset)] = True
        return mask if self.source is None else mask & self.measured.ran[:, self.source_code]

    @cached_property
    def documents(self) -> Codes:
        """Codes of the documents of the view: of the dataset, where the source ran."""
        return np.flatnonzero(self.in_documents)

    @cached_property
    def annotations(self) -> pd.DataFrame:
        """All imported annotations of the source (None: of every source), in what is counted of them.

        The index is their code.
        """
        return self._of_source(self.measured.annotations[list(_LOOKED_AT)])

    @cached_property
    def votes(self) -> pd.DataFrame:
        """The judgments that speak for shown annotations of the source."""
        return self._of_source(self.measured.votes)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Items of any source in the view's documents, in scope or not; its index is the item code."""
        items = self.measured.items
        return _some(items, self.in_documents[items["document_code"].to_numpy()])

    @cached_property
    def item_votes(self) -> pd.DataFrame:
        """The judgments behind those items."""
        votes = self.measured.item_votes
        return _some(votes, self.in_documents[votes["document_code"].to_numpy()])

    def _of_source(self, frame: pd.DataFrame) -> pd.DataFrame:
        rows = self.in_documents[frame["document_code"].to_numpy()]
        if self.source is not None:
            rows &= frame["source_code"].to_numpy() == self.source_code
        return _some(frame, rows)


def _some(frame: pd.DataFrame, rows: Bools) -> pd.DataFrame:
    """Some rows; where that is all, the frame itself, which costs no memory."""
    found: pd.DataFrame = frame if rows.all() else frame[rows]
    return found
