"""Knowledge bases from dumps of Wikidata."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.kb.build import build
from verifier.kb.local import LocalKb


def item(number: int, label: str, *aliases: str, wikis: int = 1) -> dict[str, object]:
    links = {f"{code}wiki": {"title": label} for code in ("en", "de", "fr")[:wikis]}
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {"en": {"value": label}},
        "descriptions": {"en": {"value": f"what {label} is"}},
        "aliases": {"en": [{"value": alias} for alias in aliases]},
        "sitelinks": links | {"commonswiki": {"title": "x"}},
    }


ITEMS = [item(76, "Barack Obama", "Obama", wikis=3), item(41773, "Obama", wikis=1), item(1726, "Munich")]
OTHERS = [
    {"type": "property", "id": "P31", "labels": {"en": {"value": "instance of"}}},
    {"type": "item", "id": "Q5", "labels": {"de": {"value": "Mensch"}}, "aliases": [], "sitelinks": []},
]
LINES = ",\n".join(json.dumps(one) for one in ITEMS + OTHERS)
DUMP = f"[\n{LINES}\n]\n".encode()


@pytest.mark.parametrize(
    ("name", "pack"), [("d.json", bytes), ("d.json.gz", gzip.compress), ("d.json.bz2", bz2.compress)]
)
def test_items_with_a_label_become_entities(tmp_path: Path, name, pack):
    (tmp_path / name).write_bytes(pack(DUMP))
    assert build(tmp_path / name, tmp_path / "kb.db").entities == 3
    kb = LocalKb(tmp_path / "kb.db")
    assert [found.key for found in kb.search("obama")] == ["wd:Q41773", "wd:Q76"]
    card = kb.card("wd:Q76")
    assert (card.description, card.url) == (
        "what Barack Obama is",
        "https://en.wikipedia.org/wiki/Barack_Obama",
    )


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("d.json", b"[\n{broken,\n]\n", "d.json:2"),
        ("d.json", b"[\n7\n]\n", "no object"),
        ("d.json", b'{"labels": {}}', "no id"),
        ("d.json", b'{"id": "X1", "labels": {"en": {"value": "a"}}}', "X1"),
        ("d.json", DUMP + DUMP, "second row for wd:Q76"),
        ("d.json", b"\xff", "not UTF-8"),
        ("d.json", b"[\n]\n", "no entities"),
        ("d.json.gz", DUMP, "not packed"),
        ("d.json.gz", gzip.compress(DUMP)[:-9], "broken off"),
        ("d.json.bz2", bz2.compress(DUMP)[:-9], "broken off"),
    ],
)
def test_what_is_no_dump_is_refused_with_its_line(tmp_path: Path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=reason):
        build(tmp_path / name, tmp_path / "kb.db")
    assert not (tmp_path / "kb.db").exists()


def test_a_dump_that_is_not_there_is_said(tmp_path: Path):
    with pytest.raises(InputError, match="no such file"):
        build(tmp_path / "none.json", tmp_path / "kb.db")
