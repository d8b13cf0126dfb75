"""A made-up study of the size of the published one: 8 datasets, 3 sources, 167,000 judgments."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import bundle
from analysis.load import load
from analysis.study import Study

# Documents, segments, and annotations of each source, as the published counts have them.
DATASETS = {
    "ace2004": (57, 357, (256, 1352, 1672)),
    "aida_testa": (216, 753, (4787, 4754, 5439)),
    "aida_testb": (231, 681, (4480, 4370, 5079)),
    "aida_train": (946, 3031, (18511, 18274, 21172)),
    "aquaint": (50, 193, (727, 810, 925)),
    "clueweb": (320, 6114, (11139, 12247, 23056)),
    "msnbc": (20, 184, (656, 629, 756)),
    "wikipedia": (345, 1686, (6786, 8136, 11177)),
}
SOURCES = ("GT", "E2E", "REL")
WORKERS = 1600
STEP = 12  # characters from one place for a mention to the next
_RIGHT = (0.95, 0.93, 0.9)
_SPANS = 2_000_000


def frame(seed: int = 7, times: int = 1) -> pd.DataFrame:
    """Its judgments, in the shape of a judgments CSV: one judgment an annotation, tasks of one source.

    Sources agree on most spans and entities, as the published ones do; some spans overlap others. `times` as
    many documents make a study so many times as large.
    """
    r = np.random.default_rng(seed)
    parts = []
    for name, (documents, segments, found) in DATASETS.items():
        sizes = (documents * times, segments * times, tuple(times * one for one in found))
        parts += [_part(r, name, sizes, source) for source in range(len(SOURCES))]
    return pd.concat(parts, ignore_index=True)


@cache
def study() -> Study:
    """The study, loaded."""
    return load(frame())


def write_large(folder: Path, times: int) -> None:
    """A study so many times as large, as a bundle; half a minute and 1.3 GiB a million judgments."""
    found = load(frame(times=times))
    bundle.write(found.tables, found.manifest, folder)


def write(folder: str) -> None:
    """The study as a bundle."""
    found = study()
    bundle.write(found.tables, found.manifest, folder)


def _part(
    r: np.random.Generator, dataset: str, sizes: tuple[int, int, tuple[int, ...]], source: int
) -> pd.DataFrame:
    documents, segments, annotations = sizes
    size = annotations[source]
    # Places for mentions: as many as the largest source needs, and some that it misses; the same for all.
    places = int(max(annotations) * 1.15)
    place = np.sort(r.permutation(places)[:size])
    segment = place * segments // places
    document = segment * documents // segments
    right = r.random(size) < _RIGHT[source]
    longer = r.random(size) < 0.06
    start = place * STEP
    worker = (segment * 7919 + source * 104_729) % WORKERS
    decision = np.where(
        right,
        np.array(["verify", "edit", "remove"])[np.searchsorted([0.94, 0.99], r.random(size))],
        np.array(["verify", "edit", "remove"])[np.searchsorted([0.3, 0.85], r.random(size))],
    )
    entity = np.where(right, place % 40_000, 50_000 + r.integers(0, 5, size) * 7 + place % 40_000)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "document": np.char.add("doc", document.astype(str)),
            "source": SOURCES[source],
            "start": start,
            "end": start + np.where(longer, STEP + 5, 7),
            "entity": np.char.add("Q", (entity + 1).astype(str)),
            "worker": np.char.add("w", worker.astype(str)),
            "decision": decision,
            "new_entity": np.where(
                decision == "edit", np.char.add("Q", (place % 40_000 + 1).astype(str)), ""
            ),
            "segment": np.char.add("s", segment.astype(str)),
            "seconds": np.round(r.gamma(3.0, 3.0, size), 1),
        }
    )
