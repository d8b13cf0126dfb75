"""Reads what is pasted as an address: which article or item it leads to, or why it leads to none."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from analysis.errors import InputError

# Nobody sees these, and programs put them in. The two joiners are letters of some titles, and stay inside.
_UNSEEN: Final = dict.fromkeys(
    [0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x00AD, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
_JOINERS: Final = "\u200c\u200d"
_PAIRS: Final = dict(
    zip(
        "<\"'\u201c\u201e\u00ab\u2018[(", ">\"'\u201d\u201c\u00bb\u2019])", strict=True
    )  # as quotes and brackets pair
)
_MARKDOWN: Final = re.compile(r"\[[^\]]*\]\((\S+?)\)\Z")
_ADDRESS: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|www\.|(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?/", re.IGNORECASE
)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ITEM: Final = re.compile(r"Q[1-9]\d*", re.IGNORECASE)
_OTHER_ENTITY: Final = re.compile(r"(?:[PLMES])\d+(?:-[FS]\d+)?\Z", re.IGNORECASE)
_LANGUAGE: Final = r"[a-z]{2,12}(?:-[a-z]{2,12})*"
_WIKIPEDIA: Final = re.compile(
    rf"(?:www\.)?(?:({_LANGUAGE})\.)?(?:(?:m|mobile|zero|wap)\.)?wikipedia\.(?:org|com)\Z"
)
_WIKIDATA: Final = re.compile(r"(?:(?:www|m|query)\.)*wikidata\.org\Z")
_DBPEDIA: Final = re.compile(rf"(?:www\.|live\.)?(?:({_LANGUAGE})\.)?dbpedia\.org\Z")
_TRANSLATED: Final = re.compile(r"([a-z-]+?)(?:-m)?-wikipedia-org\.translate\.goog\Z")
_KIWIX: Final = re.compile(r"/?(?:content/|viewer#?)?wikipedia_([a-z]{2,3})_[^/]*/(?:A/)?(?P<title>[^?#]+)")
_LEADS: Final = ("url", "q", "u", "uddg", "target", "imgrefurl", "to")
_ARCHIVED: Final = re.compile(r"/(?:web|wayback)/[^/]+/(.+)", re.DOTALL)
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_DEEPEST: Final = 3
_MANY: Final = 3
_LEAVES: Final = ".,;:!?\u2026\u3002\u3001"
# Namespaces by their first letters in English and in the languages that are read most; no article is in one.
_ABOUT_NAMES: Final = (
    "talk discussion diskussion discusión discussione discussioni discussão overleg dyskusja"
)
_ABOUT: Final = frozenset(_ABOUT_NAMES.split())
_NO_ARTICLE_IN: Final = """
    special spezial spécial especial speciale speciaal specjalna служебная media mediawiki project wp
    wikipedia wikipédia википедия user benutzer benutzerin utilisateur usuario utente usuário gebruiker
    wikipedysta участник file image datei bild fichier archivo immagine ficheiro bestand plik файл ファイル
    template vorlage modèle plantilla predefinição sjabloon szablon шаблон help hilfe aide ayuda aiuto ajuda
    pomoc справка category kategorie catégorie categoría categoria categorie kategoria категория カテゴリ
    portal portail портал draft module modul timedtext gadget topic обсуждение ノート
"""
_NO_ARTICLE_NAMES: Final = frozenset(_NO_ARTICLE_IN.split())
_BEHIND: Final = re.compile(
    r"/(?:w/)?index\.php5?/(.+)|/api/rest_v1/page/[a-z-]+/([^/]+)|/w/rest\.php/v1/page/([^/]+)"
)
_ENGINES: Final = re.compile(
    r"(?:www\.)?(?:google|bing|duckduckgo|yahoo|yandex|ecosia|startpage|qwant|baidu)\.|.*\.search\.yahoo\."
)
_SEVERAL: Final = re.compile(
    r"\((?:disambiguation|begriffsklärung|homonymie|desambiguación|disambigua|desambiguação|doorverwijspagina|"
    r"ujednoznacznienie|значения|曖昧さ回避)\)\Z",
    re.IGNORECASE,
)
_MAIN: Final = frozenset({"Main Page", "Main_Page", "Wikipedia:Hauptseite"})

NOT_UNDERSTOOD: Final = (
    "This address was not understood. Paste the address of a Wikipedia article or of a Wikidata item."
)
LIST: Final = "This page lists several entities. Open the one that is meant and copy its address."
SEARCH: Final = "This is a page of search results. Open the article that is meant and copy its address."
NO_ARTICLE: Final = (
    "This page is no article: it is a file, a category, a talk page or the like. Paste the "
    "address of the article itself."
)
NO_ITEM: Final = (
    "This is a property or a word of Wikidata, not an item. Paste the address of an item: its "
    "number begins with Q."
)
SHORT: Final = (
    "This is a short link, which does not tell the article. Open it and copy the address of the article."
)
OTHER_SITE: Final = (
    "This page is on another site. Paste the address of a Wikipedia article or of a Wikidata item."
)
VERSION: Final = (
    "This address names a version of an article, not the article. Open the article and copy its address."
)


def clean(pasted: str) -> str:
    """What was pasted, without spaces, brackets and quotes around it and without marks that nobody sees."""
    text = pasted.translate(_UNSEEN).replace("\u00a0", " ").strip().strip(_JOINERS).strip()
    if found := _MARKDOWN.match(text):
        text = found[1]
    while len(text) > 1 and text[0] in _PAIRS and (text[-1] == _PAIRS[text[0]] or is_address(text[1:])):
        ends = text[-1] == _PAIRS[text[0]]
        text = text[1 : -1 if ends else None].strip()
    if text[:4].lower() in ("url:", "uri:"):
        text = text[4:].strip()
    return text


def is_address(text: str) -> bool:
    """Whether `text` looks like a web address rather than like a name to search for."""
    return _ADDRESS.match(text) is not None


def readings(text: str) -> Iterator[str]:
    """The keys that an address may stand for, the likeliest first: a full stop at its end may belong to it.

    Args:
        text: cleaned.

    Raises:
        InputError: it leads to no article and no item, with a reason fit for a worker.
    """
    bare = text.rstrip(">\"'\u201d\u00bb]")
    bare = _balanced(bare)
    ends = bare.rstrip(_LEAVES)
    keep = bare != ends and bare[len(ends) :] in (".", "!", "?!", "...", "\u2026")
    yield _read(bare if keep else _balanced(ends), 0)
    if keep:
        yield _read(_balanced(ends), 0)


def _balanced(text: str) -> str:
    """Without a bracket at the end that none opens."""
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    return text


def _read(text: str, depth: int) -> str:
    address = text if _SCHEME.match(text) else f"https:{text}" if text.startswith("//") else f"https://{text}"
    try:
        split = urlsplit(address)
        host = (split.hostname or "").rstrip(".").lower()
    except ValueError:
        raise InputError(NOT_UNDERSTOOD) from None
    if split.scheme.lower() not in ("http", "https"):
        raise InputError(NOT_UNDERSTOOD)
    if found := _WIKIPEDIA.match(host):
        return _wikipedia(found[1] if found[1] not in (None, "www") else "en", split)
    if _WIKIDATA.match(host):
        return _wikidata(split)
    if found := _DBPEDIA.match(host):
        return _dbpedia(found[1] or "en", split)
    return _elsewhere(host, split, depth)


def _wikipedia(language: str, split: SplitResult) -> str:
    query = parse_qs(split.query)
    path = _decoded(split.path)
    head, _, rest = path.lstrip("/").partition("/")
    if head in ("w", "api") or head.startswith("index.php"):
        rest = _behind(path)
    title = query["title"][0] if "title" in query else rest
    if "search" in query or "ns0" in query:
        raise InputError(SEARCH)
    if not title and "curid" in query:
        return _page(language, query["curid"][0])
    if not title and ("oldid" in query or "diff" in query):
        raise InputError(VERSION)
    return _title(language, _decoded(title))


def _behind(path: str) -> str:
    """The title in the paths of programs: /w/index.php/Title, /api/rest_v1/page/summary/Title."""
    found = _BEHIND.match(path)
    return next(filter(None, found.groups()), "") if found else ""


def _page(language: str, number: str) -> str:
    if not (number.isascii() and number.isdecimal()):
        raise InputError(NOT_UNDERSTOOD)
    return f"id:w:{language}:{number}"


def _title(language: str, given: str) -> str:
    title = " ".join(given.replace("_", " ").split()).strip("/").lstrip(":").strip()
    if not title or "\ufffd" in title:
        raise InputError(NOT_UNDERSTOOD)
    space, colon, name = title.partition(":")
    space = space.strip().casefold()
    if colon and space in ("special", "spezial", "spécial", "especial", "speciale"):
        return _special(language, name.strip())
    if title in _MAIN or (colon and _is_no_article(space, name)):
        raise InputError(NO_ARTICLE)
    if _SEVERAL.search(title):
        raise InputError(LIST)
    return f"w:{language}:{title}"


def _is_no_article(space: str, name: str) -> bool:
    """Titles of works have colons too, with a space behind; namespaces have none; all talk pages say so."""
    if name.startswith(" "):
        return False
    return space in _NO_ARTICLE_NAMES or not _ABOUT.isdisjoint(space.split())


def _special(language: str, name: str) -> str:
    what, _, rest = name.partition("/")
    folded = what.casefold()
    if folded in ("search", "suche", "recherche", "buscar", "ricerca"):
        raise InputError(SEARCH)
    if folded in ("permalink", "permanentlink", "diff", "mobilediff"):
        raise InputError(VERSION)
    if folded == "redirect" and rest.startswith("page/"):
        return _page(language, rest.removeprefix("page/"))
    raise InputError(NO_ARTICLE)


def _wikidata(split: SplitResult) -> str:
    query = parse_qs(split.query)
    path = query["title"][0] if "title" in query else _decoded(split.path)
    if "search" in query:
        raise InputError(SEARCH)
    last = path.rstrip("/").rpartition("/")[2].rpartition(":")[2].partition(".")[0].strip()
    if not path.strip("/") and split.fragment:
        last = split.fragment
    if _ITEM.fullmatch(last):
        return f"wd:{last.upper()}"
    if _OTHER_ENTITY.match(last):
        raise InputError(NO_ITEM)
    raise InputError(SEARCH if last.casefold() == "search" else NOT_UNDERSTOOD)


def _dbpedia(language: str, split: SplitResult) -> str:
    _, kind, title = [*_decoded(split.path).split("/", 2), "", ""][:_MANY]
    if kind in ("ontology", "property", "class"):
        raise InputError(NO_ARTICLE)
    if kind == "data":
        title = re.sub(r"\.(?:json|ttl|rdf|n3|nt|atom|jsod|ntriples)\Z", "", title)
    if kind not in ("resource", "page", "data") or not title:
        raise InputError(NOT_UNDERSTOOD)
    return _title(language, title).replace("w:", "dbp:", 1)


def _elsewhere(host: str, split: SplitResult, depth: int) -> str:
    """Copies of Wikipedia, and pages that only lead there."""
    if host in ("w.wiki", "bit.ly", "t.co", "tinyurl.com", "goo.gl", "youtu.be", "g.co", "lnkd.in"):
        raise InputError(SHORT)
    if (inner := _inner(host, split)) and depth < _DEEPEST:
        return _read(inner, depth + 1)
    path = _decoded(split.path)
    if found := _TRANSLATED.match(host):
        return _wikipedia(found[1], split)
    if host in ("wikiwand.com", "www.wikiwand.com") and (
        found := re.match(rf"/({_LANGUAGE})/(?:articles/)?(.+)", path)
    ):
        return _title(found[1], found[2])
    if host == "secure.wikimedia.org" and (found := re.match(rf"/wikipedia/({_LANGUAGE})/wiki/(.+)", path)):
        return _title(found[1], found[2])
    for part in (path, unquote(split.fragment)):
        if found := _KIWIX.match(part):
            return _title(found[1], found["title"])
    if _ENGINES.match(host):
        raise InputError(SEARCH)
    if host == "commons.wikimedia.org":
        raise InputError(NO_ARTICLE)
    raise InputError(OTHER_SITE if "." in host else NOT_UNDERSTOOD)


def _inner(host: str, split: SplitResult) -> str:
    """The address that another one holds: of links through a search engine, an archive, a mail."""
    query = parse_qs(split.query)
    found = [value for name in _LEADS for value in query.get(name, ()) if is_address(value)]
    if archived := _ARCHIVED.match(split.path):
        found.append(archived[1] + (f"?{split.query}" if split.query else ""))
    if host.startswith(("www.google.", "google.")) and split.path.startswith("/amp/"):
        found.append(split.path.removeprefix("/amp/").removeprefix("s/"))
    if host.endswith("bing.com") and query.get("u", [""])[0].startswith("a1"):
        found += _based(query["u"][0][2:])
    if yahoo := re.search(r"/RU=([^/]+)", split.path):
        found.append(unquote(yahoo[1]))
    return next((one for one in found if re.search(r"wiki|dbpedia", one)), "")


def _based(text: str) -> list[str]:
    try:
        return [urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8")]
    except (Base64Error, ValueError):
        return []


def _decoded(text: str) -> str:
    """Decoded once, and once more where it was encoded twice: no title holds what looks like a code."""
    for _ in range(_MANY):
        if not _ESCAPED.search(text):
            break
        text = unquote(text, errors="replace")
    return text
