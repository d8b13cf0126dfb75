"""Whether an answer tells a control from a real task: by its form, its headers, how long it takes."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from flask.testing import FlaskClient
from sqlalchemy import Pool, event, select

from analysis.schema import DECOY
from tests.support.web_worker import Worker
from verifier.store import work
from verifier.store.models import AssignmentTask
from verifier.study import Study


def controls(study: Study, token: str) -> set[int]:
    """Ordinals of the controls in an assignment."""
    with study.read() as session:
        assignment = work.at_work(session, token)
        rows = session.scalars(
            select(AssignmentTask.ordinal).where(
                AssignmentTask.assignment_id == assignment.id, AssignmentTask.slot_id.is_(None)
            )
        )
        return set(rows)


def decoys(study: Study, token: str) -> set[int]:
    """Ordinals of the decoys in an assignment; they are among its controls."""
    with study.read() as session:
        assignment = work.at_work(session, token)
        rows = session.scalars(
            select(AssignmentTask.ordinal).where(
                AssignmentTask.assignment_id == assignment.id, AssignmentTask.arm == DECOY
            )
        )
        return set(rows)


def form(value: Any) -> Any:
    """What is left of JSON when its values are taken away: names in order, and types."""
    if isinstance(value, dict):
        return tuple((name, form(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return frozenset(form(inner) for inner in value)
    return "text or null" if value is None or isinstance(value, str) else type(value).__name__


def answers(worker: Worker) -> dict[int, tuple[Any, list[str], list[str]]]:
    """Form, header names and statements of each task's answer, the statements without their parameters."""
    found = {}
    for task in range(len(worker.get("/state")["tasks"])):
        with _overheard() as asked:
            answer = worker.client.get(f"/api/{worker.token}/tasks/{task}")
        found[task] = (
            form(answer.json),
            [name for name, _ in answer.headers],
            [_kind(text) for text in asked],
        )
    return found


def _kind(statement: str) -> str:
    """A statement as it is for whichever assignment and task."""
    return re.sub(r"'[^']*'|\b\d+\b", "?", statement)


@contextmanager
def _overheard() -> Iterator[list[str]]:
    """The statements that reach SQLite itself, whichever way they take there."""
    asked: list[str] = []

    def listen(driver: sqlite3.Connection, *_: object) -> None:
        driver.set_trace_callback(asked.append)

    def stop(driver: sqlite3.Connection, *_: object) -> None:
        driver.set_trace_callback(None)

    event.listen(Pool, "checkout", listen)
    event.listen(Pool, "checkin", stop)
    yield asked
    event.remove(Pool, "checkout", listen)
    event.remove(Pool, "checkin", stop)


def times(client: FlaskClient, token: str, tasks: int, rounds: int) -> np.ndarray:
    """Seconds of processor time of each task's answer, rounds by tasks; asked for in turn."""
    took = np.empty((rounds, tasks))
    for turn in range(rounds):
        for task in range(tasks):
            start = time.thread_time()
            client.get(f"/api/{token}/tasks/{task}")
            took[turn, task] = time.thread_time() - start
    return took


def residuals(seconds: np.ndarray, sizes: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """What is left of times when what their texts explain, and `sizes` in proportion, is taken away.

    A control and a real task on one text are compared with each other: what a text takes is not in proportion
    to its length.
    """
    design = np.column_stack([texts[:, None] == np.unique(texts), sizes])
    fitted, *_ = np.linalg.lstsq(design, seconds, rcond=None)
    return seconds - design @ fitted


def shuffled_p(values: np.ndarray, marked: np.ndarray, groups: np.ndarray, draws: int = 5000) -> float:
    """How often a difference of means as large comes up when marks are shuffled within groups."""
    r = np.random.default_rng(3)

    def difference(marks: np.ndarray) -> float:
        return abs(values[marks].mean() - values[~marks].mean())

    observed, hits = difference(marked), 0
    for _ in range(draws):
        order = np.lexsort((r.random(len(values)), groups))
        back = np.empty(len(values), dtype=int)
        back[np.lexsort((np.arange(len(values)), groups))] = order
        hits += difference(marked[back]) >= observed
    return (hits + 1) / (draws + 1)
