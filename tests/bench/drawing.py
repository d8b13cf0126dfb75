"""Claiming a place: 20 tasks drawn from 100,000 and a million open slots, against `order by random()`."""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import text

from tests.bench import corpora
from tests.bench.rows import Row, median, seconds, tail
from verifier import clock
from verifier.plan import draw
from verifier.plan.planning import plan
from verifier.study import Study

DOCUMENTS, LINKS, K = 3_334, 4, 10
SIZES = {100_000: 1, 1_000_000: 10}
CLAIMS = 120
_MORE = """
insert into task_slot (id, task_id, passage_id, stratum, ordinal, position, state)
select id + :turn * :count, task_id, passage_id, stratum, ordinal + :turn * :k,
    (position + :turn * :step) % :width, 'open'
from task_slot where ordinal < :k
"""
_WIDTH = 2**31 - 1


def run() -> list[Row]:
    """The rows of this bench."""
    rows = []
    for name, database in (("SQLite", None), ("PostgreSQL", "postgres")):
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="posthoc-bench-")))
            address = _postgres(stack) if database else None
            if database and address is None:
                continue
            study = stack.enter_context(
                corpora.study(folder / "study", documents=DOCUMENTS, links=LINKS, k=K, database=address)
            )
            plan(study, now=clock.now())
            corpora.crowd(study, 5 * CLAIMS)
            numbers = itertools.count(1)
            plain = folder / "study" / "study.db" if database is None else None
            for size, times in SIZES.items():
                rows += _measured(study, name, numbers, plain, size=size, times=times)
    return rows


def _measured(
    study: Study, name: str, numbers: Iterator[int], plain: Path | None, *, size: int, times: int
) -> list[Row]:
    _grow(study, times)
    _tidy(study)
    peer = _random(plain) if plain else None
    rows = []
    for when in ("at the start", "half full"):
        if when == "half full":
            _fill_half(study)
        took = [_claim(study, next(numbers)) for _ in range(CLAIMS)]
        what = f"{name}, 20 tasks of {size:,} slots, {when}"
        theirs = {"peer": peer, "beside": "the select alone: ... order by random() limit 20"} if peer else {}
        rows.append(Row(f"{what}: median", median(took), "ms", **theirs, bar=10))
        rows.append(Row(f"{what}: p99", tail(took, 99), "ms"))
    _reopen(study)
    return rows


def _claim(study: Study, number: int) -> float:
    start = time.perf_counter()
    draw.claim(study, place_id=number, worker_id=number, now=clock.now())
    return 1000 * (time.perf_counter() - start)


def _grow(study: Study, times: int) -> None:
    """As many slots more, at positions of their own."""
    with study.write() as session:
        count = session.execute(text("select max(id) from task_slot")).scalar_one()
        for turn in range(1, times):
            values = {"count": count, "turn": turn, "k": K, "step": _WIDTH // times, "width": _WIDTH}
            session.execute(text(_MORE), values)
        _count(session)


def _fill_half(study: Study) -> None:
    """The first half of every stratum's order is done, as it would be."""
    with study.write() as session:
        for (stratum,) in session.execute(text("select name from stratum")).all():
            half = session.execute(
                text(
                    "select position from task_slot where state = 'open' and stratum = :s"
                    " order by position limit 1 offset"
                    " (select count(*) / 2 from task_slot where state = 'open' and stratum = :s)"
                ),
                {"s": stratum},
            ).scalar_one()
            session.execute(
                text(
                    "update task_slot set state = 'done'"
                    " where state = 'open' and stratum = :s and position < :p"
                ),
                {"s": stratum, "p": half},
            )
        _count(session)
    _tidy(study)


def _tidy(study: Study) -> None:
    """What PostgreSQL does of itself while a study fills; here it is filled at one blow."""
    if not study.store.is_sqlite:
        with study.store._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("vacuum analyze task_slot"))


def _reopen(study: Study) -> None:
    with study.write() as session:
        session.execute(text("update task_slot set state = 'open' where state = 'done'"))
        _count(session)


def _count(session) -> None:
    session.execute(
        text(
            "update stratum set open ="
            " (select count(*) from task_slot s where s.stratum = stratum.name and s.state = 'open')"
        )
    )


def _random(path: Path) -> float:
    """Milliseconds of the plain way on the same table, at its median."""
    query = "select id from task_slot where state = 'open' order by random() limit 20"
    with sqlite3.connect(path) as connection:
        took = [seconds(lambda: connection.execute(query).fetchall()) for _ in range(5)]
    return 1000 * median(took)


def _postgres(stack: ExitStack) -> str | None:
    """The address of a database of our own; None where no server can be started."""
    try:
        from tests.support.postgres import start  # noqa: PLC0415 - needs the extra

        server = stack.enter_context(start())
    except ImportError:
        return None
    return server.create("bench")
