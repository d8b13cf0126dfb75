"""Audits the controls themselves: which of them do good workers miss, or agree otherwise on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from analysis.decisions import DECISIONS, Decision
from verifier.crowd.grading import Answer, Given, is_right
from verifier.crowd.tally import NONE, Bools, Ints, Tally

if TYPE_CHECKING:
    from verifier.store.tallying import Question
    from verifier.study import Study

# Who answers this share of his other control questions rightly, being asked so many at least, is good.
GOOD: Final = 0.8
ASKED: Final = 2
# A question is suspect where under this share of good workers, of so many at least, are right.
MISSED: Final = 0.5
ENOUGH: Final = 3
# Good workers agree otherwise where this share of them, and two at least, give one and the same other answer.
AGREED: Final = 2 / 3


@dataclass(frozen=True)
class Audited:
    """One control question, and what good workers made of it.

    Attributes:
        control, display: ids.
        expected: the decision that is taken for right.
        asked, right: of everybody.
        good, good_right: of workers who are right elsewhere.
        otherwise: the other answer that most of them give, `decision` or `decision key`; empty: none.
        otherwise_given: by how many of them.
        flag: `missed`, `agreed otherwise`, or empty.
    """

    control: int
    display: int
    expected: str
    asked: int
    right: int
    good: int
    good_right: int
    otherwise: str
    otherwise_given: int
    flag: str


@dataclass(frozen=True)
class Answers:
    """Every answer to a question of a control in work that was handed in, in columns.

    Attributes:
        person: place among the tally's people.
        question: place among its questions.
        right: whether it is the right answer.
        decision, key: what was said, in the tally's codes.
    """

    person: Ints
    question: Ints
    right: Bools
    decision: Ints
    key: Ints


def answers_of(tally: Tally) -> Answers:
    """The answers to controls in use; whoever has handed in has answered all that he was asked."""
    questions, made, shown = tally.questions, tally.made, tally.displays
    handed_in = np.array([one.state == "submitted" for one in tally.people], dtype=bool)
    of_display = np.full(len(shown.display), NONE, dtype=np.int64)
    of_display[shown.places([question.display for question in questions])] = np.arange(len(questions))
    question = of_display[made.display]
    rows = np.flatnonzero((question != NONE) & handed_in[made.person]) if len(made) else np.empty(0, np.int64)
    answers = Answers(
        person=made.person[rows].astype(np.int64),
        question=question[rows],
        right=np.zeros(len(rows), dtype=bool),
        decision=made.decision[rows].astype(np.int64),
        key=made.key[rows].astype(np.int64),
    )
    wide, keys = len(DECISIONS), len(tally.keys) + 1
    said = (answers.question * wide + answers.decision) * keys + answers.key + 1
    kinds, kind = np.unique(said, return_inverse=True)
    right = []
    for one in kinds.tolist():
        rest, key = divmod(one, keys)
        at, decision = divmod(rest, wide)
        right.append(_is_right(questions[at], DECISIONS[decision], _key(tally, key - 1)))
    if len(rows):
        answers.right[:] = np.array(right, dtype=bool)[kind.reshape(-1)]
    return answers


def audit(study: Study, tally: Tally | None = None) -> list[Audited]:
    """Every question of a control in use that was answered, the most suspect first.

    A worker is judged good by his answers to all other controls, so that none speaks for itself.

    Args:
        study: open.
        tally: of the study, up to date; None: one is made.
    """
    tally = tally or Tally(study).refresh()
    answers = answers_of(tally)
    if not len(answers.question):
        return []
    worker = np.array([one.worker_id for one in tally.people], dtype=np.int64)[answers.person]
    control = np.array([question.control for question in tally.questions], dtype=np.int64)[answers.question]
    good = _good(worker, control, answers.right)
    order = np.argsort(answers.question, kind="stable")
    starts = np.flatnonzero(np.diff(answers.question[order], prepend=-1))
    found = [_audited(tally, answers, rows, good[rows]) for rows in np.split(order, starts[1:]) if len(rows)]
    return sorted(found, key=lambda one: (not one.flag, one.good_right / max(one.good, 1), one.display))


def _good(worker: Ints, control: Ints, right: Bools) -> Bools:
    """Of each answer, whether the worker's answers to all other controls are good."""
    _, who = np.unique(worker, return_inverse=True)
    tasks = int(control.max()) + 1
    pairs, pair = np.unique(who.reshape(-1) * tasks + control, return_inverse=True)
    his, pair = pairs // tasks, pair.reshape(-1)
    given = np.bincount(who)[his] - np.bincount(pair, minlength=len(pairs))
    rightly = np.bincount(who, weights=right)[his] - np.bincount(pair, weights=right, minlength=len(pairs))
    found: Bools = ((given >= ASKED) & (rightly >= GOOD * given))[pair]
    return found


def _is_right(question: Question, decision: Decision, key: str | None) -> bool:
    answer = Answer(cast("Decision", question.expected), frozenset(question.acceptable), question.use)
    return is_right(answer, Given(decision, key))


def _key(tally: Tally, code: int) -> str | None:
    return None if code == NONE else tally.keys[code]


def _audited(tally: Tally, answers: Answers, rows: Ints, good: Bools) -> Audited:
    question = tally.questions[int(answers.question[rows[0]])]
    skilled = rows[good]
    number, right = len(skilled), int(answers.right[skilled].sum())
    wrong = skilled[~answers.right[skilled]]
    said = zip(answers.decision[wrong].tolist(), answers.key[wrong].tolist(), strict=True)
    others = Counter(f"{DECISIONS[d]} {_key(tally, k) or ''}".strip() for d, k in said)
    otherwise, given = min(others.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    flag = ""
    if given > 1 and given >= AGREED * number:
        flag = "agreed otherwise"
    elif number >= ENOUGH and right < MISSED * number:
        flag = "missed"
    return Audited(
        control=question.control,
        display=question.display,
        expected=question.expected,
        asked=len(rows),
        right=int(answers.right[rows].sum()),
        good=number,
        good_right=right,
        otherwise=otherwise,
        otherwise_given=given,
        flag=flag,
    )
