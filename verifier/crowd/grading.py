"""Grading: from answers to controls to a pass, or a fail with its reason in words. Pure, so re-doable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.decisions import EDIT, Decision
from verifier.plan.gate import GATE, needed


@dataclass(frozen=True)
class Answer:
    """What is known about one control display.

    Attributes:
        expected: the right decision.
        acceptable: where the right decision is an edit, the keys that are right; empty: any edit is.
        use: `gate` decides counting, `measure` only measures.
    """

    expected: Decision
    acceptable: frozenset[str] = frozenset()
    use: str = GATE


@dataclass(frozen=True)
class Given:
    """What a worker decided on a control display, and for an edit the key chosen (after redirects)."""

    decision: Decision
    key: str | None = None


@dataclass(frozen=True)
class Grade:
    """How the gate questions were answered.

    Attributes:
        right, total: gate questions answered rightly, and all of them.
        needed: right answers that the rule asks for.
        passed: whether they suffice; true where there is no gate question.
        reason: why not, in words; empty where passed.
    """

    right: int
    total: int
    needed: int
    passed: bool
    reason: str


def is_right(answer: Answer, given: Given | None) -> bool:
    """Whether `given` is the right answer; an unanswered question is answered wrongly."""
    if given is None or given.decision != answer.expected:
        return False
    return answer.expected != EDIT or not answer.acceptable or given.key in answer.acceptable


def grade(answers: Sequence[Answer], given: Sequence[Given | None], rule: str) -> Grade:
    """Grade the gate questions among `answers` against what was `given`, pairwise."""
    pairs = [(a, g) for a, g in zip(answers, given, strict=True) if a.use == GATE]
    right = sum(is_right(a, g) for a, g in pairs)
    wanted = needed(rule, len(pairs))
    passed = right >= wanted
    reason = "" if passed else f"failed the controls: {right} of {len(pairs)} right, {wanted} needed"
    return Grade(right, len(pairs), wanted, passed, reason)
