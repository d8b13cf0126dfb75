"""The first sentences of an article, from its wikitext: what stands outside templates, tables and notes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

_ENOUGH: Final = 4000
_LONGEST_LINK: Final = 3000
_MOST_BROKEN: Final = 20
_SENTENCES: Final = 3
_OPENING: Final = re.compile(
    r"\{\{|\{\||<!--|\[\[|<(?P<tag>ref|math|gallery|timeline|score|chem|syntaxhighlight|source|table|div|imagemap)"
    r"\b[^<>]*?(?P<closed>/)?>",
    re.IGNORECASE,
)
_PAIRS: Final = {
    "{{": re.compile(r"\{\{|\}\}"),
    "{|": re.compile(r"\{\||\|\}(?!\})"),
    "[[": re.compile(r"\[\[|\]\]"),
}
# Templates that are read as part of a sentence, and what of their values is.
_LAST: Final = frozenset({"lang", "nowrap", "nobr", "small", "nobold", "transliteration", "transl", "script"})
_FIRST: Final = frozenset({"nihongo", "ill", "abbr", "interlanguage link", "formatnum", "sort", "sclass"})
_READ: Final = {
    **dict.fromkeys(("spnd", "snd", "spaced ndash", "spaced en dash", "snds"), " \u2013 "),
    **dict.fromkeys(("ndash", "en dash", "endash", "\u2013"), "\u2013"),
    **dict.fromkeys(("nbsp", "thinsp", "spaces", "-"), " "),
    "'": "'",
    "'s": "'s",
    "mdash": "\u2014",
    "em dash": "\u2014",
    "circa": "c. {0}",
    "c.": "c. {0}",
    "as of": "as of {0}",
    "convert": "{0} {1}",
    "cvt": "{0} {1}",
    "sup": "{0}",
    "sub": "{0}",
}
_LONGEST_READ: Final = 300
_NAMESPACE: Final = re.compile(r"\s*[^\W\d_][\w -]{1,25}:(?=\S)")
_OUTSIDE: Final = re.compile(r"\[(?:https?:)?//[^\s\]]+(?:\s+([^\]]*))?\]")
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_QUOTES: Final = re.compile(r"'{2,5}")
_WORD: Final = re.compile(r"__[A-Z]+__")
# What is left of brackets whose templates are gone; spaces are single then.
_EMPTY: Final = re.compile(r" ?\((?:[,;:\u2013/ ]|or)*\)")
_BEGINS: Final = re.compile(r"\( ?[,;:] ?")
_ENDS: Final = re.compile(r"[,;: ]+(?=[,;.)])")
_END: Final = re.compile(r"(?<=[.!?。])\s+(?=[^\Wa-z\d_])")
_SHORT: Final = re.compile(r"\{\{\s*short[ _]description\s*\|\s*(?:1\s*=\s*)?([^|{}]{2,200})", re.IGNORECASE)
_NAMESAKES: Final = re.compile(
    r"__DISAMBIG__|\{\{\s*(?:disambig\w*|dab|hndis|geodis|numberdis|schooldis|roaddis|surname|given name|"
    r"begriffsklärung|homonymie|desambiguaci[oó]n|desambigua\w*|disambigua|dp|ujednoznacznienie|неоднозначность)"
    r"\s*[|}]",
    re.IGNORECASE,
)


def first_sentences(wikitext: str) -> str | None:
    """The beginning of the first paragraph of running text; None where there is none."""
    for line in _lines(wikitext):
        text = _plain(line)
        # Whoever begins so is no running text: headings, lists, lines left over of tables and templates.
        if len(text) > 1 and line.lstrip()[:1] not in tuple("=*#:;|{}!-_"):
            return " ".join(_END.split(text)[:_SENTENCES])
    return None


def short_description(wikitext: str) -> str | None:
    """What a Wikipedia says of the article in a few words, where its text says that."""
    found = _SHORT.search(wikitext[:_ENOUGH])
    text = " ".join(html.unescape(found[1]).split()) if found else ""
    return text if text and text.casefold() != "none" else None


def lists_namesakes(wikitext: str) -> bool:
    """Whether a page is no article but a list of several that have one name."""
    return _NAMESAKES.search(wikitext) is not None


def _lines(text: str) -> Iterator[str]:
    """The lines of what stands outside, one by one: few articles need be read further than the first."""
    rest = ""
    for piece in _outside(text):
        *whole, rest = f"{rest}{piece}".split("\n")
        yield from whole
    yield rest


def _outside(text: str) -> Iterator[str]:
    """What stands outside templates, tables, notes and images, until there is enough; links as they read."""
    place = got = broken = 0
    while got < _ENOUGH and (opening := _OPENING.search(text, place)):
        yield text[place : min(opening.start(), place + _ENOUGH)]
        got += opening.start() - place
        end = _end(text, opening)
        if end is None and opening[0] not in ("{{", "{|", "<!--") and broken < _MOST_BROKEN:
            broken += 1
            place = opening.end()
            continue
        if end is None:
            # Never closed: nothing that follows is sure to be text.
            return
        said = _said(text[opening.start() : end])
        yield said
        got += len(said)
        place = end
    yield text[place : place + max(0, _ENOUGH - got)]


def _end(text: str, opening: re.Match[str]) -> int | None:
    """Where what begins here ends; None if it does not."""
    begins = opening[0]
    if begins == "<!--":
        found = text.find("-->", opening.end())
        return None if found < 0 else found + 3
    if begins in _PAIRS:
        until = opening.end() + _LONGEST_LINK if begins == "[[" else len(text)
        depth = 0
        for mark in _PAIRS[begins].finditer(text, opening.start(), until):
            depth += 1 if mark[0] == begins else -1
            if depth == 0:
                return mark.end()
        return None
    if opening["closed"]:
        return opening.end()
    closing = re.compile(rf"</{opening['tag']}\s*>", re.IGNORECASE).search(text, opening.end())
    return closing.end() if closing else None


def _said(part: str) -> str:
    """What a reader sees of a link or a template; nothing of all else."""
    if part.startswith("{{"):
        return _template(part[2:-2]) if len(part) < _LONGEST_READ else ""
    if not part.startswith("[["):
        return ""
    inner = part[2:-2]
    target, bar, label = inner.partition("|")
    # Images, categories and links to other languages; a colon before makes them plain links.
    if _NAMESPACE.match(target) and ": " not in target:
        return ""
    return label.rpartition("|")[2] if bar else target.lstrip(":")


def _template(inner: str) -> str:
    """What a reader sees of a template that is part of a sentence; nothing of any other."""
    name, *values = inner.replace("formatnum:", "formatnum|").split("|")
    name = name.strip().casefold()
    given = [value.strip() for value in values if "=" not in value]
    read = _READ.get(name, "")
    if "{" in inner or not given:
        return "" if "{" in read else read
    if name in _LAST or name in _FIRST:
        return given[-1 if name in _LAST else 0]
    return read.format(*given[:2], "")


def _plain(line: str) -> str:
    text = _OUTSIDE.sub(lambda found: found[1] or "", line[:_ENOUGH])
    text = html.unescape(_TAG.sub("", _QUOTES.sub("", _WORD.sub("", text))))
    text = " ".join(text.replace("[[", "").replace("]]", "").split())
    return _BEGINS.sub("(", _ENDS.sub("", _EMPTY.sub("", text))).strip()
