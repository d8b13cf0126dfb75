"""A document of AIDA's TSV line by line: what stands there already, and what is to stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

from analysis.documents import Annotation, Document, Span
from verifier.corpus import aida
from verifier.corpus.rows import BadRowError, Rows

START: Final = "-DOCSTART-"
# Words with their accents, and single marks; a span's ends part them further.
_PIECE: Final = re.compile(r"\w[\w\u0300-\u036f]*|[^\w\s]")


@dataclass(frozen=True)
class Original:
    """A document as it stood in the file that was imported.

    Attributes:
        file: the name of that file.
        line: of the file, that `lines` begin with.
        lines: as they were, with their ends.
        noted: its tokens, numbered by the lines of the file.
    """

    file: str
    line: int
    lines: tuple[str, ...]
    noted: aida.Noted


def originals(files: Iterable[tuple[str, str]]) -> dict[str, Original]:
    """The documents of imported files by name, given each file's name and all that stands in it.

    What stands before the first document belongs to it. Of two documents of one name the first counts, as
    when they were read.
    """
    found: dict[str, Original] = {}
    for file, layout in files:
        lines = layout.split("\n")
        ended = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        documents = list(aida.noted_documents(layout.removeprefix("\ufeff"), Rows(Path(file), "en")))
        ends = [noted.line - 1 for noted in documents[1:]] + [len(ended)]
        first = 0
        for noted, last in zip(documents, ends, strict=True):
            found.setdefault(noted.name, Original(file, first + 1, tuple(ended[first:last]), noted))
            first = last
    return found


@dataclass(frozen=True)
class Layout:
    """How documents stood in the files that they came in.

    Attributes:
        originals: by document, where that was kept.
        before: by document, the annotations that stood there.
        lost: documents that are not among the originals came in a file of tokens that was not kept.
        joined: the texts of those were made by the join rule.
    """

    originals: Mapping[str, Original] = field(default_factory=dict)
    before: Mapping[str, Sequence[Annotation]] = field(default_factory=dict)
    lost: bool = False
    joined: bool = True


@dataclass
class Sheet:
    """A document being written.

    Attributes:
        document: what it is of.
        lines: with their ends.
        tokens: of the document, in order.
        places: where each token stands in the text.
        first: line of `lines[0]`, as the tokens count.
        original: where the lines came from; None if they were made.
        owner: by token, the first token of the mention that it is part of.
    """

    document: Document
    lines: list[str]
    tokens: Sequence[aida.Token]
    places: Sequence[tuple[int, int]]
    first: int = 1
    original: Original | None = None
    owner: dict[int, int] = field(default_factory=dict)

    @property
    def joined(self) -> bool:
        """Whether reading the tokens alone gives the text."""
        return aida.joined(list(self.tokens))[0] == self.document.text

    def mentions(self) -> Iterator[tuple[aida.Mention, Span]]:
        """The mentions that stand in the lines, whole or not."""
        for mention in aida.mentions(list(self.tokens), Rows(Path(), "en")):
            yield mention, Span(self.places[mention.first][0], self.places[mention.last][1])

    def tagged(self) -> None:
        """Mark the tokens that any tag is on as taken."""
        for mention, _ in self.mentions():
            self.owner |= dict.fromkeys(range(mention.first, mention.last + 1), mention.first)
        for place, token in enumerate(self.tokens):
            if token.tag:
                self.owner.setdefault(place, place)

    def clear(self, mention: aida.Mention) -> None:
        """Leave the tokens of a mention alone."""
        for place in range(mention.first, mention.last + 1):
            self._put(place, ())
            del self.owner[place]

    def put(self, mention: aida.Mention, name: str, rest: Sequence[str]) -> None:
        """Make tokens a mention, called `name` (nothing: no column for it), with the columns that follow."""
        for place in range(mention.first, mention.last + 1):
            tag = "B" if place == mention.first else "I"
            self._put(place, (tag, name, *rest) if name else (tag,))
            self.owner[place] = mention.first

    def _put(self, place: int, columns: Sequence[str]) -> None:
        token = self.tokens[place]
        number = token.line - self.first
        line = self.lines[number]
        end = line[len(line.rstrip("\r\n")) :]
        self.lines[number] = "\t".join((token.text, *columns)) + end

    def mention_at(self, span: Span) -> aida.Mention:
        """The tokens that make up a span.

        Raises:
            BadRowError: none do, or others have them.
        """
        starts, ends = self._edges
        first, last = starts.get(span.start), ends.get(span.end)
        if first is None or last is None:
            place = self._token_at(span.start if first is None else span.end - 1)
            what = "its ends are not those of tokens" if place is None else "it cuts a token"
            got = "" if place is None else repr(self.tokens[place].text)
            raise BadRowError(self._at(what, place), got=got)
        inside = range(first, last + 1)
        if (taken := next((place for place in inside if place in self.owner), None)) is not None:
            raise BadRowError(self._at("it overlaps another mention", taken))
        if self.tokens[first].sentence != self.tokens[last].sentence:
            raise BadRowError(self._at("it goes on beyond its sentence", first))
        return aida.Mention(first, last)

    @cached_property
    def _edges(self) -> tuple[dict[int, int], dict[int, int]]:
        """Tokens by where they start, and by where they end."""
        starts = {start: place for place, (start, _) in enumerate(self.places)}
        return starts, {end: place for place, (_, end) in enumerate(self.places)}

    def _token_at(self, offset: int) -> int | None:
        """The token that an offset lies in; None between tokens."""
        return next((n for n, (start, end) in enumerate(self.places) if start <= offset < end), None)

    def _at(self, what: str, place: int | None) -> str:
        if place is None or self.original is None:
            return what
        return f"{what} ({self.original.file}:{self.tokens[place].line})"


def from_original(document: Document, original: Original) -> Sheet | None:
    """The lines of a document as they were; None if they are not of its text."""
    tokens = original.noted.tokens
    text, places = aida.joined(tokens)
    if text != document.text:
        try:
            places = aida.aligned(tokens, document.text)
        except BadRowError:
            return None
    sheet = Sheet(document, list(original.lines), tokens, places, original.line, original)
    sheet.tagged()
    return sheet


def reread(sheet: Sheet) -> Sheet | None:
    """The same lines with their mentions as they stand there now."""
    (original,) = originals([("", "".join(sheet.lines))]).values()
    again = from_original(sheet.document, original)
    return None if again is None else replace(again, original=None)


def from_text(document: Document, ends: Iterable[Span], *, whole: bool = False) -> Sheet | None:
    """The lines of a document that came in no file of tokens, without mentions.

    Where the join rule makes the text of its words, these are the tokens; else words and marks are, parted
    where a mention begins or ends.

    Args:
        document: its name and text.
        ends: the spans that should not cut a token.
        whole: by the join rule alone; None where that does not make the text.
    """
    cuts = {offset for span in ends for offset in span}
    spaced = _spaced(document.text)
    if whole or (spaced is not None and not any(_cuts(span, cuts) for span in spaced)):
        if spaced is None:
            return None
        found = spaced
    else:
        found = list(_pieces(document.text, cuts))
    lines = [f"{START} ({document.name})\n"]
    tokens: list[aida.Token] = []
    sentence = before = 0
    for start, end in found:
        if tokens and "\n" in document.text[before:start]:
            lines.append("\n")
            sentence += 1
        lines.append(f"{document.text[start:end]}\n")
        tokens.append(aida.Token(document.text[start:end], len(lines), "", (), sentence))
        before = end
    lines.append("\n")
    return Sheet(document, lines, tokens, found)


def _spaced(text: str) -> list[tuple[int, int]] | None:
    """The words of a text that the join rule makes of them; None if it makes another."""
    found, place = [], 0
    for line in text.split("\n") if text else []:
        for word in line.split(" "):
            if not word.strip() or word != word.strip() or re.search(r"[\t\r]", word):
                return None
            if aida.document_name(word) is not None:
                return None
            found.append((place, place + len(word)))
            place += len(word) + 1
    return found


def _cuts(span: tuple[int, int], cuts: set[int]) -> bool:
    return any(span[0] < cut < span[1] for cut in cuts)


def _pieces(text: str, cuts: set[int]) -> Iterator[tuple[int, int]]:
    for match in _PIECE.finditer(text):
        inside = sorted(cut for cut in cuts if match.start() < cut < match.end())
        edges = [match.start(), *inside, match.end()]
        yield from pairwise(edges)
