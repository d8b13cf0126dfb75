"""Types of entities (person, place, a class of Wikidata) that a table gives, and numbers parted by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes, Counts
from analysis.errors import ConfigError, InputError
from analysis.judgments_csv import entities
from analysis.measured import Measured
from analysis.metrics.registry import Metric
from analysis.reading import open_table
from analysis.study import Study

GROUPING: Final = "given_type"
UNKNOWN: Final = "not given"
COLUMNS: Final = ("key", "type")
# Parts that nobody reads, and that take long.
_MOST: Final = 200
_BETWEEN: Final = "|"

# Entity key -> its types.
Types = Mapping[str, tuple[str, ...]]


def read_types(source: str | Path | pd.DataFrame, language: str) -> Types:
    """The types of entities in a table with the columns `key` and `type`.

    An entity may have several: rows of their own, or `a|b` in one. A row without a type says nothing.

    Args:
        source: path or frame.
        language: of bare titles.

    Raises:
        InputError: it is no such table; bad keys are all listed.
    """
    reading = open_table(source, COLUMNS, (), about="types")
    types = reading.frame["type"].str.strip()
    said = reading.frame["key"].where(types != "", "NIL")
    _, keys = entities(reading, said, "key", language)
    reading.refuse(said.str.strip() == "", "no entity", "key", "a Wikidata id, a title, an address or NIL")
    reading.finish()
    found: dict[str, dict[str, None]] = {}
    for key, cell in zip(keys[types != ""], types[types != ""], strict=True):
        if isinstance(key, str):
            names = (name.strip() for name in cell.split(_BETWEEN))
            found.setdefault(key, {}).update({name: None for name in names if name})
    if not found:
        raise InputError("no types", where=str(source) if isinstance(source, str | Path) else "types")
    return {key: tuple(names) for key, names in found.items()}


def types_of(study: Study) -> Types:
    """The types that were given.

    Raises:
        ConfigError: none were.
    """
    if study.types is None:
        raise ConfigError(
            "no types were given",
            where="--by",
            got=GROUPING,
            remedy="Name a table with the columns key and type: --types FILE (in Python: load(..., types=)).",
        )
    return study.types


@dataclass(frozen=True)
class TypedGroups:
    """The parts of counts whose entity has each type; one that has two is in both.

    Attributes:
        names: the types, ascending, then what has none.
        of: the entity of each row of counts.
        member: (entities x names) whether it has the type.
    """

    names: tuple[str, ...]
    of: Callable[[Counts], Codes]
    member: Bools

    def parts(self, counts: Counts) -> dict[str, Counts]:
        """The counts of each type that has any."""
        has = self.member[self.of(counts)]
        return {
            name: counts.select(np.flatnonzero(has[:, place]))
            for place, name in enumerate(self.names)
            if has[:, place].any()
        }


def typed_groups(measured: Measured, metric: Metric) -> TypedGroups:
    """The groups by given types, for counts of a metric: of what an annotation or item links to.

    Raises:
        ConfigError: none were given, or so many that parts say nothing.
    """
    types = types_of(measured.study)
    made = len(measured.annotations)
    keys = np.append(
        measured.annotations["key"].to_numpy(dtype=object), measured.items["key"].to_numpy(dtype=object)
    )
    code, seen = pd.factorize(keys)
    given = [types.get(str(key), ()) for key in seen]
    names = tuple(sorted({name for each in given for name in each}))
    if len(names) > _MOST:
        raise ConfigError(
            "too many types to part by",
            where="--types",
            got=f"{len(names):,} of the study's entities",
            expected=f"{_MOST} at most",
            remedy="Give broader ones.",
        )
    place = {name: number for number, name in enumerate(names)}
    # The last entity is none: what links to nothing.
    member = np.zeros((len(seen) + 1, len(names) + 1), dtype=bool)
    for entity, each in enumerate(given):
        member[entity, [place[name] for name in each]] = True
    member[:, -1] = ~member.any(axis=1)
    return TypedGroups((*names, UNKNOWN), _entity_of(metric, code[:made], code[made:]), member)


def _entity_of(metric: Metric, of_annotation: Codes, of_item: Codes) -> Callable[[Counts], Codes]:
    """The entity of each row of counts. What is no link is a unit of its own, after all items."""
    if metric.family == "rates":
        return lambda counts: of_annotation[counts.unit]
    both = np.append(of_item, of_annotation)
    return lambda counts: both[counts.unit]
