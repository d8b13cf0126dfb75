r"""Reads AIDA-YAGO2 TSV (CoNLL and KORE50): a token a line, documents begun by -DOCSTART-.

The layout keeps no spaces, so a text must be made. The rule is one of two, and is noted with the import: the
tokens of a sentence are joined by one space and sentences by a line feed; or, where the folder of texts holds
the document, tokens are found in that text one after the other with nothing but white space between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from analysis.documents import Document
from analysis.keys import Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import BadRowError, Rows, check_line, entity_value, shown, storable
from verifier.corpus.texts import has_text, look_beside, lost_text

NAME: Final = "aida"
JOINED: Final = "tokens joined by one space, sentences by a line feed"
ALIGNED: Final = "tokens found in the given texts, in order"

_START: Final = re.compile(r"-DOCSTART-(?:\s+\((?P<name>.*)\)|\s+(?P<bare>\S.*?))?\s*\Z")
# What lies beyond 16 bits is written as two of these.
_ESCAPE: Final = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
# Token; with tag; with mention and YAGO entity; with Wikipedia address and page id; with Freebase id.
_COLUMNS: Final = (1, 2, 4, 6, 7)


class Token(NamedTuple):
    """A token, its line, its tag, the columns after the tag, and which sentence it is in."""

    text: str
    line: int
    tag: str
    rest: tuple[str, ...]
    sentence: int


@dataclass
class Noted:
    """A document as far as it is read."""

    name: str
    line: int
    tokens: list[Token] = field(default_factory=list)
    sentence: int = 0


class Mention(NamedTuple):
    """The places of its first and last token."""

    first: int
    last: int


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file; how their texts were made is noted in `rows`."""
    look_beside(rows)
    rows.layout = True
    rules: dict[str, int] = {}
    for noted in noted_documents(text, rows):
        try:
            document, rule = _document(noted, rows)
        except BadRowError as error:
            rows.bad(noted.line, error)
            continue
        rules[rule] = rules.get(rule, 0) + 1
        yield document
    rows.notes += [f"The texts of {count} documents: {rule}." for rule, count in rules.items()]


def document_name(line: str) -> str | None:
    """The name in a line that begins a document, empty if it has none; None if it begins no document."""
    match = _START.match(line)
    return None if match is None else (match["name"] or match["bare"] or "").strip()


def noted_documents(text: str, rows: Rows) -> Iterator[Noted]:
    """The documents of a file, each with its tokens; lines that are neither are bad rows."""
    noted: Noted | None = None
    orphaned = False
    for number, line in _lines(text, rows):
        if (name := document_name(line)) is not None:
            if noted:
                yield noted
            noted = Noted(name or f"line {number}", number)
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


def _lines(text: str, rows: Rows) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; those that hold more than one are bad rows."""
    for number, given in enumerate(text.split("\n"), start=1):
        line = given.removesuffix("\r")
        try:
            check_line(line)
        except BadRowError as error:
            rows.bad(number, error)
        else:
            yield number, line


def _token(line: str, number: int, sentence: int) -> Token:
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
    return Token(token, number, tag if tag != "O" else "", tuple(columns[2:]), sentence)


def _document(noted: Noted, rows: Rows) -> tuple[Document, str]:
    name = storable(noted.name, "-DOCSTART-")
    if has_text(name, rows):
        text, rule = lost_text(name, rows), ALIGNED
        places = aligned(noted.tokens, text)
    else:
        text, places = joined(noted.tokens)
        rule = JOINED
    drafts = []
    for mention in mentions(noted.tokens, rows):
        first = noted.tokens[mention.first]
        start, end = places[mention.first][0], places[mention.last][1]
        try:
            check_mention(noted.tokens, mention)
            entity = named_entity(first.rest, rows)
        except BadRowError as error:
            rows.bad(first.line, error)
            continue
        drafts.append(Draft(start, end, None, entity, None, first.line))
    return Document(name, text, settle(name, text, drafts, rows), None, None, noted.line), rule


def joined(tokens: list[Token]) -> tuple[str, list[tuple[int, int]]]:
    """The text that the join rule makes of tokens, and where each stands in it."""
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


def aligned(tokens: list[Token], text: str) -> list[tuple[int, int]]:
    """Where each token stands in a text that was given.

    Raises:
        BadRowError: one does not stand where it should.
    """
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


def mentions(tokens: list[Token], rows: Rows) -> Iterator[Mention]:
    """The mentions: begun by B, gone on with by I; only B parts two that touch."""
    first: int | None = None
    for place, token in enumerate(tokens):
        if token.tag == "I" and first is not None and tokens[first].sentence == token.sentence:
            continue
        if first is not None:
            yield Mention(first, place - 1)
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
        yield Mention(first, len(tokens) - 1)


def check_mention(tokens: list[Token], mention: Mention) -> None:
    """Refuse a mention whose lines disagree with each other.

    Raises:
        BadRowError: they do.
    """
    inside = tokens[mention.first : mention.last + 1]
    given = inside[0].rest
    for token in inside[1:]:
        if token.rest and _told(token) != _told(inside[0]):
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


def _told(token: Token) -> list[str]:
    """Mention and entity of a line; white space at their ends says nothing."""
    return [column.strip() for column in token.rest[:2]]


def _unescaped(match: re.Match[str]) -> str:
    units = bytes.fromhex(match[0].replace("\\u", ""))
    return units.decode("utf-16-be", "surrogatepass")


def named_entity(rest: Sequence[str], rows: Rows) -> Entity:
    """The Wikipedia address where there is one, else the YAGO name with its escapes taken back.

    Args:
        rest: the columns after the tag.
        rows: for the language of bare titles.
    """
    names = [value.strip() for value in rest[1:3]]
    if not names or not names[0]:
        return entity_value(None, rows.language)
    names = [_ESCAPE.sub(_unescaped, name) for name in names]
    yago = names[0]
    address = names[1] if len(names) > 1 and "//" in names[1] else ""
    nil = entity_value(yago, rows.language) if not address else None
    return nil or entity_value(address, rows.language)
