"""Every headline number by plain loops over rows, a second time: sets, dictionaries and fractions alone.

It shares no code with the toolkit. Values of annotations and the union come from `plain_posthoc`; all else is
here: precision, recall and F1 with their macro forms, scores before verification, coverage, i of n,
agreement, calibration.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import pandas as pd

from tests.support.plain_posthoc import Item, Plain

Number = float | Fraction | None
Link = tuple[int, int, str]


def over(above: Any, below: Any) -> Number:
    """A quotient; None where there is nothing to divide by."""
    return above / below if below else None


def f1(p: Number, r: Number) -> Number:
    """The harmonic mean."""
    if p is None or r is None:
        return None
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def mean(values: Iterable[Number]) -> Number:
    """Of those that are defined."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


class Naive:
    """The numbers of some documents.

    Args:
        rows: of a judgments CSV.
        imported: all annotations, shown or not, with their confidences.
        choices: of Plain.
        ran: source -> datasets on which it ran.
    """

    def __init__(
        self,
        rows: pd.DataFrame,
        imported: pd.DataFrame,
        choices: dict[str, str],
        ran: dict[str, set[str]],
    ) -> None:
        self.rows, self.imported, self.choices, self.ran = rows, imported, choices, ran
        self.plain = Plain(rows, **choices)
        self.made = list(imported.itertuples(index=False))

    @cached_property
    def documents(self) -> list[Naive]:
        """One by one."""
        judged = dict(list(self.rows.groupby(["dataset", "document"])))
        out = []
        for name, imported in self.imported.groupby(["dataset", "document"]):
            rows = judged.get(name, self.rows[:0])
            out.append(Naive(rows, imported, self.choices, self.ran))
        return out

    def of_source(self, source: str) -> dict[str, Number]:
        """What is said of one source."""
        own = self._posthoc(source)
        every = [one._posthoc(source) for one in self.documents]
        macro = {f"{name}_macro": mean(one[name] for one in every) for name in own if name != "leave"}
        rates = dict(
            zip(
                ("verification_rate", "edit_rate", "removal_rate"),
                (self.plain.rate(source, i) for i in range(3)),
                strict=True,
            )
        )
        return rates | own | macro | self._shown(source) | self._before(source) | self._calibrated(source)

    def _posthoc(self, source: str) -> dict[str, Number]:
        p, r = self.plain.rate(source), self.plain.recall(source)
        return {"posthoc_precision": p, "posthoc_recall": r, "posthoc_f1": f1(p, r)}

    def _shown(self, source: str) -> dict[str, Number]:
        items = self.plain.shown[source]
        values = [self.plain.value(source, item) for item in items]
        y = sum((value[0] for value in values if value is not None), Fraction(0))
        silent = sum(value is None for value in values)
        return {
            "unjudged_rate": over(Fraction(silent), len(items)),
            "verification_rate_if_wrong": over(y, len(items)),
            "verification_rate_if_right": over(y + silent, len(items)),
            "leave_own_out_recall": self.plain.recall(source, others=True),
            "unique_verified": self.plain.unique(source) if silent < len(values) else None,
        }

    # Scores before anyone judged.

    def _links(self, source: str) -> set[Link]:
        return {
            (row.start, row.end, row.entity)
            for row in self.made
            if row.source == source and row.entity != "NIL"
        }

    def _before(self, source: str) -> dict[str, Number]:
        out: dict[str, Number] = {}
        for spans in ("exact", "overlap"):
            for end in ("", "_judged"):
                counts = [one._matched(source, spans, judged=bool(end)) for one in self._with_both(source)]
                hits, _, predicted, gold = _summed(counts)
                parts = [
                    (over(Fraction(h), p), over(Fraction(h), g), over(Fraction(2 * h), p + g))
                    for h, _, p, g in counts
                ]
                whole = over(hits, predicted), over(hits, gold), over(2 * hits, predicted + gold)
                for i, kind in enumerate(("precision", "recall", "f1")):
                    out[f"pre_{kind}_{spans}{end}"] = whole[i]
                    out[f"pre_{kind}_{spans}_macro{end}"] = mean(part[i] for part in parts)
        counts = [one._matched(source, "exact", judged=False) for one in self._with_both(source)]
        hits, paired, predicted, gold = _summed(counts)
        out["mention_precision"], out["mention_recall"] = over(paired, predicted), over(paired, gold)
        out["mention_precision_macro"] = mean(over(Fraction(m), p) for _, m, p, _ in counts)
        out["mention_recall_macro"] = mean(over(Fraction(m), g) for _, m, _, g in counts)
        out["linking_accuracy"] = over(hits, paired)
        return out

    def _with_both(self, source: str) -> list[Naive]:
        """Documents where the source and the ground truth ran; none for the ground truth itself."""
        both = self.ran[source] & self.ran.get("GT", set()) if source != "GT" else set()
        return [one for one in self.documents if one.made[0].dataset in both]

    def _matched(self, source: str, spans: str, *, judged: bool) -> tuple[int, int, int, int]:
        """Hits, pairs of spans, predicted and gold of one document."""
        if judged and not self._judged_for(source):
            return 0, 0, 0, 0
        gold, predicted = self._links("GT"), self._links(source)
        right = {p: [g for g in gold if g[2] == p[2] and _touch(g, p, spans)] for p in predicted}
        either = {p: [g for g in gold if _touch(g, p, spans)] for p in predicted}
        return _most_pairs(right), _most_pairs(either), len(predicted), len(gold)

    def _judged_for(self, source: str) -> bool:
        """Of a document, which is one segment: judged for the source, or it shows nothing and others are."""
        own = self.plain.shown[source]
        if own:
            return any(self.plain.value(source, item) is not None for item in own)
        return any(self.rows["decision"] != "")

    # What the union is to the ground truth.

    def of_all(self) -> dict[str, Number]:
        """What is said of a dataset."""
        union = self._union()
        out = self._coverage(union) | self._agreement() | self._i_of_n()
        judged = (self.rows["decision"] != "").any()
        # A judgments CSV does not say who was asked for mentions that nothing highlights.
        searched = {"missed_mentions": None, "found_share": None}
        return out | searched | {"union_size": sum(union.values(), Fraction(0)) if judged else None}

    def _union(self) -> dict[Item, Fraction]:
        return self.plain.union(list(self.plain.shown))

    def _coverage(self, union: dict[Item, Fraction]) -> dict[str, Number]:
        gold = [row for row in self.made if row.source == "GT"]
        ran = self.ran.get("GT", set())
        sums: dict[str, Fraction] = defaultdict(Fraction)
        for item, y in union.items():
            if item[0] in ran:
                sums["all"] += y
                for letter in self._letters(item, gold):
                    sums[letter] += y
        return {f"coverage_{name}": over(sums[name], sums["all"]) for name in (*"ABCDE", "E0", "E1")}

    @staticmethod
    def _letters(item: Item, gold: list[Any]) -> list[str]:
        found, nil = set(), False
        for row in gold:
            if (row.dataset, row.document) != item[:2] or not (row.start < item[3] and item[2] < row.end):
                continue
            if row.entity == "NIL":
                nil = True
                continue
            same_span, same_entity = (row.start, row.end) == item[2:4], row.entity == item[4]
            found.add("ABCD"[2 * (not same_span) + (not same_entity)])
        if found:
            return [min(found)]
        return ["E", "E0" if nil else "E1"]

    # Between workers.

    def _decisions(self) -> dict[Item, dict[str, str]]:
        """Each worker's last word on each link."""
        out: dict[Item, dict[str, str]] = defaultdict(dict)
        for row in self.rows.itertuples(index=False):
            if row.decision and row.entity != "NIL":
                item = (row.dataset, row.document, int(row.start), int(row.end), row.entity)
                same = row.decision == "edit" and row.new_entity == row.entity
                out[item][row.worker] = "verify" if same else row.decision
        return out

    def _agreement(self) -> dict[str, Number]:
        out: dict[str, Number] = {}
        for end, merge in (("", False), ("_verified", True)):
            units = []
            for said in self._decisions().values():
                labels = ["not" if merge and decision != "verify" else decision for decision in said.values()]
                if len(labels) > 1:
                    units.append(labels)
            out[f"observed_agreement{end}"] = mean(_agreeing(labels) for labels in units)
            out[f"alpha_nominal{end}"] = _alpha(units)
        return out

    def _i_of_n(self) -> dict[str, Number]:
        n = len(self.ran)
        if n < 2:
            return {}
        sums, items = [Fraction(0)] * (n + 1), 0
        for item, said in self._decisions().items():
            m, v = len(said), sum(decision == "verify" for decision in said.values())
            if m < n or not all(item in self.plain.shown[name] for name in self.ran):
                continue
            items += 1
            for i in range(n + 1):
                sums[i] += Fraction(comb(v, i) * comb(m - v, n - i), comb(m, n))
        return {f"verified_{i}_of_{n}": over(sums[i], items) for i in range(n + 1)}

    # Confidence.

    def _calibrated(self, source: str) -> dict[str, Number]:
        mine = [row for row in self.made if row.source == source and row.confidence == row.confidence]
        square, count, told = Fraction(0), 0, Fraction(0)
        off: Counter[int] = Counter()
        for row in mine:
            value = self.plain.value(source, (row.dataset, row.document, row.start, row.end, row.entity))
            if value is None:
                continue
            c, y = Fraction(round(row.confidence * 10_000), 10_000), value[0]
            count, told = count + 1, told + c
            # A share y of the judgments is 1, the rest 0.
            square += y * (1 - c) ** 2 + (1 - y) * c**2
            off[min(int(c * 10), 9)] += c - y  # type: ignore[assignment]  # a counter of fractions
        error = sum((abs(value) for value in off.values()), Fraction(0))
        return {
            "brier": over(square, count),
            "calibration_error": over(error, count),
            "mean_confidence": over(told, count),
        }


def _summed(counts: list[tuple[int, int, int, int]]) -> list[Fraction]:
    return [Fraction(sum(count[i] for count in counts)) for i in range(4)]


def _touch(one: Link, other: Link, spans: str) -> bool:
    return one[:2] == other[:2] if spans == "exact" else one[0] < other[1] and other[0] < one[1]


def _most_pairs(partners: dict[Link, list[Link]]) -> int:
    """The largest number of pairs in which nobody stands twice, by augmenting paths."""
    taken: dict[Link, Link] = {}

    def place(one: Link, tried: set[Link]) -> bool:
        for partner in partners[one]:
            if partner not in tried:
                tried.add(partner)
                if partner not in taken or place(taken[partner], tried):
                    taken[partner] = one
                    return True
        return False

    return sum(place(one, set()) for one in partners)


def _agreeing(labels: list[str]) -> Fraction:
    pairs = [(a, b) for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j]
    return Fraction(sum(a == b for a, b in pairs), len(pairs))


def _alpha(units: list[list[str]]) -> Number:
    """1 - observed over expected disagreement, pair by pair."""
    totals = Counter(label for labels in units for label in labels)
    n = sum(totals.values())
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    if not expected:
        return None
    observed = Fraction(0)
    for labels in units:
        apart = sum(a != b for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j)
        observed += Fraction(apart, len(labels) - 1)
    return 1 - observed * (n - 1) / expected
