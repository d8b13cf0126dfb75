"""A judgments CSV of a small study, from a seed: three sources, two workers a link, one not counted."""

from __future__ import annotations

import csv
import random
from pathlib import Path

COLUMNS = [
    "dataset",
    "document",
    "source",
    "start",
    "end",
    "entity",
    "worker",
    "decision",
    "seconds",
    "counted",
]
ACCURACY = {"GT": 0.93, "Alpha": 0.88, "Beta": 0.8}


def write_csv(
    path: Path, *, datasets: tuple[str, ...] = ("news",), documents: int = 12, seed: int = 3
) -> Path:
    """Eight spans a document; right links are mostly verified, wrong ones mostly not."""
    chance = random.Random(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for dataset in datasets:
            for document in range(documents):
                for span in range(8):
                    for source in ACCURACY:
                        for row in _judged(chance, source, document * 100 + span + 1):
                            place = [dataset, f"doc-{document}", source, span * 20, span * 20 + 7]
                            writer.writerow([*place, *row])
    return path


def _judged(chance: random.Random, source: str, truth: int) -> list[list[object]]:
    if source != "GT" and chance.random() < 0.15:
        return []
    right = chance.random() < ACCURACY[source]
    key = f"Q{truth if right else truth + 5000}"
    rows = []
    for number in chance.sample(range(12), 2):
        shares = [0.92, 0.06, 0.02] if right else [0.25, 0.6, 0.15]
        decision = chance.choices(["verify", "edit", "remove"], shares)[0]
        counted = 0 if number == 3 else 1
        rows.append([key, f"w{number:02d}", decision, round(chance.uniform(2, 20), 1), counted])
    return rows
