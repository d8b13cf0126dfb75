"""A simulated crowd while the server is killed at random moments and started again."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from tests.support import ports
from verifier.simulate import campaign, serving
from verifier.simulate.habits import Habits
from verifier.store.models import AssignmentRow, AssignmentTask, JudgmentRow, TaskSlot
from verifier.study import Study


@dataclass(frozen=True)
class Survived:
    """What was acknowledged and what is stored, as (assignment token, sequence), and slots done twice."""

    kills: int
    acknowledged: set[tuple[str, int]]
    stored: set[tuple[str, int]]
    acknowledgements: int
    judgments: int
    done_twice: list[int]
    outcomes: dict[str, int]


def simulate(folder: Path, habits: Habits, *, truth: str, workers: int, kills: int, seed: int) -> Survived:
    """Let a crowd work, kill the server `kills` times meanwhile, and look at what came of it."""
    chance = random.Random(seed)
    port = ports.own()
    log = folder / "acknowledged.jsonl"
    done: list[campaign.Simulated] = []
    server = _start(folder, port)
    asked = campaign.Campaign(workers, seed, habits, truth, url=f"http://127.0.0.1:{port}", acknowledged=log)
    worker = threading.Thread(target=lambda: done.append(_work(folder, asked)), daemon=True)
    worker.start()
    killed = 0
    try:
        while worker.is_alive():
            time.sleep(chance.uniform(0.1, 1.1) if killed < kills else 0.2)
            if killed < kills and worker.is_alive():
                server.kill()
                server.wait()
                server.stderr.close()
                killed += 1
                server = _start(folder, port)
    finally:
        serving.stop(server)
    return _look(folder, log, killed, dict(done[0].outcomes))


def _work(folder: Path, asked: campaign.Campaign) -> campaign.Simulated:
    with Study.open(folder) as study:
        return campaign.simulate(study, asked)


def _look(folder: Path, log: Path, killed: int, outcomes: dict[str, int]) -> Survived:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    said = [(line["assignment"], line["sequence"]) for line in lines]
    with Study.open(folder) as study, study.read() as session:
        rows = session.execute(
            select(AssignmentRow.token, JudgmentRow.sequence).join(
                JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id
            )
        )
        stored = [tuple(row) for row in rows]
        fillers = session.execute(
            select(TaskSlot.id, AssignmentRow.id)
            .join(AssignmentTask, AssignmentTask.slot_id == TaskSlot.id)
            .join(AssignmentRow, AssignmentRow.id == AssignmentTask.assignment_id)
            .where(AssignmentRow.state == "submitted", AssignmentRow.counted.is_(True))
        )
        times = Counter(slot for slot, _ in fillers)
    return Survived(
        kills=killed,
        acknowledged=set(said),
        stored=set(stored),
        acknowledgements=len(said),
        judgments=len(stored),
        done_twice=[slot for slot, n in times.items() if n > 1],
        outcomes=outcomes,
    )


def _start(folder: Path, port: int):
    process = serving.start(folder, port=port)
    serving.listening(process)
    return process
