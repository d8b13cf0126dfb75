"""Reading a judgments or annotations CSV, or a frame of its shape, into checked rows; bad ones are listed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import DECISIONS
from analysis.errors import InputError
from analysis.keys import LINK, NIL_KIND, read_entity
from analysis.own_words import Words
from analysis.reading import Reading, open_table
from analysis.schema import ALL, ORIGINS

REQUIRED: Final = ("dataset", "document", "source", "start", "end", "entity", "worker", "decision")
OPTIONAL: Final = ("new_entity", "assignment", "segment", "seconds", "counted", "judgment", "origin")
_ANNOTATION: Final = ("dataset", "document", "source", "start", "end", "entity")
_YES: Final = frozenset({"", "1", "1.0", "true", "yes", "y", "t"})
_NO: Final = frozenset({"0", "0.0", "false", "no", "n", "f"})
# Columns of few values. The first that is not empty stands in an example.
_CLOSED: Final = {
    "decision": (*DECISIONS, ""),
    "counted": ("1", "0", *sorted((_YES | _NO) - {"1", "0"})),
    "origin": (*ORIGINS, ""),
}
# Rows of one judgment repeat it for each credited source: in these they must agree.
_SAME: Final = ("dataset", "document", "start", "end", "key", "worker", "decision", "new_key", "counted")


def read_judgments(
    source: str | Path | pd.DataFrame,
    language: str,
    columns: Mapping[str, str] | None = None,
    values: Words | None = None,
) -> pd.DataFrame:
    """The rows of a judgments CSV, checked and typed.

    Args:
        source: path or frame.
        language: of bare titles.
        columns: our name of a column -> the one that it has there; the others go by ours.
        values: column -> a word of the table -> what we call it.

    Returns:
        dataset document source worker decision assignment segment judgment (text), start end (int), raw,
        kind, key, new_raw, new_key (missing where not known), seconds, counted (bool), origin.

    Raises:
        InputError: with every bad row.
    """
    reading = open_table(source, REQUIRED, OPTIONAL, columns, values=values, closed=_CLOSED)
    out = _check_annotations(reading, language, spans_optional=False)
    frame = reading.frame
    decision = frame["decision"].str.strip().str.lower()
    reading.refuse_words(decision, "unknown decision", _CLOSED["decision"], "verify, edit, remove or empty")
    out["decision"] = decision
    out["worker"] = frame["worker"].str.strip()
    for name in ("assignment", "segment", "judgment"):
        out[name] = _column(frame, name)
    new = _column(frame, "new_entity").where(decision == "edit", "")
    _, out["new_key"] = entities(reading, new, "new_entity", language)
    out["new_raw"] = new.where(new != "", None)
    out["seconds"] = _seconds(reading)
    counted = _column(frame, "counted").str.lower()
    expected = "1, 0, true, false, yes, no or empty"
    reading.refuse_words(counted, "not a yes or no", _CLOSED["counted"], expected)
    out["counted"] = ~counted.isin(_NO)
    origin = _column(frame, "origin").str.lower()
    reading.refuse_words(origin, "unknown origin", _CLOSED["origin"], ", ".join(ORIGINS) + " or empty")
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
    reading = open_table(source, _ANNOTATION, ("confidence",))
    out = _check_annotations(reading, language, spans_optional=True)
    if "confidence" in reading.frame:
        text = reading.numbers("confidence")
        out["confidence"] = pd.to_numeric(text.where(text != "", None), errors="coerce")
        reading.refuse(out["confidence"].isna() & (text != ""), "not a number", "confidence")
    else:
        out["confidence"] = np.nan
    reading.finish()
    return out


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column that may be absent, without surrounding blanks."""
    return frame[name].str.strip() if name in frame else pd.Series("", index=frame.index, dtype="str")


def _check_annotations(reading: Reading, language: str, *, spans_optional: bool) -> pd.DataFrame:
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
    out["kind"], out["key"] = entities(reading, frame["entity"], "entity", language)
    return out


def entities(reading: Reading, raw: pd.Series, column: str, language: str) -> tuple[pd.Series, pd.Series]:
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


def _seconds(reading: Reading) -> pd.Series:
    if "seconds" not in reading.frame:
        return pd.Series(np.nan, index=reading.frame.index)
    text = reading.numbers("seconds")
    seconds = pd.to_numeric(text.where(text != "", None), errors="coerce").astype(float)
    bad = (text != "") & ~(seconds.ge(0) & np.isfinite(seconds))
    reading.refuse(bad, "not a time", "seconds", "a number of seconds, 0 or more")
    return seconds


def _check_repeats(reading: Reading, out: pd.DataFrame) -> None:
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
