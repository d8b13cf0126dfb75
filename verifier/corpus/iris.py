"""IRIs of documents in NIF: a name that is none becomes one that gives it back."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

_OURS: Final = re.compile(r"urn:posthoc:[^:]*:(.+)\Z")
_IRI: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+\Z")


def is_iri(text: str) -> bool:
    """Whether it can stand in Turtle between `<` and `>`."""
    return bool(_IRI.match(text))


def iri_of(name: str, corpus: str) -> str:
    """The document's IRI: its name if that is an address, else one made of corpus and name."""
    address = name.startswith(("http://", "https://")) and is_iri(name)
    if address and not re.search(r"[#?]|[&/](?:char|offset)", name):
        return name
    return f"urn:posthoc:{quote(corpus, safe='')}:{quote(name, safe='')}"


def name_of(iri: str) -> str:
    """The document's name: the IRI, or what one of ours was made of."""
    ours = _OURS.match(iri)
    return unquote(ours[1]) if ours else iri
