"""Entities made up in any number, named as real ones are: many share a name, few are well known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

FIRST_KEY: Final = 900_000_000
_OF_GIVEN: Final = """
    John James Mary Anna Peter Paul George Thomas William Robert Michael David Maria José Juan Luis
    Carlos Jean Pierre Marie François Hans Karl Friedrich Jürgen Günther Ivan Nikolai Olga Wei Li
    Hiroshi Yuki Mohammed Ahmed Ali Fatima Abdul Erik Lars Søren Björn Kari Giuseppe Giovanni Luca Marco
    Piotr Jan Zoltán Ferenc Elena Ana Patrick Sean Liam Charlotte Emily Sarah Kevin Brian Mark Andrew
    Stephen Alexander
"""
_GIVEN: Final = _OF_GIVEN.split()
_OF_BEGINS: Final = """
    al an ar bar bel ber bla bo bra bur cal car cha che chi clar col cor da de del dor du ed el er fa
    fer fran gar ger gra gu ha har hel hol hu jo ka kel ko kra kü la lan le lo lu ma mar mc mel mo mül
    na ne no o os pa pe po pra ra re ri ro sa san schu se si sko so spring sta ste ta te tho tor tur va
    ver vi wa wal we wil wo ya za zi
"""
_BEGINS: Final = _OF_BEGINS.split()
_OF_MIDDLES: Final = """
    a ba de di do e en er go i ka la le li lo ma me mi na ne ni no o ra re ri ro sa se ta te ti to va
"""
_MIDDLES: Final = _OF_MIDDLES.split()
_OF_SURNAME_ENDS: Final = """
    son sen man mann er ez ov ova ski ska ini etti ard ton well ley berg stein aka moto ing ko dze yan
    son s
"""
_SURNAME_ENDS: Final = _OF_SURNAME_ENDS.split()
_OF_PLACE_ENDS: Final = """
    ton ville berg field ford burg stadt ham by wick dorf grad ovo ice mouth port land ia ow ín
"""
_PLACE_ENDS: Final = _OF_PLACE_ENDS.split()
_OF_REGIONS: Final = """
    Ohio Texas Illinois Missouri Kansas Georgia Maine Oregon Virginia Ontario Quebec Bavaria Saxony
    Normandy Brittany Lombardy Tuscany Andalusia Galicia Silesia Moravia Scotland Wales Kent Essex
    Yorkshire Victoria Queensland Bihar Punjab Kerala Hokkaido Sichuan Minas_Gerais New_York
    North_Carolina South_Australia
"""
_REGIONS: Final = _OF_REGIONS.split()
_OF_NATIONS: Final = """
    American British German French Italian Spanish Polish Russian Swedish Norwegian Danish Dutch Indian
    Chinese Japanese Brazilian Mexican Canadian Australian Turkish Iranian Egyptian Czech Hungarian
    Greek
"""
_NATIONS: Final = _OF_NATIONS.split()
_OF_TRADES: Final = """
    footballer politician actor writer painter singer composer cricketer historian physician engineer
    cyclist journalist bishop lawyer general poet chemist rower wrestler
"""
_TRADES: Final = _OF_TRADES.split()
_OF_NOUNS: Final = """
    River House Night Garden Wind Shadow Road King Winter Stone Light Dream Island Sea Fire Mountain
    Blood Star Rain War City Heart Ghost Silence Bridge Forest Summer Letter Mirror Bird
"""
_NOUNS: Final = _OF_NOUNS.split()
_BODIES: Final = (
    ("FC {}", "football club"),
    ("{} United", "football club"),
    ("University of {}", "university"),
    ("{} Airport", "airport"),
    ("{} railway station", "railway station"),
    ("{} River", "river"),
)


class Made(NamedTuple):
    """One entity."""

    key: str
    title: str
    description: str
    aliases: tuple[str, ...]
    popularity: int


def made_up(size: int, seed: int = 5) -> Iterator[Made]:
    """So many entities: people, places, works, clubs, species; surnames and places by Zipf's law."""
    r = np.random.default_rng(seed)
    surnames = _words(r, max(200, size // 25), _SURNAME_ENDS)
    places = [
        "Springfield",
        "Franklin",
        "Clinton",
        "Georgetown",
        *_words(r, max(200, size // 20), _PLACE_ENDS),
    ]
    seen: set[str] = set()
    for number, (kind, sort) in enumerate(zip(r.random(size), r.random((size, 6)), strict=True)):
        surname, place = _zipf(surnames, sort[0]), _zipf(places, sort[1])
        title, description, aliases = _one(kind, sort, surname, place)
        if title in seen:
            # As Wikipedia does it: of several that share a name, the title says which.
            title = f"{title} ({description})"
        seen.add(title)
        fame = int(min(400.0, (1 - sort[5]) ** -0.8 - 1))
        yield Made(f"wd:Q{FIRST_KEY + number}", title, description, aliases, fame)


def _one(kind: float, sort: Any, surname: str, place: str) -> tuple[str, str, tuple[str, ...]]:
    """Title, description and aliases."""
    region, noun = _pick(_REGIONS, sort[2]).replace("_", " "), _pick(_NOUNS, sort[3])
    year = 1700 + int(sort[4] * 320)
    if kind < 0.38:
        given, trade = _pick(_GIVEN, sort[2]), _pick(_TRADES, sort[3])
        middle = f" {_pick(_GIVEN, sort[4])[0]}." if sort[4] < 0.15 else ""
        name = f"{given}{middle} {surname}"
        title = f"{name} ({trade})" if sort[5] < 0.2 else name
        return title, f"{_pick(_NATIONS, sort[1])} {trade} (born {year})", (f"{surname}, {given}",)
    if kind < 0.62:
        what = ("village", "town", "city", "municipality")[int(sort[3] * 4)]
        return f"{place}, {region}", f"{what} in {region}", (place,)
    if kind < 0.75:
        what = ("film", "novel", "album", "song")[int(sort[4] * 4)]
        title = f"The {noun} of {place}" if sort[0] < 0.5 else f"{_pick(_NOUNS, sort[1])} and {noun}"
        return f"{title} ({year} {what})", f"{year} {what} by {surname}", ()
    if kind < 0.87:
        shape, what = _BODIES[int(sort[3] * len(_BODIES))]
        return shape.format(place), f"{what} in {region}", ()
    if kind < 0.94:
        return f"{surname.lower().capitalize()}us {place.lower()}ensis", "species of insect", ()
    return f"{year} {place} Open", f"tennis tournament of {year}", (f"{place} Open {year}",)


def _words(r: np.random.Generator, size: int, ends: list[str]) -> list[str]:
    begins, middles, last = (r.integers(0, len(of), size) for of in (_BEGINS, _MIDDLES, ends))
    with_middle = r.random(size) < 0.6
    found = (
        _BEGINS[b] + (_MIDDLES[m] if w else "") + ends[e]
        for b, m, e, w in zip(begins, middles, last, with_middle, strict=True)
    )
    return list(dict.fromkeys(word.capitalize() for word in found))


def _zipf(words: list[str], share: float) -> str:
    """A word of a list whose n-th comes about 1/n as often as the first."""
    return words[min(len(words) - 1, int(len(words) ** share) - 1)]


def _pick(words: list[str] | tuple[str, ...], share: float) -> str:
    return words[int(share * len(words))]
