"""Whether sources name entities in one scheme: ids that cannot be equal make good models look bad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import pandas as pd

_SHARE: Final = 0.05
# A key is its scheme, as `scheme` has it, and this.
_REST: Final = r"(?s)^((?:w|dbp):[^:]*|[^:]*).*$"
_NAMES: Final[Mapping[str, str]] = {"wd": "Wikidata ids", "id": "other ids"}


def scheme(key: str) -> str:
    """The scheme of an entity key, with the language where it has one: `wd`, `w:en`, `dbp:de`, `id`."""
    kind, _, rest = key.partition(":")
    return f"{kind}:{rest.partition(':')[0]}" if kind in ("w", "dbp") else kind


def differences(keys: Mapping[str, Iterable[str]], ground_truth: str) -> list[str]:
    """Each source of which more than one link in twenty is in a scheme that the ground truth does not use.

    Args:
        keys: source -> the keys of its links.
        ground_truth: the source that the others are compared with.
    """
    return of_counts({source: counted(given) for source, given in keys.items()}, ground_truth)


def of_counts(found: Mapping[str, Mapping[str, int]], ground_truth: str) -> list[str]:
    """The same from how many links of each source are of each scheme."""
    counts = dict(sorted(found.items()))
    known = set(counts.get(ground_truth, ()))
    out = []
    for source, given in counts.items():
        total = sum(given.values())
        strange = {one: count for one, count in given.items() if one not in known}
        if not known or sum(strange.values()) <= _SHARE * total:
            continue
        amounts = ", ".join(f"{count} {_name(one)}" for one, count in sorted(strange.items()))
        theirs = ", ".join(_name(one) for one in sorted(known))
        out.append(
            f"Of the {total} links of {source} some are {amounts}, where {ground_truth} has {theirs}: "
            "an entity that is named in two ways counts as two. Bring them to one way: --redirects with "
            "titles and their Wikidata ids."
        )
    return out


def schemes(keys: pd.Series) -> pd.Series:
    """The scheme of each key."""
    return keys.str.replace(_REST, r"\1", regex=True)


def counted(keys: Iterable[str]) -> dict[str, int]:
    """How many keys are of each scheme."""
    if isinstance(keys, pd.Series):
        found = schemes(keys).value_counts()
        return {str(one): int(count) for one, count in found.items()}
    return Counter(map(scheme, keys))


def _name(one: str) -> str:
    kind, _, language = one.partition(":")
    if kind in ("w", "dbp"):
        return f"{'Wikipedia' if kind == 'w' else 'DBpedia'} titles ({language})"
    return _NAMES.get(one, one)
