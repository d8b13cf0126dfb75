"""The rule for controls: how many answers must be right, and how likely workers pass by care or by luck."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Final

from analysis.errors import ConfigError

ALL: Final = "all"
GATE: Final = "gate"
MEASURE: Final = "measure"
_BELOW: Final = "guess below "
# A worker who looks, and one who chooses verify, edit or remove blindly and is lucky with every edit.
CAREFUL: Final = 0.95
GUESSING: Final = 1 / 3


@dataclass(frozen=True)
class Gate:
    """What the rule asks of an assignment, and who passes it.

    Attributes:
        rule: as configured.
        questions: graded answers of an assignment.
        needed: of them, that must be right.
        careful: chance to pass with each answer right with probability .95.
        guessing: chance to pass with each right with probability 1/3.
    """

    rule: str
    questions: int
    needed: int
    careful: float
    guessing: float


def needed(rule: str, total: int) -> int:
    """How many of `total` gate questions must be right.

    `all`; or `m of n`, read as a proportion rounded up: `2 of 3` asks for 2 of 3, 4 of 6, 6 of 9 right
    answers, so one rule serves any number of controls; or `guess below p`: the fewest that who guesses
    reaches with a chance under p. Where not even all would do, that is all:
    planning refuses it (`questions_needed`).

    Raises:
        ConfigError: the rule is none of these.
    """
    if rule == ALL:
        return total
    if rule.startswith(_BELOW):
        luck = float(rule.removeprefix(_BELOW))
        least = (m for m in range(total + 1) if pass_chance(total, m, GUESSING) < luck)
        return next(least, total)
    m, _, n = rule.partition(" of ")
    if not (m.isdigit() and n.isdigit() and 0 < int(n) >= int(m)):
        raise ConfigError(
            "not a rule for controls",
            where="controls.rule",
            got=rule,
            expected="all, m of n with m <= n, or guess below p",
        )
    return -(-total * int(m) // int(n))


def questions_needed(rule: str, questions: int) -> int:
    """How many gate questions the rule takes to be met: as many as there are, or more if those do not do."""
    if not rule.startswith(_BELOW):
        return questions
    luck = float(rule.removeprefix(_BELOW))
    while GUESSING**questions >= luck:
        questions += 1
    return questions


def pass_chance(total: int, wanted: int, right: float) -> float:
    """The chance of at least `wanted` right answers of `total`, each right with probability `right`.

    The upper tail of the binomial distribution: the answers are taken as independent.
    """
    return sum(comb(total, k) * right**k * (1 - right) ** (total - k) for k in range(wanted, total + 1))


def gate(rule: str, questions: int) -> Gate:
    """What `rule` makes of an assignment with so many graded answers."""
    wanted = needed(rule, questions)
    careful, guessing = (pass_chance(questions, wanted, right) for right in (CAREFUL, GUESSING))
    return Gate(rule, questions, wanted, careful, guessing)
