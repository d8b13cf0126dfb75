"""Grading: from answers to controls to a pass, or a fail with its reason in words. Pure, so re-doable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.decisions import EDIT, Decision
from analysis.errors import ConfigError

GATE: Final = "gate"
ALL: Final = "all"


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


def needed(rule: str, total: int) -> int:
    """How many of `total` gate questions must be right: all, or `m of n`, read as a proportion rounded up.

    `2 of 3` asks for 2 of 3, 4 of 6, 6 of 9 right answers, so one rule serves any number of controls.

    Raises:
        ConfigError: the rule is neither `all` nor an `m of n` with m at most n.
    """
    if rule == ALL:
        return total
    m, _, n = rule.partition(" of ")
    if not (m.isdigit() and n.isdigit() and 0 < int(n) >= int(m)):
        raise ConfigError(
            "not a rule for controls", where="controls.rule", got=rule, expected="all, or m of n with m <= n"
        )
    return -(-total * int(m) // int(n))


def grade(answers: Sequence[Answer], given: Sequence[Given | None], rule: str) -> Grade:
    """Grade the gate questions among `answers` against what was `given`, pairwise."""
    pairs = [(a, g) for a, g in zip(answers, given, strict=True) if a.use == GATE]
    right = sum(is_right(a, g) for a, g in pairs)
    wanted = needed(rule, len(pairs))
    passed = right >= wanted
    reason = "" if passed else f"failed the controls: {right} of {len(pairs)} right, {wanted} needed"
    return Grade(right, len(pairs), wanted, passed, reason)
