"""Reads controls that a researcher gives: posthoc JSONL whose annotations say what is expected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis.decisions import DECISIONS, EDIT
from analysis.documents import Span
from analysis.errors import InputError, plain
from analysis.keys import NIL, normalise
from verifier.corpus.rows import BadRowError, Rows, decode, objects, read_bytes, span_value
from verifier.plan.controls import Control, Known
from verifier.plan.gate import GATE, MEASURE
from verifier.plan.tasks import Shown


class Place(NamedTuple):
    """A document that controls may stand in: its id, dataset, language of bare titles, text, and segments."""

    document: int
    dataset: str
    language: str
    text: str
    segments: Sequence[Span]


def read_controls(path: Path, places: Mapping[str, Sequence[Place]]) -> list[Control]:
    """The controls of a file: one a segment, of the annotations given there.

    A line: `{"id", "dataset"?, "annotations": [{"start", "end", "entity", "expected", "acceptable"?,
    "difficulty"?, "use"?}]}`. `expected` is verify, edit or remove, or null for a link that is shown and
    not graded; `acceptable` lists the entities an edit may choose and is needed for one; `use` is gate or
    measure.

    Args:
        path: the file.
        places: document name -> the documents of that name, one for each dataset that has it.

    Raises:
        InputError: every fault of the file, each with its line.
    """
    rows = Rows(path, "en")
    grouped: dict[tuple[int, int], list[Known]] = defaultdict(list)
    for line, row in objects(decode(read_bytes(path), path, "utf-8-sig"), rows):
        try:
            place, annotations = _place(row, places), _annotations(row)
        except BadRowError as error:
            rows.bad(line, error)
            continue
        for item in annotations:
            try:
                known = _known(item, place)
                grouped[place.document, _segment(known.shown, place)].append(known)
            except BadRowError as error:
                rows.bad(line, error)
    if rows.problems:
        raise InputError.of(rows.problems)
    return [
        Control(document, segment, tuple(sorted(known, key=lambda answer: answer.shown)))
        for (document, segment), known in sorted(grouped.items())
    ]


def _place(row: dict[str, Any], places: Mapping[str, Sequence[Place]]) -> Place:
    found = [
        place
        for place in places.get(str(row.get("id")), ())
        if row.get("dataset") is None or place.dataset == row["dataset"]
    ]
    if not found:
        raise BadRowError("no such document in the study", got=plain(row.get("id")))
    if len(found) > 1:
        datasets = ", ".join(place.dataset for place in found)
        raise BadRowError(
            "several datasets have this document",
            got=plain(row["id"]),
            expected=f"'dataset', one of: {datasets}",
        )
    if "text" in row and row["text"] != found[0].text:
        raise BadRowError("the text is not the document's", got=plain(row["id"]))
    return found[0]


def _annotations(row: dict[str, Any]) -> list[Any]:
    annotations = row.get("annotations")
    if not isinstance(annotations, list) or not annotations:
        raise BadRowError("'annotations' is missing, empty or no list")
    return annotations


def _known(item: Any, place: Place) -> Known:
    if not isinstance(item, dict):
        raise BadRowError("not an annotation", got=plain(item), expected="an object")
    span = span_value(item.get("start"), item.get("end"), place.text)
    expected, use = item.get("expected"), item.get("use", "gate")
    graded = not ("expected" in item and expected is None)
    if graded and expected not in DECISIONS:
        raise BadRowError("'expected' is no decision", got=plain(expected), expected=" or ".join(DECISIONS))
    if use not in (GATE, MEASURE):
        raise BadRowError("'use' is not known", got=plain(use), expected=f"{GATE} or {MEASURE}")
    given = item.get("acceptable")
    listed = [given] if isinstance(given, str) else given or []
    acceptable = tuple(_key(raw, place.language) for raw in listed)
    if expected == EDIT and not acceptable:
        raise BadRowError("an edit needs 'acceptable'", expected="the entities it may be edited to")
    difficulty = item.get("difficulty")
    key = _key(item.get("entity"), place.language)
    if key == NIL:
        raise BadRowError("NIL cannot be shown as an entity", got=plain(item.get("entity")))
    if not graded:
        return Known(Shown(*span, key), None, use="measure")
    return Known(
        Shown(*span, key), expected, acceptable or None, None if difficulty is None else str(difficulty), use
    )


def _key(raw: Any, language: str) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise BadRowError("an entity is missing or no text", got=plain(raw))
    if raw.strip() == NIL:
        return NIL
    try:
        return normalise(raw, language)
    except InputError as error:
        problem = error.problems[0]
        raise BadRowError(problem.what, got=problem.got, expected=problem.expected) from None


def _segment(shown: Shown, place: Place) -> int:
    span = Span(shown.start, shown.end)
    for number, segment in enumerate(place.segments):
        if span.within(segment):
            return number
    raise BadRowError("the span crosses segments of the plan", got=f"{shown.start}-{shown.end}")
