"""How one simulated worker decides: habits, truth and chance in, a decision out. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.documents import Span
from verifier.simulate.habits import Chance, Habits, Manner
from verifier.simulate.truth import Right, Truth

# Spread of a worker's times on the log scale, and how much faster a spammer is: as crowds on links have been.
_SPREAD: Final = 0.5
_SPAM_SPEED: Final = 0.08
_OPENS: Final = 0.2


@dataclass(frozen=True)
class Choice:
    """What a worker wants to do, and for an edit the key he has in mind (None: any other one)."""

    decision: Decision
    key: str | None = None


@dataclass(frozen=True)
class Leaving:
    """When and how a worker drops out: after what share of his tasks, returning the work or just leaving."""

    share: float
    returns: bool


class Mind:
    """One simulated worker's way of deciding, the same however often it is asked."""

    def __init__(self, habits: Habits, truth: Truth, seed: int, worker: int) -> None:
        self._habits = habits
        self._truth = truth
        self._chance = Chance(seed, worker)
        self.spammer = self._chance.happens(habits.spammers, "spammer")
        self.manner: Manner = "verify-all" if self.spammer else habits.manner

    def leaving(self) -> Leaving | None:
        """When this worker drops out; None if he works to the end."""
        if not self._chance.happens(self._habits.dropouts, "dropout"):
            return None
        return Leaving(
            self._chance.uniform("dropout", "share"), self._chance.happens(0.5, "dropout", "returns")
        )

    def decide(self, text: str, span: Span, key: str) -> Choice:
        """What to do with `key` at `span` of `text`.

        Who errs on a right link removes it or edits it to another entity, evenly; who errs on a wrong one
        verifies.
        """
        about = (text, *span, key)
        accepts = self._chance.happens(self._habits.bias, "bias", *about)
        if self.manner == "verify-all" or (accepts and self.manner == "honest"):
            return Choice(VERIFY)
        right = self._truth.right(text, span, key)
        if self.manner == "edit-all":
            return Choice(EDIT, right.key)
        return self._look(right, about)

    def _look(self, right: Right, about: tuple[object, ...]) -> Choice:
        if right.decision == VERIFY:
            if self._chance.happens(self._habits.accuracy_right, "right", *about):
                return Choice(VERIFY)
            return Choice(REMOVE) if self._chance.happens(0.5, "error", *about) else Choice(EDIT)
        if self._chance.happens(self._habits.accuracy_wrong, "wrong", *about):
            return Choice(right.decision, right.key)
        return Choice(VERIFY)

    def searches(self, text: str, span: Span, key: str) -> bool:
        """Whether an edit here is sought by the mention; otherwise an address is pasted."""
        return self._chance.happens(self._habits.alias, "alias", text, *span, key)

    def opens(self, text: str, span: Span, key: str) -> bool:
        """Whether the article is opened before deciding."""
        return not self.spammer and self._chance.happens(_OPENS, "opens", text, *span, key)

    def seconds(self, text: str, span: Span, key: str) -> float:
        """Active seconds of the decision: log-normal about the habits' median, to a hundredth."""
        u = min(max(self._chance.uniform("seconds", text, *span, key), 1e-9), 1 - 1e-9)
        pace = _SPAM_SPEED if self.spammer else 1.0
        return round(self._habits.seconds * pace * math.exp(_SPREAD * NormalDist().inv_cdf(u)), 2)
