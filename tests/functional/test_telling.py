"""Nothing about an answer tells a control, or a decoy, from a real task."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.support import telling, worker_study
from tests.support.web_worker import Worker
from verifier.study import Study
from verifier.web.app import create_app

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "controls-indistinguishable.json"
# Decoys are among the controls: they must not be told from real tasks either.
CONFIG = (
    worker_study.CONFIG.replace("controls: 1", "controls: 2").replace("per_task: 2", "per_task: 2, decoys: 1")
    + "pages: {comments: true, missing_mentions: true}\n"
)
WORKERS, ROUNDS = 48, 60
# A tenth of a millisecond, less than answers vary by on any network: less tells nobody anything.
NOTICEABLE = 1e-4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study; tests take copies."""
    return worker_study.make(tmp_path_factory.mktemp("telling") / "pages", CONFIG)


def test_form_headers_and_statements_are_those_of_any_task(made: Path, tmp_path: Path) -> None:
    """Before anything is decided and after, whoever looks."""
    with Study.open(Path(shutil.copytree(made, tmp_path / "pages"))) as study:
        for name in ("a", "b"):
            worker = Worker(create_app(study).test_client(), name).begin()
            assert telling.controls(study, worker.token)
            before = telling.answers(worker).values()
            assert len({str(answer) for answer in before}) == 1
            assert all("judgment" in " ".join(asked) for *_, asked in before)
            assert "decoy" not in json.dumps([worker.get("/state"), worker.tasks()])
            worker.decide_all()
            assert len({str(answer) for answer in telling.answers(worker).values()}) == 1


@pytest.mark.prove
def test_how_long_an_answer_takes_tells_nothing(made: Path, tmp_path: Path) -> None:
    """Over many assignments: whatever controls and real tasks differ by lies far below what can be noticed.

    Not that they do not differ: what they show does, and with enough answers any difference is significant.
    """
    rows = []
    with Study.open(Path(shutil.copytree(made, tmp_path / "pages"))) as study:
        client = create_app(study).test_client()
        for number in range(WORKERS):
            worker = Worker(client, f"w{number}").begin()
            tasks = worker.tasks()
            known = telling.controls(study, worker.token)
            took = np.median(telling.times(client, worker.token, len(tasks), ROUNDS), axis=0)
            rows += [
                (number, took[n], len(json.dumps(task)), len(task["displays"]), task["text"], n in known)
                for n, task in enumerate(tasks)
            ]
    group, seconds, length, displays, text, control = (np.array(c) for c in zip(*rows, strict=True))
    left = telling.residuals(seconds, np.column_stack([length, displays]), text)
    marked = control.astype(bool)
    p = telling.shuffled_p(left, marked, group)
    each = [left[marked & (group == n)].mean() - left[~marked & (group == n)].mean() for n in range(WORKERS)]
    apart = float(np.mean(each))
    margin = float(stats.t.ppf(0.995, WORKERS - 1) * np.std(each, ddof=1) / np.sqrt(WORKERS))
    proof = {
        "what": "processor time of the answer to GET tasks/T, controls against real tasks, beyond what the "
        "text, the answer's length and its number of displays explain",
        "assignments": WORKERS,
        "tasks": len(rows),
        "answers timed": len(rows) * ROUNDS,
        "median milliseconds": round(float(np.median(seconds)) * 1000, 3),
        "controls slower by, microseconds": round(apart * 1e6, 1),
        "the same, 99 % interval over assignments": [
            round((apart - margin) * 1e6, 1),
            round((apart + margin) * 1e6, 1),
        ],
        "noticeable from, microseconds": NOTICEABLE * 1e6,
        "p, marks shuffled within assignments": round(p, 4),
    }
    PROOF.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")
    assert abs(apart) + margin < NOTICEABLE
