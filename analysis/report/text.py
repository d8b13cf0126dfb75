"""Running text that knows where its numbers come from: each number names its cell of metrics.csv.

A text is a tuple of words and numbers. One text becomes HTML (where every number carries its cell), Markdown
or LaTeX, so that no number is written twice.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from analysis.report.numbers import Row
from analysis.report.words import digits, is_missing, level, number, size


@dataclass(frozen=True)
class Said:
    """A number as it is written.

    Attributes:
        text: as people read it.
        cell: policy, dataset, source, metric and column of metrics.csv, joined by `|`.
        value: as it stands there.
    """

    text: str
    cell: str
    value: str


Text = tuple["str | Said", ...]

UNDEFINED: Final = "undefined: "


def say(row: Row, column: str = "estimate", how: Callable[[object], str] | None = None) -> Said:
    """One cell of metrics.csv, written by `how`; else with the decimals that its interval is worth."""
    how = how or partial(number, digits=digits(row["low"], row["high"]))
    key = "|".join([row["policy"], row["dataset"], row["source"], row["metric"], column])
    return Said(how(row[column]), key, repr(row[column]))


def compose(pattern: str, *parts: str | Said | Text) -> Text:
    """`pattern` with each `{}` replaced by the next part."""
    pieces = pattern.split("{}")
    out: list[str | Said] = [pieces[0]]
    for part, piece in zip(parts, pieces[1:], strict=True):
        out += [*part, piece] if isinstance(part, tuple) else [part, piece]
    return tuple(piece for piece in out if piece != "")


def join(texts: Iterable[Text], between: str = "; ") -> Text:
    """Texts in a row."""
    out: list[str | Said] = []
    for text in texts:
        out += [between, *text] if out else text
    return tuple(out)


def in_brackets(row: Row) -> Text:
    """`[0.871, 0.914]`, or nothing where there is no interval."""
    if is_missing(row["low"]) or is_missing(row["high"]):
        return ()
    return compose("[{},\u00a0{}]", say(row, "low"), say(row, "high"))


def cell(row: Row | None) -> Text:
    """A row in a table: the estimate with its interval, or its reason."""
    if row is None:
        return ("not computed",)
    if is_missing(row["estimate"]):
        return (f"{UNDEFINED}{row['reason'] or 'no reason is given'}",)
    return compose("{} {}", say(row), in_brackets(row) or "(no interval)")


def sentence(row: Row, n: str = "n\u00a0=\u00a0{}") -> Text:
    """A row in running text, with interval and n: `0.893 (95 % interval 0.871 to 0.914, n = 512)`."""
    rests_on = compose(n, say(row, "n", size))
    if is_missing(row["low"]) or is_missing(row["high"]):
        why = f"; {row['reason']}" if row["reason"] else "; no interval"
        return compose("{} ({}{})", say(row), rests_on, why)
    words = f"{level(row['level'])} interval"
    return compose("{} ({} {} to {}, {})", say(row), words, say(row, "low"), say(row, "high"), rests_on)


def plain(text: Text) -> str:
    """The words alone."""
    return "".join(part if isinstance(part, str) else part.text for part in text)


def as_html(text: Text) -> str:
    """HTML; every number is a `data` element that names its cell."""
    return "".join(html.escape(part) if isinstance(part, str) else _data(part) for part in text)


def _data(said: Said) -> str:
    cell = html.escape(said.cell)
    return f'<data value="{html.escape(said.value)}" data-cell="{cell}">{html.escape(said.text)}</data>'


def as_markdown(text: Text) -> str:
    """Markdown that shows the characters as they are, in one line."""
    words = " ".join(plain(text).split())
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#~$&" else character for character in words)


_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "\u00a0": "~",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)


def as_latex(text: Text) -> str:
    """LaTeX that prints the characters as they are."""
    # A cell that begins with a bracket would be read as the option of the line break before it.
    words = plain(text).replace("\n", " ").translate(_LATEX)
    return f"{{}}{words}" if words.startswith("[") else words
