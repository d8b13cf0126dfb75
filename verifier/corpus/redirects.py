"""Reads a file of redirects into key -> target, chains followed, cycles and contradictions reported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.errors import InputError, Problem
from analysis.keys import normalise
from verifier.corpus.rows import BadRowError, decode, read_bytes, shown, storable

_TARGET_SECOND: Final = {("key", "target"), ("redirect", "target"), ("from", "to"), ("source", "target")}
_TARGET_FIRST: Final = {(second, first) for first, second in _TARGET_SECOND}
_PAIR: Final = 2


@dataclass(frozen=True)
class Redirects:
    """What a file of redirects says.

    Attributes:
        path: the file.
        sha256: of its bytes.
        layout: how its columns were read.
        targets: key to target; no target is a key.
        chained: how many led to their target over others.
        problems: the bad rows.
    """

    path: Path
    sha256: str
    layout: str
    targets: dict[str, str]
    chained: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class _Row:
    line: int
    key: str
    target: str


def read_redirects(path: Path, *, language: str = "en", encoding: str = "utf-8-sig") -> Redirects:
    """The redirects of a tab-separated file.

    Two layouts: a canonical title followed by any number of its redirects, or `key<TAB>target`. A first line
    `key<TAB>target` (or `target<TAB>key`) says which it is where each line has two columns. Lines that start
    with # are skipped.

    Args:
        path: the file.
        language: of bare titles.
        encoding: of the file.

    Raises:
        InputError: the file cannot be read, or its two columns can be either way round.
    """
    content = read_bytes(path)
    table = list(_table(decode(content, path, encoding)))
    layout, first = _layout(table, path)
    problems: list[Problem] = []
    rows = list(_rows(table[first:], path, language, problems, forward=layout == "key, target"))
    direct = _agreeing(rows, path, problems)
    targets, chained = _follow(direct, path, problems)
    sha256 = hashlib.sha256(content).hexdigest()
    return Redirects(path, sha256, layout, targets, chained, tuple(problems))


def _table(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            yield number, line.rstrip("\r\n").split("\t")


def _layout(table: list[tuple[int, list[str]]], path: Path) -> tuple[str, int]:
    """How the columns are to be read, and how many lines of heading there are."""
    if not table:
        raise InputError("the file of redirects is empty", where=str(path))
    heading = tuple(cell.strip().lower() for cell in table[0][1])
    if heading in _TARGET_SECOND:
        return "key, target", 1
    if heading in _TARGET_FIRST:
        return "target, its redirects", 1
    if any(len(cells) != _PAIR for _, cells in table):
        return "target, its redirects", 0
    first, second = ([cells[column] for _, cells in table] for column in (0, 1))
    if len(set(first)) == len(first) and len(set(second)) < len(second):
        return "key, target", 0
    if len(set(second)) == len(second) and len(set(first)) < len(first):
        return "target, its redirects", 0
    raise InputError(
        "two columns, which can be read either way round",
        where=f"{path}:{table[0][0]}",
        got=shown(table[0][1]),
        expected="a first line 'key<TAB>target' or 'target<TAB>key'",
        remedy="Add that line.",
    )


def _rows(
    table: list[tuple[int, list[str]]], path: Path, language: str, problems: list[Problem], *, forward: bool
) -> Iterator[_Row]:
    for line, cells in table:
        keys = []
        for cell in filter(str.strip, cells):
            try:
                keys.append(normalise(storable(cell, "title"), language))
            except (InputError, BadRowError) as error:
                fault = error.problems[0] if isinstance(error, InputError) else error.problem
                problems.append(
                    Problem(fault.what, f"{path}:{line}", fault.got, fault.expected, fault.remedy)
                )
        if forward and len(keys) == _PAIR:
            yield _Row(line, keys[0], keys[1])
        elif not forward:
            yield from (_Row(line, key, keys[0]) for key in keys[1:])


def _agreeing(rows: list[_Row], path: Path, problems: list[Problem]) -> dict[str, str]:
    """Key to target as written; a key with two targets is a bad row, one that leads to itself is none."""
    direct: dict[str, _Row] = {}
    for row in rows:
        if row.key == row.target:
            continue
        known = direct.setdefault(row.key, row)
        if known.target != row.target:
            problems.append(
                Problem(
                    f"{row.key} redirects to two targets",
                    f"{path}:{row.line}",
                    row.target,
                    f"{known.target}, as in line {known.line}",
                )
            )
    return {key: row.target for key, row in direct.items()}


def _follow(direct: dict[str, str], path: Path, problems: list[Problem]) -> tuple[dict[str, str], int]:
    """Every key with the end of its chain, and how many chains were longer than one step; cycles are bad."""
    ends: dict[str, str] = {}
    chained = 0
    told: set[str] = set()
    for key in direct:
        trail = [key]
        while (step := direct.get(trail[-1])) is not None and step not in trail:
            trail.append(step)
        if step is None:
            ends[key] = trail[-1]
            chained += len(trail) > _PAIR
        elif step not in told:
            cycle = trail[trail.index(step) :]
            told.update(cycle)
            start = cycle.index(min(cycle))
            loop = " -> ".join([*cycle[start:], *cycle[:start], cycle[start]])
            problems.append(Problem("the redirects lead in a circle", str(path), loop, "an end"))
    return ends, chained
