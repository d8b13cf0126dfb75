"""`posthoc publish` killed with SIGKILL again and again, on a platform with faults: each place once."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import ports, tiny
from verifier import clock
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.plan import planning
from verifier.simulate import serving
from verifier.store import crowd, hosting
from verifier.study import Study

KILLS = 12
FAULTS = ("drop", "before", "throttle", "lag")
PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "publishing-kills.json"


def command(folder: Path) -> list[str]:
    program = Path(sys.executable).parent / "posthoc"
    return [str(program), "publish", str(folder), "--live", "--confirm", "tiny"]


def killed(folder: Path, platform: LocalMTurk, chance: random.Random) -> bool:
    """Start publishing, and end it at some moment after it has made a HIT; whether it was still at it."""
    before = len(platform.service.statement()["hits"])
    platform.service.faults.ask("CreateHITWithHITType", chance.choice(FAULTS), chance.randint(0, 2))
    with subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        until = time.monotonic() + 60
        while len(platform.service.statement()["hits"]) == before and time.monotonic() < until:
            if running.poll() is not None:
                break
            time.sleep(0.005)
        time.sleep(chance.random() * 0.1)
        running.kill()
        running.communicate()
        return running.returncode < 0


@pytest.mark.prove
def test_each_place_is_published_once_however_often_the_command_is_killed(tiny_blank, tmp_path):
    """Ledger and platform are the same line by line after the last run, and the cap was never passed."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path / "study"))
    port, chance = ports.own(), random.Random(7)
    with LocalMTurk() as platform:
        text = (folder / "study.yaml").read_text(encoding="utf-8").replace("k: 1", "k: 50")
        (folder / "study.yaml").write_text(
            f"{text}platform: {{kind: mturk, endpoint_url: '{platform.endpoint}',"
            f" worker_url: '{platform.site}'}}\nserver: {{public_url: 'http://127.0.0.1:{port}'}}\n"
            "budget: {cap: '1000.00'}\n",
            encoding="utf-8",
        )
        with Study.open(folder) as study:
            planning.plan(study, now=clock.now())
        server = serving.start(folder, port=port)
        serving.listening(server)
        kills = sum(killed(folder, platform, chance) for _ in range(KILLS))
        subprocess.run(command(folder), check=True, capture_output=True)
        serving.stop(server)
        hits = platform.service.statement()["hits"]
        with Study.open(folder) as study, study.read() as session:
            places = hosting.places(session, "mturk")
            calls = [(hosting.call(session, hit["annotation"]), hit["id"]) for hit in hits]
            unfinished = len(hosting.intents(session, "create place"))
            committed = crowd.committed(session)
    assert all(call.state == "done" and call.outcome == {"platform_place": hit} for call, hit in calls)
    assert sorted(place.platform_place for place in places) == sorted(hit["id"] for hit in hits)
    assert unfinished == 0
    assert committed * 100 == sum(hit["held"] for hit in hits)
    assert kills > KILLS // 2
    told = {
        "what": "posthoc publish ended by SIGKILL while it makes HITs, with faults, then run to its end",
        "kills": kills,
        "places": len(places),
        "hits": len(hits),
        "made_twice": len(hits) - len({hit["annotation"] for hit in hits}),
        "lost": len(places) - len(hits),
    }
    PROOF.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def test_k_of_the_tiny_study_is_what_the_proof_replaces():
    assert "k: 1" in tiny.STUDY
