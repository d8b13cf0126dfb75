"""The task server: judgments a second flat out, and how long workers wait at their own pace."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import func, select

from tests.bench import corpora
from tests.bench.requesting import Connection, arrive
from tests.bench.rows import Row, tail
from verifier import clock
from verifier.kb.build import build
from verifier.plan.planning import plan
from verifier.simulate.serving import served
from verifier.store.models import JudgmentRow
from verifier.study import Study

LINKS, TASKS = 5, 20
DOCUMENTS = 3200
CLIENTS = 8
# Enough workers that none of the clients runs out of work before the time is over.
FLAT_WORKERS = 15 * CLIENTS
BAD = 400
FLAT_SECONDS = 8.0
WORKERS, PACE, PACED_SECONDS = 300, 5.0, 25.0


@dataclass
class Told:
    """What the clients were told: seconds of each answer, and how many judgments were acknowledged."""

    waited: list[float] = field(default_factory=list)
    acknowledged: int = 0
    refused: int = 0

    def ask(self, request: Callable[..., tuple[int, dict[str, str], bytes]], *arguments: object) -> bytes:
        """One request, timed."""
        start = time.perf_counter()
        try:
            status, _, body = request(*arguments)
        except OSError:
            status, body = 599, b"{}"
        self.waited.append(time.perf_counter() - start)
        if status >= BAD:
            self.refused += 1
        return body

    def judge(self, connection: Connection, path: str, display: str, sequence: int) -> None:
        """One judgment sent and acknowledged."""
        judgment = {"sequence": sequence, "display": display, "action": "verify", "entity": None}
        before = self.refused
        body = {"judgments": [judgment | {"opened": False, "seconds": 2.5}]}
        self.ask(connection.post, path, body)
        self.acknowledged += self.refused == before


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made:
        folder = Path(made) / "study"
        with corpora.study(folder, documents=DOCUMENTS, links=LINKS, tasks=TASKS, controls=0) as study:
            titles = corpora.write_titles(folder / "kb.tsv", 20_000)
            build(folder / "kb.tsv", study.file(study.config.kb.file))
            plan(study, now=clock.now())
        with served(folder) as url:
            flat, took = _flat(url)
            paced, lateness = _paced(url, titles)
        with Study.open(folder) as study, study.read() as session:
            stored = session.scalar(select(func.count()).select_from(JudgmentRow)) or 0
        with _bare(Path(made) / "bare.db") as url:
            bare, bare_took = _flat_bare(url)
    lost = flat.acknowledged + paced.acknowledged - stored
    pace = f"{WORKERS} workers, each deciding every {PACE:g} s, page loads and searches between"
    return [
        Row(
            "judgments flat out: task page, five judgments, next",
            flat.acknowledged / took,
            "per second",
            bare.acknowledged / bare_took,
            "a bare Flask app: one insert a POST, a fixed task",
            600,
        ),
        Row("flat out: refused or failed", flat.refused, "answers", bar=0),
        Row(f"{pace}: median", 1000 * tail(paced.waited, 50), "ms"),
        Row("the same: p99", 1000 * tail(paced.waited, 99), "ms", bar=250),
        Row("the same: refused or failed", paced.refused, "answers", bar=0),
        Row("the same: how late the client itself was, p99", 1000 * tail(lateness, 99), "ms"),
        Row("judgments acknowledged and not stored", max(lost, 0), "judgments", bar=0),
    ]


def _flat(url: str) -> tuple[Told, float]:
    """Eight clients without a pause, until the time is over."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        tokens = list(pool.map(lambda n: arrive(url, f"flat{n}"), range(FLAT_WORKERS)))
    until = time.perf_counter() + FLAT_SECONDS
    start = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        parts = [pool.submit(_hurry, url, tokens[n::CLIENTS], until) for n in range(CLIENTS)]
        told = [part.result() for part in parts]
    return _together(told), time.perf_counter() - start


def _hurry(url: str, tokens: list[str], until: float) -> Told:
    told = Told()
    with Connection(url) as connection:
        for token in tokens:
            sequence = 0
            for task in range(TASKS):
                view = json.loads(told.ask(connection.get, f"/api/{token}/tasks/{task}"))
                for shown in view["displays"]:
                    sequence += 1
                    told.judge(connection, f"/api/{token}/judgments", shown["display"], sequence)
                if time.perf_counter() > until:
                    return told
    return told


def _flat_bare(url: str) -> tuple[Told, float]:
    def hurry(_: int) -> Told:
        told = Told()
        with Connection(url) as connection:
            while time.perf_counter() < until:
                view = json.loads(told.ask(connection.get, "/tasks/0"))
                for shown in view["displays"]:
                    told.judge(connection, "/judgments", shown["display"], 1)
        return told

    start = time.perf_counter()
    until = start + FLAT_SECONDS / 2
    with ThreadPoolExecutor(CLIENTS) as pool:
        told = list(pool.map(hurry, range(CLIENTS)))
    return _together(told), time.perf_counter() - start


def _paced(url: str, titles: list[str]) -> tuple[Told, list[float]]:
    """Every worker in a thread and on a connection of his own; and how late each request was sent."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        tokens = list(pool.map(lambda n: arrive(url, f"paced{n}"), range(WORKERS)))
    late: list[float] = []
    start = time.perf_counter() + 0.5
    told = [Told() for _ in tokens]
    threads = [
        threading.Thread(
            target=_work,
            args=(url, token, start + PACE * n / WORKERS, told[n]),
            kwargs={"late": late, "titles": titles[n::WORKERS]},
        )
        for n, token in enumerate(tokens)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _together(told), late


def _work(url: str, token: str, due: float, told: Told, *, late: list[float], titles: list[str]) -> None:
    until = due + PACED_SECONDS
    sequence, task, displays = 0, 0, []
    with Connection(url) as connection:
        while due < until and task < TASKS:
            time.sleep(max(0.0, due - time.perf_counter()))
            late.append(max(0.0, time.perf_counter() - due))
            if not displays:
                view = told.ask(connection.get, f"/api/{token}/tasks/{task}")
                displays = [shown["display"] for shown in json.loads(view).get("displays", [])]
                task += 1
            if sequence % 3 == 0:
                query = f"/api/{token}/search?q={quote(titles[sequence][:-2])}&display={displays[0]}"
                told.ask(connection.get, query)
            sequence += 1
            told.judge(connection, f"/api/{token}/judgments", displays.pop(0), sequence)
            due += PACE


def _together(parts: list[Told]) -> Told:
    return Told(
        [seconds for part in parts for seconds in part.waited],
        sum(part.acknowledged for part in parts),
        sum(part.refused for part in parts),
    )


@contextmanager
def _bare(path: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.bench.bare", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(15)
        process.stdout.close()
