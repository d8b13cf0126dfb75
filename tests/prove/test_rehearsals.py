"""The sample study rehearsed on both platforms: with drop-outs and returns, to an account that is equal."""

import json
from pathlib import Path

import pytest

from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.demo import CORPUS, DATASET, TRUTH
from verifier.kb.build import build
from verifier.rehearse import running
from verifier.simulate import habits
from verifier.study import Study

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "rehearsals.json"
# Platform, workers, and what is changed in study.yaml: with small places, more than a page of assignments of
# one HIT type is collected.
SMALL = {"k: 3,": "k: 1,", "tasks: 10, controls: 2": "tasks: 3, controls: 1"}
RUNS = [("mturk", 60, {}), ("prolific", 60, {}), ("mturk", 160, SMALL)]


def sample(folder, changes):
    """The sample study, imported, with some of its settings changed."""
    with Study.create(folder, "demo", name="demo") as study:
        for source, name in CORPUS.items():
            request = Request((folder / "corpus" / name,), DATASET, source)
            import_files(study, request, now=clock.now())
        build(folder / "kb.tsv", study.file(study.config.kb.file))
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def rehearsed(folder, platform, workers):
    wanted = running.Wanted(
        platform, workers, 11, habits.crowd("mixed", dropouts=0.2), str(folder / TRUTH), None
    )
    with Study.open(folder) as study:
        return running.rehearse(study, wanted, print)


@pytest.mark.prove
def test_the_sample_study_is_rehearsed_on_both_platforms(tmp_path):
    """Every payment stands in both accounts, all that was handed in is collected, the report is labelled."""
    told = []
    for number, (platform, workers, changes) in enumerate(RUNS):
        done = rehearsed(sample(tmp_path / str(number), changes), platform, workers)
        account = done.account
        assert account.equal
        assert done.outcomes["submitted"] == done.collected["matched"] == done.approved
        assert "Simulated: no person" in done.report.read_text(encoding="utf-8")
        told.append(
            {
                "platform": platform,
                "workers": workers,
                "places": done.places,
                "outcomes": done.outcomes,
                "collected": done.collected,
                "judgments": done.judgments,
                "lines_of_account": len(account.lines),
                "lines_in_one_alone": sum(line.side != "both" for line in account.lines),
                "paid": [str(amount) for amount in account.paid],
                "put_aside": [str(amount) for amount in account.held],
            }
        )
    assert told[-1]["collected"]["matched"] > 101
    PROOF.write_text(json.dumps({"rehearsals": told}, indent=1) + "\n", encoding="utf-8")
