"""The queue as a table: written for an expert to fill in wherever he likes, and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from analysis.csv_lines import write_records
from analysis.decisions import DECISIONS, EDIT
from analysis.dialect import encoding_of, separator_of
from analysis.errors import InputError, Problem
from verifier import targets
from verifier.adjudication.deciding import Choice, decide_within, named
from verifier.adjudication.queue import Queue, queue
from verifier.crowd.tally import Tally
from verifier.store import experts

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

COLUMNS: Final = (
    *("item", "dataset", "document", "start", "end", "before", "mention", "after"),
    *("entity", "title", "description", "decision", "new_entity"),
)
_READ: Final = ("item", "decision", "new_entity")
# What a row says of its item, where the columns are left in: numbers of another study mean other items.
_SAID: Final = ("start", "end", "entity")


@dataclass(frozen=True)
class Taken:
    """What reading a table came to: decisions that are new, that stood already, and rows left empty."""

    new: int
    same: int
    empty: int


def write(study: Study, target: Path, which: str, expert: str, limit: int | None = None) -> int:
    """Write what an expert has not decided yet, in the order of a queue, without anybody's votes.

    Returns:
        How many items there are in it.

    Raises:
        InputError: the file exists and is no such table, or belongs to a study.
    """
    name = named(expert)
    found = queue(study, Tally(study).refresh())
    displays = list(islice(found.left(which, name), limit))
    with targets.new_file(target, targets.csv_of(COLUMNS)) as file, study.read() as session:
        write_records(file, COLUMNS, (_row(session, display) for display in displays))
    return len(displays)


def read(
    study: Study, source: Path, expert: str, *, understand: Callable[[str, str], str], now: datetime
) -> Taken:
    """Keep the decisions of a table, all or none; rows without one are left for later.

    Raises:
        InputError: the file is no such table, or rows are wrong; every fault with its line.
    """
    name = named(expert)
    rows = _rows(source)
    problems: list[Problem] = []
    new = same = empty = 0
    seen: dict[str, int] = {}
    with study.write(alone=True) as session:
        for line, row in rows:
            if not row["decision"]:
                empty += 1
                continue
            try:
                choice = _choice(row, seen, line)
                _check_same(session, choice.display, row)
                if decide_within(session, study, name, choice, understand=understand, now=now):
                    new += 1
                else:
                    same += 1
            except InputError as error:
                problems += [
                    Problem(one.what, f"{source}:{line}", one.got, one.expected, one.remedy)
                    for one in error.problems
                ]
        if problems:
            raise InputError.of(problems)
    return Taken(new, same, empty)


def counts(study: Study, expert: str) -> tuple[dict[str, tuple[int, int]], dict[str, int]]:
    """By queue how many items there are and how many of them an expert has decided; all experts' numbers."""
    found: Queue = queue(study, Tally(study).refresh())
    return found.counts(named(expert)), {one: len(items) for one, items in sorted(found.decided.items())}


def _row(session: Session, display: int) -> dict[str, Any]:
    case = experts.case(session, display)
    if case is None:
        raise InputError("there is no such item", where="item", got=str(display))
    return {
        "item": display,
        "dataset": case.dataset,
        "document": case.document,
        "start": case.document_start,
        "end": case.document_start + case.end - case.start,
        "before": case.text[: case.start],
        "mention": case.mention,
        "after": case.text[case.end :].rstrip(),
        "entity": case.key,
        "title": case.title or "",
        "description": case.description or "",
        "decision": "",
        "new_entity": "",
    }


def _choice(row: dict[str, str], seen: dict[str, int], line: int) -> Choice:
    item, decision, entity = row["item"], row["decision"].lower(), row["new_entity"]
    if not (item.isascii() and item.isdecimal() and len(item) < 19):  # noqa: PLR2004 - what 64 bits hold
        raise InputError("there is no such item", where="item", got=ascii(item)[:40])
    if (before := seen.setdefault(item, line)) != line:
        raise InputError("this item has a decision already", got=f"line {before}", remedy="Keep one of them.")
    if decision not in DECISIONS:
        raise InputError("no decision", got=ascii(decision)[:40], expected=", ".join(DECISIONS))
    if decision == EDIT and not entity:
        raise InputError("an edit without its entity", expected="a key, an address or NIL under new_entity")
    if decision != EDIT and entity:
        raise InputError(
            "an entity where nothing is edited", got=ascii(entity)[:60], expected="edit, or no entity"
        )
    return Choice(int(item), decision, entity or None)


def _check_same(session: Session, item: int, row: dict[str, str]) -> None:
    """Refuse a row whose number is that of another item than the row shows."""
    stands = _row(session, item)
    if any(row[name] and row[name] != str(stands[name]) for name in _SAID):
        raise InputError(
            "the item of this number is another one",
            got=" ".join(row[name] for name in _SAID),
            expected=" ".join(str(stands[name]) for name in _SAID),
            remedy="Is the table of this study? Write it anew: posthoc adjudicate STUDY --out FILE",
        )


def _rows(source: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        data = source.read_bytes()
        text = data.decode(encoding_of(data))
        separator = separator_of(text)
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
        heading = reader.fieldnames or []
        if not set(_READ) <= set(heading):
            raise InputError(
                "no table of decisions",
                where=f"{source}:1",
                got=", ".join(name for name in heading if name)[:200] or "nothing",
                expected=f"the columns {', '.join(_READ)}, as posthoc adjudicate --out writes them",
            )
        kept = (*_READ, *_SAID)
        return [(reader.line_num, {name: (row.get(name) or "").strip() for name in kept}) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("the table cannot be read", where=str(source), got=str(error)) from None
