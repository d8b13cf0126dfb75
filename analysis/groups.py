"""Groupings beyond dataset and source: what metrics are for parts of a source's annotations, or of people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.engine.counts import Bools, Codes, Counts
from analysis.errors import ConfigError
from analysis.given_types import GROUPING as GIVEN
from analysis.given_types import TypedGroups, typed_groups
from analysis.measured import Measured
from analysis.metrics.calibration import BINS
from analysis.metrics.registry import Metric
from analysis.settings import GROUPINGS

_LONG: Final = 3
_UNKNOWN: Final = "not known"


@dataclass(frozen=True)
class Groups:
    """The groups of one grouping.

    Attributes:
        names: of the groups, in order.
        of: the group of each row of counts; -1: in none.
    """

    names: Sequence[str]
    of: Callable[[Counts], Codes]

    def parts(self, counts: Counts) -> dict[str, Counts]:
        """The counts of each group that has any."""
        code = self.of(counts)
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(self.names) + 1))
        return {
            name: counts.select(order[low:high])
            for name, low, high in zip(self.names, bounds, bounds[1:], strict=False)
            if high > low
        }


def check(grouping: str, metric: Metric) -> None:
    """Refuse a metric that has no parts of that kind.

    Raises:
        ConfigError: with the reason.
    """
    if grouping not in GROUPINGS:
        raise ConfigError(
            "cannot part by that",
            where="by",
            got=grouping,
            expected=", ".join(("dataset", "source", *GROUPINGS)),
        )
    if why := reason_against(grouping, metric):
        raise ConfigError(f"{metric.name} cannot be parted by {grouping}: {why}", where="by", got=grouping)


def reason_against(grouping: str, metric: Metric) -> str:
    """Why a metric has no parts of a kind; empty where it has."""
    about_items = metric.family != "rates"
    hindrances = {
        "it is a mean over documents": metric.macro,
        "it matches all of a document's annotations at once": metric.family == "matching",
        "it is about items, of which sources may think differently": about_items
        and grouping in ("entity_type", "confidence_bin"),
        "it is not a sum of what each worker decided": grouping == "worker" and metric.name not in _BY_WORKER,
    }
    every = [why for why, holds in hindrances.items() if holds]
    return next(iter(every if grouping != "document" or metric.macro else []), "")


_BY_WORKER: Final = ("verification_rate", "edit_rate", "removal_rate", "brier")


def groups(measured: Measured, grouping: str, metric: Metric) -> Groups | TypedGroups:
    """The groups of a grouping, for counts of a metric."""
    if grouping == "worker":
        return Groups(measured.workers, lambda counts: counts.worker)
    if grouping == "mention_length":
        return _by_unit(
            measured, metric, ("1 word", "2 words", "3 or more words", _UNKNOWN), _length(measured)
        )
    if grouping == GIVEN:
        return typed_groups(measured, metric)
    if grouping == "confidence_bin":
        return _by_unit(measured, metric, _bins(), _bin(measured))
    kind = measured.annotations["kind"].to_numpy(dtype=object).astype(str)
    names, code = np.unique(kind, return_inverse=True)
    return _by_unit(measured, metric, [str(name) for name in names], code.astype(np.int64))


def _by_unit(measured: Measured, metric: Metric, names: Sequence[str], code: Codes) -> Groups:
    """Groups of annotations, and of items: an item is where its first annotation is."""
    item = measured.annotations["item"].to_numpy()
    of_item = np.full(len(measured.items), -1, dtype=np.int64)
    there = np.flatnonzero(item >= 0)[::-1]
    of_item[item[there]] = code[there]
    edited = measured.items["edited"].to_numpy(dtype=bool)
    if edited.any():
        _as_at_their_span(measured, of_item, edited)

    def of(counts: Counts) -> Codes:
        if metric.family == "rates":
            return code[counts.unit]
        # What is no link is a unit of its own, after all items.
        rest: Bools = counts.unit >= len(of_item)
        return np.where(
            rest,
            code[np.where(rest, counts.unit - len(of_item), 0)],
            np.append(of_item, -1)[np.where(rest, len(of_item), counts.unit)],
        )

    return Groups(names, of)


def _as_at_their_span(measured: Measured, of_item: Codes, edited: Bools) -> None:
    """What only an edit brought in has the span, and so the words, of what was edited."""
    items = measured.items[["document_code", "start", "end"]].assign(group=of_item)
    first = items[~edited].groupby(["document_code", "start", "end"])["group"].first()
    span = items.loc[edited, ["document_code", "start", "end"]]
    of_item[edited] = [int(first.get(tuple(row), -1)) for row in span.to_numpy().tolist()]


def _length(measured: Measured) -> Codes:
    """0, 1 or 2: one word, two, three or more, words being parted by blanks; 3 where words are not known."""
    mentions = measured.annotations["mention"].tolist()
    if any(not isinstance(mention, str) for mention in mentions):
        given = zip(mentions, _from_texts(measured), strict=True)
        mentions = [one if isinstance(one, str) else other for one, other in given]
    lengths = [
        min(max(len(words.split()), 1), _LONG) - 1 if isinstance(words, str) else _LONG for words in mentions
    ]
    return np.array(lengths, dtype=np.int64)


def _from_texts(measured: Measured) -> list[str | None]:
    known = measured.study["documents"].set_index(["dataset", "document"])["text"]
    names = zip(measured.documents["dataset"], measured.documents["document"], strict=True)
    texts = [known.get(pair) for pair in names]
    frame = measured.annotations
    places = zip(frame["document_code"], frame["start"], frame["end"], strict=True)
    return [
        text[start:end] if isinstance(text := texts[document], str) else None
        for document, start, end in places
    ]


def _bins() -> list[str]:
    return [*(f"{low / BINS:g} to {(low + 1) / BINS:g}" for low in range(BINS)), _UNKNOWN]


def _bin(measured: Measured) -> Codes:
    """The bin of each annotation's confidence, equally wide; the last is none between 0 and 1."""
    confidence = measured.annotations["confidence"].to_numpy(dtype=float)
    known = (confidence >= 0) & (confidence <= 1)
    place = np.minimum(np.floor(np.where(known, confidence, 0) * BINS), BINS - 1)
    return np.where(known, place, BINS).astype(np.int64)
