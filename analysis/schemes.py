"""Whether sources name entities in one scheme: ids that cannot be equal make good models look bad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

_SHARE: Final = 0.05
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
    known = {scheme(key) for key in keys.get(ground_truth, ())}
    out = []
    for source, given in sorted(keys.items()):
        strange: dict[str, int] = {}
        total = 0
        for key in given:
            total += 1
            if (one := scheme(key)) not in known:
                strange[one] = strange.get(one, 0) + 1
        if not known or sum(strange.values()) <= _SHARE * total:
            continue
        amounts = ", ".join(f"{count} {_name(one)}" for one, count in sorted(strange.items()))
        theirs = ", ".join(_name(one) for one in sorted(known))
        out.append(
            f"Of the {total} links of {source} some are {amounts}, where {ground_truth} has {theirs}: "
            "an entity that is named in two ways counts as two. Bring them to one way, as with a file of "
            "redirects."
        )
    return out


def _name(one: str) -> str:
    kind, _, language = one.partition(":")
    if kind in ("w", "dbp"):
        return f"{'Wikipedia' if kind == 'w' else 'DBpedia'} titles ({language})"
    return _NAMES.get(one, one)
