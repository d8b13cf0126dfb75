"""Putting texts back into a study that left them out: each finds its document by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from analysis.errors import InputError
from analysis.study import Study

_SHOWN = 5


def attach(study: Study, texts: Iterable[str]) -> Study:
    """The study with its texts, and the mentions in them.

    A text belongs to whatever document has its hash, whatever either is called; texts of no document are not
    used. Texts that the study has stay.

    Raises:
        InputError: some documents find none, or a span does not lie in its text.
    """
    by_hash = {hashlib.sha256(text.encode()).hexdigest(): text for text in texts}
    documents = study["documents"]
    found = documents["text"].where(documents["text"].notna(), documents["text_sha256"].map(by_hash))
    if found.isna().any():
        lost = documents[found.isna()]
        names = [f"{row.dataset} / {row.document}" for row in lost.head(_SHOWN).itertuples()]
        more = "" if len(lost) <= _SHOWN else f" and {len(lost) - _SHOWN} more"
        raise InputError(
            f"{len(lost)} of {len(documents)} documents find no text with their hash",
            where="--texts",
            got=", ".join(names) + more,
            expected="texts that are the same to the code point, line ends included",
        )
    documents = documents.assign(text=found.astype("str"))
    tables = {**study.tables, "documents": documents}
    tables["annotations"] = _with_mentions(study["annotations"], documents)
    return Study(tables, study.manifest, study.notes)


def read_texts(path: str | Path) -> Iterator[str]:
    """The texts of a folder's files, or of one: each line's `text` of `.jsonl`, any other file as a whole.

    Raises:
        InputError: nothing is there, or it cannot be read.
    """
    path = Path(path)
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    if not files:
        raise InputError("no texts", where=str(path), expected="a folder of text files, or a .jsonl file")
    for file in files:
        try:
            text = file.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("no text in UTF-8", where=str(file), got=str(error)[:120]) from error
        if file.suffix == ".jsonl":
            yield from _lines(file, text)
        else:
            yield text


def _lines(file: Path, content: str) -> Iterator[str]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError("not JSON", where=f"{file}:{number}", got=line[:60]) from error
        text = row.get("text") if isinstance(row, dict) else None
        if not isinstance(text, str):
            raise InputError("no text", where=f"{file}:{number}", expected='an object with "text"')
        yield text


def _with_mentions(annotations: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """Mentions that are not known, from the texts."""
    names = zip(documents["dataset"], documents["document"], strict=True)
    texts = dict(zip(names, documents["text"], strict=True))
    places = zip(
        annotations["dataset"],
        annotations["document"],
        annotations["start"],
        annotations["end"],
        annotations["mention"],
        strict=True,
    )
    mentions = []
    for dataset, document, start, end, mention in places:
        text = texts[dataset, document]
        if end > len(text):
            raise InputError(
                "a span that does not lie in the text",
                where=f"{dataset} / {document}",
                got=f"{start} to {end}",
                expected=f"0 to {len(text)}",
            )
        mentions.append(mention if isinstance(mention, str) else text[start:end])
    return annotations.assign(mention=pd.Series(mentions, index=annotations.index, dtype="str"))
