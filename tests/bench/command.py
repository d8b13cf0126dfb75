"""The command `analyze` whole on a study of the published size: time, and memory at its peak."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import published
from tests.bench.rows import Row


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
        rows.append(Row("posthoc --help", _run([sys.executable, "-m", "analysis", "--help"])[0], "seconds", bar=0.5))
    return rows


def _analyze(source: Path, out: Path) -> tuple[float, float]:
    return _run([sys.executable, "-m", "analysis", "analyze", str(source), "--out", str(out)])


def _run(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of a command, which must succeed."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(said.read().decode())
    return time.perf_counter() - start, usage.ru_maxrss / 1024
