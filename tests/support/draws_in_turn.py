"""A long study drawn one assignment after another, from very uneven sources: its shares and positions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from scipy import stats
from sqlalchemy import insert

from tests.support import planned
from tests.support.planned import NOW
from verifier.plan import draw
from verifier.store import claims
from verifier.store.models import Place, Worker
from verifier.study import Study

TASKS = 10
CONTROLS = 1


@dataclass
class Seen:
    """What was seen of the draws.

    Attributes:
        off: by whether the worker was new, how far the stratum furthest from its share was, of each draw.
        at: control, or source -> position -> how often, over places that were full.
        full: places that were full.
        variance: control, or source -> the sum of p (1 - p) over full places, p its part of the place.
    """

    off: dict[str, list[float]] = field(default_factory=lambda: {"new": [], "returning": []})
    at: dict[str, Counter[int]] = field(default_factory=dict)
    variance: Counter[str] = field(default_factory=Counter)  # type: ignore[type-arg]
    full: int = 0

    def note(self, study: Study, identity: int, counts: Mapping[str, int], *, new: bool) -> None:
        """One draw, made when so many slots were open."""
        tasks = planned.drawn(study, identity)
        real = [task for task in tasks if task.slot]
        got = Counter(f"news/{task.source}" for task in real)
        total = sum(counts.values())
        off = max(abs(got[name] - len(real) * count / total) for name, count in counts.items())
        self.off["new" if new else "returning"].append(off)
        if len(tasks) < TASKS:
            return
        self.full += 1
        names = [task.source or "" if task.slot else "control" for task in tasks]
        for task, name in zip(tasks, names, strict=True):
            self.at.setdefault(name, Counter())[task.ordinal] += 1
        for name, number in Counter(names).items():
            self.variance[name] += number / TASKS * (1 - number / TASKS)

    def p_value(self, name: str) -> float:
        """By chi-square, that every position is as likely for a control, or a source.

        Several of one source stand in one place at different positions; the variance takes that into account.
        """
        found = self.at[name]
        expected = sum(found.values()) / TASKS
        squares = sum((found[position] - expected) ** 2 for position in range(TASKS))
        statistic = squares * (TASKS - 1) / (TASKS * self.variance[name])
        return float(stats.chi2.sf(statistic, TASKS - 1))


def make(folder: Path, documents: int, k: int) -> None:
    """A study in which one source has a twelfth of what the others have; planned, not drawn from."""
    Study.create(folder, "link").close()
    planned.configure(folder, seed=17, plan=f"k: {k}, repeat_share: 0.1", tasks=TASKS, controls=CONTROLS)
    with Study.open(folder) as study:
        planned.add_source(study, "GT", range(documents))
        planned.add_source(study, "Alpha", range(documents))
        planned.add_source(study, "Beta", range(documents // 12), skip=1)
        planned.plan(study, now=NOW)


def run(folder: Path, assignments: int, seed: int) -> Seen:
    """Draw so many, or all there is.

    Some are given back, some do not count; now and then all leases run out at once, and the latest of those
    who lost theirs take back what nobody has drawn yet. So slots are drawn many times.
    """
    chance, seen = random.Random(seed), Seen()
    place = {"platform": "link", "reward": "2.00", "currency": "USD", "state": "open", "origin": "live"}
    with Study.open(folder) as study:
        with study.write() as session:
            session.execute(insert(Worker), [{"pseudonym": f"w{n}"} for n in range(2 * assignments)])
            session.execute(insert(Place), [place | {"created": NOW}] * 2 * assignments)
        newest = 0
        for number in range(1, 2 * assignments):
            new = not newest or chance.random() < 0.7
            worker = newest + 1 if new else chance.randint(1, newest)
            newest = max(newest, worker)
            now = NOW + timedelta(minutes=number)
            with study.read() as session:
                counts = claims.open_counts(session)
            if not any(counts.values()) or sum(map(len, seen.off.values())) == assignments:
                break
            try:
                identity = draw.claim(study, place_id=number, worker_id=worker, now=now)
            except draw.NothingLeft:
                continue
            seen.note(study, identity, counts, new=new)
            _end(study, identity, chance.random())
    return seen


def _end(study: Study, identity: int, luck: float) -> None:
    if luck < 0.08:
        draw.release(study, identity, state="returned", now=NOW)
    elif luck < 0.12:
        draw.expire(study, NOW + timedelta(days=400))
        with study.write() as session:
            draw.finish(session, identity, NOW)
    elif luck < 0.97:
        with study.write() as session:
            draw.finish(session, identity, NOW)
            if luck < 0.2:
                draw.reopen(session, identity)
