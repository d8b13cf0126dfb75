"""Entity keys: one normaliser for ground truth, models and workers.

A key is a string, typed and written one way:

    wd:Q42                     a Wikidata item
    w:en:Douglas Adams         a Wikipedia title with its language
    dbp:en:Douglas Adams       a DBpedia resource with its language edition
    id:...                     any other identifier (a page id is `id:w:en:8091`)
    NIL                        the entity is not in the knowledge base

NIL, unmapped (an entity was given, its key is not known) and "no link given" are three things; the
`Kind` of what was read says which. The raw value is always kept beside the key.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from analysis.errors import InputError, plain

Kind = Literal["link", "nil", "unmapped", "none", "other"]

LINK: Final = "link"
NIL_KIND: Final = "nil"
UNMAPPED: Final = "unmapped"
NONE: Final = "none"
OTHER: Final = "other"
KINDS: Final[tuple[Kind, ...]] = (LINK, NIL_KIND, UNMAPPED, NONE, OTHER)

NIL: Final = "NIL"

_NIL_SPELLING = re.compile(
    r"(?:<?NIL>?|NIL\d+|--NME--|--OOKBE--|\*null\*|Q-1|Q0|<wikiName/>|<wikiName></wikiName>)\Z"
)
# An address in a namespace made for entities that are in no knowledge base.
_NIL_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#\s]+/(?:[^?#\s]*/)?notInWiki/", re.IGNORECASE)
_UNMAPPED_SPELLING = frozenset({"<NO_MAPPING>", "NO_MAPPING", "UNKNOWN_MAPPING"})
_ITEM = re.compile(r"Q[1-9]\d*\Z")
_TYPED = re.compile(r"(?:(wd):(Q\d+)|(w|dbp):([a-z][a-z0-9-]{1,15}):(.*)|(id):(.+))\Z", re.DOTALL)
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_BARE_HOST = re.compile(r"(?:[a-z-]+\.)?(?:m\.)?(?:wikipedia|wikidata|dbpedia)\.org/", re.IGNORECASE)
_WIKIPEDIA_HOST = re.compile(r"(?P<language>[a-z][a-z0-9-]*)\.(?:m\.)?wikipedia\.org\Z")
_DBPEDIA_HOST = re.compile(r"(?:(?P<language>[a-z][a-z0-9-]*)\.)?dbpedia\.org\Z")
# Wider than the codes of languages: encyclopedias are named simple and be-tarask too.
_LANGUAGE = re.compile(r"[a-z]{2,10}(?:-[A-Za-z0-9]{1,8})*")
_FORBIDDEN_IN_TITLE = re.compile(r"[\[\]{}|<>\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Entity:
    """An entity as read: what kind of answer it is, its key (for link and nil), and the raw value."""

    kind: Kind
    key: str | None
    raw: str | None


def check_language(language: str) -> str:
    """The language, if it can be one of titles.

    Raises:
        InputError: it is no language code.
    """
    if not _LANGUAGE.fullmatch(language):
        raise InputError(
            "not a language", got=ascii(language), expected="a language code such as en or pt-BR"
        )
    return language


def read_entity(raw: str | None, language: str) -> Entity:
    """The entity that `raw` names; None and the empty string are "no link given".

    Args:
        raw: an identifier, title, URL or NIL spelling, as given.
        language: the dataset's language, for bare titles.

    Raises:
        InputError: `raw` cannot be understood (a URL of an unknown shape, a title with forbidden characters).
    """
    if raw is None or not raw.strip():
        return Entity(NONE, None, raw)
    text = raw.strip()
    if _NIL_SPELLING.match(text) or _NIL_ADDRESS.match(text):
        return Entity(NIL_KIND, NIL, raw)
    if text in _UNMAPPED_SPELLING:
        return Entity(UNMAPPED, None, raw)
    return Entity(LINK, normalise(text, language), raw)


def normalise(raw: str, language: str) -> str:
    """The one key of the entity that `raw` names, before redirects.

    Bare `Q` and digits read as Wikidata, other bare text as a title in `language`. URLs, and only URLs, are
    taken apart: decoded once, fragment and query dropped.

    Raises:
        InputError: `raw` cannot be understood.
    """
    text = raw.strip()
    if _URL.match(text) or _BARE_HOST.match(text):
        return _from_url(text)
    if _ITEM.match(text):
        return f"wd:{text}"
    typed = _TYPED.match(text)
    if typed is None:
        return f"w:{language}:{_title(text, language)}"
    if typed[1]:
        return text
    if typed[3]:
        return f"{typed[3]}:{typed[4]}:{_title(typed[5], typed[4])}"
    return f"id:{typed[7].strip()}"


def scheme(key: str) -> str:
    """What kind of key it is: `wd`, `w:en`, `dbp:de`, `id`; keys of two schemes are never equal."""
    parts = key.split(":", 2)
    return ":".join(parts[: 2 if parts[0] in ("w", "dbp") else 1])


def _title(text: str, language: str) -> str:
    title = " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())
    if not title or _FORBIDDEN_IN_TITLE.search(title):
        raise InputError(
            "not an entity",
            got=plain(text),
            expected="a title without [ ] { } | < >, a Q-number, or a Wikipedia or Wikidata address",
        )
    first = "İ" if title[0] == "i" and language in ("az", "tr") else title[0].upper()
    # A letter without a one-character capital (ß) stays as it is, as on Wikipedia.
    return first + title[1:] if len(first) == 1 else title


def _from_url(text: str) -> str:
    try:
        split = urlsplit(text if _URL.match(text) else f"//{text}")
        host = (split.hostname or "").removeprefix("www.")
    except ValueError:
        raise _unreadable(text) from None
    path = unquote(split.path, errors="replace")
    if "\ufffd" in path:
        raise _unreadable(text)
    if host in ("wikidata.org", "m.wikidata.org"):
        last = path.rsplit("/", 1)[-1].split(".", 1)[0].removeprefix("Special:EntityData:")
        if _ITEM.match(last):
            return f"wd:{last}"
        raise _unreadable(text)
    if match := _WIKIPEDIA_HOST.match(host):
        return _from_wikipedia(text, match["language"], path, parse_qs(split.query))
    if (match := _DBPEDIA_HOST.match(host)) and path.startswith(("/resource/", "/page/")):
        language = match["language"] or "en"
        return f"dbp:{language}:{_title(path.split('/', 2)[2], language)}"
    if host.endswith(("wikipedia.org", "dbpedia.org")):
        raise _unreadable(text)
    return f"id:{text}"


def _from_wikipedia(text: str, language: str, path: str, query: dict[str, list[str]]) -> str:
    if "title" in query:
        return f"w:{language}:{_title(query['title'][0], language)}"
    if "curid" in query and query["curid"][0].isdigit():
        return f"id:w:{language}:{query['curid'][0]}"
    # /wiki/Title, and the variant paths of Chinese and Serbian (/zh-hans/Title).
    parts = path.split("/", 2)
    if len(parts) == 3 and parts[2] and parts[1] not in ("w", "api"):  # noqa: PLR2004 - "", prefix, title
        return f"w:{language}:{_title(parts[2], language)}"
    raise _unreadable(text)


def _unreadable(text: str) -> InputError:
    return InputError(
        "address not understood",
        got=plain(text),
        expected="the address of a Wikipedia article, a Wikidata item or a DBpedia resource",
    )
