"""Means over documents of samples drawn by size, by the planner's and the engine's own code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.engine.counts import Counts
from analysis.engine.jackknife import MIN_ICC, limits, spread
from analysis.engine.tally import ALL_DATASETS, MacroTally, Tally
from analysis.metrics.registry import ratio
from verifier.plan.sampling import Sampling, Unit, draw

LEVEL = 0.95
WORKERS = 60


@dataclass(frozen=True)
class Design:
    """A corpus, and what is drawn of it.

    Attributes:
        documents: of the corpus.
        drawn: how many documents.
        slope: of the logit of a document's rate on its standardised log size.
        worker: standard deviation of workers on the logit scale.
    """

    documents: int
    drawn: int
    slope: float
    worker: float = 0.0


@dataclass(frozen=True)
class Campaign:
    """What came of one: the weighted mean with its limits, and the plain mean."""

    estimate: float
    low: float
    high: float
    plain: float


def campaign(design: Design, seed: int) -> Campaign:
    """Draw a corpus of documents like these, a sample of it by size, and the judgments of it."""
    r = np.random.default_rng((seed, design.documents, design.drawn, int(10 * design.worker)))
    sizes, rates = documents(design, r, design.documents)
    units = [Unit(str(place), size=float(size)) for place, size in enumerate(sizes)]
    share = design.drawn / max(int((sizes > 0).sum()), 1)
    weights = draw(units, Sampling("document", "size", min(share, 1.0)), seed)
    weight = np.array([weights[unit.name] for unit in units])
    shown = np.repeat(np.arange(len(sizes)), np.where(weight > 0, sizes, 0))
    worker = r.integers(0, WORKERS, len(shown))
    lean = r.normal(0, design.worker, WORKERS) if design.worker else np.zeros(WORKERS)
    verified = r.random(len(shown)) < _logistic(rates[shown] + lean[worker])
    counts = Counts.of(
        document=shown,
        unit=np.arange(len(shown)),
        segment=shown,
        worker=worker,
        quantities={"verified": verified, "judged": np.ones(len(shown))},
    )
    tally = Tally(counts, [0, len(sizes)], weight)
    mean = MacroTally(tally, ratio("verified", "judged"), "judged", weight)
    cut = mean.cut(ALL_DATASETS)
    found = spread(cut, ratio("value", "documents"), "n", "two-way" if design.worker else "document")
    low, high, _ = limits(found, LEVEL, (0.0, 1.0), MIN_ICC) or (0.0, 1.0, "")
    plain = MacroTally(tally, ratio("verified", "judged"), "judged").cut(ALL_DATASETS).total
    return Campaign(found.estimate, low, high, float(plain["value"][0] / plain["documents"][0]))


def target(design: Design) -> float:
    """The mean over very many documents that have an annotation, by workers like these."""
    r = np.random.default_rng(1)
    sizes, rates = documents(design, r, 400_000)
    lean = r.normal(0, design.worker, len(rates)) if design.worker else 0.0
    return float(_logistic(rates + lean)[sizes > 0].mean())


def documents(design: Design, r: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of annotations, and rates as logits. One in ten has none; larger ones are harder."""
    scale = r.normal(0, 0.9, count)
    sizes = np.where(r.random(count) < 0.1, 0, 1 + np.floor(np.exp(1.3 + scale)).astype(np.int64))
    return sizes, 1.4 - design.slope * scale / 0.9 + r.normal(0, 0.5, count)


def _logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))
