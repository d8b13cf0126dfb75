"""What an import report says about a file beside its counts: spellings of NIL, schemes of keys, the audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from analysis.documents import Annotation, Document, Span
from analysis.keys import LINK, NIL_KIND, scheme
from verifier.corpus.audit import EXACT, UNCHECKED
from verifier.corpus.reading import Reading

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def described(documents: Iterable[Document], reading: Reading) -> dict[str, Any]:
    """The part of the report on a file that its documents and its reading say."""
    documents = list(documents)
    annotations = [annotation for document in documents for annotation in document.annotations]
    kinds = Counter(annotation.entity.kind for annotation in annotations)
    return {
        "annotations": len(annotations),
        "kinds": dict(sorted(kinds.items())),
        "overlapping": sum(map(_overlapping, documents)),
        "outside": sum(map(_outside, documents)),
        "spaces": sum(map(_spaces, documents)),
        "nil_spellings": nil_spellings(annotations),
        "schemes": schemes(annotations),
        "audit": totals(reading.audit),
        "audited": faulty(reading.audit),
        "repaired": [str(repair) for repair in reading.repaired],
    }


def _overlapping(document: Document) -> int:
    """How many annotations overlap another span of the document."""
    spans = sorted({annotation.span for annotation in document.annotations})
    touched: set[Span] = set()
    longest = None
    for span in spans:
        if longest is not None and span.overlaps(longest):
            touched |= {span, longest}
        if longest is None or span.end > longest.end:
            longest = span
    return sum(annotation.span in touched for annotation in document.annotations) if touched else 0


def _outside(document: Document) -> int:
    evaluation = document.evaluation
    if evaluation is None:
        return 0
    return sum(not annotation.span.within(evaluation) for annotation in document.annotations)


def _spaces(document: Document) -> int:
    text = document.text
    return sum(text[a.span.start].isspace() or text[a.span.end - 1].isspace() for a in document.annotations)


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


def schemes(annotations: Iterable[Annotation], targets: Mapping[str, str] = _NONE) -> dict[str, int]:
    """How many links have keys of which scheme, the commonest first; after redirects, if there are any."""
    entities = (annotation.entity for annotation in annotations)
    keys = (targets.get(e.key, e.key) for e in entities if e.kind == LINK and e.key)
    return dict(Counter(map(scheme, keys)).most_common())


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
        " none can be equal. Map them to one scheme: --redirects with titles and their Wikidata ids."
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
