"""Drawing, whatever eight processes of workers do; the shares, positions and the replay of its draws."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.support.drawing_campaigns import PROCESSES, Account, Corpus, Workforce, campaign
from tests.support.draws_in_turn import make, run
from tests.support.planned import crowd
from tests.support.redrawing import all_drawn, copied, log_of, redraw
from verifier.study import Study

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "drawing.json"
ASSIGNMENTS = 10_000
IN_TURN = 2400  # at most; what there is suffices for a few more than 2,000
DOCUMENTS = 1200
LEVEL = 0.01


def told(studies: list[tuple[Corpus, Account]]) -> dict[str, object]:
    """What was found, over all studies."""
    outcomes: Counter[str] = Counter()
    for _, account in studies:
        outcomes.update(account.outcomes)
    return {
        "assignments asked for": ASSIGNMENTS,
        "assignments": outcomes.total(),
        "studies": len(studies),
        "tasks": sum(account.tasks for _, account in studies),
        "k": sorted({corpus.k for corpus, _ in studies}),
        "outcomes": dict(sorted(outcomes.items())),
        "judged tasks beyond k, all of late work": sum(account.surplus for _, account in studies),
        "faults": [fault for _, account in studies for fault in account.faults],
    }


def put_down(name: str, value: object) -> None:
    """Beside what else is proved of drawing."""
    known = json.loads(PROOF.read_text(encoding="utf-8")) if PROOF.is_file() else {}
    PROOF.write_text(json.dumps({**known, name: value}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@pytest.mark.prove
@pytest.mark.parametrize("database", ["SQLite", "PostgreSQL"])
def test_every_task_ends_with_k_judgments_whatever_workers_do(database, tmp_path, request):
    """Random studies until 10,000 assignments were drawn, by eight processes at once."""
    server = request.getfixturevalue("postgres") if database == "PostgreSQL" else None
    chance, studies = random.Random(20), []
    with Workforce() as workforce:
        while sum(account.assignments for _, account in studies) < ASSIGNMENTS:
            number, corpus = len(studies), Corpus.drawn(chance)
            url = server.create(f"drawing_{number}") if server else None
            found = campaign(tmp_path / str(number), corpus, number, workforce, url)
            studies.append((corpus, found))
            put_down(f"at once, {database}", {"processes": PROCESSES, **told(studies)})
            assert found.faults == []


@pytest.mark.prove
def test_shares_are_kept_positions_are_even_and_a_replay_draws_the_same(tmp_path):
    """Over 2,000 assignments from three sources, one a twelfth of the others, and all of them once more."""
    make(tmp_path / "study", DOCUMENTS, 6)
    again = copied(tmp_path / "study", tmp_path / "again")
    seen = run(tmp_path / "study", IN_TURN, 5)
    p_values = {name: seen.p_value(name) for name in sorted(seen.at)}
    with Study.open(tmp_path / "study") as study, Study.open(again) as other:
        crowd(other, 2 * IN_TURN)
        log = log_of(study)
        redraw(other, log)
        same = all_drawn(study) == all_drawn(other)
    found = {
        "assignments": sum(map(len, seen.off.values())),
        "draws of workers": {
            who: {
                "draws": len(off),
                "with a stratum a task or more from its share": sum(far >= 1 for far in off),
                "furthest": round(max(off), 3),
            }
            for who, off in seen.off.items()
        },
        "full places": seen.full,
        "chi-square p, every position as likely": {name: round(p, 4) for name, p in p_values.items()},
        "level, over all of them together": LEVEL,
        "replay": {"lines of the log": len(log), "draws the same": same},
    }
    put_down("one after another", found)
    assert same
    assert found["assignments"] >= 2000
    assert max(seen.off["new"]) < 1
    assert min(p_values.values()) > LEVEL / len(p_values)
