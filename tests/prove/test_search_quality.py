"""How good and how quick the search of a local knowledge base is, beside what one would take instead."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import searched, searches
from tests.support.other_searches import PEERS, names_of
from tests.support.searches import Query, Search
from verifier.kb.build import build
from verifier.kb.local import LocalKb

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "search.json"
OURS = "posthoc"
# Entities made up beside the real ones; of how many queries of a kind each peer is asked: they are slow.
SIZES = {
    "real": (0, {"rapidfuzz over all names": 40, "FTS5 alone": 200, "difflib over all names": 10}),
    "100,000": (88_629, {"rapidfuzz over all names": 10, "FTS5 alone": 100}),
    "1,000,000": (988_629, {"FTS5 alone": 20}),
}
MOST = 200
LATEST = 50.0
DESCRIBED = "made-up names with a word of the description"


def p(values: list[float], percent: int) -> float:
    """A percentile."""
    return round(sorted(values)[len(values) * percent // 100], 1)


def kinds(entities: list[searches.Real], made: int) -> dict[str, list[Query]]:
    """What is typed, by kind; of the half of the entities at which nobody looked."""
    found = searches.queries(entities, MOST)
    return found | ({DESCRIBED: searches.described(made, MOST)} if made else {})


def measured(search: Search, asked: dict[str, list[Query]], most: int) -> dict[str, Any]:
    """Quality by kind, letters until found, and processor time."""
    took: list[float] = []
    found: dict[str, Any] = {
        kind: searched.quality(search, queries[:most], took).to_json() for kind, queries in asked.items()
    }
    found["typed letter by letter"] = searched.letters(
        search, asked["the title"][: most // 2], took
    ).to_json()
    times = {"n": len(took), "p50": p(took, 50), "p99": p(took, 99), "max": round(max(took), 1)}
    return found | {"ms of processor time": times}


def mean(found: dict[str, Any], what: str) -> float:
    """Over all kinds of queries alike."""
    each = [told[what][0] for told in found.values() if what in told]
    return sum(each) / len(each)


@pytest.mark.prove
@pytest.mark.parametrize("size", SIZES)
def test_search_is_better_than_what_one_would_take_instead_and_quick(
    size: str, shared_data: Path, tmp_path: Path
) -> None:
    """Every kind of query over real entities, among more and more made-up ones."""
    made, peers = SIZES[size]
    real = searches.real_entities(shared_data)
    table = searches.write_table(tmp_path / "kb.tsv", real, made)
    start, worked = time.monotonic(), time.process_time()
    report = build(table, tmp_path / "kb.db")
    told: dict[str, Any] = {
        "entities": report.entities,
        "names": report.names,
        "build, seconds": round(time.monotonic() - start, 1),
        "build, seconds of processor time": round(time.process_time() - worked, 1),
        "entities built a second of processor time": round(report.entities / (time.process_time() - worked)),
        "megabytes": round((tmp_path / "kb.db").stat().st_size / 1e6, 1),
    }
    asked, kb = kinds(real, made), LocalKb(tmp_path / "kb.db")
    kb.search("words of all names are read once")
    told[OURS] = measured(lambda query: [one.key for one in kb.search(query)], asked, MOST)
    kb.close()
    names = names_of(table)
    for name, most in peers.items():
        if (search := PEERS[name](names)) is not None:
            told[name] = measured(search, asked, most)
    known = json.loads(PROOF.read_text(encoding="utf-8")) if PROOF.is_file() else {}
    PROOF.write_text(json.dumps({**known, size: told}, indent=1) + "\n", encoding="utf-8")
    assert told[OURS]["ms of processor time"]["p99"] < LATEST
    others = [told[name] for name in peers if name in told]
    for what in ("recall@1", "recall@10", "mrr"):
        assert all(mean(told[OURS], what) > mean(other, what) for other in others)
