"""What the dashboard shows, counted by one thread beside the requests: a page never waits for a long count.

A page that is asked for while the count is old has it counted anew and waits a moment for it. If that is
not enough, it shows what there is, with the time of it. An open page asks every ten seconds, so that what it
shows is not older than half a minute.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from flask import current_app

from analysis.errors import PosthocError
from verifier import clock
from verifier.adjudication.queue import Queue, queue
from verifier.crowd.changes import Changed, changed_links
from verifier.crowd.control_audit import Audited, audit
from verifier.crowd.status import Status, status
from verifier.crowd.tally import Tally
from verifier.crowd.workers import WorkerLine, workers
from verifier.web.state import state

if TYPE_CHECKING:
    from verifier.study import Study

_NAME: Final = "dashboard_counts"
_FRESH_SECONDS: Final = 5.0
# A study that is counted in less is counted anew for each page that wants it, else every some seconds.
_QUICK: Final = 0.5
_EVERY: Final = 10.0
_LATELY: Final = 60.0
# Edits and queue of a large study change slowly: they are told anew after so many times what that takes.
_TIMES: Final = 10.0
_WAIT: Final = 1.5
_FIRST_WAIT: Final = 8.0
_OLD: Final = 30.0


@dataclass(frozen=True)
class Snapshot:
    """The study at one moment."""

    at: datetime
    status: Status
    workers: list[WorkerLine]
    audited: list[Audited]
    changed: list[Changed]
    queue: Queue


@dataclass
class Counts:
    """Counts one study; `reading`: how many of how many assignments were read, during the first count."""

    study: Study
    reading: tuple[int, int] = (0, 0)
    _tally: Tally | None = None
    _snapshot: Snapshot | None = None
    _made: float = float("-inf")
    _wanted: float = float("-inf")
    _looked: float = float("-inf")
    _began: float = float("-inf")
    _took: float = 0.0
    _lists: tuple[list[Changed], Queue] = field(init=False)
    _lists_until: float = float("-inf")
    _counting: bool = False
    _done: threading.Condition = field(default_factory=threading.Condition)

    def latest(self, *, newer_than: float | None = None) -> Snapshot | None:
        """The newest count, made anew if it is some seconds old; None while the first is going on.

        Args:
            newer_than: a time (monotonic); what was counted before is not new enough, whatever its age.
        """
        now = time.monotonic()
        since = now - _FRESH_SECONDS if newer_than is None else newer_than
        with self._done:
            self._looked = now
            if self._made < since:
                self._wanted = max(self._wanted, since)
                self._done.notify_all()
                if not self._counting:
                    self._counting, self._began = True, now
                    threading.Thread(target=self._count, name="dashboard", daemon=True).start()
                self._done.wait_for(lambda: self._made >= since or not self._counting, self._patience(now))
            return self._snapshot

    def _patience(self, now: float) -> float:
        """How long a page waits for a count that is going on."""
        if self._snapshot is None or now - self._made > _OLD:
            return max(_FIRST_WAIT - (now - self._began), 0.0)
        return _WAIT if self._took < _QUICK else 0.0

    def decided(self, expert: str, item: int) -> None:
        """Take note at once of what an expert decided, so that the same item does not come up again."""
        with self._done:
            if self._snapshot is None:
                return
            found = self._snapshot.queue
            mine = {expert: found.decided.get(expert, frozenset()) | {item}}
            changed = replace(found, decided={**found.decided, **mine})
            self._snapshot = replace(self._snapshot, queue=changed)
            self._lists = (self._lists[0], changed)

    def _count(self) -> None:
        """Count, and again for who has asked for something newer; of a large study while somebody looks."""
        try:
            while self._made < self._wanted:
                self._began = time.monotonic()
                made = self._counted()
                with self._done:
                    self._snapshot, self._made = made, self._began
                    self._took = time.monotonic() - self._began
                    self._done.notify_all()
                    if self._took >= _QUICK and time.monotonic() - self._looked < _LATELY:
                        self._done.wait(_EVERY)
                        self._wanted = max(self._wanted, time.monotonic() - _FRESH_SECONDS)
        except PosthocError as error:
            logging.getLogger(__name__).warning("the dashboard could not be counted: %s", error)
        finally:
            with self._done:
                self._counting = False
                self._done.notify_all()

    def _counted(self) -> Snapshot:
        self._tally = self._tally or Tally(self.study)
        tally = self._tally.refresh(self._tell)
        at = clock.now()
        found = status(self.study, tally), workers(self.study, tally), audit(self.study, tally)
        if time.monotonic() >= self._lists_until:
            began = time.monotonic()
            self._lists = changed_links(tally), queue(self.study, tally)
            took = time.monotonic() - began
            self._lists_until = time.monotonic() + (_TIMES * took if took > _QUICK else 0)
        return Snapshot(at, *found, *self._lists)

    def _tell(self, read: int, of: int) -> None:
        self.reading = (read, of)


def counts() -> Counts:
    """The counts of the study that the app serves."""
    found: Counts = current_app.extensions.setdefault(_NAME, Counts(state().study))
    return found
