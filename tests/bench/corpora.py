"""Made-up corpora and knowledge bases of any size, and studies made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.store.models import Place, Worker
from verifier.study import Study

SOURCES = ("GT", "Alpha", "Beta")
_PLACES = 10
_NAMES = [
    f"{begin}{end}"
    for begin in ("Al", "Be", "Cor", "Dun", "El", "Fa", "Gar", "Hol")
    for end in ("mar", "ton", "berg", "vik", "so", "lin")
]
_BEGINNINGS = [*"bcdfghjklmnprstvwz", "bl", "ch", "dr", "gr", "qu", "st", "tr"]
_ENDS = ["", "", *"nrlsxmt", "rd", "ck"]
_CONFIG = """\
study: {{name: bench, seed: 3}}
datasets: {{news: {{language: en}}}}
sources: {{GT: {{role: ground_truth}}, Alpha: {{}}, Beta: {{}}}}
plan: {{repeat_share: 0, k: {k}}}
place: {{tasks: {tasks}, controls: {controls}, minutes: 10, pay: "2.00"}}
budget: {{cap: "100000000"}}
"""


def write_corpus(path: Path, documents: int, links: int) -> Path:
    """A corpus as posthoc JSONL, `links` of a document's names linked."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(documents):
            text, spans = _text(number)
            found = [
                {"start": start, "end": start + len(name), "entity": name} for start, name in spans[:links]
            ]
            file.write(json.dumps({"id": f"doc{number}", "text": text, "annotations": found}) + "\n")
    return path


def write_titles(path: Path, size: int) -> list[str]:
    """A table of entities, a title each of two or three made-up words; the titles."""
    r = np.random.default_rng(11)
    syllables = np.array([a + b + c for a in _BEGINNINGS for b in "aeiou" for c in _ENDS])
    words = ["".join(syllables[r.integers(0, len(syllables), r.integers(1, 4))]) for _ in range(size // 5)]
    titles = []
    with path.open("w", encoding="utf-8") as file:
        file.write("key\ttitle\tdescription\taliases\tpopularity\n")
        for number in range(size):
            chosen = [words[n] for n in r.integers(0, len(words), 2 + number % 2)]
            title = " ".join(chosen).title()
            titles.append(title)
            file.write(
                f"Q{number + 1}\t{title}\tmade-up entity\t{chosen[0].upper()}{number}\t{size - number}\n"
            )
    return titles


@contextmanager
def study(
    folder: Path,
    *,
    documents: int,
    links: int,
    tasks: int = 20,
    controls: int = 1,
    k: int = 1,
    database: str | None = None,
) -> Iterator[Study]:
    """A study with three sources imported, opened."""
    Study.create(folder, "link", name="bench", **({"database": database} if database else {})).close()
    address = f"database: {database!r}\n" if database else ""
    text = _CONFIG.format(k=k, tasks=tasks, controls=controls)
    (folder / "study.yaml").write_text(text + address, encoding="utf-8")
    with Study.open(folder) as opened:
        for source in SOURCES:
            path = write_corpus(folder / f"{source}.jsonl", documents, links)
            import_files(opened, Request((path,), "news", source), now=clock.now())
        yield opened


def crowd(study: Study, places: int) -> None:
    """As many workers and open places, with ids from 1."""
    place = {"platform": "link", "reward": "2.00", "currency": "USD", "state": "open", "origin": "live"}
    with study.write() as session:
        session.execute(insert(Worker), [{"pseudonym": f"w{n}"} for n in range(places)])
        session.execute(insert(Place), [place | {"created": clock.now()} for _ in range(places)])


def _text(number: int) -> tuple[str, list[tuple[int, str]]]:
    """A text with ten names, and where they stand."""
    text, spans = f"In report {number} ", []
    for step in range(_PLACES):
        name = _NAMES[(number * 7 + step * 5) % len(_NAMES)]
        spans.append((len(text), name))
        text += f"{name} was said to lie on the road that nobody took, and then "
    return text + "no more.", spans
