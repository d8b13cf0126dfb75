r"""Reads AIDA-YAGO2 TSV (CoNLL and KORE50): a token a line, documents begun by -DOCSTART-.

The layout keeps no spaces, so a text must be made. The rule is one of two, and is noted with the import: the
tokens of a sentence are joined by one space and sentences by a line feed; or, where the folder of texts holds
the document, tokens are found in that text one after the other with nothing but white space between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from analysis.documents import Document
from analysis.keys import Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import BadRowError, Rows, entity_value, shown, storable
from verifier.corpus.texts import has_text, lost_text

NAME: Final = "aida"
JOINED: Final = "tokens joined by one space, sentences by a line feed"
ALIGNED: Final = "tokens found in the given texts, in order"

_START: Final = re.compile(r"-DOCSTART-(?:\s+\((?P<name>.*)\)|\s+(?P<bare>\S.*?))?\s*\Z")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
# Token; with tag; with mention and YAGO entity; with Wikipedia address and page id; with Freebase id.
_COLUMNS: Final = (1, 2, 4, 6, 7)


class _Token(NamedTuple):
    """A token: its place among the tokens, its line, and the columns after the token and its tag."""

    text: str
    line: int
    tag: str
    rest: tuple[str, ...]
    sentence: int


@dataclass
class _Noted:
    """A document as far as it is read."""

    name: str
    line: int
    tokens: list[_Token] = field(default_factory=list)
    sentence: int = 0


class _Mention(NamedTuple):
    first: int
    last: int


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file; how their texts were made is noted in `rows`."""
    rules: dict[str, int] = {}
    for noted in _documents(text, rows):
        try:
            document, rule = _document(noted, rows)
        except BadRowError as error:
            rows.bad(noted.line, error)
            continue
        rules[rule] = rules.get(rule, 0) + 1
        yield document
    rows.notes += [f"The texts of {count} documents: {rule}." for rule, count in rules.items()]


def _documents(text: str, rows: Rows) -> Iterator[_Noted]:
    noted: _Noted | None = None
    orphaned = False
    for number, given in enumerate(text.split("\n"), start=1):
        line = given.removesuffix("\r")
        if match := _START.match(line):
            if noted:
                yield noted
            name = (match["name"] or match["bare"] or "").strip()
            noted = _Noted(name or f"line {number}", number)
        elif not line.strip():
            if noted and noted.tokens:
                noted.sentence += 1
        elif noted is None:
            if not orphaned:
                fault = BadRowError(
                    "a token before the first document",
                    got=shown(line),
                    expected="-DOCSTART- (name)",
                    remedy="Begin each document with such a line.",
                )
                rows.bad(number, fault)
            orphaned = True
        else:
            try:
                noted.tokens.append(_token(line, number, noted.sentence))
            except BadRowError as error:
                rows.bad(number, error)
    if noted:
        yield noted


def _token(line: str, number: int, sentence: int) -> _Token:
    columns = line.split("\t")
    while len(columns) > 1 and not columns[-1].strip():
        columns.pop()
    if len(columns) not in (*_COLUMNS, 3, 5):
        raise BadRowError(
            f"{len(columns)} columns",
            got=shown(line),
            expected="1, 2, 4, 6 or 7: token, B or I, mention, entity, address, page id, Freebase id",
        )
    tag = columns[1].strip() if len(columns) > 1 else ""
    if tag not in ("", "B", "I", "O") or (tag in ("", "O") and len(columns) > 2):  # noqa: PLR2004 - token and tag
        raise BadRowError("the tag is neither B nor I", got=shown(columns[1]), expected="B, I, or no columns")
    token = storable(columns[0], "token")
    if not token.strip():
        raise BadRowError("the token is empty", got=shown(line))
    return _Token(token, number, tag if tag != "O" else "", tuple(columns[2:]), sentence)


def _document(noted: _Noted, rows: Rows) -> tuple[Document, str]:
    name = storable(noted.name, "-DOCSTART-")
    if has_text(name, rows):
        text, rule = lost_text(name, rows), ALIGNED
        places = _aligned(noted.tokens, text)
    else:
        text, places = _joined(noted.tokens)
        rule = JOINED
    drafts = []
    for mention in _mentions(noted.tokens, rows):
        first = noted.tokens[mention.first]
        start, end = places[mention.first][0], places[mention.last][1]
        try:
            _check_mention(noted.tokens, mention)
            entity = _entity(first.rest, rows)
        except BadRowError as error:
            rows.bad(first.line, error)
            continue
        drafts.append(Draft(start, end, None, entity, None, first.line))
    return Document(name, text, settle(name, text, drafts, rows), None, None, noted.line), rule


def _joined(tokens: list[_Token]) -> tuple[str, list[tuple[int, int]]]:
    pieces: list[str] = []
    places = []
    place = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None:
            pieces.append(" " if before.sentence == token.sentence else "\n")
            place += 1
        pieces.append(token.text)
        places.append((place, place + len(token.text)))
        place += len(token.text)
    return "".join(pieces), places


def _aligned(tokens: list[_Token], text: str) -> list[tuple[int, int]]:
    places = []
    place = 0
    for token in tokens:
        while place < len(text) and text[place].isspace() and not text.startswith(token.text, place):
            place += 1
        if not text.startswith(token.text, place):
            raise BadRowError(
                f"the token of line {token.line} is not in the document's text where it should be",
                got=shown(text[place : place + 40]),
                expected=shown(token.text),
                remedy="Give the text that has these tokens, or do without --texts to join them by spaces.",
            )
        places.append((place, place + len(token.text)))
        place += len(token.text)
    return places


def _mentions(tokens: list[_Token], rows: Rows) -> Iterator[_Mention]:
    """The mentions: begun by B, gone on with by I; only B parts two that touch."""
    first: int | None = None
    for place, token in enumerate(tokens):
        if token.tag == "I" and first is not None and tokens[first].sentence == token.sentence:
            continue
        if first is not None:
            yield _Mention(first, place - 1)
            first = None
        if token.tag == "B":
            first = place
        elif token.tag == "I":
            fault = BadRowError(
                "I without a B before it",
                got=shown(token.text),
                expected="B on the first token of each mention",
                remedy="Mentions that touch are told apart by B alone, so this is not guessed.",
            )
            rows.bad(token.line, fault)
    if first is not None:
        yield _Mention(first, len(tokens) - 1)


def _check_mention(tokens: list[_Token], mention: _Mention) -> None:
    """Refuse a mention whose lines disagree with each other."""
    inside = tokens[mention.first : mention.last + 1]
    given = inside[0].rest
    for token in inside[1:]:
        if token.rest[:2] != given[:2] and token.rest:
            raise BadRowError(
                f"the mention goes on in line {token.line} as another",
                got=shown("\t".join(token.rest[:2])),
                expected=shown("\t".join(given[:2])),
                remedy="Put B there if another mention begins, else make the columns equal.",
            )
    if given and given[0].strip():
        together = "".join("".join(token.text.split()) for token in inside)
        if "".join(given[0].split()) != together:
            raise BadRowError(
                "the mention is not that of its tokens",
                got=shown(given[0]),
                expected=shown(" ".join(token.text for token in inside)),
                remedy="Check the tags B and I of these lines.",
            )


def _entity(rest: tuple[str, ...], rows: Rows) -> Entity:
    """The Wikipedia address where there is one, else the YAGO name with its escapes taken back."""
    names = [value.strip() for value in rest[1:3]]
    if not names or not names[0]:
        return entity_value(None, rows.language)
    names = [_ESCAPE.sub(lambda match: chr(int(match[1], 16)), name) for name in names]
    yago = names[0]
    address = names[1] if len(names) > 1 and "//" in names[1] else ""
    nil = entity_value(yago, rows.language) if not address else None
    return nil or entity_value(address, rows.language)
