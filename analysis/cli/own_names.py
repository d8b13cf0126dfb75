"""Options of commands that read a table whose columns and words are not ours: `--column` and `--value`."""

from __future__ import annotations

from typing import Annotated

import typer

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="Of a CSV: a column that has another name, like decision=Verdict; may be repeated.",
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="COLUMN:OURS=THEIRS",
        help="Of a CSV: a word for a value of ours, like decision:verify=correct; may be repeated.",
    ),
]


def renamed(said: list[str] | None) -> dict[str, str]:
    """Ours -> theirs, of what was said to `--column`.

    Raises:
        InputError: one is no pair, or one of ours is said twice.
    """
    from analysis.errors import InputError, plain  # noqa: PLC0415 - help is quick without pandas

    found: dict[str, str] = {}
    for pair in said or []:
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not (ours and equals and theirs) or ours in found:
            raise InputError(
                "not a column and its other name, each once",
                where="--column",
                got=plain(pair),
                expected="OURS=THEIRS, like decision=Verdict",
            )
        found[ours] = theirs
    return found


def meanings(said: list[str] | None) -> dict[str, dict[str, str]]:
    """Column -> theirs -> ours, of what was said to `--value`; ours may be empty, for no value.

    Raises:
        InputError: one is no column, value and word, or a word is given two values.
    """
    from analysis.errors import InputError, plain  # noqa: PLC0415 - help is quick without pandas

    found: dict[str, dict[str, str]] = {}
    for each in said or []:
        column, colon, pair = (part.strip() for part in each.partition(":"))
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not (column and colon and equals and theirs):
            raise InputError(
                "not a column, a value of ours and the word for it",
                where="--value",
                got=plain(each),
                expected="COLUMN:OURS=THEIRS, like decision:verify=correct",
            )
        words = found.setdefault(column, {})
        if words.setdefault(theirs, ours) != ours:
            raise InputError(
                "a word with two meanings",
                where="--value",
                got=plain(theirs),
                expected=f"{column}: {words[theirs]} or {ours}",
            )
    return found
