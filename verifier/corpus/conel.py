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
from dataclasses import replace
from typing import Any, Final, NamedTuple

from analysis.documents import Document, Span
from analysis.errors import InputError
from verifier.corpus.audit import Draft, settle
from verifier.corpus.lines import before, damage, line_of, members, place_of, twice
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    entity_value,
    list_value,
    name_value,
    no_constant,
    once,
    pair_value,
    shown,
    storable,
    text_value,
)
from verifier.corpus.texts import lost_text

NAME: Final = "conel"

_RUN_LENGTH: Final = 4
_DECODER: Final = json.JSONDecoder()
_OPENS: Final = re.compile(r"\s*\[\s*")
_CLOSES: Final = re.compile(r"\s*\]")
_PERSONAL: Final = ("personal_entity_annotations", "personal_entity_annotations_without_eems")
_PARTS: Final = re.compile(r"\s*,\s*")


class _Mention(NamedTuple):
    """A row of a run: what it says, its line, and the lines of dialogue, turn, mention and entity."""

    turn: int
    mention: str
    entity: str | None
    line: int
    lines: tuple[int, ...]


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
    for line, place, item in _items(text, rows):
        where = _Where(text, place, line)
        try:
            if is_dialogue(item):
                yield _dialogue(item, where, rows, ignored)
            elif is_run(item):
                lines = tuple(where.line(inner) for _, inner in members(text, place))
                name = storable(item[0], "dialogue")
                run[name].append(_Mention(item[1], item[2], item[3], line, lines))
            else:
                raise _neither(item, where)
        except BadRowError as error:
            rows.bad(line, error, where.last())
    for name, mentions in run.items():
        try:
            yield _placed(name, mentions, rows)
        except BadRowError as error:
            rows.bad(mentions[0].lines[0], error)
    if ignored.total():
        rows.notes.append(f"{ignored.total()} personal mentions without offsets were not read.")


class _Where(NamedTuple):
    """Where an item of the list stands: the file's text, the place in it, and its line."""

    text: str
    place: int
    first: int

    def last(self) -> int:
        """The line on which the item ends."""
        return self.line(_DECODER.raw_decode(self.text, self.place)[1])

    def line(self, place: int) -> int:
        """The line of a place inside the item."""
        return self.first + self.text.count("\n", self.place, place)

    def inside(self, place: int, *path: str | int) -> dict[str | int, int]:
        """The keys, or places in the list, of what is at a path, with where their values begin."""
        return dict(members(self.text, place_of(self.text, place, *path)))


def _neither(item: Any, where: _Where) -> BadRowError:
    return BadRowError(
        "neither a dialogue nor a row of a run",
        got=f"{shown(item)}, after line {before(where.text, where.place)}",
        expected='{"dialogue_id", "turns"} or [dialogue, turn, mention, entity]',
    )


def _items(text: str, rows: Rows) -> Iterator[tuple[int, int, Any]]:
    """The items of a JSON list, each with the line and the place it begins on.

    Raises:
        InputError: it is no such list, or cut off.
    """
    decoder = json.JSONDecoder(parse_constant=no_constant, object_pairs_hook=once)
    opened = _OPENS.match(text)
    if opened is None:
        raise InputError("not a list", where=f"{rows.path}:1", got=shown(text[:20]), expected="a JSON list")
    line, counted, place = 1, 0, opened.end()
    closed = _CLOSES.match(text, place)
    while closed is None:
        line, counted = line + text.count("\n", counted, place), place
        began = place
        try:
            item, place = decoder.raw_decode(text, place)
        except BadRowError as error:
            place = _beyond(text, place, error, rows)
        except (ValueError, RecursionError) as error:
            raise _damaged(error, line, getattr(error, "lineno", line), rows) from None
        else:
            yield line, began, item
        closed, parted = _CLOSES.match(text, place), _PARTS.match(text, place)
        if closed is None and parted is None:
            follows = place + len(text[place:]) - len(text[place:].lstrip())
            after = before(text, began)
            what = (
                f"no comma after an item (after line {after}), before {shown(text[follows : follows + 20])}"
            )
            raise _damaged(f"{what} in line {line_of(text, follows)}", line, line_of(text, place), rows)
        place = parted.end() if parted else place
    if rest := text[closed.end() :].strip():
        line = line_of(text, text.index(rest, closed.end()))
        raise InputError(
            f"something follows the list that begins in line {line_of(text, text.index('['))}",
            where=f"{rows.path}:{line}",
            got=shown(rest[:20]),
            expected="one JSON list",
            remedy="Make one list of all items; or a bracket between the two lines is lost, or one too many.",
        )


def _beyond(text: str, place: int, error: BadRowError, rows: Rows) -> int:
    """Where an item ends that is JSON and says something twice, or a number that is none; it is a bad row.

    Raises:
        InputError: it is no JSON after all.
    """
    try:
        _, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError) as fault:
        line = line_of(text, place)
        raise _damaged(fault, line, getattr(fault, "lineno", line), rows) from None
    first, last = line_of(text, place), line_of(text, end)
    if found := twice(text, place):
        _, one, other = found
        error.problem = replace(error.problem, what=f"{error.problem.what}, in lines {one} and {other}")
        error.line = other
    rows.bad(first, error, last)
    return end


def _damaged(error: object, began: int, where: int, rows: Rows) -> InputError:
    return InputError(
        f"not JSON: {getattr(error, 'msg', error)}",
        where=f"{rows.path}:{where}",
        got=damage(error) if isinstance(error, json.JSONDecodeError) else "",
        expected=f"the item that begins in line {began}, complete, and ] at the end",
        remedy="Mend the file there, or fetch it anew if it is cut off.",
    )


def _dialogue(item: dict[str, Any], where: _Where, rows: Rows, ignored: Counter[str]) -> Document:
    name = name_value(item, "dialogue_id")
    said: list[str] = []
    drafts: list[Draft] = []
    start = 0
    turns = where.inside(where.place, "turns")
    for number, turn in enumerate(list_value(item, "turns")):
        try:
            utterance = _utterance(turn, number)
            ignored.update(key for key in _PERSONAL for _ in list_value(turn, key))
            drafts += _drafts(turn, turns[number], _Turn(utterance, start), where, rows)
        except BadRowError as error:
            first = where.line(turns[number])
            last = where.line(_DECODER.raw_decode(where.text, turns[number])[1])
            fault = error.problem
            error.problem = replace(fault, what=f"{fault.what} (lines {first} to {last})")
            error.line = first
            raise
        said.append(utterance)
        start += len(utterance) + 1
    text = "\n".join(said)
    line = where.line(place_of(where.text, where.place, "dialogue_id"))
    return Document(name, text, settle(name, text, drafts, rows), None, None, line)


def _utterance(turn: Any, number: int) -> str:
    if not isinstance(turn, dict) or turn.get("turn_number") != number:
        raise BadRowError(f"turn {number} is not there or out of order", got=shown(turn))
    utterance = text_value(turn, "utterance")
    if "\n" in utterance:
        raise BadRowError(f"the utterance of turn {number} has a line feed", got=shown(utterance))
    return utterance


def _drafts(turn: dict[str, Any], place: int, said: _Turn, where: _Where, rows: Rows) -> list[Draft]:
    """The annotations of a turn; the bad ones are noted."""
    given = list_value(turn, "el_annotations")
    places = where.inside(place, "el_annotations") if given else {}
    spoken = where.line(place_of(where.text, place, "utterance"))
    drafts = []
    for ordinal, item in enumerate(given, start=1):
        began = places[ordinal - 1]
        line = where.line(began)
        last = where.line(_DECODER.raw_decode(where.text, began)[1])
        try:
            draft = _draft(item, said, line, ordinal, rows)
        except BadRowError as error:
            if spoken != line:
                got = f"{error.problem.got}, the utterance being in line {spoken}".removeprefix(", ")
                error.problem = replace(error.problem, got=got)
            rows.bad(line, error.numbered(ordinal), last)
            continue
        drafts.append(draft._replace(lines=(spoken, last)))
    return drafts


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
        except BadRowError as error:
            rows.bad(given.line, error)
            continue
        try:
            entity = entity_value(given.entity, rows.language)
        except BadRowError as error:
            error.line = given.lines[-1]
            rows.bad(given.line, error)
            continue
        met[same] += 1
        end = start + len(given.mention)
        drafts.append(Draft(start, end, given.mention, entity, None, given.line, lines=given.lines[2:3]))
    return Document(name, text, settle(name, text, drafts, rows), None, None, mentions[0].line)


def _places(given: _Mention, turns: list[_Turn], wanted: int) -> list[int]:
    """Where the mention stands in its turn, if that is as often as the run names it.

    Whole words count before parts of them.
    """
    if not 0 <= given.turn < len(turns):
        raise BadRowError(
            "no such turn", got=str(given.turn), expected=f"0 to {len(turns) - 1}", line=given.lines[1]
        )
    turn, mention = turns[given.turn], re.escape(given.mention)
    whole = [match.start() for match in re.finditer(rf"(?<!\w)(?={mention}(?!\w))", turn.utterance)]
    found = whole or [match.start() for match in re.finditer(rf"(?={mention})", turn.utterance)]
    if len(found) == wanted and given.mention:
        return [turn.start + place for place in found]
    told = ", ".join(map(str, sorted({*given.lines[:3]} - {given.line})))
    raise BadRowError(
        f"the mention stands {len(found)} times in its turn" if found else "the mention is not in its turn",
        got=f"{shown(given.mention)} in turn {given.turn}, named {wanted} times"
        + (f", line{'s' if ',' in told else ''} {told}" if told else ""),
        expected=f"as often in {shown(turn.utterance)}",
        remedy="A run has no offsets: without one place it cannot be read. --on-bad drop leaves it out.",
    )
