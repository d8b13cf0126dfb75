"""Reads ConEL: dialogues with their annotations, and runs, which name a mention and its turn but no offsets.

A dialogue is a document: its utterances, a line each, so that a turn is the line of its number. A mention of
a run is placed where it stands in its turn, if it stands there as often as the run names it; else it is a bad
row.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from analysis.documents import Document, Span
from analysis.errors import InputError
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    entity_value,
    list_value,
    name_value,
    no_constant,
    pair_value,
    shown,
    storable,
    text_value,
)
from verifier.corpus.texts import lost_text

NAME: Final = "conel"

_RUN_LENGTH: Final = 4
_OPENS: Final = re.compile(r"\s*\[\s*")
_CLOSES: Final = re.compile(r"\s*\]")
_PARTS: Final = re.compile(r"\s*,\s*")


class _Mention(NamedTuple):
    """A row of a run."""

    turn: int
    mention: str
    entity: str | None
    line: int


def is_run(item: Any) -> bool:
    """Whether it is a row of a run: dialogue, turn, mention, entity."""
    return (
        isinstance(item, list)
        and len(item) == _RUN_LENGTH
        and isinstance(item[0], str)
        and type(item[1]) is int
        and isinstance(item[2], str)
        and isinstance(item[3], str | None)
    )


def is_dialogue(item: Any) -> bool:
    """Whether it is a dialogue with its turns."""
    return isinstance(item, dict) and {"dialogue_id", "turns"} <= item.keys()


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The dialogues of a file, or those that a run names."""
    run: dict[str, list[_Mention]] = defaultdict(list)
    ignored: Counter[str] = Counter()
    for line, item in _items(text, rows):
        try:
            if is_dialogue(item):
                yield _dialogue(item, line, rows, ignored)
            elif is_run(item):
                run[storable(item[0], "dialogue")].append(_Mention(item[1], item[2], item[3], line))
            else:
                rows.bad(line, _neither(item))
        except BadRowError as error:
            rows.bad(line, error)
    for name, mentions in run.items():
        try:
            yield _placed(name, mentions, rows)
        except BadRowError as error:
            rows.bad(mentions[0].line, error)
    if ignored.total():
        rows.notes.append(f"{ignored.total()} personal mentions without offsets were not read.")


def _neither(item: Any) -> BadRowError:
    return BadRowError(
        "neither a dialogue nor a row of a run",
        got=shown(item),
        expected='{"dialogue_id", "turns"} or [dialogue, turn, mention, entity]',
    )


def _items(text: str, rows: Rows) -> Iterator[tuple[int, Any]]:
    """The items of a JSON list, each with the line it begins on.

    Raises:
        InputError: it is no such list, or cut off.
    """
    decoder = json.JSONDecoder(parse_constant=no_constant)
    opened = _OPENS.match(text)
    if opened is None:
        raise InputError("not a list", where=f"{rows.path}:1", got=shown(text[:20]), expected="a JSON list")
    line, counted, place = 1, 0, opened.end()
    closed = _CLOSES.match(text, place)
    while closed is None:
        line, counted = line + text.count("\n", counted, place), place
        try:
            item, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError, BadRowError) as error:
            raise _damaged(error, line, getattr(error, "lineno", line), rows) from None
        yield line, item
        closed, parted = _CLOSES.match(text, place), _PARTS.match(text, place)
        if closed is None and parted is None:
            where = text.count("\n", 0, place) + 1
            raise _damaged("no comma after an item", line, where, rows)
        place = parted.end() if parted else place


def _damaged(error: object, began: int, where: int, rows: Rows) -> InputError:
    return InputError(
        f"not JSON: {getattr(error, 'msg', error)}",
        where=f"{rows.path}:{where}",
        expected=f"the item that begins in line {began}, complete, and ] at the end",
        remedy="Mend the file there, or fetch it anew if it is cut off.",
    )


def _dialogue(item: dict[str, Any], line: int, rows: Rows, ignored: Counter[str]) -> Document:
    name = name_value(item, "dialogue_id")
    lines: list[str] = []
    drafts: list[Draft] = []
    ordinal = 0
    for number, turn in enumerate(list_value(item, "turns")):
        if not isinstance(turn, dict) or turn.get("turn_number") != number:
            raise BadRowError(f"turn {number} is not there or out of order", got=shown(turn))
        utterance = text_value(turn, "utterance")
        if "\n" in utterance:
            raise BadRowError(f"the utterance of turn {number} has a line feed", got=shown(utterance))
        said = _Turn(utterance, sum(map(len, lines)) + len(lines))
        for given in list_value(turn, "el_annotations"):
            ordinal += 1
            try:
                drafts.append(_draft(given, said, line, ordinal, rows))
            except BadRowError as error:
                rows.bad(line, error.numbered(ordinal))
        personal = ("personal_entity_annotations", "personal_entity_annotations_without_eems")
        ignored.update(key for key in personal for _ in list_value(turn, key))
        lines.append(utterance)
    text = "\n".join(lines)
    return Document(name, text, settle(name, text, drafts, rows), None, None, line)


class _Turn(NamedTuple):
    """An utterance, and where it begins in the dialogue's text."""

    utterance: str
    start: int


def _draft(given: Any, turn: _Turn, line: int, ordinal: int, rows: Rows) -> Draft:
    if not isinstance(given, dict) or given.get("span") is None:
        raise BadRowError("not an annotation", got=shown(given), expected='{"mention", "entity", "span"}')
    span = pair_value(given, "span", turn.utterance) or Span(0, 0)
    entity = entity_value(given.get("entity"), rows.language)
    mention = text_value(given, "mention")
    return Draft(span.start + turn.start, span.end + turn.start, mention, entity, None, line, ordinal)


def _placed(name: str, mentions: list[_Mention], rows: Rows) -> Document:
    """A dialogue that a run names, with those of its mentions that have one place."""
    text = lost_text(name, rows)
    turns: list[_Turn] = []
    for utterance in text.split("\n"):
        turns.append(_Turn(utterance, turns[-1].start + len(turns[-1].utterance) + 1 if turns else 0))
    named = Counter((given.turn, given.mention, given.entity) for given in mentions)
    met: Counter[tuple[int, str, str | None]] = Counter()
    drafts = []
    for given in mentions:
        same = (given.turn, given.mention, given.entity)
        try:
            start = _places(given, turns, named[same])[met[same]]
            entity = entity_value(given.entity, rows.language)
        except BadRowError as error:
            rows.bad(given.line, error)
            continue
        met[same] += 1
        end = start + len(given.mention)
        drafts.append(Draft(start, end, given.mention, entity, None, given.line))
    return Document(name, text, settle(name, text, drafts, rows), None, None, mentions[0].line)


def _places(given: _Mention, turns: list[_Turn], wanted: int) -> list[int]:
    """Where the mention stands in its turn, if that is as often as the run names it.

    Whole words count before parts of them.
    """
    if not 0 <= given.turn < len(turns):
        raise BadRowError("no such turn", got=str(given.turn), expected=f"0 to {len(turns) - 1}")
    turn, mention = turns[given.turn], re.escape(given.mention)
    whole = [match.start() for match in re.finditer(rf"(?<!\w)(?={mention}(?!\w))", turn.utterance)]
    found = whole or [match.start() for match in re.finditer(rf"(?={mention})", turn.utterance)]
    if len(found) == wanted and given.mention:
        return [turn.start + place for place in found]
    raise BadRowError(
        f"the mention stands {len(found)} times in its turn" if found else "the mention is not in its turn",
        got=f"{shown(given.mention)} in turn {given.turn}, named {wanted} times",
        expected=f"as often in {shown(turn.utterance)}",
        remedy="A run has no offsets: without one place it cannot be read. --on-bad drop leaves it out.",
    )
