"""What values the bundle's columns may hold, beyond their types: words, finite numbers, possible spans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import DECISIONS
from analysis.errors import Problem, plain
from analysis.keys import KINDS, LINK
from analysis.schema import ALL, CONTROL_USES, JUDGE_ROLES, ORIGINS, ROLES, TASK_KINDS

Tables = Mapping[str, pd.DataFrame]

_WORDS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("sources", "role"): ROLES,
    ("annotations", "kind"): KINDS,
    ("tasks", "kind"): TASK_KINDS,
    ("control_answers", "expected"): DECISIONS,
    ("control_answers", "use"): CONTROL_USES,
    ("assignments", "origin"): ORIGINS,
    ("judgments", "decision"): DECISIONS,
    ("judgments", "role"): JUDGE_ROLES,
}
# Smallest value of a number; all must be finite.
_LEAST: Final[dict[tuple[str, str], float]] = {
    ("source_documents", "n"): 0,
    ("annotations", "start"): 0,
    ("segments", "start"): 0,
    ("tasks", "k"): 0,
    ("displays", "start"): 0,
    ("missing_mentions", "start"): 0,
    ("namings", "seconds"): 0,
    ("assignments", "active_seconds"): 0,
    ("judgments", "seconds"): 0,
}
_SPANS: Final = ("annotations", "segments", "displays", "missing_mentions")


def faults(tables: Tables) -> list[Problem]:
    """Every column with a value that it may not hold, each with the first such value."""
    return [*_words(tables), *_numbers(tables), *_spans(tables), *_meanings(tables)]


def _problem(what: str, place: tuple[str, str], frame: pd.DataFrame, bad: pd.Series, allowed: str) -> Problem:
    name, column = place
    first = plain(frame.loc[bad, column].iloc[0])
    return Problem(f"{what} in {int(bad.sum())} rows", f"{name}: {column}", got=first, expected=allowed)


def _words(tables: Tables) -> list[Problem]:
    out = []
    for (name, column), allowed in _WORDS.items():
        bad = ~tables[name][column].isin(allowed)
        if bad.any():
            out.append(_problem("unknown word", (name, column), tables[name], bad, ", ".join(allowed)))
    return out


def _numbers(tables: Tables) -> list[Problem]:
    out = []
    for (name, column), least in _LEAST.items():
        values = tables[name][column]
        bad = values.notna() & ~(np.isfinite(values.astype(float)) & (values >= least))
        if bad.any():
            out.append(_problem("impossible number", (name, column), tables[name], bad, f"{least:g} or more"))
    weight = tables["segments"]["weight"]
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        place = ("segments", "weight")
        out.append(_problem("impossible weight", place, tables["segments"], bad, "0 or more"))
    return out


def _spans(tables: Tables) -> list[Problem]:
    out = []
    for name in _SPANS:
        # An empty document is one empty segment.
        least = 0 if name == "segments" else 1
        bad = tables[name]["end"] - tables[name]["start"] < least
        if bad.any():
            out.append(_problem("impossible span", (name, "end"), tables[name], bad, "start < end"))
    return out


def _meanings(tables: Tables) -> list[Problem]:
    """What one column says must fit what another says."""
    annotations, documents, answers = (tables[n] for n in ("annotations", "documents", "control_answers"))
    checks = [
        (
            annotations,
            (annotations["kind"] == LINK) & annotations["key"].isna(),
            ("annotations", "key", "a link has a key"),
        ),
        (documents, documents["dataset"] == ALL, ("documents", "dataset", "a name; '*' stands for all")),
        (
            documents,
            documents["text"].notna() & (documents["text"].map(_hash) != documents["text_sha256"]),
            ("documents", "text_sha256", "the SHA-256 of the text"),
        ),
        (
            answers,
            answers["acceptable"].notna() & ~answers["acceptable"].map(_is_list).astype(bool),
            ("control_answers", "acceptable", "a JSON list of keys"),
        ),
    ]
    return [
        _problem("wrong value", (name, column), frame, bad, allowed)
        for frame, bad, (name, column, allowed) in checks
        if bad.any()
    ]


def _hash(text: object) -> str:
    return hashlib.sha256(text.encode()).hexdigest() if isinstance(text, str) else ""


def _is_list(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False
