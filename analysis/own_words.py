"""The words that a table uses for our values: `{"decision": {"correct": "verify", "wrong link": "edit"}}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from analysis.errors import InputError, plain

# Column -> word of the table -> what we call it.
Words = Mapping[str, Mapping[str, str]]
# Column -> every value that it may hold; what is not among them is refused, and capitals say nothing.
Closed = Mapping[str, Sequence[str]]

OPTION: Final = "--value"
# How many words of a column a message names.
_NAMED: Final = 20


def translated(frame: pd.DataFrame, words: Words, closed: Closed, where: str) -> pd.DataFrame:
    """The frame with our values for the table's words; what has no word of its own stays.

    Args:
        frame: text columns under our names.
        words: the table's words.
        closed: columns whose values are known.
        where: the table, for messages.

    Raises:
        InputError: a column is not there, a value is none of a closed column's, or a word is in no row of
            any other column.
    """
    changed = {}
    for column, said in words.items():
        if column not in frame.columns:
            known = plain(", ".join(map(str, frame.columns)))
            raise InputError(
                f"{OPTION} names a column that is not there", where=where, got=plain(column), expected=known
            )
        text = frame[column].str.strip()
        meant = dict(said)
        if column in closed:
            _check_known(column, said, closed[column])
            text = text.str.lower()
            meant = {theirs.lower(): ours for theirs, ours in said.items()}
        elif strange := [theirs for theirs in meant if not (text == theirs).any()]:
            raise InputError(
                f"{OPTION} names a word that no row has",
                where=f"{where}: {column}",
                got=plain(strange[0]),
                expected=counted(text),
            )
        changed[column] = frame[column].mask(text.isin(list(meant)), text.map(meant)).astype("str")
    return frame.assign(**changed)


def _check_known(column: str, said: Mapping[str, str], known: Sequence[str]) -> None:
    for ours in said.values():
        if ours not in known:
            nothing = f'nothing (as in "{column}:=skipped")'
            expected = ", ".join(value or nothing for value in known)
            raise InputError(f"no value of {column}", where=OPTION, got=plain(ours), expected=expected)


def counted(text: pd.Series) -> str:
    """The words of a column with how many rows have them, the most frequent first."""
    found = text[text != ""].value_counts(sort=True)
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], str(pair[0])))
    named = [f"{plain(word)} ({count:,})" for word, count in ordered[:_NAMED]]
    more = len(ordered) - len(named)
    return ", ".join([*named, f"and {more:,} more words"] if more else named)


def refuse_strange(text: pd.Series, column: str, known: Sequence[str], where: str) -> None:
    """Refuse a column that has words which are none of its values; what is empty is none.

    Raises:
        InputError: it has; all words are named.
    """
    strange = text[~text.isin(["", *known])]
    if len(strange):
        word = str(strange.iloc[0])
        alike = [value for value in known if value.casefold() == word.casefold()]
        spelling = f"Spell both alike: {alike[0]} is a category, and capitals count. " if alike else ""
        raise InputError(
            f"unknown words in {column}",
            where=where,
            got=counted(strange),
            expected=", ".join(known),
            remedy=spelling + remedy(column, word, known),
        )


def remedy(column: str, word: str, known: Sequence[str]) -> str:
    """What to say where a word of the table is none of ours."""
    ours = next((value for value in known if value.casefold() == word.casefold()), "OURS")
    values = "" if ours != "OURS" else " with OURS one of " + ", ".join(value for value in known if value)
    return f'If it stands for one of these, say which: {OPTION} "{column}:{ours}={word}"{values}.'


def checked(kept: object) -> bool:
    """Whether these are words of a table, as a manifest keeps them."""
    return isinstance(kept, Mapping) and all(
        isinstance(column, str)
        and isinstance(said, Mapping)
        and all(isinstance(word, str) for pair in said.items() for word in pair)
        for column, said in kept.items()
    )
