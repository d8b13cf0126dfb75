"""The queue: which items an expert should see first, told from the crowd's counted votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.decisions import DECISIONS, EDIT, REMOVE, VERIFY
from verifier.crowd.control_audit import audit
from verifier.crowd.tally import NONE, Ints, Tally

if TYPE_CHECKING:
    from verifier.study import Study

TIED: Final = "tied"
EDITED: Final = "edited"
CONTROL: Final = "control"
OUTSIDE: Final = "E"
REST: Final = "rest"
# The classes of items, in the order in which they come; each item is of the first that holds.
CLASSES: Final = (TIED, EDITED, CONTROL, OUTSIDE, REST)
ALL: Final = "all"
RANDOM: Final = "random"
QUEUES: Final[Mapping[str, str]] = {
    ALL: "everything, the doubtful first",
    TIED: "votes that decide nothing",
    EDITED: "somebody chose another entity",
    CONTROL: "controls that good workers miss",
    OUTSIDE: "accepted, and not in the ground truth",
    REST: "none of these",
    RANDOM: "a random part of what was verified, and of the rest",
}
_TIES_FROM: Final = 2
_PART: Final = 1000
_VERIFY, _EDIT, _REMOVE = (DECISIONS.index(name) for name in (VERIFY, EDIT, REMOVE))


@dataclass(frozen=True)
class Queue:
    """Items by the place of their first display, in the order in which they are to be decided.

    Attributes:
        display: by class, the display that stands for each item.
        random: verified items and others in turns, both in random order: what the expert audit takes.
        item: display -> the display that stands for its item.
        decided: expert -> the items that he has decided.
        ordered, classes: the display that stands for each item, ascending, and the item's class as a number.
    """

    display: Mapping[str, Ints]
    random: Ints
    item: Mapping[int, int]
    decided: Mapping[str, frozenset[int]]
    ordered: Ints
    classes: Ints

    def of(self, name: str) -> Iterator[int]:
        """The displays of a queue, in order."""
        wanted = [self.random] if name == RANDOM else [self.display[kind] for kind in self._kinds(name)]
        for displays in wanted:
            for start in range(0, len(displays), _PART):
                yield from displays[start : start + _PART].tolist()

    def left(self, name: str, expert: str) -> Iterator[int]:
        """What the expert has not decided yet."""
        done = self.decided.get(expert, frozenset())
        return (display for display in self.of(name) if display not in done)

    def counts(self, expert: str) -> dict[str, tuple[int, int]]:
        """By queue: how many there are, and how many of them the expert has decided."""
        done = Counter(self.kind(display) for display in self.decided.get(expert, ()))
        sizes = {kind: len(self.display[kind]) for kind in CLASSES}
        found = {}
        for name in QUEUES:
            kinds = self._kinds(name)
            found[name] = (sum(sizes[kind] for kind in kinds), sum(done[kind] for kind in kinds))
        # Suspect controls that nobody was asked in work that counts are in no random part.
        crowd = [kind for kind in CLASSES if kind != CONTROL]
        found[RANDOM] = (len(self.random), sum(done[kind] for kind in crowd))
        return found

    def kind(self, display: int) -> str:
        """The class of an item; of one that is in no queue, none."""
        at = int(np.searchsorted(self.ordered, display))
        known = at < len(self.ordered) and self.ordered[at] == display
        code = int(self.classes[at]) if known else NONE
        return CLASSES[code] if code != NONE else ""

    def _kinds(self, name: str) -> tuple[str, ...]:
        return CLASSES if name in (ALL, RANDOM) else (name,)


def queue(study: Study, tally: Tally) -> Queue:
    """The queue as the counted votes stand."""
    shown = tally.displays
    first = shown.display[shown.first]
    votes = tally.votes()
    items = len(first)
    item = shown.item[votes.display].astype(np.int64)
    n = np.bincount(item, minlength=items)
    verified = np.bincount(item[votes.decision == _VERIFY], minlength=items)
    edited = np.bincount(item[votes.decision == _EDIT], minlength=items) > 0
    tied = (n >= _TIES_FROM) & (
        2 * _best(votes.decision.astype(np.int64), votes.key.astype(np.int64), item, items) <= n
    )
    suspect = np.zeros(items, dtype=bool)
    flagged = [one.display for one in audit(study, tally) if one.flag]
    suspect[shown.item[shown.places(flagged)]] = True
    holds = {
        TIED: tied,
        EDITED: edited,
        CONTROL: suspect,
        OUTSIDE: shown.outside & (verified > 0),
        REST: n > 0,
    }
    order = np.argsort(mixed(first, study.config.study.seed), kind="stable")
    code = np.full(items, NONE, dtype=np.int64)
    for at, rows in enumerate(holds.values()):
        code[rows & (code == NONE)] = at
    display = {kind: first[order[(code == at)[order]]] for at, kind in enumerate(CLASSES)}
    judged = order[(n > 0)[order]]
    majority = (2 * verified > n)[judged]
    stands_for = _decided_items(tally, first)
    ascending = np.argsort(first)
    return Queue(
        display=display,
        random=_in_turns(first[judged[majority]], first[judged[~majority]]),
        item=stands_for,
        decided=_by_expert(tally, stands_for),
        ordered=first[ascending],
        classes=code[ascending],
    )


def mixed(numbers: Ints, seed: int) -> Ints:
    """A number that looks random for each, the same for the same seed: SplitMix64's last steps."""
    value = numbers.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64)
    with np.errstate(over="ignore"):
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (value ^ (value >> np.uint64(31))).view(np.int64)


def _best(decision: Ints, key: Ints, item: Ints, items: int) -> Ints:
    """By item, how many votes its commonest answer has; an edit to nothing known is no answer."""
    known = (decision != _EDIT) | (key != NONE)
    answer = np.where(decision == _EDIT, key + len(DECISIONS), decision)[known]
    best = np.zeros(items, dtype=np.int64)
    if len(answer):
        answers = int(answer.max()) + 1
        pairs, votes = np.unique(item[known] * answers + answer, return_counts=True)
        np.maximum.at(best, pairs // answers, votes)
    return best


def _in_turns(left: Ints, right: Ints) -> Ints:
    """One of each in turns, then what is left of the longer."""
    size = min(len(left), len(right))
    turns = np.stack([left[:size], right[:size]], axis=1).reshape(-1)
    return np.concatenate([turns, left[size:], right[size:]])


def _decided_items(tally: Tally, first: Ints) -> dict[int, int]:
    """Display -> the one that stands for its item, of all displays that an expert decided."""
    shown = tally.displays
    displays = sorted({one.display for one in tally.decided})
    stands = first[shown.item[shown.places(displays)]]
    return dict(zip(displays, stands.tolist(), strict=True))


def _by_expert(tally: Tally, stands_for: Mapping[int, int]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for one in tally.decided:
        found.setdefault(one.expert, set()).add(stands_for[one.display])
    return {expert: frozenset(items) for expert, items in found.items()}
