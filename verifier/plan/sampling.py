"""Draws the part of a study that is judged: which units, and with what weight each stands for the others."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final, Generic, TypeVar

from verifier.config import SampleSection
from verifier.plan import chance
from verifier.plan.choice import shares

U = TypeVar("U", bound=Hashable)

# In an audit every segment keeps this part of the probability that a simple sample would give it.
FLOOR: Final = 0.25
# What `plan --audit` judges where study.yaml has no sample.
AUDIT_SHARE: Final = 0.3


@dataclass(frozen=True)
class Unit(Generic[U]):
    """What is drawn or not.

    Attributes:
        name: which it is; its chance follows from it.
        stratum: which stratum it is in.
        size: how much there is to judge; 0: nothing, so that drawing it costs nothing.
    """

    name: U
    stratum: str = ""
    size: float = 1.0


@dataclass(frozen=True)
class Sampling:
    """How a study is sampled; recorded at its first plan, and kept by what is added later.

    Attributes:
        unit, method, strata: as in study.yaml.
        share: of the units with something to judge.
        n: as configured, in place of a share; the share is what it came to.
        audit: whether segments on which sources disagree are likelier.
    """

    unit: str
    method: str
    share: float
    n: int | None = None
    strata: tuple[str, ...] = ()
    audit: bool = False

    @classmethod
    def of(cls, sample: SampleSection | None, units: int, *, audit: bool) -> Sampling | None:
        """What study.yaml asks for; None where all is judged.

        Args:
            sample: the section.
            units: how many there are with something to judge.
            audit: whether `--audit` was given.
        """
        if sample is None:
            return cls("segment", "size", AUDIT_SHARE, audit=True) if audit else None
        share = sample.share if sample.n is None else min(sample.n / max(units, 1), 1.0)
        method = "size" if audit else sample.method
        strata = () if audit else sample.strata
        return cls(sample.unit, method, float(share or 0), sample.n, strata, audit)

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Sampling:
        """As recorded."""
        return cls(**{**values, "strata": tuple(values["strata"])})

    @property
    def recorded(self) -> dict[str, Any]:
        """For the record."""
        return {**asdict(self), "strata": list(self.strata)}


def draw(units: Sequence[Unit[U]], sampling: Sampling, seed: int) -> dict[U, float]:
    """Each unit's weight: one over its probability to be drawn, 0 if it was not.

    Exactly so many are drawn as the share comes to, rounded half up and at least one of each stratum:
    `simple`, all alike; `stratified`, of each stratum its part by largest remainder; `size`, systematically
    along a random order with probabilities in proportion to sizes, never over 1. Units of size 0 are drawn by
    themselves, at the same share, so that they neither cost nor change anything.

    Args:
        units: to draw from.
        sampling: how.
        seed: the study's; what is drawn follows from it and the units' names.

    References:
        Madow (1949), doi 10.1214/aoms/1177729988: systematic sampling with unequal probabilities.
    """
    full = [unit for unit in units if unit.size > 0]
    weights: dict[U, float] = {}
    if sampling.method == "size":
        weights |= _by_size(full, sampling.share, seed)
    else:
        weights |= _by_strata(full, sampling.share, seed)
    return weights | _by_strata([unit for unit in units if unit.size <= 0], sampling.share, seed)


def points(items: Mapping[Hashable, frozenset[int]], ran: frozenset[int], truth: frozenset[int]) -> int:
    """How much there is to find out in a segment: what sources disagree about, and where truth is suspect.

    An item that not every source gives is one point; one more if the ground truth has it and no model does,
    or if two models have it and the ground truth does not.

    Args:
        items: item -> the sources that give it.
        ran: sources that ran there.
        truth: those of them that are ground truth.
    """
    found = 0
    for sources in items.values():
        if sources == ran:
            continue
        models = sources - truth
        suspect = (not models) if sources & truth else bool(truth) and len(models) > 1
        found += 1 + suspect
    return found


def audit_sizes(found: Mapping[U, int]) -> dict[U, float]:
    """Sizes by which an audit draws: a floor for every unit, the rest in proportion to its points."""
    mean = sum(found.values()) / max(len(found), 1)
    if not mean:
        return dict.fromkeys(found, 1.0)
    return {name: FLOOR + (1 - FLOOR) * number / mean for name, number in found.items()}


def _by_strata(units: Iterable[Unit[U]], share: float, seed: int) -> dict[U, float]:
    strata: dict[str, list[Unit[U]]] = defaultdict(list)
    for unit in units:
        strata[unit.stratum].append(unit)
    total = sum(map(len, strata.values()))
    counts = {name: len(strata[name]) for name in chance.shuffled(sorted(strata), seed, "sampled strata")}
    wanted = shares(counts, _rounded(share, total))
    weights: dict[U, float] = {}
    for name, members in strata.items():
        number = max(wanted[name], 1)
        order = sorted(members, key=lambda unit: chance.number(seed, "sample", *_named(unit.name)))
        weights |= {unit.name: len(members) / number for unit in order[:number]}
        weights |= {unit.name: 0.0 for unit in order[number:]}
    return weights


def _by_size(units: Sequence[Unit[U]], share: float, seed: int) -> dict[U, float]:
    order = sorted(units, key=lambda unit: chance.number(seed, "sample", *_named(unit.name)))
    if not order:
        return {}
    number = max(_rounded(share, len(order)), 1)
    chances = probabilities([unit.size for unit in order], number)
    # In fractions, so that who is certain is never passed over by a rounding.
    ends = list(accumulate(Fraction(p) for p in chances))
    start = Fraction(chance.number(seed, "sample", "start"), 2**63)
    weights = {unit.name: 0.0 for unit in order}
    for step in range(number):
        place = min(bisect_right(ends, start + step), len(order) - 1)
        weights[order[place].name] = 1 / chances[place]
    return weights


def probabilities(sizes: Sequence[float], number: int) -> list[float]:
    """Probabilities in proportion to sizes that add up to `number`, none over 1.

    Those that would exceed 1 are certain, and what is left is shared out anew among the others.
    """
    found = [0.0] * len(sizes)
    left, wanted = list(range(len(sizes))), float(min(number, len(sizes)))
    while left:
        total = sum(sizes[place] for place in left)
        certain = [place for place in left if sizes[place] * wanted >= total]
        if not certain or len(certain) == len(left):
            for place in left:
                found[place] = min(sizes[place] * wanted / total, 1.0)
            break
        for place in certain:
            found[place] = 1.0
        wanted -= len(certain)
        left = [place for place in left if not found[place]]
    return found


def _rounded(share: float, total: int) -> int:
    return min(int(share * total + 0.5), total)


def _named(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)
