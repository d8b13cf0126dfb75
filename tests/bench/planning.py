"""Planning a study of a million annotations: seconds and memory, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row

DOCUMENTS, LINKS = 33_334, 10
SECONDS, MEBIBYTES = 60, 2048
_PLAN = """
import json, resource, sys, time
from pathlib import Path
from verifier import clock
from verifier.plan.planning import plan
from verifier.study import Study
with Study.open(Path(sys.argv[1])) as study:
    start, worked = time.perf_counter(), time.process_time()
    plan(study, dry_run=sys.argv[2] == "dry", now=clock.now())
    took, worked = time.perf_counter() - start, time.process_time() - worked
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, worked, peak]))
"""


def run() -> list[Row]:
    """The rows of this bench."""
    what = f"plan {DOCUMENTS * LINKS * len(corpora.SOURCES):,} annotations of three sources"
    rows = []
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made:
        folder = Path(made) / "study"
        with corpora.study(folder, documents=DOCUMENTS, links=LINKS):
            pass
        for how in ("dry", "stored"):
            took, worked, peak = _planned(folder, how)
            rows += [
                Row(f"{what}, {how}", took, "seconds", bar=SECONDS),
                Row(f"{what}, {how}: processor", worked, "seconds"),
                Row(f"{what}, {how}: most memory", peak, "MiB", bar=MEBIBYTES),
            ]
    return rows


def _planned(folder: Path, how: str) -> tuple[float, float, float]:
    ran = subprocess.run(
        [sys.executable, "-c", _PLAN, str(folder), how], capture_output=True, text=True, check=True
    )
    took, worked, peak = json.loads(ran.stdout)
    return took, worked, peak
