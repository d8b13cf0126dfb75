"""Every metric of a study of a million judgments, counted block by block: time, and memory of all processes.

`python -m tests.bench.large 60` measures ten million instead; making them takes ten gigabytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import published
from tests.bench.rows import Row, table

TIMES = 6
JOBS = 2
# Ten million judgments in a minute and 8 GiB.
_SECONDS, _MEMORY = 60 / 60, 8192 / 60


def run(times: int = TIMES) -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as folder:
        bundle = Path(folder) / "bundle"
        # A process of its own, which leaves no memory behind.
        made = f"from tests.bench import published; published.write_large({str(bundle)!r}, {times})"
        subprocess.run([sys.executable, "-c", made], check=True)
        took, used, peak = _measured(bundle, Path(folder) / "metrics.csv")
    count = sum(sum(sizes) for _, _, sizes in published.DATASETS.values()) * times
    what = f"metrics of a bundle of {count:,} judgments, {JOBS} processes"
    return [
        Row(what, took, "seconds", bar=_SECONDS * times),
        Row("the same, processor time of both", used, "seconds", bar=JOBS * _SECONDS * times),
        Row("the same, memory of all processes at its peak", peak, "MiB", bar=max(1024.0, _MEMORY * times)),
    ]


def _measured(bundle: Path, out: Path) -> tuple[float, float, float]:
    """Wall seconds, processor seconds, and MiB at the peak."""
    before, start = sum(os.times()[2:4]), time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "analysis",
        "metrics",
        str(bundle),
        "--out",
        str(out),
        "--jobs",
        str(JOBS),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, sum(map(_memory, _family(process.pid))))
            time.sleep(0.2)
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}")
    return time.perf_counter() - start, sum(os.times()[2:4]) - before, peak


def _family(pid: int) -> list[int]:
    """A process and all that came from it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in _family(int(child)))]


def _memory(pid: int) -> float:
    """MiB of a process; what several share is parted among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return sum(float(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    sys.stdout.write(table("large", run(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES)) + "\n")
