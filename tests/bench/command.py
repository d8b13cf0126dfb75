"""The command `analyze` whole on a study of the published size: time, and memory at its peak."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import published
from tests.bench.rows import Row

_LAUNCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
took = time.perf_counter() - start
print(took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as folder:
        bundle, table = Path(folder) / "bundle", Path(folder) / "judgments.csv"
        published.write(bundle)
        published.frame().to_csv(table, index=False)
        rows = []
        for name, source in (("a bundle", bundle), ("a judgments CSV", table)):
            took, peak = _analyze(source, Path(folder) / f"out-{source.name}")
            rows.append(Row(f"analyze {name}, figures and report", took, "seconds", bar=10))
            rows.append(Row(f"analyze {name}, memory at its peak", peak, "MiB", bar=1024))
        rows.append(
            Row("posthoc --help", _run([sys.executable, "-m", "analysis", "--help"])[0], "seconds", bar=0.5)
        )
    return rows


def _analyze(source: Path, out: Path) -> tuple[float, float]:
    return _run([sys.executable, "-m", "analysis", "analyze", str(source), "--out", str(out)])


def _run(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of a command, which must succeed.

    A small process starts it: a child's peak would else begin at what this one holds.
    """
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, *command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    took, peak = done.stdout.split()[-2:]
    return float(took), float(peak) / 1024
