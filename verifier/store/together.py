"""Writes of several threads in one transaction, so that a disk is waited for once and not for each of them.

Who finds nobody writing begins at once; what is wanted meanwhile is done together by the next one. So nobody
ever waits for others to come, and the slower the disk, the more is done with each of its turns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from sqlalchemy.orm import Session

from verifier.store.engine import Store
from verifier.store.prepared import plainly

T = TypeVar("T")
_MOST: Final = 64


class _Wanted:
    """One thread's work: what came of it, or how it failed."""

    def __init__(self, work: Callable[[Session], Any]) -> None:
        self.work = work
        self.woken = threading.Event()
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None


class Together:
    """Runs work on writing sessions of a store; what one piece of work does wrong undoes that piece alone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._queue: list[_Wanted] = []
        self._led = False

    def do(self, work: Callable[[Session], T]) -> T:
        """What `work` returns; committed before this returns. It may be called in another thread.

        Raises:
            BaseException: what `work` raised, or why nothing could be written.
        """
        if not self._store.is_sqlite:
            # There, writers do not wait for one another.
            with self._store.write() as session:
                return work(session)
        mine = _Wanted(work)
        with self._guard:
            self._queue.append(mine)
            leads, self._led = not self._led, True
        if not leads:
            mine.woken.wait()
        if not mine.done:
            self._lead()
        if mine.error is not None:
            raise mine.error
        return cast("T", mine.value)

    def _lead(self) -> None:
        """Do what is wanted until now; then the first of those who came meanwhile leads."""
        with self._guard:
            batch, self._queue = self._queue[:_MOST], self._queue[_MOST:]
        try:
            self._run(batch)
        finally:
            with self._guard:
                heir = self._queue[0] if self._queue else None
                self._led = heir is not None
            for one in batch:
                one.done = True
                one.woken.set()
            if heir is not None:
                heir.woken.set()

    def _run(self, batch: list[_Wanted]) -> None:
        try:
            with self._store.write() as session:
                if len(batch) == 1:
                    batch[0].value = batch[0].work(session)
                else:
                    for one in batch:
                        _apart(session, one)
        except BaseException as error:  # noqa: BLE001 - each thread is told in its own name why nothing is stored
            for one in batch:
                one.error = one.error or error


def _apart(session: Session, one: _Wanted) -> None:
    """One piece of work; if it fails, what it did is undone, and nothing else."""
    connection = session.connection()
    plainly(connection, "savepoint one")
    try:
        one.value = one.work(session)
        session.flush()
    except Exception as error:  # noqa: BLE001 - it is handed to the thread whose work it is
        one.error = error
        session.expunge_all()
        plainly(connection, "rollback to one")
    plainly(connection, "release one")
