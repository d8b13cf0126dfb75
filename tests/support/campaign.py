"""The tiny study as a campaign on a local MTurk, and a requester that breaks off where a test says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.support.crowds import NOON, judge, planned
from tests.support.mturk import Person
from verifier.crowd import campaigns, collecting, publishing, review
from verifier.crowd.arrivals import arrive
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.crowd.pacing import Pacer
from verifier.crowd.submission import submit
from verifier.study import Study

QUICK = Pacer(attempts=4, sleep=lambda _seconds: None)


class Killed(BaseException):
    """The process ends here."""


class Breaking:
    """A requester whose process ends at a call: before it, or after it and before anything is kept."""

    def __init__(self, requester: Any, name: str, number: int, *, after: bool) -> None:
        self._requester, self._name, self._number, self._after = requester, name, number, after

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._requester, name)
        if name != self._name:
            return method

        def call(*arguments: Any) -> Any:
            self._number -= 1
            if self._number == 0 and not self._after:
                raise Killed
            result = method(*arguments)
            if self._number == 0:
                raise Killed
            return result

        return call


@contextmanager
def campaign(
    blank: Path,
    folder: Path,
    platform: LocalMTurk,
    cap: str = "20.00",
    public: str = "http://127.0.0.1:9",
    *,
    settings: str = "",
) -> Iterator[Study]:
    """A copy of the tiny study in `folder`, planned, for the local MTurk, or as `settings` says."""
    settings = settings or f"kind: mturk, endpoint_url: '{platform.endpoint}', worker_url: '{platform.site}'"
    ready = blank.parent / "planned"
    if not ready.exists():
        draft = shutil.copytree(blank, blank.parent / "to-plan")
        with Study.open(draft) as study:
            planned(study)
        draft.rename(ready)
    shutil.copytree(ready, folder)
    path = folder / "study.yaml"
    start = path.read_text(encoding="utf-8")
    path.write_text(
        start
        + f"platform: {{{settings}}}\n"
        + f"server: {{public_url: '{public}'}}\nbudget: {{cap: '{cap}'}}\n",
        encoding="utf-8",
    )
    with Study.open(folder) as study:
        yield study


@contextmanager
def ready(blank: Path, folder: Path, count: int) -> Iterator[tuple[Study, LocalMTurk]]:
    """A copy of a campaign in which so many have handed in, and its platform: made once, then copied."""
    kept = blank.parent / f"handed-in-{count}"
    if not kept.exists():
        draft = blank.parent / f"to-hand-in-{count}"
        draft.mkdir()
        with LocalMTurk(draft / "platform.db") as platform, campaign(blank, draft / "s", platform) as study:
            handed_in(study, platform, count)
        draft.rename(kept)
    folder.mkdir()
    shutil.copy(kept / "platform.db", folder)
    shutil.copytree(kept / "s", folder / "s")
    path = folder / "s" / "study.yaml"
    with LocalMTurk(folder / "platform.db") as platform:
        text = path.read_text(encoding="utf-8")
        for name, address in (("endpoint_url", platform.endpoint), ("worker_url", platform.site)):
            text = re.sub(f"{name}: '[^']*'", f"{name}: '{address}'", text)
        path.write_text(text, encoding="utf-8")
        with Study.open(folder / "s") as study:
            yield study, platform


def requester(study: Study) -> Any:
    """Our account, which does not wait."""
    return campaigns.requester(study, "local", QUICK)


def publish(study: Study, account: Any = None, places: int | None = None) -> int:
    """Publish so many places, or all; by our account, or by one that breaks."""
    return publishing.publish(study, account or requester(study), "local", places=places, now=NOON)


def rows(study: Study, table: Any) -> Sequence[Any]:
    """Every row of a table, by its number."""
    with study.read() as session:
        return session.scalars(select(table).order_by(table.id)).all()


def come(study: Study, hit: str, assignment: str, worker: str, now: Any) -> Any:
    """What the task server does when the frame opens its entry link."""
    return arrive(study, {"hitId": hit, "assignmentId": assignment, "workerId": worker}, now)


def work(study: Study, platform: LocalMTurk, hit: str, worker: str, now: Any, **how: Any) -> tuple[str, str]:
    """A worker accepts a HIT, comes, and judges: the platform's assignment and our token."""
    assignment = Person(platform, worker).accept(hit)
    assert assignment is not None
    arrived = come(study, hit, assignment, worker, now)
    assert arrived.outcome == "working"
    judge(study, arrived.token, **how)
    return assignment, arrived.token


def handed_in(study: Study, platform: LocalMTurk, count: int) -> None:
    """So many places published, worked on, handed in on both sides, collected, and approved here."""
    publishing.publish(study, requester(study), "local", places=count, now=NOON)
    for number, hit in enumerate(platform.service.statement()["hits"][:count]):
        assignment, token = work(study, platform, hit["id"], f"A{number}", NOON)
        submit(study, token, NOON)
        Person(platform, f"A{number}").submit(assignment)
    collecting.collect(study, requester(study), "local", now=NOON, live=True)
    review.decide(study, confirm="tiny", now=NOON)
