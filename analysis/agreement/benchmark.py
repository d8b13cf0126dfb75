"""How sure a band of agreement is, and whether agreement is more than chance: from an estimate's error."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Final

import numpy as np
from scipy import special

from analysis.engine.counts import Codes
from analysis.errors import InputError

LANDIS_KOCH: Final = {"almost perfect": 0.8, "substantial": 0.6, "moderate": 0.4, "fair": 0.2, "slight": 0.0}
FLEISS: Final = {"excellent": 0.75, "intermediate to good": 0.4}


def band_probabilities(
    estimate: float, se: float, bands: Mapping[str, float] = LANDIS_KOCH
) -> dict[str, float]:
    """How probable it is that a coefficient lies in each band or a better one.

    P(k > a) with k normal about the estimate and cut to [-1, 1] (Gwet 2014, Handbook of Inter-Rater
    Reliability, chapter 6). The first band that exceeds .95 is the one to report, which an estimate alone
    often overstates: .77544 with an error of .14295 looks substantial and is surely no more than moderate.

    Args:
        estimate: of the coefficient.
        se: its standard error.
        bands: least value of each band, best first.

    Raises:
        InputError: the error is not above 0.
    """
    if not se > 0:
        raise InputError("no such standard error", where="se", got=str(se), expected="above 0")
    ends = [float(special.ndtr((estimate - end) / se)) for end in (-1.0, 1.0)]
    below = {name: float(special.ndtr((estimate - least) / se)) for name, least in bands.items()}
    return {name: (found - ends[1]) / (ends[0] - ends[1]) for name, found in below.items()}


def error_by_chance(counts: Codes) -> float:
    """The standard error that multi-pi (Fleiss' kappa) has where all agreement is chance.

    sqrt(2 / (N m (m - 1))) sqrt((sum pq)^2 - sum pq (q - p)) / sum pq (Fleiss, Nee & Landis 1979,
    doi:10.1037/0033-2909.86.5.974). For the test that agreement is more than chance, never for an interval.

    Args:
        counts: units x categories, every unit with as many labels.

    Raises:
        InputError: units have different numbers of labels, or only one category was used.
    """
    m = counts.sum(axis=1)
    if not len(m) or m.min() != m.max() or m[0] < 2:  # noqa: PLR2004 - two make a pair
        raise InputError("it needs as many labels of every unit, two or more", where="counts")
    p = counts.sum(axis=0) / counts.sum()
    both = p * (1 - p)
    if both.sum() <= 0:
        raise InputError("only one category was used", where="counts")
    inner = both.sum() ** 2 - (both * (1 - 2 * p)).sum()
    return sqrt(2 / (len(m) * m[0] * (m[0] - 1))) * sqrt(float(inner)) / float(np.sum(both))
