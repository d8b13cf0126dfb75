"""What an import report says about a file beside its counts: spellings of NIL, schemes of keys, the audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.documents import Annotation, Document
from analysis.keys import LINK, NIL_KIND, scheme
from verifier.corpus.audit import EXACT, UNCHECKED
from verifier.corpus.reading import Reading


def described(documents: Iterable[Document], reading: Reading) -> dict[str, Any]:
    """The part of the report on a file that its documents and its reading say."""
    annotations = [annotation for document in documents for annotation in document.annotations]
    kinds = Counter(annotation.entity.kind for annotation in annotations)
    return {
        "annotations": len(annotations),
        "kinds": dict(sorted(kinds.items())),
        "nil_spellings": nil_spellings(annotations),
        "schemes": schemes(annotations),
        "audit": totals(reading.audit),
        "audited": faulty(reading.audit),
        "repaired": [str(repair) for repair in reading.repaired],
    }


def nil_spellings(annotations: Iterable[Annotation]) -> dict[str, int]:
    """How often each spelling of NIL stands in the file, the commonest first; NIL and digits are one."""
    found = Counter(
        _spelling(annotation.entity.raw) for annotation in annotations if annotation.entity.kind == NIL_KIND
    )
    return dict(found.most_common())


def _spelling(raw: str | None) -> str:
    if raw is None:
        return "null"
    text = raw.strip()
    if text.startswith("NIL") and text[3:].isdigit():
        return "NIL and digits"
    return ".../notInWiki/..." if "notinwiki/" in text.lower() else text


def schemes(annotations: Iterable[Annotation]) -> dict[str, int]:
    """How many links have keys of which scheme, the commonest first."""
    entities = (annotation.entity for annotation in annotations)
    return dict(Counter(scheme(e.key) for e in entities if e.kind == LINK and e.key).most_common())


def foreign(ours: Mapping[str, int], theirs: Mapping[str, set[str]]) -> str:
    """A warning if no other source on these documents has keys of our schemes; empty if all is well.

    Args:
        ours: schemes of this file.
        theirs: other source -> schemes of its keys on the same documents.
    """
    strange = {name: found for name, found in theirs.items() if found and not found & ours.keys()}
    if not ours or not strange:
        return ""
    said = "; ".join(f"{name} has {', '.join(sorted(found))}" for name, found in sorted(strange.items()))
    return (
        f"its keys ({', '.join(ours)}) name entities in other ways than those of other sources ({said}):"
        " none can be equal. Map them to one scheme, with redirects from ids to titles or before importing."
    )


def totals(audit: Mapping[str, Counter[str]]) -> dict[str, int]:
    """How many spans were of which kind, over all documents."""
    together: Counter[str] = Counter()
    for found in audit.values():
        together.update(found)
    return dict(sorted(together.items(), key=lambda item: (-item[1], item[0])))


def faulty(audit: Mapping[str, Counter[str]]) -> dict[str, dict[str, int]]:
    """The audit of each document that has a span which is not right as given."""
    return {
        name: dict(sorted(found.items()))
        for name, found in audit.items()
        if found.keys() - {EXACT, UNCHECKED}
    }
