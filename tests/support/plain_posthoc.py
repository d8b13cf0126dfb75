"""The posthoc scores by plain loops over judgments, as docs/definitions.md words them."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import pandas as pd

Item = tuple[str, str, int, int, str]  # dataset, document, start, end, entity


class Plain:
    """One judgments frame under pooling, resolution, edits and union; every worker has a name."""

    def __init__(self, rows: pd.DataFrame, *, pooling: str, resolution: str, edits: str, union: str) -> None:
        self.union_rule = union
        self.shown: dict[str, set[Item]] = defaultdict(set)
        said: dict[tuple[str, Item], dict[str, tuple[int, str, str]]] = defaultdict(dict)
        for order, row in enumerate(rows.itertuples(index=False)):
            item = (row.dataset, row.document, int(row.start), int(row.end), row.entity)
            self.shown[row.source].add(item)
            if not row.decision:
                continue
            decision = "verify" if row.decision == "edit" and row.new_entity == row.entity else row.decision
            speaker = ("" if pooling == "item" else row.source, item)
            said[speaker][row.worker] = (order, decision, row.new_entity)
        self.y: dict[tuple[str, Item], tuple[Fraction, Fraction, Fraction]] = {}
        self.targets: dict[Item, Fraction] = {}
        for speaker, voices in said.items():
            made = [(decision, target) for _, decision, target in sorted(voices.values())]
            self.y[speaker] = self._resolved(made, speaker[1], resolution, add=edits == "yes")
        self.pooling = pooling

    def _resolved(
        self, made: list[tuple[str, str]], item: Item, resolution: str, *, add: bool
    ) -> tuple[Fraction, Fraction, Fraction]:
        made = made[:1] if resolution == "first" else made
        answers = [(d, t if d == "edit" else "") for d, t in made]
        share = {a: Fraction(answers.count(a), len(answers)) for a in answers}
        if resolution == "majority":
            share = {a: Fraction(1) for a, s in share.items() if s > Fraction(1, 2)}
        if resolution == "unanimous":
            share = {a: Fraction(1) for a, s in share.items() if s == 1}
        for (decision, target), value in share.items():
            if decision == "edit" and target not in ("", "NIL") and add:
                new = (*item[:4], target)
                self.targets[new] = max(value, self.targets.get(new, Fraction(0)))
        sums = [
            sum((v for (d, _), v in share.items() if d == name), Fraction(0))
            for name in ("verify", "edit", "remove")
        ]
        return sums[0], sums[1], sums[2]

    def value(self, source: str, item: Item) -> tuple[Fraction, Fraction, Fraction] | None:
        """Values of an annotation of a source; None if not judged or not there."""
        if item not in self.shown[source]:
            return None
        return self.y.get(("" if self.pooling == "item" else source, item))

    def rate(self, source: str, which: int = 0) -> float | None:
        """Verification (0), edit (1) or removal (2) rate."""
        values = [v[which] for item in self.shown[source] if (v := self.value(source, item)) is not None]
        return float(sum(values) / len(values)) if values else None

    def union(self, sources: list[str], *, edits: bool = True) -> dict[Item, Fraction]:
        """Items of the union of some sources with their y > 0; NIL is no item."""
        out: dict[Item, Fraction] = dict(self.targets) if edits else {}
        for source in sources:
            for item in self.shown[source]:
                if item[4] != "NIL" and (value := self.value(source, item)) is not None and value[0] > 0:
                    out[item] = max(out.get(item, Fraction(0)), value[0])
        return out

    def recall(self, source: str, *, others: bool = False) -> float | None:
        """Posthoc recall, or against the union of the other sources."""
        names = [name for name in self.shown if not others or name != source]
        whole = self.union(names, edits=not others)
        mine = {
            item: min(y, whole[item]) if others else y
            for item, y in self.union([source], edits=False).items()
            if item in whole
        }
        if self.union_rule == "groups":
            groups = self._groups(set(whole))
            below = sum(max(whole[i] for i in g) for g in groups)
            above = sum(max((mine.get(i, Fraction(0)) for i in g), default=Fraction(0)) for g in groups)
            if others:
                above = sum(self._capped(g, whole, source) for g in groups)
        elif self.union_rule == "distinct":
            below, above = sum(whole.values()), sum(mine.values())
        else:
            kept = self._thinned(set(whole))
            below = sum(whole[i] for i in kept)
            above = sum(
                y for i, y in mine.items() if i in kept or (self.union_rule == "greedy" and not others)
            )
        return float(above / below) if below else None

    def _capped(self, group: set[Item], whole: dict[Item, Fraction], source: str) -> Fraction:
        own = [y for i, y in self.union([source], edits=False).items() if i in group]
        return min(max(own, default=Fraction(0)), max(whole[i] for i in group))

    def unique(self, source: str) -> float:
        """Sum of y over items that no other source has verified."""
        others = self.union([name for name in self.shown if name != source], edits=False)
        return float(sum(y for i, y in self.union([source], edits=False).items() if i not in others))

    @staticmethod
    def _thinned(items: set[Item]) -> set[Item]:
        kept: set[Item] = set()
        reach: dict[tuple[str, str], int] = {}
        for item in sorted(items, key=lambda i: (i[0], i[1], i[2], -i[3], i[4])):
            if item[2] >= reach.get(item[:2], 0):
                kept.add(item)
                reach[item[:2]] = item[3]
        return kept

    @staticmethod
    def _groups(items: set[Item]) -> list[set[Item]]:
        groups: list[set[Item]] = []
        for item in items:
            touching = [
                g for g in groups if any(i[:2] == item[:2] and i[2] < item[3] and item[2] < i[3] for i in g)
            ]
            groups = [g for g in groups if g not in touching] + [{item}.union(*touching)]
        return groups


def delete_one_variance(frame: pd.DataFrame, by: list[str], center: float) -> float:
    """(G - 1) / G sum (p(-g) - p)^2 on the logit scale, of sum(a / n) / sum(1 / n) with the columns a, n."""
    values = []
    for _, rows in frame.groupby(by):
        rest = frame.drop(rows.index)
        p = (rest["a"] / rest["n"]).sum() / (1 / rest["n"]).sum()
        values.append(math.log(p / (1 - p)))
    middle = math.log(center / (1 - center))
    return (len(values) - 1) / len(values) * sum((v - middle) ** 2 for v in values)
