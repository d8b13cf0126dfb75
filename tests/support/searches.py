"""Knowledge bases of real and made-up entities, and what people type when they look for the real ones."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.support.made_up_entities import made_up
from verifier.kb.names import fold

Search = Callable[[str], Sequence[str]]
LIMIT: Final = 10
_REDIRECTS: Final = ("redirects/enwiki201204.txt", "redirects/map-testa-fromapi-20140130.tsv")
_GOLD: Final = ("kore50/gt.elevant.jsonl", "wiki-fair-v2/gt.elevant.jsonl")
_KEYS: Final = "qwertyuiopasdfghjklzxcvbnm"
_BESIDE: Final = """
    wa qes wrd etf ryg tuh yij uok ipl ol qsz adwx sfec dgrv fhtb gjyn hkum jlin kpo asx zcd xvf cbg
    vnh bmj nk
"""
_NEIGHBOURS: Final = dict(zip(_KEYS, _BESIDE.split(), strict=True))


@dataclass
class Real:
    """A real entity: its title, its other names, and one more that the knowledge base is not told."""

    key: str
    title: str
    aliases: list[str]
    popularity: int
    held_out: str | None = None
    mentions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Query:
    """What is typed, and the key of what is meant."""

    text: str
    key: str


def real_entities(shared: Path) -> list[Real]:
    """Those of the corpora and of the redirects.

    They are the better known, the more titles lead to them, or the smaller their number at Wikidata: few of
    the corpora's entities are among those whose redirects are at hand.
    """
    redirects: dict[str, dict[str, None]] = {}
    for name in _REDIRECTS:
        for line in (shared / name).read_text(encoding="utf-8").splitlines():
            title, *others = (part.replace("_", " ").strip() for part in line.split("\t"))
            redirects.setdefault(title, {}).update(dict.fromkeys(one for one in others if one))
    found: dict[str, Real] = {}
    for line in (shared / "qid_labels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        item, title, _ = line.split("\t")
        names = list(redirects.pop(title, ()))
        found[item] = Real(
            f"wd:{item}", title, names, max(len(names), int(60 / math.sqrt(1 + int(item[1:]) / 500)))
        )
    rest = (
        Real(f"w:en:{title}", title, list(names), len(names)) for title, names in redirects.items() if title
    )
    every = [*found.values(), *rest]
    for item, mention in _mentions(shared):
        if item in found and mention not in found[item].mentions:
            found[item].mentions.append(mention)
    for one in every:
        if len(one.aliases) > 2:
            one.held_out = one.aliases.pop(_chance(one.key).randrange(len(one.aliases)))
    return every


def write_table(path: Path, entities: Sequence[Real], made: int) -> Path:
    """The table of a knowledge base: these, and so many more that are made up."""
    with path.open("w", encoding="utf-8") as file:
        file.write("key\ttitle\tdescription\taliases\tpopularity\n")
        for one in entities:
            names = "|".join(name.replace("|", " ") for name in one.aliases)
            file.write(f"{one.key}\t{one.title}\t\t{names}\t{one.popularity}\n")
        for other in made_up(made):
            names = "|".join(other.aliases)
            file.write(f"{other.key}\t{other.title}\t{other.description}\t{names}\t{other.popularity}\n")
    return path


def queries(entities: Sequence[Real], most: int, half: int = 0) -> dict[str, list[Query]]:
    """Of each kind at most so many: what people type who mean an entity of the corpora's ground truth.

    Entities whose title another has too are left out: nobody could tell which is meant. By the half 1 the
    search was made better, of the half 0 nothing was looked at.
    """
    titles = Counter(fold(one.title) for one in entities)
    gold = [one for one in entities if one.mentions and titles[fold(one.title)] == 1 and _half(one) == half]
    order = sorted(gold, key=lambda one: hashlib.sha256(one.key.encode()).digest())
    found: dict[str, list[Query]] = {}
    for kind, ways in KINDS.items():
        asked = (Query(text, one.key) for one in order for text in ways(one) if text.strip())
        found[kind] = [query for query, _ in zip(asked, range(most), strict=False)]
    return found


def described(size: int, most: int) -> list[Query]:
    """Made-up people and places by their name and a word of their description."""
    found: list[Query] = []
    for other in made_up(size):
        name, word = other.title.split(" (")[0].split(",")[0], other.description.split()
        wanted = word[1] if "born" in word else word[-1]
        # Well known enough to be named in a text, and told from namesakes by that word.
        if other.popularity > 5 and len(other.title) > 5:
            found.append(Query(f"{name} {wanted}".lower(), other.key))
        if len(found) == most:
            break
    return found


def _mentions(shared: Path) -> Iterator[tuple[str, str]]:
    """Item and mention of every link of the ground truth; words in small letters are no names."""
    for name in _GOLD:
        for line in (shared / name).read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            for label in told["labels"]:
                mention = told["text"][slice(*label["span"])]
                if mention.lower() != mention and label["entity_id"].startswith("Q"):
                    yield label["entity_id"], mention


def _half(one: Real) -> int:
    return hashlib.sha256(one.key.encode()).digest()[-1] % 2


def _chance(key: str) -> random.Random:
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]))


def _misspelt(one: Real, errors: int, *, first: bool = False) -> list[str]:
    """The title with letters swapped, dropped, doubled or struck beside the right key."""
    chance, text = _chance(one.key), one.title
    if len(text) < (4 if errors == 1 else 6):
        return []
    for _ in range(errors):
        letters = [i for i, letter in enumerate(text) if letter.lower() in _NEIGHBOURS]
        if not letters:
            return []
        at = letters[0] if first else chance.choice(letters[1:] or letters)
        near = chance.choice(_NEIGHBOURS[text[at].lower()])
        text = {
            "swap": text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :],
            "drop": text[:at] + text[at + 1 :],
            "double": text[:at] + text[at] + text[at:],
            "neighbour": text[:at] + near + text[at + 1 :],
        }[chance.choice(["swap", "drop", "double", "neighbour"])]
    return [text] if text != one.title else []


def _without_marks(one: Real) -> list[str]:
    apart = unicodedata.normalize("NFD", one.title)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return [bare] if bare != one.title else []


def _words(one: Real) -> list[str]:
    return re.sub(r"\(.*\)", "", one.title).split()


def _turned(one: Real) -> list[str]:
    *rest, last = _words(one) or [""]
    return [f"{last} {' '.join(rest)}"] if rest else []


def _joined(one: Real) -> list[str]:
    return [one.title.replace(" ", "-"), one.title.replace(" ", "")] if " " in one.title else []


def _initial(one: Real) -> list[str]:
    first, *rest = _words(one) or [""]
    return [f"{first[0]}. {' '.join(rest)}"] if rest and first.isalpha() else []


def _cut(one: Real) -> list[str]:
    words = _words(one)
    return [" ".join(word[:4] for word in words)] if len(words) > 1 and any(len(w) > 4 for w in words) else []


def _without_last(one: Real) -> list[str]:
    words = _words(one)
    return [" ".join(words[:-1])] if len(words) > 2 else []


def _qualified(one: Real) -> list[str]:
    found = (
        re.fullmatch(r"(.+?),? \(?([^()]+)\)?", one.title) if "(" in one.title or "," in one.title else None
    )
    return (
        [f"{found[1]} {found[2]}".lower().replace(",", ""), f"{found[2]} {found[1]}".lower()] if found else []
    )


KINDS: Final[Mapping[str, Callable[[Real], list[str]]]] = {
    "the mention in the text": lambda one: one.mentions,
    "the mention in the genitive ('s)": lambda one: [f"{mention}'s" for mention in one.mentions[:1]],
    "a title that leads there, not told": lambda one: [one.held_out] if one.held_out else [],
    "the title": lambda one: [one.title],
    "the title, 1 typing error": lambda one: _misspelt(one, 1),
    "the title, its first letter wrong": lambda one: _misspelt(one, 1, first=True),
    "the title, 2 typing errors": lambda one: _misspelt(one, 2),
    "the title without its diacritics": _without_marks,
    "the last word first": _turned,
    "hyphens for spaces, or none": _joined,
    "the first word as an initial": _initial,
    "four letters of each word": _cut,
    "without the last word": _without_last,
    "mercury planet, planet mercury": _qualified,
}
