"""What MediaWikis are asked, and what is taken from their answers; whatever is malformed is left out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

BATCH: Final = 20
# What is short to tell can be asked of so many at a time.
FILES: Final = 50
ITEMS: Final = 50
_EXTRACT: Final = 600
_WIDTH: Final = 320
_LONGEST_ADDRESS: Final = 2000
_ARTICLES: Final = 0
_LONGEST_CREDIT: Final = 200
_TAG: Final = re.compile(r"(?is)<(style|script)\b.*?</\1\s*>|<[^>]*>")
_WORD: Final = re.compile(r"\w+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_QUERY: Final = {"action": "query", "redirects": "1", "ppprop": "wikibase_item|disambiguation"}
_PICTURED: Final = {
    "piprop": "thumbnail|name",
    "pithumbsize": str(_WIDTH),
    "pilimit": str(BATCH),
    # None that may be shown on Wikipedia alone.
    "pilicense": "free",
}
_IMAGE: Final = "P18"


def asking_pages(titles: Sequence[str]) -> dict[str, str]:
    """Asks for title, description, first sentences and image of pages, at most `BATCH`."""
    return {
        **_QUERY,
        "titles": "|".join(titles),
        "prop": "extracts|description|pageprops|pageimages",
        "exintro": "1",
        "explaintext": "1",
        "exsentences": "3",
        "exlimit": str(BATCH),
        **_PICTURED,
    }


def asking_credits(files: Sequence[str]) -> dict[str, str]:
    """Asks who made images, under which licence, and where they are; at most `FILES`."""
    return {
        "action": "query",
        "titles": "|".join(f"File:{file}" for file in files),
        "prop": "imageinfo",
        "iiprop": "url|extmetadata",
        "iiurlwidth": str(_WIDTH),
        "iiextmetadatafilter": "Artist|LicenseShortName|LicenseUrl",
    }


def asking_number(number: str) -> dict[str, str]:
    """Asks which page has a number."""
    return {"action": "query", "pageids": number}


def asking_other_language(title: str, language: str) -> dict[str, str]:
    """Asks what an article is called in another language."""
    return {**_QUERY, "titles": title, "prop": "langlinks", "lllang": language, "lllimit": "1"}


def asking_beginning(query: str, limit: int) -> dict[str, str]:
    """Asks for pages whose title, or that of a redirect, begins so or nearly so."""
    return {
        **_QUERY,
        "generator": "prefixsearch",
        "gpssearch": query,
        "gpslimit": str(limit),
        "prop": "description|pageprops|pageimages",
        **_PICTURED,
    }


def asking_words(query: str, limit: int) -> dict[str, str]:
    """Asks for pages with these words; what a search engine takes for commands is left out."""
    return {
        **_QUERY,
        "generator": "search",
        "gsrsearch": " ".join(_WORD.findall(query)),
        "gsrlimit": str(limit),
        "prop": "description|pageprops|pageimages",
        **_PICTURED,
    }


def asking_items(items: Sequence[str], language: str) -> dict[str, str]:
    """Asks Wikidata for label, description and article of items, at most `ITEMS`."""
    return {
        "action": "wbgetentities",
        "ids": "|".join(items),
        "props": "labels|descriptions|sitelinks",
        "languages": language,
        "languagefallback": "1",
        "sitefilter": _site(language),
    }


def asking_image(item: str) -> dict[str, str]:
    """Asks Wikidata for an item's image: that alone, since all that is said of a country is long."""
    return {"action": "wbgetclaims", "entity": item, "property": _IMAGE}


def pages(said: Mapping[str, Any], titles: Sequence[str]) -> dict[str, dict[str, Any] | None]:
    """What is told of each title that was asked for; None where there is no such article."""
    query = _mapping(said.get("query"))
    onward = dict(_renamed(query, "normalized")) | dict(_renamed(query, "redirects"))
    found = {page["title"]: page for page in map(_page, _listed(query, "pages")) if page}
    return {title: found.get(_end(title, onward)) for title in titles}


def hits(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pages of a search, best first, each with the names that lead to it; no lists of namesakes."""
    query = _mapping(said.get("query"))
    names: dict[str, list[str]] = {}
    for source, target in _renamed(query, "redirects"):
        names.setdefault(target, []).append(source)
    ranked = sorted(_listed(query, "pages"), key=_rank)
    found = [page for page in map(_page, ranked) if page and not page["several"]]
    return [page | {"names": [page["title"], *names.get(page["title"], [])]} for page in found]


def title(said: Mapping[str, Any]) -> str | None:
    """The title of the one page that was asked for."""
    found = [page for page in map(_page, _listed(_mapping(said.get("query")), "pages")) if page]
    return found[0]["title"] if found else None


def other_language(said: Mapping[str, Any]) -> str | None:
    """The title in the other language."""
    for page in _listed(_mapping(said.get("query")), "pages"):
        for link in _listed(page, "langlinks"):
            return _text(link.get("title"))
    return None


def item(said: Mapping[str, Any], asked: str, language: str) -> dict[str, Any] | None:
    """What Wikidata tells of an item; None if there is none."""
    every = _mapping(said.get("entities"))
    # An item that was merged into another may be told under the other's number.
    told = _mapping(every.get(asked) or next(iter(every.values()), None))
    if not re.fullmatch(r"Q[1-9]\d*", str(told.get("id"))) or "missing" in told:
        return None
    return {
        "id": told["id"],
        "title": _worded(told, "labels", language),
        "description": _worded(told, "descriptions", language),
        "article": _text(_mapping(_mapping(told.get("sitelinks")).get(_site(language))).get("title")),
    }


def items(said: Mapping[str, Any], asked: Sequence[str], language: str) -> dict[str, dict[str, Any] | None]:
    """What Wikidata tells of each of several items; those of which it tells nothing are left out."""
    every = _mapping(said.get("entities"))
    found: dict[str, dict[str, Any] | None] = {}
    for told in map(_mapping, every.values()):
        name = str(_mapping(told.get("redirects")).get("from") or told.get("id"))
        if name in asked:
            found[name] = item({"entities": {name: told}}, name, language)
    return found


def item_image(said: Mapping[str, Any]) -> str | None:
    """The file of an item's image, one that is preferred before others; None if there is none."""
    claims = [
        claim
        for claim in _listed(_mapping(said.get("claims")), _IMAGE)
        if claim.get("rank") != "deprecated"
        and _text(_mapping(_mapping(claim.get("mainsnak")).get("datavalue")).get("value"))
    ]
    claims.sort(key=lambda claim: claim.get("rank") != "preferred")
    name = claims[0]["mainsnak"]["datavalue"]["value"] if claims else None
    # What could not stand in a list of titles is no name of a file.
    return name if isinstance(name, str) and not set(name) & set("|#<>[]{}") else None


def credits(said: Mapping[str, Any], files: Sequence[str]) -> dict[str, dict[str, str | None]]:  # noqa: A001 - what they are
    """Author and licence as plain text, and address, of images; without a licence there is no credit.

    Files that the answer does not reach are left out.
    """
    query = _mapping(said.get("query"))
    onward = dict(_renamed(query, "normalized"))
    told = {_text(page.get("title")): page for page in _listed(query, "pages")}
    found: dict[str, dict[str, str | None]] = {}
    for file in files:
        page = told.get(onward.get(f"File:{file}", f"File:{file}"))
        facts = next(iter(_listed(page, "imageinfo")), None) if page else None
        if facts is not None:
            address = _address(facts.get("thumburl"))
            found[file] = {"credit": _credit(_mapping(facts.get("extmetadata"))), "address": address}
        elif page and "continue" not in said:
            found[file] = {"credit": None, "address": None}
    return found


def _credit(facts: Mapping[str, Any]) -> str | None:
    author, licence, url = (
        _plain(_mapping(facts.get(name)).get("value"))
        for name in ("Artist", "LicenseShortName", "LicenseUrl")
    )
    if not licence:
        return None
    where = f" ({url})" if url.startswith(("https://", "http://")) else ""
    return ", ".join(filter(None, (author, licence))) + where


def _plain(value: Any) -> str:
    """HTML as text, cut where a card would overflow."""
    text = html.unescape(_TAG.sub(" ", value)) if isinstance(value, str) else ""
    return " ".join(_CONTROL.sub("", text).split())[:_LONGEST_CREDIT]


def _site(language: str) -> str:
    return f"{language.replace('-', '_')}wiki"


def _worded(told: Mapping[str, Any], what: str, language: str) -> str | None:
    return _text(_mapping(_mapping(told.get(what)).get(language)).get("value"))


def _page(told: Mapping[str, Any]) -> dict[str, Any] | None:
    name = _text(told.get("title"))
    if name is None or told.get("missing") or told.get("invalid") or told.get("ns", _ARTICLES) != _ARTICLES:
        return None
    properties = _mapping(told.get("pageprops"))
    item = str(properties.get("wikibase_item"))
    return {
        "title": name,
        "description": _text(told.get("description")),
        "extract": _text(told.get("extract")),
        "item": item if re.fullmatch(r"Q[1-9]\d*", item) else None,
        "several": "disambiguation" in properties,
        "image": _address(_mapping(told.get("thumbnail")).get("source")),
        "file": _text(told.get("pageimage")),
    }


def _address(value: Any) -> str | None:
    """Where an image is: whole, as no part of an address leads there."""
    fits = isinstance(value, str) and len(value) <= _LONGEST_ADDRESS and value.isprintable()
    return str(value) if fits else None


def _rank(page: Mapping[str, Any]) -> float:
    rank = page.get("index")
    return rank if isinstance(rank, int) else float("inf")


def _end(name: str, onward: Mapping[str, str]) -> str:
    """Where a title leads; a ring of redirects ends somewhere."""
    for _ in onward:
        if name not in onward:
            break
        name = onward[name]
    return name


def _renamed(query: Mapping[str, Any], what: str) -> Iterator[tuple[str, str]]:
    for pair in _listed(query, what):
        source, target = _text(pair.get("from")), _text(pair.get("to"))
        if source and target:
            yield source, target


def _listed(told: Mapping[str, Any], what: str) -> list[Mapping[str, Any]]:
    found = told.get(what)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    """Text that can be stored and shown, no longer than a card bears."""
    if not isinstance(value, str):
        return None
    clean = _CONTROL.sub("", value).strip()
    short = clean if len(clean) <= _EXTRACT else clean[:_EXTRACT].rsplit(" ", 1)[0] + " …"
    return short or None
