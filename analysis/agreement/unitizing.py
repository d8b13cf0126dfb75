"""Krippendorff's unitizing alpha (2004): agreement about where units begin and end on a continuum."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from analysis.agreement.marks import Marks
from analysis.engine.counts import Codes, Floats

Sections = tuple[Floats, Floats, Floats, Floats]


def disagreements(marks: Marks) -> Floats:
    """Observed and expected disagreement of each document, summed over labels, and its weight: documents x 3.

    Documents of fewer than two workers, or of unknown length, hold 0. Each document's disagreements weigh
    by its length, so that their sums over documents are those of all continua.
    """
    out = np.zeros((len(marks.documents), 3))
    bounds = np.searchsorted(marks.document, np.arange(len(marks.documents) + 1))
    for document, (low, high) in enumerate(pairwise(bounds.tolist())):
        workers = np.flatnonzero(marks.done[document])
        length = float(marks.length[document])
        if len(workers) < 2 or length <= 0:  # noqa: PLR2004 - two are needed to disagree
            continue
        here = slice(low, high)
        out[document, 2] = length
        for label in np.unique(marks.label[here]):
            chosen = np.flatnonzero(marks.label[here] == label) + low
            units = [chosen[marks.worker[chosen] == worker] for worker in workers]
            sections = [_sections(marks.start[rows], marks.end[rows], length) for rows in units]
            out[document, :2] += length * np.array([_observed(sections, length), _expected(sections, length)])
    return out


def overlapping_units(marks: Marks) -> bool:
    """Whether a worker marked two spans of one label that overlap, which a continuum cannot hold."""
    order = np.lexsort((marks.start, marks.label, marks.worker, marks.document))
    keys = np.stack([marks.document, marks.worker, marks.label])[:, order]
    same = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    return bool((same & (marks.start[order][1:] < marks.end[order][:-1])).any())


def _sections(start: Codes, end: Codes, length: float) -> tuple[Floats, Floats]:
    """Units and the gaps between them: (start, end) of units, (start, end) of gaps, each a table."""
    order = np.argsort(start)
    units = np.stack([start[order], end[order]], axis=1).astype(np.float64)
    edges = np.concatenate([[0.0], units.reshape(-1), [length]]).reshape(-1, 2)
    return units, edges[edges[:, 1] > edges[:, 0]]


def _observed(sections: list[tuple[Floats, Floats]], length: float) -> float:
    """Mean over pairs of workers of squared differences of sections, over the squared length."""
    m, total = len(sections), 0.0
    for one, (units, _) in enumerate(sections):
        for other, (others, gaps) in enumerate(sections):
            if one != other:
                total += _units_apart(units, others) + 2 * _within(units, gaps)
    return total / (m * (m - 1) * length**2)


def _units_apart(units: Floats, others: Floats) -> float:
    """Squared differences of both ends of every two units that meet."""
    apart = units[:, None, :] - others[None, :, :]
    meet = np.minimum(units[:, None, 1], others[None, :, 1]) > np.maximum(
        units[:, None, 0], others[None, :, 0]
    )
    return float(((apart**2).sum(axis=2) * meet).sum())


def _within(units: Floats, gaps: Floats) -> float:
    """Squared lengths of units that lie wholly in a gap of another worker."""
    inside = (units[:, None, 0] >= gaps[None, :, 0]) & (units[:, None, 1] <= gaps[None, :, 1])
    return float(((units[:, 1] - units[:, 0]) ** 2 * inside.any(axis=1)).sum())


def _expected(sections: list[tuple[Floats, Floats]], length: float) -> float:
    """What all ways of laying these sections on the continuum would differ by, on average."""
    units = np.concatenate([units[:, 1] - units[:, 0] for units, _ in sections])
    gaps = np.concatenate([gaps[:, 1] - gaps[:, 0] for _, gaps in sections])
    meeting = (len(units) - 1) / 3 * (2 * units**3 - 3 * units**2 + units)
    places = np.where(gaps[None, :] >= units[:, None], gaps[None, :] - units[:, None] + 1, 0.0).sum(axis=1)
    m = len(sections)
    pairs = m * length * (m * length - 1) - (units * (units - 1)).sum()
    return float(2 / length * (meeting + units**2 * places).sum() / pairs)
