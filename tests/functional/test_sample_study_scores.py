"""The sample study's predictions, scored by the command line against its truth."""

import json
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "configs" / "demo"
CORPUS = DEMO / "corpus"


def test_scores_against_the_truth_are_the_counts_of_the_readme():
    """Entities in three spellings (titles, underscores, addresses) meet; NIL is dropped on both sides."""
    run = subprocess.run(
        [
            *(sys.executable, "-m", "analysis", "score", "--gt", CORPUS / "truth.jsonl", "--json"),
            *("--pred", f"Alpha={CORPUS / 'alpha-linker.jsonl'}"),
            *("--pred", f"Beta={CORPUS / 'beta-linker.jsonl'}"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    counted = {r["source"]: (r["hits"], r["predicted"], r["gold"]) for r in json.loads(run.stdout)["records"]}
    assert counted == {"Alpha": (207, 246, 321), "Beta": (249, 337, 321)}
