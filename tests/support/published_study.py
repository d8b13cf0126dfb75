"""Studies, annotation by annotation, whose counts are the published cells (tests/reference/published)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pandas as pd

CELLS = Path(__file__).parents[1] / "reference" / "published"
MODELS = ("E2E", "REL")
SOURCES = ("GT", *MODELS)
_STEP = 20  # characters from one place to the next
_LONG = 7
_DOCUMENTS = 4
_TASK = 20  # annotations a worker judges

Item = tuple[int, int, int, str]  # document, start, end, entity


def cells(name: str) -> pd.DataFrame:
    """One of the published tables."""
    return pd.read_csv(CELLS / f"{name}.csv")


@dataclass
class _Rows:
    """Rows of a judgments CSV of one dataset."""

    dataset: str
    rows: list[tuple[object, ...]] = field(default_factory=list)
    places: int = 0

    def place(self) -> tuple[int, int, int]:
        """A new place for a mention: document, start, end; far from every other."""
        self.places += 1
        start = self.places * _STEP
        return self.places % _DOCUMENTS, start, start + _LONG

    def add(self, source: str, item: Item, decision: str, target: str = "", *, shared: bool = True) -> None:
        document, start, end, entity = item
        worker = f"{source}-{len(self.rows) // _TASK}" if decision else ""
        segment = f"shared {document}" if shared else f"of {source} alone"
        self.rows.append(
            (self.dataset, f"d{document}", source, start, end, entity, worker, decision, target, segment)
        )

    def frame(self) -> pd.DataFrame:
        names = "dataset document source start end entity worker decision new_entity segment"
        return pd.DataFrame(self.rows, columns=names.split())


@cache
def judged(dataset: str) -> pd.DataFrame:
    """Outcomes and coverage of a dataset: every annotation shown, its judgment, its segment."""
    outcomes = cells("outcomes").query("dataset == @dataset").set_index("source")
    left = cells("shared").query("dataset == @dataset").set_index("source")["left"]
    letters = cells("coverage").query("dataset == @dataset").set_index("direction")
    rows = _Rows(dataset)
    items = _shared_ground_truth(rows, outcomes.loc["GT"], int(left["GT"]), letters)
    used = {"GT": (items.verified, items.edited, items.removed)}
    first = items.wanted + items.free
    # What one model has not room for, the other has first.
    cut = int(left["REL"])
    used["REL"] = (*_shared_model(rows, "REL", first[:cut], outcomes.loc["REL"]), 0)
    turned = (first[cut:] + first[:cut])[: int(left["E2E"])]
    used["E2E"] = (*_shared_model(rows, "E2E", turned, outcomes.loc["E2E"]), 0)
    for source in SOURCES:
        _rest(rows, source, outcomes.loc[source], used[source])
    return rows.frame()


@dataclass
class _Shared:
    """What the union must hold beside the ground truth's own, and what may be found twice."""

    wanted: list[Item]
    free: list[Item]
    verified: int
    edited: int
    removed: int


def _shared_ground_truth(rows: _Rows, outcome: pd.Series, left: int, letters: pd.DataFrame) -> _Shared:
    """The ground truth in shared segments, and the union's items letter by letter."""
    union, back = letters.loc["union_vs_gt"], letters.loc["gt_vs_union"]
    spans = [rows.place() for _ in range(int(back["total"]))]
    own: list[Item] = [(*span, f"G{number}") for number, span in enumerate(spans)]
    verified = min(int(outcome["verify"]), int(back["A"]), left)
    edited = left - verified
    in_a, in_b = int(back["A"]), int(back["A"] + back["B"])
    # Edits go where another entity is accepted, first where the ground truth's own is not.
    places = [*range(in_a, in_b), *range(verified, in_a)]
    edits = dict.fromkeys(places[:edited])
    free: list[Item] = own[:verified]
    for number, item in enumerate(own):
        if number < verified:
            rows.add("GT", item, "verify")
        elif number in edits:
            rows.add("GT", item, "edit", f"Edit of {item[3]}")
            free.append((*item[:3], f"Edit of {item[3]}"))
        else:
            rows.add("GT", item, "remove")
    wanted = own[verified:in_a]
    unedited = [number for number in range(in_a, in_b) if number not in edits]
    for number in range(int(union["B"]) - edited):
        at = unedited[number] if number < len(unedited) else number % in_a
        wanted.append((*spans[at], f"B{number}"))
    wanted += _touching(own, in_b, in_a, union, back)
    wanted += [(*rows.place(), f"E{number}") for number in range(int(union["E"]))]
    return _Shared(wanted, free, verified, edited, int(back["total"]) - left)


def _touching(own: list[Item], in_b: int, in_a: int, union: pd.Series, back: pd.Series) -> list[Item]:
    """Items that overlap a ground-truth link without having its span: C the same entity, D another."""
    out: list[Item] = []
    first_d = in_b + int(back["C"])
    for letter, start, longer in (("C", in_b, 3), ("D", first_d, 5)):
        alone = range(start, start + int(back[letter]))
        more = int(union[letter]) - len(alone)
        for number in [*alone, *range(more)]:
            document, begin, end, entity = own[number % (in_a if number < in_b else len(own))]
            key = entity if letter == "C" else f"D{len(out)}"
            out.append((document, begin, end + longer, key))
    return out


def _shared_model(rows: _Rows, source: str, items: list[Item], outcome: pd.Series) -> tuple[int, int]:
    """A model's verified and edited annotations in shared segments; its edits are as frequent as overall."""
    verify, edit = int(outcome["verify"]), int(outcome["edit"])
    edited = max(len(items) - verify, len(items) * edit // (verify + edit))
    for number, item in enumerate(items):
        if number < len(items) - edited:
            rows.add(source, item, "verify")
        else:
            rows.add(source, (*item[:3], f"Wrong {source} {number}"), "edit", item[3])
    return len(items) - edited, edited


def _rest(rows: _Rows, source: str, outcome: pd.Series, used: tuple[int, int, int]) -> None:
    """What the source has beside: in segments where the others have nothing."""
    unjudged = int(outcome["shown"] - outcome["verify"] - outcome["edit"] - outcome["remove"])
    amounts = {
        "verify": int(outcome["verify"]) - used[0],
        "edit": int(outcome["edit"]) - used[1],
        "remove": int(outcome["remove"]) - used[2],
        "": unjudged,
    }
    for decision, amount in amounts.items():
        if amount < 0:
            raise ValueError(f"{rows.dataset} {source}: {-amount} {decision} too many")
        for number in range(amount):
            item = (*rows.place(), f"Alone {source} {decision} {number}")
            target = f"Right {source} {number}" if decision == "edit" else ""
            rows.add(source, item, decision, target, shared=False)


@cache
def scored(dataset: str) -> pd.DataFrame:
    """Posthoc scores of a dataset: a union of disjoint places, of which each source has its true positives.

    What is left after verification and is no true positive was edited to the union's entity; the rest was
    removed, at places of its own.
    """
    table = cells("posthoc").query("dataset == @dataset").set_index("source")
    rows = _Rows(dataset)
    union: list[Item] = [(*rows.place(), f"U{number}") for number in range(int(table["union"].iloc[0]))]
    at = 0
    for source in ("REL", "E2E", "GT"):
        cell = table.loc[source]
        for number in range(int(cell["shown"])):
            item = union[at % len(union)]
            if number < cell["tp"]:
                rows.add(source, item, "verify")
            elif number < cell["left"]:
                rows.add(source, (*item[:3], f"Wrong {source} {number}"), "edit", item[3])
            else:
                rows.add(source, (*rows.place(), f"Removed {source} {number}"), "remove")
                continue
            at += 1
    return rows.frame()


@cache
def matched(dataset: str) -> pd.DataFrame:
    """Scores before anyone judged: true positives overlap a link of the ground truth, the rest nothing."""
    table = cells("before").query("dataset == @dataset").set_index("source")
    rows = _Rows(dataset)
    gold: list[Item] = [(*rows.place(), f"G{number}") for number in range(int(table["gold"].iloc[0]))]
    for item in gold:
        rows.add("GT", item, "verify")
    for source in MODELS:
        for number in range(int(table.loc[source, "shown"])):
            if number < table.loc[source, "tp"]:
                document, start, end, entity = gold[number]
                rows.add(source, (document, start, end + number % 3, entity), "verify")
            else:
                rows.add(source, (*rows.place(), f"More {source} {number}"), "remove")
    return rows.frame()


def published(make: str) -> pd.DataFrame:
    """All eight datasets of one kind: judged, scored or matched."""
    kinds = {"judged": judged, "scored": scored, "matched": matched}
    return pd.concat([kinds[make](name) for name in cells("outcomes")["dataset"].unique()], ignore_index=True)
