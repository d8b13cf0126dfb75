"""Reading corpus files without knowing who reads them: the reader is an installed entry point.

A package that can read annotated corpora registers one function under the entry point group
`posthoc.corpora` with the name `reader`; the campaign half of posthoc does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Protocol, TypedDict, Unpack, cast

from analysis.documents import Document
from analysis.errors import InputError, MissingExtraError, StateError, plain

GROUP: Final = "posthoc.corpora"
NAME: Final = "reader"
_PREFIX: Final = re.compile(r"(?:[A-Za-z][\w.-]*)?")
_IRI: Final = re.compile(r"[^\s<>\"{}|\\^`]+")


class FileOptions(TypedDict, total=False):
    """How a corpus file is to be read.

    Attributes:
        format: of the file; "auto" recognises it, which is the default.
        language: of the dataset, for bare titles that name none; "en".
        texts: folder of the texts, for formats that keep them apart.
        encoding: of the file, and of the texts in that folder; "utf-8-sig".
        mapping: a file that says which column of a table is what.
        prefixes: IRI by prefix, for those that a Turtle file uses without declaring them.
        repair: put spans right whose place has one answer; otherwise they are bad rows.
        known: the text of a document by its name, for those that have none in the file nor in the folder.
    """

    format: str
    language: str
    texts: Path | None
    encoding: str
    mapping: Path | None
    prefixes: Mapping[str, str]
    repair: bool
    known: Callable[[str], str | None] | None


class Options(FileOptions, total=False):
    """How a corpus file is to be read, and what its keys lead to.

    Attributes:
        redirects: files of redirects, and of Wikidata ids of titles, for the keys of its entities.
    """

    redirects: Sequence[Path]


class Reader(Protocol):
    """What the entry point must be: a function from a corpus file to documents."""

    def __call__(self, path: Path, **options: Unpack[Options]) -> list[Document]:
        """The documents of `path`; bad rows are collected and raised together as an `InputError`."""


def read_documents(path: Path | str, **options: Unpack[Options]) -> list[Document]:
    """Read a corpus file in any format that the installed reader knows.

    Args:
        path: the file.
        options: see `Options`.

    Raises:
        MissingExtraError: no reader is installed.
        StateError: more than one reader is installed.
        InputError: the file cannot be read.
    """
    return _reader()(Path(path), **options)


def read_prefixes(words: Iterable[str]) -> dict[str, str]:
    """`P=IRI` words as a mapping.

    Raises:
        InputError: a word is none, or a prefix comes twice.
    """
    prefixes: dict[str, str] = {}
    for word in words:
        name, equals, iri = word.partition("=")
        if not equals or not _PREFIX.fullmatch(name.removesuffix(":")) or not _IRI.fullmatch(iri):
            raise InputError(
                "not a prefix",
                where="--prefix",
                got=plain(word),
                expected="P=IRI, like el=http://example.org/",
            )
        if prefixes.setdefault(name.removesuffix(":"), iri) != iri:
            raise InputError("a prefix with two IRIs", where="--prefix", got=plain(name))
    return prefixes


def _reader() -> Reader:
    # Two copies of one distribution on the path (an installed one and its source) name the same function.
    found = {entry.value: entry for entry in entry_points(group=GROUP, name=NAME)}
    if not found:
        raise MissingExtraError(
            "no reader of corpus files is installed",
            where=f"entry point {GROUP}:{NAME}",
            remedy="pip install posthoc, or give analysis.score() documents of your own reading",
        )
    if len(found) > 1:
        raise StateError(
            "more than one reader of corpus files is installed",
            where=f"entry point {GROUP}:{NAME}",
            got=", ".join(sorted(found)),
            remedy="uninstall all but one",
        )
    return cast("Reader", next(iter(found.values())).load())
