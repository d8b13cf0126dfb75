"""Reading a judgments or annotations CSV, or a frame of its shape, into checked rows; bad ones are listed."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.csv_lines import cells_of_any_length
from analysis.decisions import DECISIONS
from analysis.engine.counts import Codes
from analysis.errors import InputError, Problem, plain
from analysis.keys import LINK, NIL_KIND, read_entity
from analysis.layout import Layout, layout_of
from analysis.schema import ALL, ORIGINS

REQUIRED: Final = ("dataset", "document", "source", "start", "end", "entity", "worker", "decision")
OPTIONAL: Final = ("new_entity", "assignment", "segment", "seconds", "counted", "judgment", "origin")
# What the only dataset is called where no column names datasets.
ONE_DATASET: Final = "corpus"
_ANNOTATION: Final = ("dataset", "document", "source", "start", "end", "entity")
_YES: Final = frozenset({"", "1", "1.0", "true", "yes", "y", "t"})
_NO: Final = frozenset({"0", "0.0", "false", "no", "n", "f"})
# Rows of one judgment repeat it for each credited source: in these they must agree.
_SAME: Final = ("dataset", "document", "start", "end", "key", "worker", "decision", "new_key", "counted")
_LISTED: Final = 200


@dataclass
class _Reading:
    """A table being checked: its text columns, where its rows stand, how it was saved, and what is wrong."""

    frame: pd.DataFrame
    path: Path | None
    layout: Layout
    problems: list[Problem]
    bad: int = 0

    def refuse(self, rows: pd.Series | np.ndarray, what: str, column: str, expected: str = "") -> None:
        """Note the rows (a mask) as bad; at most `_LISTED` are described."""
        numbers = np.flatnonzero(np.asarray(rows))
        self.bad += len(numbers)
        for number in numbers[: max(0, _LISTED - len(self.problems))]:
            got = plain(str(self.frame[column].iloc[number])) if column in self.frame else ""
            self.problems.append(Problem(what, f"\0{number}", got=f"{column} {got}", expected=expected))

    def finish(self) -> None:
        """Raise what was noted, in the order of the rows, with their place.

        Raises:
            InputError: anything was noted.
        """
        if not self.problems:
            return
        lines = _lines(self.path, self.layout) if self.path else None
        self.problems.sort(key=lambda problem: int(problem.where.removeprefix("\0")))
        placed = []
        for problem in self.problems:
            number = int(problem.where.removeprefix("\0"))
            where = f"row {number + 1}" if lines is None else f"{self.path}:{lines[number]}"
            placed.append(Problem(problem.what, where, problem.got, problem.expected, problem.remedy))
        if self.bad > len(placed):
            placed.append(Problem(f"and {self.bad - len(placed)} more bad values", str(self.path or "")))
        raise InputError.of(placed)


def read_judgments(
    source: str | Path | pd.DataFrame, language: str, columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The rows of a judgments CSV, checked and typed.

    Args:
        source: path or frame.
        language: of bare titles.
        columns: our name of a column -> the one that it has there; the others go by ours.

    Returns:
        dataset document source worker decision assignment segment judgment (text), start end (int), raw,
        kind, key, new_raw, new_key (missing where not known), seconds, counted (bool), origin.

    Raises:
        InputError: with every bad row.
    """
    reading = _open(source, REQUIRED, OPTIONAL, columns or {})
    out = _check_annotations(reading, language, spans_optional=False)
    frame = reading.frame
    decision = frame["decision"].str.strip().str.lower()
    reading.refuse(
        ~decision.isin(["", *DECISIONS]), "unknown decision", "decision", "verify, edit, remove or empty"
    )
    out["decision"] = decision
    out["worker"] = frame["worker"].str.strip()
    for name in ("assignment", "segment", "judgment"):
        out[name] = _column(frame, name)
    new = _column(frame, "new_entity").where(decision == "edit", "")
    _, out["new_key"] = _entities(reading, new, "new_entity", language)
    out["new_raw"] = new.where(new != "", None)
    out["seconds"] = _seconds(reading)
    counted = _column(frame, "counted").str.lower()
    reading.refuse(
        ~counted.isin(_YES | _NO), "not a yes or no", "counted", "1, 0, true, false, yes, no or empty"
    )
    out["counted"] = ~counted.isin(_NO)
    origin = _column(frame, "origin").str.lower()
    reading.refuse(~origin.isin(["", *ORIGINS]), "unknown origin", "origin", ", ".join(ORIGINS) + " or empty")
    out["origin"] = origin.where(origin != "", "live")
    if not reading.problems:
        _check_repeats(reading, out)
    reading.finish()
    return out


def read_annotations(source: str | Path | pd.DataFrame, language: str) -> pd.DataFrame:
    """The rows of an annotations CSV; rows with empty start, end and entity have start and end -1.

    Raises:
        InputError: with every bad row.
    """
    reading = _open(source, _ANNOTATION, ("confidence",))
    out = _check_annotations(reading, language, spans_optional=True)
    if "confidence" in reading.frame:
        text = _numbers(reading, "confidence")
        out["confidence"] = pd.to_numeric(text.where(text != "", None), errors="coerce")
        reading.refuse(out["confidence"].isna() & (text != ""), "not a number", "confidence")
    else:
        out["confidence"] = np.nan
    reading.finish()
    return out


def _check_separator(frame: pd.DataFrame, where: str) -> None:
    """One column whose name holds bars: the file is parted by what is no separator here.

    Raises:
        InputError: it seems to be separated by something else.
    """
    if len(frame.columns) == 1 and "|" in str(frame.columns[0]):
        raise InputError(
            "the columns are separated by bars",
            where=where,
            expected="commas, semicolons or tabs",
            remedy="Save it as a comma-separated file (CSV, UTF-8).",
        )


def _open(
    source: str | Path | pd.DataFrame,
    required: tuple[str, ...],
    optional: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
) -> _Reading:
    path = None if isinstance(source, pd.DataFrame) else Path(source)
    layout = layout_of(path) if path else Layout()
    frame = _text(source) if isinstance(source, pd.DataFrame) else _read_csv(Path(source), layout)
    where = str(path) if path else "frame"
    _check_separator(frame, where)
    fields = len(frame.columns)
    frame = _renamed(frame, columns or {}, (*required, *optional), where)
    if not set(required) & set(frame.columns):
        raise InputError(
            "no CSV of judgments: it has none of the columns",
            where=where,
            got=plain(", ".join(map(str, frame.columns))),
            expected=", ".join(required),
            remedy="Columns of other names: --column decision=Verdict. A study folder or a bundle can be"
            " given as well; linkers' output is for posthoc score.",
        )
    if "dataset" not in frame.columns:
        frame = frame.assign(dataset=ONE_DATASET)
    problems = []
    for name in [*required, *optional]:
        count = list(frame.columns).count(name)
        if count == 0 and name in required:
            got = ", ".join(map(str, frame.columns))[:200]
            problems.append(Problem(f"column {name!r} missing", where, got, ", ".join(required)))
        elif count > 1:
            problems.append(Problem(f"column {name!r} appears {count} times", where, expected="once"))
    if problems:
        raise InputError.of(problems)
    if frame.empty:
        raise InputError("no rows", where=where, expected="a row for each shown annotation and worker")
    reading = _Reading(frame[[n for n in (*required, *optional) if n in frame]], path, layout, [])
    if path is not None and (rows := _short_rows(path, layout, fields)):
        short = np.isin(np.arange(len(frame)), rows)
        reading.refuse(short, "too few fields", required[0], f"{fields} fields")
    for column in map(str, reading.frame):
        nul = reading.frame[column].str.contains("\0", regex=False)
        reading.refuse(nul, "a NUL character", column, "text")
    return reading


def _renamed(
    frame: pd.DataFrame, columns: Mapping[str, str], known: tuple[str, ...], where: str
) -> pd.DataFrame:
    """The frame with our names for columns that have others; one that had our name by chance is left out.

    Raises:
        InputError: a name is none of ours, or none of its columns.
    """
    for ours, theirs in columns.items():
        if ours not in known:
            raise InputError("no such column", where="--column", got=plain(ours), expected=", ".join(known))
        if theirs not in frame.columns:
            raise InputError(
                "--column names a column that is not there",
                where=where,
                got=plain(theirs),
                expected=plain(", ".join(map(str, frame.columns))),
            )
    kept = [name not in columns or name in columns.values() for name in frame.columns]
    back = {theirs: ours for ours, theirs in columns.items()}
    return frame.loc[:, kept].rename(columns=back)


def _read_csv(path: Path, layout: Layout) -> pd.DataFrame:
    """The file as text columns; what a short row lacks is empty. Blank lines are left out."""
    separator, encoding = layout
    try:
        frame = pd.read_csv(
            path, sep=separator, dtype="str", keep_default_na=False, na_filter=False, encoding=encoding
        )
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "not UTF-8", where=str(path), got=str(error), remedy="Save it as UTF-8 (in Excel: CSV UTF-8)."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise InputError("empty file", where=str(path), expected="a header line and rows") from error
    except pd.errors.ParserError as error:
        raise InputError("not a CSV table", where=str(path), got=str(error).strip()) from error
    except OSError as error:
        raise InputError("cannot be read", where=str(path), got=str(error)) from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise InputError(
            "rows have more fields than the header", where=f"{path}:1", expected="one name a column"
        )
    with cells_of_any_length(), path.open(encoding=encoding, newline="") as file:
        # pandas renames a name that comes twice, and passes over empty lines.
        header = next(filter(None, csv.reader(file, delimiter=separator)))
    return frame.set_axis([name.strip() for name in header], axis=1)


def _text(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as text columns; nulls are the empty string, whole floats are integers."""
    columns = {}
    for name in frame.columns:
        values = frame[name].reset_index(drop=True)
        if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
            values = values.astype("Int64")
        columns[str(name)] = values.astype("str").where(values.notna(), "")
    return pd.DataFrame(columns, dtype="str")


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column that may be absent, without surrounding blanks."""
    return frame[name].str.strip() if name in frame else pd.Series("", index=frame.index, dtype="str")


def _short_rows(path: Path, layout: Layout, columns: int) -> list[int]:
    """Rows that break off: they would read as rows with empty values, a decision that nobody made."""
    # Without quotes a field more is a comma more; with them only a reader of CSV can tell.
    text = path.read_bytes().decode(layout.encoding).encode()
    if b'"' in text:
        sizes = np.array([size for _, size in _records(path, layout)], dtype=np.int64)
    else:
        sizes = _sizes(text, layout.separator)
    return np.flatnonzero(sizes[1:] < columns).tolist()


def _sizes(text: bytes, separator: str) -> Codes:
    """Number of fields of each line that is not blank."""
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    letters = np.frombuffer(text, dtype=np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    starts = np.append(0, ends[:-1] + 1)
    parts = np.flatnonzero(letters == ord(separator))
    before, behind = np.searchsorted(parts, starts), np.searchsorted(parts, ends)
    return np.asarray(behind - before + 1, dtype=np.int64)[ends > starts]


def _records(path: Path, layout: Layout) -> Iterator[tuple[int, int]]:
    """First line and number of fields of each record; quoted fields may hold line breaks."""
    with cells_of_any_length(), path.open(encoding=layout.encoding, newline="") as file:
        reader = csv.reader(file, delimiter=layout.separator)
        end = 0
        for record in reader:
            if record:
                yield end + 1, len(record)
            end = reader.line_num


def _lines(path: Path, layout: Layout) -> list[int]:
    """Line number of each row of a CSV file."""
    return [line for line, _ in _records(path, layout)][1:]


def _check_annotations(reading: _Reading, language: str, *, spans_optional: bool) -> pd.DataFrame:
    frame = reading.frame
    out = pd.DataFrame(index=frame.index)
    for name in ("dataset", "document", "source"):
        out[name] = frame[name].str.strip()
        reading.refuse(out[name] == "", "empty", name, "a name")
        control = out[name].str.contains(r"[\x01-\x1f\x7f]", regex=True)
        reading.refuse(control & (name != "document"), "a control character", name, "a name in one line")
    reading.refuse(out["dataset"] == ALL, "'*' stands for all datasets", "dataset", "a name of its own")
    nothing = pd.Series(False, index=frame.index)
    if spans_optional:
        nothing = (frame[["start", "end", "entity"]].apply(lambda c: c.str.strip()) == "").all(axis=1)
    for name in ("start", "end"):
        text = frame[name].str.strip()
        whole = text.str.fullmatch(r"\d{1,15}")
        reading.refuse(~whole & ~nothing, "not a whole number", name, "a count of code points, 0 or more")
        out[name] = text.where(whole, "-1").astype("int64")
    impossible = (out["start"] >= out["end"]) & (out["start"] >= 0) & (out["end"] >= 0)
    reading.refuse(impossible, "impossible span: start is not before end", "end", "start < end")
    out["raw"] = frame["entity"].where(frame["entity"].str.strip() != "", None)
    out["kind"], out["key"] = _entities(reading, frame["entity"], "entity", language)
    return out


def _entities(reading: _Reading, raw: pd.Series, column: str, language: str) -> tuple[pd.Series, pd.Series]:
    """Kind and key of every value; each distinct value is read once."""
    codes, found = pd.factorize(raw)
    values = pd.Series(found, dtype="str")
    # Most are items, whose key is plain.
    kinds, keys = np.full(len(values), LINK, dtype=object), ("wd:" + values).to_numpy(dtype=object)
    faults = np.zeros(len(values), dtype=bool)
    for place in np.flatnonzero(~values.str.fullmatch("Q[1-9][0-9]{0,17}").to_numpy(dtype=bool)):
        try:
            entity = read_entity(values[place], language)
        except InputError:
            faults[place] = True
            kinds[place], keys[place] = "none", None
            continue
        kinds[place] = entity.kind
        keys[place] = entity.key if entity.kind in (LINK, NIL_KIND) else None
    if faults.any():
        reading.refuse(
            faults[codes], "not an entity", column, "a Wikidata id, a title, an address, NIL or empty"
        )
    # By distinct values: text is made of each once.
    kind, key = (pd.Series(each, dtype="str").take(codes) for each in (kinds, keys))
    return kind.set_axis(raw.index), key.set_axis(raw.index)


def _numbers(reading: _Reading, name: str) -> pd.Series:
    """A column of numbers as text; where no comma parts columns, a comma in a number is a decimal comma."""
    text = reading.frame[name].str.strip()
    return text.str.replace(r"^(\d+),(\d+)$", r"\1.\2", regex=True) if reading.layout.decimal_comma else text


def _seconds(reading: _Reading) -> pd.Series:
    if "seconds" not in reading.frame:
        return pd.Series(np.nan, index=reading.frame.index)
    text = _numbers(reading, "seconds")
    seconds = pd.to_numeric(text.where(text != "", None), errors="coerce").astype(float)
    bad = (text != "") & ~(seconds.ge(0) & np.isfinite(seconds))
    reading.refuse(bad, "not a time", "seconds", "a number of seconds, 0 or more")
    return seconds


def _check_repeats(reading: _Reading, out: pd.DataFrame) -> None:
    """Rows that share a `judgment` are one judgment: they differ in their source alone."""
    named = out.loc[out["judgment"] != "", ["judgment", *_SAME]]
    if named.empty or not named["judgment"].duplicated().any():
        return
    codes = pd.DataFrame({name: pd.factorize(named[name], use_na_sentinel=False)[0] for name in _SAME})
    group = pd.factorize(named["judgment"])[0]
    first = codes.groupby(group).transform("first")
    differs = np.zeros(len(out), dtype=bool)
    differs[named.index.to_numpy()] = (codes != first).any(axis=1).to_numpy()
    reading.refuse(
        differs,
        "not the same judgment as an earlier row of that name",
        "judgment",
        f"equal {', '.join(_SAME)}",
    )
