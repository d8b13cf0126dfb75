"""Writes of several threads in one transaction: each alone in what it does wrong, all of them on the disk."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from analysis.errors import StateError
from verifier import clock
from verifier.store import work
from verifier.store.engine import Store
from verifier.store.models import Event
from verifier.store.together import Together


def note(session: Session, number: int) -> int:
    """Keep a number; odd ones go wrong after that."""
    work.log_event(session, None, "note", {"number": number}, clock.now())
    session.flush()
    if number % 2:
        raise StateError("odd", got=str(number))
    return number


def told(together: Together, number: int) -> int | str:
    """What a thread is told."""
    try:
        return together.do(lambda session: note(session, number))
    except StateError as error:
        return str(error)


def numbers(store: Store) -> list[int]:
    with store.read() as session:
        return sorted(row["number"] for row in session.scalars(select(Event.data)))


def test_each_thread_is_told_its_own_and_what_failed_is_not_stored(store: Store) -> None:
    together = Together(store)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda number: told(together, number), range(60)))
    assert answers[0::2] == list(range(0, 60, 2))
    assert all("odd" in str(answer) for answer in answers[1::2])
    assert numbers(store) == list(range(0, 60, 2))


def test_what_comes_while_one_writes_is_done_in_one_go(blank_sqlite, tmp_path) -> None:
    """One holds the pen; ten wait; one further commit does for them all."""
    path = tmp_path / "database.db"
    path.write_bytes(blank_sqlite.read_bytes())
    store, held, commits = Store(f"sqlite:///{path}"), threading.Event(), []
    together = Together(store)
    event.listen(store._engine, "commit", commits.append)
    with ThreadPoolExecutor(11) as pool:
        first = pool.submit(together.do, lambda session: (held.wait(120), note(session, 100)))
        while not together._led:
            time.sleep(0.001)
        others = [pool.submit(told, together, 2 * number) for number in range(10)]
        while len(together._queue) < 10:
            time.sleep(0.001)
        held.set()
        assert first.result()[1] == 100
        assert [other.result() for other in others] == [2 * number for number in range(10)]
    assert (len(commits), len(numbers(store))) == (2, 11)
    store.close()


def test_where_nothing_can_be_written_everyone_is_told(store: Store, monkeypatch) -> None:
    """And the next one finds the way free again."""
    together = Together(store)
    monkeypatch.setattr(store, "read_only", True)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda number: told(together, 2 * number), range(12)))
    assert all("can only be read" in str(answer) for answer in answers)
    monkeypatch.undo()
    assert told(together, 2) == 2
    with store.read() as session:
        assert session.scalar(select(func.count()).select_from(Event)) == 1
