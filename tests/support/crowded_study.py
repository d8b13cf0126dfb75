"""A study with any number of judgments, written straight into its database: for watching, not for analysis.

Of the tiny study's kind of plan, but wide: every document is one segment with one mention that three sources
link. Workers judge twenty tasks a place, one of them a control with three questions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from verifier.study import Study

LINKS = 9
TASKS = 19
K = 3
CONTROLS = 200
QUESTIONS = 3
SOURCES = ("GT", "Alpha", "Beta")
TIME = "2026-05-04 12:00:00.000000"
STUDY = """\
study: {name: crowded, seed: 5}
datasets: {wide: {language: en}}
sources: {GT: {role: ground_truth}, Alpha: {}, Beta: {}}
plan: {k: 3, repeat_share: 0}
place: {tasks: 20, controls: 1, minutes: 20, pay: "3.00"}
"""
_DECISIONS = ("verify", "edit", "remove")
_PART = 50_000


def make(folder: Path, judgments: int, seed: int = 1) -> Path:
    """A study with about so many judgments, nine in ten places handed in."""
    Study.create(folder, "link", name="crowded").close()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    per_place = TASKS * LINKS + QUESTIONS
    places = max(judgments * 10 // 9 // per_place, 1)
    segments = -(-places * TASKS // (K * len(SOURCES))) + CONTROLS
    with closing(sqlite3.connect(folder / "study.db")) as base:
        base.executescript("pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-400000;")
        _corpus(base, segments)
        _plan(base, segments)
        _crowd(base, places, segments, np.random.Generator(np.random.PCG64(seed)))
        base.execute("pragma journal_mode=wal")
    return folder


def _put(base: sqlite3.Connection, table: str, columns: str, rows: Iterator[tuple[Any, ...]]) -> None:
    marks = ",".join("?" * len(columns.split(",")))
    while part := list(islice(rows, _PART)):
        base.executemany(f"insert into {table} ({columns}) values ({marks})", part)
    base.commit()


def _corpus(base: sqlite3.Connection, segments: int) -> None:
    base.execute("insert into dataset (id, name, language) values (1, 'wide', 'en')")
    roles = ("ground_truth", "model", "model")
    sources = ((n, name, role) for n, (name, role) in enumerate(zip(SOURCES, roles, strict=True), 1))
    _put(base, "source", "id,name,role", iter(sources))
    _put(
        base,
        "import_file",
        "id,dataset_id,source_id,file,sha256,format,importer,imported",
        iter([(1, 1, 1, "made", "0", "jsonl", "made", TIME)]),
    )
    text = " ".join(f"Mention{n}" for n in range(LINKS))
    columns = "id,dataset_id,name,text,sha256,evaluation_start,evaluation_end,import_id"
    documents = ((n, 1, f"d{n}", text, "0", 0, len(text), 1) for n in range(1, segments + 1))
    _put(base, "document", columns, documents)
    ran = ((source, n, 1, LINKS) for source in (1, 2, 3) for n in range(1, segments + 1))
    _put(base, "source_document", "source_id,document_id,ran,n", ran)


def _plan(base: sqlite3.Connection, segments: int) -> None:
    base.execute("insert into splitter (id, name, version, parameters) values (1, 'whole', '1', '{}')")
    size = 9 * LINKS - 1
    rows = ((n, 1, n, 0, size, n, 1.0) for n in range(1, segments + 1))
    _put(base, "segment", "id,splitter_id,document_id,start,end,passage_id,weight", rows)
    real = [(n, source) for n in range(1, segments + 1 - CONTROLS) for source in (1, 2, 3)]
    tasks = ((at, "real", n, source, K) for at, (n, source) in enumerate(real, 1))
    _put(base, "task", "id,kind,segment_id,source_id,k", tasks)
    first = len(real)
    controls = ((first + n, "control", segments - CONTROLS + n, None, 0) for n in range(1, CONTROLS + 1))
    _put(base, "task", "id,kind,segment_id,source_id,k", controls)
    displays = (
        ((at - 1) * LINKS + place + 1, at, place, 9 * place, 9 * place + 8, f"wd:Q{(n * 7 + place) % 5000}")
        for at, (n, _) in enumerate(real, 1)
        for place in range(LINKS)
    )
    _put(base, "display", "id,task_id,ordinal,start,end,key", displays)
    last = first * LINKS
    known = (
        (last + n * QUESTIONS + q + 1, first + n + 1, q, 9 * q, 9 * q + 8, f"wd:Q{n}")
        for n in range(CONTROLS)
        for q in range(QUESTIONS)
    )
    _put(base, "display", "id,task_id,ordinal,start,end,key", known)
    answers = ((last + n + 1, _DECISIONS[n % 3], None, "gate") for n in range(CONTROLS * QUESTIONS))
    _put(base, "control_answer", "display_id,expected,acceptable,use", answers)
    _put(
        base,
        "control",
        "task_id,origin,confirmed",
        ((first + n, "generated", TIME) for n in range(1, CONTROLS + 1)),
    )


def _crowd(base: sqlite3.Connection, places: int, segments: int, rng: np.random.Generator) -> None:
    workers = max(places // 8, 1)
    _put(base, "worker", "id,pseudonym", ((n, f"w{n:012x}") for n in range(1, workers + 1)))
    rows = ((n, "link", "3.00", "1.00", "USD", "submitted", "live", TIME) for n in range(1, places + 1))
    _put(base, "place", "id,platform,reward,fee,currency,state,origin,created", rows)
    counted = rng.random(places) < 0.9
    columns = (
        "id,place_id,worker_id,token,state,origin,claimed,deadline,step,submitted,active_seconds,counted,"
        "completion_code"
    )
    handed_in = "submitted", "live", TIME, TIME, "done", TIME, 900.0
    people = (
        (n, n, (n - 1) % workers + 1, f"t{n}", *handed_in, int(counted[n - 1]), "c")
        for n in range(1, places + 1)
    )
    _put(base, "assignment", columns, people)
    real = (segments - CONTROLS) * len(SOURCES)
    columns = "id,task_id,passage_id,stratum,ordinal,position,state,assignment_id"
    _put(base, "task_slot", columns, _slots(real, places))
    base.execute("insert into stratum select stratum, sum(state = 'open') from task_slot group by stratum")
    columns = "assignment_id,display_id,sequence,decision,key,opened,seconds,role,made"
    _put(base, "judgment", columns, _judgments(real, places, rng))


def _slots(real: int, places: int) -> Iterator[tuple[Any, ...]]:
    done = places * TASKS
    for slot in range(real * K):
        task, ordinal = slot % real, slot // real
        taken = slot < done
        source = SOURCES[task % 3]
        state = "done" if taken else "open"
        holder = slot // TASKS + 1 if taken else None
        yield slot + 1, task + 1, task // 3 + 1, f"wide/{source}", ordinal, slot, state, holder


def _judgments(real: int, places: int, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    per_place = TASKS * LINKS + QUESTIONS
    for place in range(places):
        choice = rng.choice(3, size=per_place, p=(0.8, 0.12, 0.08))
        seconds = np.round(rng.gamma(3.0, 2.5, size=per_place), 3)
        sequence = 0
        for task in range(TASKS):
            held = (place * TASKS + task) % real
            for link in range(LINKS):
                decision = _DECISIONS[choice[sequence]]
                key = f"wd:Q{(held * 3 + link) % 900}" if decision == "edit" else None
                display = held * LINKS + link + 1
                sequence += 1
                yield (
                    place + 1,
                    display,
                    sequence,
                    decision,
                    key,
                    0,
                    float(seconds[sequence - 1]),
                    "worker",
                    TIME,
                )
        control = real * LINKS + (place % CONTROLS) * QUESTIONS
        for question in range(QUESTIONS):
            right = _DECISIONS[(place % CONTROLS * QUESTIONS + question) % 3]
            decision = right if choice[sequence] == 0 else "remove"
            sequence += 1
            yield place + 1, control + question + 1, sequence, decision, None, 0, 5.0, "worker", TIME
