"""Examples of each coverage letter in their texts: what the ground truth has, and what people verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.measured import Measured
from analysis.metrics.coverage import MEANING, reference, union_letters
from analysis.report.audit_list import Link, Names, Snippet, snippet, texts_of

_EACH: Final = 2
_LETTERS: Final = ("A", "B", "C", "D", "E0", "E1")


@dataclass(frozen=True)
class Example:
    """A verified item.

    Attributes:
        letter: of it.
        meaning: of the letter.
        where: dataset and document.
        snippet: its text.
        verified: the entity that people verified.
        truth: the ground truth's mention and entity there; None where it has no link.
    """

    letter: str
    meaning: str
    where: str
    snippet: Snippet
    verified: Link
    truth: tuple[str, Link] | None


def examples(measured: Measured) -> list[Example]:
    """Up to two items of each letter, those that most people verified first; none without texts."""
    texts = texts_of(measured.study)
    if measured.gt is None or not any(isinstance(text, str) for text in texts.values()):
        return []
    items, got = union_letters(measured)
    letter = np.where(got.part != "", got.part, got.letter)
    behind = got.behind.drop_duplicates("item").set_index("item")["reference"]
    truth = measured.annotations.loc[reference(measured).index]
    documents = measured.documents
    names = Names(measured.study)
    order = np.lexsort((np.arange(len(items)), -items["n"].to_numpy(float), -items["y"].to_numpy(float)))
    out = []
    for name in _LETTERS:
        chosen = order[(letter[order] == name) & (items["y"].to_numpy()[order] > 0)][:_EACH]
        for place in chosen:
            row = items.iloc[place]
            document = documents.iloc[row["document_code"]]
            text = texts[document["dataset"], document["document"]]
            there = truth.iloc[behind[place]] if place in behind.index else None
            out.append(
                Example(
                    name,
                    MEANING[name],
                    f"{document['dataset']}: {document['document']}",
                    snippet(text, int(row["start"]), int(row["end"])),
                    names.link(row["key"]),
                    None if there is None else (_words(text, there), names.link(there["key"])),
                )
            )
    return out


def _words(text: object, there: object) -> str:
    """The mention of a row of annotations."""
    start, end = int(there["start"]), int(there["end"])  # type: ignore[index]  # a row of a frame
    return text[start:end] if isinstance(text, str) else f"characters {start} to {end}"
