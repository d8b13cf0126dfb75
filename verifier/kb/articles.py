"""Reads entities from the articles of a Wikipedia's search index, published as CirrusSearch dumps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from analysis.errors import InputError
from analysis.keys import normalise
from verifier.kb.names import address_of
from verifier.kb.rows import EntityRow

_ARTICLES: Final = 0
_EXTRACT: Final = 600


def is_heading(told: Mapping[str, Any]) -> bool:
    """Whether a line only says which page the next one is about."""
    return set(told) == {"index"}


def is_page(told: Mapping[str, Any]) -> bool:
    """Whether a line is a page of a Wikipedia, rather than an item of Wikidata."""
    return "title" in told and "namespace" in told


def read_article(told: Mapping[str, Any], language: str) -> EntityRow | None:
    """The article that a line tells of, its redirects as aliases; None where the page is no article.

    Raises:
        ValueError: the line is not of this form.
    """
    if told["namespace"] != _ARTICLES:
        return None
    title = clean(told["title"]) if isinstance(told["title"], str) else ""
    if not title:
        raise ValueError("no title")
    try:
        key = normalise(f"w:{language}:{title}", language)
    except InputError as error:
        raise ValueError(error.problems[0].what) from None
    redirects = told.get("redirect")
    names = [mapping(one) for one in redirects] if isinstance(redirects, list) else []
    aliases = [one.get("title") for one in names if one.get("namespace", _ARTICLES) == _ARTICLES]
    described = mapping(told.get("descriptions")).get(language)
    return EntityRow(
        key=key,
        title=title,
        description=short(described[0] if isinstance(described, list) and described else None),
        extract=short(told.get("opening_text")),
        aliases=tuple(clean(one) for one in aliases if isinstance(one, str) and clean(one)),
        popularity=_popularity(told.get("popularity_score")),
        url=address_of(key),
    )


def clean(text: str) -> str:
    """Text that an index can hold."""
    return text.encode("utf-8", "ignore").decode("utf-8").replace("\0", "").strip()


def mapping(value: Any) -> Mapping[str, Any]:
    """A value where it is a mapping; an empty one where it is anything else."""
    return value if isinstance(value, dict) else {}


def short(text: Any) -> str | None:
    """No more than a card bears, cut between words."""
    whole = " ".join(clean(text).split()) if isinstance(text, str) else ""
    return (whole if len(whole) <= _EXTRACT else whole[:_EXTRACT].rsplit(" ", 1)[0] + " …") or None


def _popularity(score: Any) -> float:
    """The share of all page views; pages that are hardly looked at have none."""
    if score is None:
        return 0.0
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise ValueError(f"popularity_score {score!r}")
    return float(score)
