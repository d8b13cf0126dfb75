"""Reads redirects, and Wikidata ids of titles, into key -> target; chains followed, contradictions told."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analysis.errors import InputError, Problem
from analysis.keys import normalise
from verifier.corpus.rows import BadRowError, check_line, decode, read_bytes, shown, storable

_TARGET_SECOND: Final = {("key", "target"), ("redirect", "target"), ("from", "to"), ("source", "target")}
_TARGET_FIRST: Final = {(second, first) for first, second in _TARGET_SECOND}
_PAIR: Final = 2
_FORWARD: Final = "key, target"
_BACKWARD: Final = "target, its redirects"
IDS: Final = "titles and their Wikidata ids"
_ITEM: Final = re.compile(r"(?:wd:)?Q[1-9][0-9]*")
# A title of Wikipedia holds no #: what follows it names a section.
_SECTION: Final = re.compile(r"(?:(?!id:|dbp:|[a-z][a-z0-9+.-]*://).|https?://[^/#]*wikipedia\.org/)[^#]*#")


@dataclass(frozen=True)
class Redirects:
    """What files of redirects say.

    Attributes:
        name: of the files.
        sha256: of the file's bytes; of the hashes of several.
        layout: how the columns were read.
        targets: key to target; no target is a key.
        chained: how many led to their target over others.
        sections: how many lead to a section of an article: these are not followed.
        problems: the bad rows.
    """

    name: str
    sha256: str
    layout: str
    targets: dict[str, str]
    chained: int
    sections: int
    problems: tuple[Problem, ...]

    def told(self) -> str:
        """What was read, in words."""
        said = [f"{self.name}: read as {self.layout}; {len(self.targets)} redirects"]
        said += [f"{self.chained} of them over others"] if self.chained else []
        said += [f"{self.sections} to sections, which were not followed"] if self.sections else []
        return ", ".join(said)


@dataclass(frozen=True)
class _Row:
    path: Path
    line: int
    key: str
    target: str


@dataclass
class _File:
    """One file as read: its rows are redirects, or the ids of titles."""

    path: Path
    sha256: str
    layout: str
    rows: list[_Row] = field(default_factory=list)
    sections: int = 0
    problems: list[Problem] = field(default_factory=list)


def read_redirects(
    paths: Path | Sequence[Path], *, language: str = "en", encoding: str = "utf-8-sig"
) -> Redirects:
    """The redirects of tab-separated files, together.

    Three layouts: a canonical title followed by any number of its redirects; `key<TAB>target`; or a Wikidata
    id and the titles that stand for it, in either order where there are two columns. A first line
    `key<TAB>target` (or `target<TAB>key`) says which it is where each line has two columns. Lines that start
    with # are skipped. Redirects come before ids: a title gets the id of what it leads to, and else its own.

    Args:
        paths: the file, or files.
        language: of bare titles.
        encoding: of the files.

    Raises:
        InputError: a file cannot be read, or its two columns can be either way round.
    """
    files = [_read(path, language, encoding) for path in ([paths] if isinstance(paths, Path) else paths)]
    problems = [problem for file in files for problem in file.problems]
    direct = _agreeing([row for file in files if file.layout != IDS for row in file.rows], problems)
    ids = _agreeing([row for file in files if file.layout == IDS for row in file.rows], problems)
    ends, chained = _follow(direct, files, problems)
    ids = {title: ends.get(item, item) for title, item in ids.items()}
    targets = {key: ids.get(end, ids.get(key, end)) for key, end in ends.items()}
    targets |= {title: item for title, item in ids.items() if title not in ends}
    hashes = [file.sha256 for file in files]
    sha256 = hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()
    layouts = " and ".join(dict.fromkeys(file.layout for file in files))
    name = " + ".join(file.path.name for file in files)
    sections = sum(file.sections for file in files)
    return Redirects(name, sha256, layouts, targets, chained, sections, tuple(problems))


def _read(path: Path, language: str, encoding: str) -> _File:
    content = read_bytes(path)
    text = decode(content, path, encoding)
    table = list(_table(text))
    layout, first = _layout(table, path)
    file = _File(path, hashlib.sha256(content).hexdigest(), layout)
    for line, cells in table[first:]:
        try:
            check_line("\t".join(cells))
            _note(file, line, [cell for cell in cells if cell.strip()], language)
        except BadRowError as error:
            file.problems.append(replace(error.problem, where=f"{path}:{line}"))
    if not (file.rows or file.sections or file.problems):
        got = shown(text) if text.strip() else "nothing"
        what = "the file holds no redirect"
        file.problems.append(Problem(what, f"{path}:1", got, "titles parted by tabs, at least two in a line"))
    return file


def _note(file: _File, line: int, cells: list[str], language: str) -> None:
    """Put down what a line says: each redirect or title with its target.

    Raises:
        BadRowError: it has not the columns that the layout asks for.
    """
    if file.layout == IDS:
        cells = sorted(cells, key=lambda cell: not _ITEM.fullmatch(cell.strip()))
    elif file.layout == _FORWARD:
        if len(cells) != _PAIR:
            raise BadRowError(
                f"{len(cells)} columns",
                got=shown("\t".join(cells)),
                expected="key and target, parted by a tab",
            )
        cells = cells[::-1]
    sections = [bool(_SECTION.match(cell.strip())) for cell in cells]
    if any(sections[:1]):
        file.sections += len(cells) - 1
        return
    file.sections += sum(sections)
    keys = []
    for cell, section in zip(cells, sections, strict=True):
        try:
            keys += [] if section else [normalise(storable(cell, "title"), language)]
        except (InputError, BadRowError) as error:
            fault = error.problems[0] if isinstance(error, InputError) else error.problem
            place = f"{file.path}:{line}"
            file.problems.append(Problem(fault.what, place, fault.got, fault.expected, fault.remedy))
            if cell is cells[0]:
                return
    file.rows += [_Row(file.path, line, key, keys[0]) for key in keys[1:]]


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
        return _FORWARD, 1
    if heading in _TARGET_FIRST:
        return _BACKWARD, 1
    if (first := _ids(table)) is not None:
        return IDS, first
    if any(len(cells) != _PAIR for _, cells in table):
        return _BACKWARD, 0
    one, other = ([cells[column] for _, cells in table] for column in (0, 1))
    if len(set(one)) == len(one) and len(set(other)) < len(other):
        return _FORWARD, 0
    if len(set(other)) == len(other) and len(set(one)) < len(one):
        return _BACKWARD, 0
    raise InputError(
        "two columns, which can be read either way round",
        where=f"{path}:{table[0][0]}",
        got=shown(table[0][1]),
        expected="a first line 'key<TAB>target' or 'target<TAB>key'",
        remedy="Add that line.",
    )


def _ids(table: list[tuple[int, list[str]]]) -> int | None:
    """How many lines of heading stand above Wikidata ids with their titles; None if it is none such."""

    def fits(cells: list[str]) -> bool:
        items = [bool(_ITEM.fullmatch(cell.strip())) for cell in cells if cell.strip()]
        return len(items) > 1 and sum(items) == 1 and (items[0] or len(items) == _PAIR)

    for first in (0, 1):
        if table[first:] and all(fits(cells) for _, cells in table[first:]):
            return first
    return None


def _agreeing(rows: list[_Row], problems: list[Problem]) -> dict[str, str]:
    """Key to target as written; a key with two targets is a bad row, one that leads to itself is none."""
    direct: dict[str, _Row] = {}
    for row in rows:
        if row.key == row.target:
            continue
        known = direct.setdefault(row.key, row)
        if known.target != row.target:
            there = f"line {known.line}" + ("" if known.path == row.path else f" of {known.path}")
            problems.append(
                Problem(
                    f"{row.key} redirects to two targets",
                    f"{row.path}:{row.line}",
                    row.target,
                    f"{known.target}, as in {there}",
                )
            )
    return {key: row.target for key, row in direct.items()}


def _follow(
    direct: dict[str, str], files: Sequence[_File], problems: list[Problem]
) -> tuple[dict[str, str], int]:
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
            line = _line(cycle[start], files)
            problems.append(Problem("the redirects lead in a circle", line, loop, "an end"))
    return ends, chained


def _line(key: str, files: Sequence[_File]) -> str:
    return next(f"{row.path}:{row.line}" for file in files for row in file.rows if row.key == key)
