"""The words of a knowledge base's names, and which of them are spelt nearly like a word that was typed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_WIDTH: Final = 24
_LETTERS: Final = 256
# Between the marks' own places in ASCII are letters and digits; other letters follow the second.
_TABLES: Final = f"""
create table word (id integer primary key, word text not null);
insert into word (word) select term from term
    where term not between '^' and '_' and term not between '~' and char(127)
    order by min(length(term), {_WIDTH}), term;
create table spelling (letters blob not null, marks blob not null, lengths blob not null);
"""
_A, _Z, _0, _9 = 97, 122, 48, 57
_LETTER_BITS: Final = 26
_DIGIT_BITS: Final = 10
_OTHER_BITS: Final = 28
_ASCII: Final = 128
_ONE: Final = np.uint64(1)

Numbers = npt.NDArray[np.uint64]


class Vocabulary:
    """Compares a word with all words at once; safe to share between threads.

    In memory are 33 bytes a word. The distance is that of optimal string alignment: letters put in, left
    out or changed, or two neighbours that changed places. It is computed by bits (Hyyrö 2003), a column
    of all tables at a time, for those words alone that lack few of the letters.

    Args:
        connection: to the knowledge base; used only now.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        row = connection.execute("select letters, marks, lengths from spelling").fetchone()
        letters, marks, lengths = row or (b"", b"", b"")
        self._marks: Numbers = np.frombuffer(marks, dtype="<u8")
        self._lengths = np.frombuffer(lengths, dtype=np.uint8)
        self._letters = np.frombuffer(letters, dtype=np.uint8).reshape(_WIDTH, -1)

    def near(self, word: str, edits: int, *, unfinished: bool) -> list[tuple[int, int]]:
        """Ids of words at most so many edits away, with their edits, fewest first.

        Args:
            word: folded.
            edits: the most.
            unfinished: whether words that only begin nearly so count too.
        """
        codes = _codes(word)
        length = len(codes)
        first = int(np.searchsorted(self._lengths, max(1, length - edits)))
        last = (
            len(self._lengths)
            if unfinished or length + edits >= _WIDTH
            else int(np.searchsorted(self._lengths, length + edits, side="right"))
        )
        own = _mark(codes)
        rows = np.flatnonzero(np.bitwise_count(own & ~self._marks[first:last]) <= edits) + first
        if not unfinished:
            rows = rows[np.bitwise_count(self._marks[rows] & ~own) <= edits]
        if not len(rows):
            return []
        distance = self._distances(codes, rows, edits, unfinished=unfinished)
        close = np.flatnonzero(distance <= edits)
        order = close[np.argsort(distance[close], kind="stable")]
        return [(int(row) + 1, int(d)) for row, d in zip(rows[order], distance[order], strict=True)]

    def _distances(
        self, codes: Sequence[int], rows: npt.NDArray[np.intp], edits: int, *, unfinished: bool
    ) -> npt.NDArray[np.int64]:
        """Of the word to those in these rows; where it is unfinished, to their nearest beginning."""
        length = len(codes)
        places = np.zeros(_LETTERS, dtype=np.uint64)
        for place, code in enumerate(codes):
            places[code] |= np.uint64(1 << place)
        plus, minus = np.full(len(rows), ~np.uint64(0)), np.zeros(len(rows), dtype=np.uint64)
        diagonal, before = np.zeros_like(minus), np.zeros_like(minus)
        score = np.full(len(rows), length, dtype=np.int64)
        best, ends = score.copy(), self._lengths[rows]
        shift = np.uint64(length - 1)
        for column in range(min(_WIDTH, length + edits)):
            here = places[self._letters[column][rows]]
            swapped = ((~diagonal & here) << _ONE) & before
            diagonal = (((here & plus) + plus) ^ plus) | here | minus | swapped
            up, down = minus | ~(diagonal | plus), diagonal & plus
            score += ((up >> shift) & _ONE).astype(np.int64) - ((down >> shift) & _ONE).astype(np.int64)
            up, down = (up << _ONE) | _ONE, down << _ONE
            plus, minus = down | ~(diagonal | up), up & diagonal
            before = here
            if unfinished:
                np.minimum(best, score, out=best)
            else:
                best = np.where(ends == column + 1, score, best)
        return best


def write(connection: sqlite3.Connection) -> None:
    """Put the words of names down, as they are compared."""
    connection.executescript(_TABLES)
    (size,) = connection.execute("select count(*) from word").fetchone()
    letters, marks = np.zeros((_WIDTH, size), dtype=np.uint8), np.zeros(size, dtype="<u8")
    lengths = np.zeros(size, dtype=np.uint8)
    for at, (word,) in enumerate(connection.execute("select word from word order by id")):
        codes = _codes(word)
        letters[: len(codes), at] = codes
        marks[at], lengths[at] = _mark(codes), len(codes)
    connection.execute(
        "insert into spelling values (?, ?, ?)", (letters.tobytes(), marks.tobytes(), lengths.tobytes())
    )


def _codes(word: str) -> list[int]:
    """A number below 256 for each letter; others than ASCII share theirs, so that few words seem nearer."""
    return [ord(one) if ord(one) < _ASCII else _ASCII + ord(one) % _ASCII for one in word[:_WIDTH]]


def _mark(codes: Sequence[int]) -> Any:
    """A bit for each letter that occurs."""
    found = 0
    for code in codes:
        if _A <= code <= _Z:
            found |= 1 << (code - _A)
        elif _0 <= code <= _9:
            found |= 1 << (_LETTER_BITS + code - _0)
        else:
            found |= 1 << (_LETTER_BITS + _DIGIT_BITS + code % _OTHER_BITS)
    return np.uint64(found)
