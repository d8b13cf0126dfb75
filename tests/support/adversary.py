"""A worker who has done many assignments and tries to tell his controls from their form alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

Floats = np.ndarray[Any, np.dtype[np.float64]]
FOLDS = 10
_STEPS = 30


def form(task: dict[str, Any], size: int, tasks: int) -> dict[str, float]:
    """All that an answer says of a task without a word of it being read, and small first letters."""
    shown, length = task["displays"], len(task["text"])
    starts = np.array([one["start"] for one in shown])
    ends = np.array([one["end"] for one in shown])
    cards = [one["card"] for one in shown]
    gaps = np.diff(np.sort(starts)) if len(shown) > 1 else np.array([length])
    ordinals = [int(one["display"].split(".")[1]) for one in shown]
    return {
        "place among the tasks": task["task"] / tasks,
        "length of the text": length,
        "highlights": len(shown),
        "highlights a letter": len(shown) / length,
        "first highlight": starts.min() / length,
        "last highlight": ends.max() / length,
        "mean gap": float(gaps.mean()),
        "least gap": float(gaps.min()),
        "covered by highlights": float((ends - starts).sum()) / length,
        "nested highlights": float(any(ends[i] > starts[i + 1] for i in range(len(shown) - 1))),
        "ordinals in the order of the text": float(ordinals == sorted(ordinals)),
        "bytes of the answer": size,
        "entities more than once": len(shown) - len({card["key"] for card in cards}),
        "kinds of keys": len({card["key"].split(":")[0] for card in cards}),
        "cards without a description": _share(card["description"] is None for card in cards),
        "cards without an extract": _share(card["extract"] is None for card in cards),
        "cards without an image": _share(card["image"] is None for card in cards),
        "a highlight in small letters": float(any(one["mention"][:1].islower() for one in shown)),
    }


def _share(values: Any) -> float:
    found = list(values)
    return sum(found) / len(found)


def auc(scores: Floats, marked: Any, groups: Any) -> tuple[float, float]:
    """How often a marked one scores higher than another of its group: mean and standard error over groups."""
    found = []
    for group in np.unique(groups):
        inside = groups == group
        mine, those = scores[inside], marked[inside]
        p, q = those.sum(), (~those).sum()
        if p and q:
            found.append((rankdata(mine)[those].sum() - p * (p + 1) / 2) / (p * q))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(len(found)))


def guesses(features: Floats, marked: Any, texts: Sequence[str]) -> Floats:
    """What a logistic regression, learnt on other texts, says of each task; both kinds weigh the same."""
    scaled = (features - features.mean(0)) / (features.std(0) + 1e-9)
    design = np.column_stack([scaled, np.ones(len(scaled))])
    names, code = np.unique(np.asarray(texts), return_inverse=True)
    fold = (np.random.default_rng(1).permutation(len(names)) % FOLDS)[code]
    weights = np.where(marked, 0.5 / marked.mean(), 0.5 / (1 - marked.mean()))
    found = np.zeros(len(marked))
    for number in range(FOLDS):
        known = fold != number
        found[~known] = design[~known] @ _fitted(design[known], marked[known], weights[known])
    return found


def _fitted(design: Floats, marked: Any, weights: Floats) -> Floats:
    """Ridge logistic regression by Newton's steps."""
    ridge = np.eye(design.shape[1])
    ridge[-1, -1] = 1e-6
    beta: Floats = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        hessian = (design * (weights * p * (1 - p))[:, None]).T @ design + ridge
        beta = beta + np.linalg.solve(hessian, design.T @ (weights * (marked - p)) - ridge @ beta)
    return beta
