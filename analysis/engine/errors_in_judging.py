"""Estimates for judges who err: Rogan and Gladen's correction, the expert audit, capture and recapture."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p, sqrt

from scipy import special

from analysis.engine.proportions import Limits


@dataclass(frozen=True)
class Share:
    """A share and the number of independent answers that it is worth."""

    value: float
    n: float

    @property
    def variance(self) -> float:
        """Binomial variance on n."""
        return self.value * (1 - self.value) / self.n


def rogan_gladen(p: float, se: float, sp: float) -> float:
    """The share that is right, of which p was verified (Rogan & Gladen, Am. J. Epidemiology 1978).

    Args:
        p: share verified.
        se: P(verify | right).
        sp: P(not verify | wrong).

    >>> [round(rogan_gladen(0.88, 0.95, sp), 4) for sp in (0.9, 0.8, 0.7, 0.5)]
    [0.9176, 0.9067, 0.8923, 0.8444]
    """
    return min(1.0, max(0.0, (p + sp - 1) / (se + sp - 1)))


def equal_specificity(p: float, se: float) -> float | None:
    """The Sp at which the corrected share equals the raw one; None where there is none in [0, 1].

    >>> round(equal_specificity(0.88, 0.95), 3)
    0.633
    """
    if p >= 1:
        return None
    sp = (1 - 2 * p + p * se) / (1 - p)
    return sp if 0 <= sp <= 1 else None


def lang_reiczigel(p: Share, se: Share, sp: Share, level: float = 0.95) -> Limits:
    """Limits of the corrected share (Lang & Reiczigel, Preventive Veterinary Medicine 2014).

    All three shares are estimated; each n is the number of independent answers.

    >>> [round(x, 3) for x in lang_reiczigel(Share(0.88, 1000), Share(0.95, 200), Share(0.8, 200))]
    [0.864, 0.958]
    """
    z = float(special.ndtri((1 + level) / 2))
    n, n_se, n_sp = p.n + z * z, se.n + 2, sp.n + 2
    share = (p.n * p.value + z * z / 2) / n
    se_, sp_ = (se.n * se.value + 1) / n_se, (sp.n * sp.value + 1) / n_sp
    below = se_ + sp_ - 1
    right = (share + sp_ - 1) / below
    se_v, sp_v = se_ * (1 - se_) / n_se, sp_ * (1 - sp_) / n_sp
    shift = 2 * z * z * (right * se_v - (1 - right) * sp_v)
    spread = sqrt(share * (1 - share) / n + right**2 * se_v + (1 - right) ** 2 * sp_v) / below
    middle = right + shift
    return max(0.0, middle - z * spread), min(1.0, middle + z * spread)


def audited_rate(p: Share, ppv: Share, npv: Share) -> tuple[float, float]:
    """The share that is right, and its standard error, when experts decided a random part of each outcome.

    Args:
        p: share that the crowd verified.
        ppv: of verified ones that experts saw, the share that they find right.
        npv: of the rest that experts saw, the share that they find wrong.

    >>> [round(x, 4) for x in audited_rate(Share(0.88, 1000), Share(0.95, 100), Share(0.5, 100))]
    [0.896, 0.0206]
    """
    rate = p.value * ppv.value + (1 - p.value) * (1 - npv.value)
    slope = ppv.value + npv.value - 1
    variance = slope**2 * p.variance + p.value**2 * ppv.variance + (1 - p.value) ** 2 * npv.variance
    return rate, sqrt(variance)


def chapman(first: float, second: float, both: float, level: float = 0.95) -> tuple[float, float, float]:
    """How many there are, of which two captures found so many (Chapman 1951), with normal limits.

    >>> [round(x, 1) for x in chapman(400, 350, 300)]
    [466.6, 456.7, 476.6]
    """
    estimate = (first + 1) * (second + 1) / (both + 1) - 1
    above = (first + 1) * (second + 1) * (first - both) * (second - both)
    half = float(special.ndtri((1 + level) / 2)) * sqrt(max(0.0, above) / ((both + 1) ** 2 * (both + 2)))
    return estimate, estimate - half, estimate + half


def chao2(
    seen: float, once: float, twice: float, captures: int, level: float = 0.95
) -> tuple[float, float, float]:
    """How many there are, of which some were found once and some twice (Chao, Biometrics 1987).

    >>> [round(x, 1) for x in chao2(180, 60, 60, 3)]
    [200.0, 190.0, 220.0]
    """
    share, ratio = (captures - 1) / captures, once / twice
    missing = share * once**2 / (2 * twice)
    if missing <= 0:
        return seen, seen, seen
    variance = twice * (share / 2 * ratio**2 + share**2 * ratio**3 + share**2 / 4 * ratio**4)
    factor = exp(float(special.ndtri((1 + level) / 2)) * sqrt(log1p(variance / missing**2)))
    return seen + missing, seen + missing / factor, seen + missing * factor


def worth(p: float, n: float, variance: float, member: float, icc: float) -> float:
    """The number of independent answers that n clustered ones are worth.

    Args:
        p: the share.
        n: number of answers.
        variance: of p, from the clusters; nan where not known.
        member: size of clusters as an answer sees it.
        icc: taken where p is 0 or 1 and the variance says nothing.
    """
    if 0 < p < 1 and variance > 0:
        return min(n, p * (1 - p) / variance)
    return n / (1 + max(0.0, member - 1) * icc)
