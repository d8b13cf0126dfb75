"""Makes the next best controls in the place of those that are retired, by the same rules and seed."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.errors import PosthocError
from analysis.schema import DECOY
from verifier.kb.local import Card
from verifier.plan import pool, supply, terms
from verifier.plan.controls import Control, Pool, Use
from verifier.plan.drafting import Corpus, Drafting
from verifier.plan.gate import GATE, MEASURE
from verifier.store import controls, facts, plans, redirects, work
from verifier.store.plans import ControlDisplay

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

# The event that says which controls were retired, why, and what takes their place.
EVENT: Final = "controls retired"
_PLAN: Final = "plan_sha256"
_OFF: Final = "controls.generate is off"
_ASKED: Final = "a question that a retired control asks"
_NO_KB: Final = "the knowledge base that the study was planned with is not there"

# A question: the words, the entity, the right decision.
Question = tuple[str, str, str]


@dataclass(frozen=True)
class Kind:
    """What a control asks: its right decisions in order, and what they are used for."""

    decisions: tuple[Decision, ...]
    use: Use


@dataclass(frozen=True)
class Found:
    """Controls that can take the place of others.

    Attributes:
        controls: retired control -> what takes its place.
        seen: every control, and whether it was retired, when one looked.
        cards: what is known of the entities that they show, by key and language.
        corpus: as it was read.
        targets: the redirects in force.
        failures: reason -> segments on which no other could be made.
    """

    controls: Mapping[int, Control]
    seen: Mapping[int, bool]
    cards: Mapping[tuple[str, str], Card | None]
    corpus: Corpus
    targets: Mapping[str, str]
    failures: Mapping[str, int]


@dataclass(frozen=True)
class Replaced:
    """What took the place of retired controls.

    Attributes:
        by: retired control -> the new one.
        failures: reason -> segments on which no other could be made; empty where all were replaced.
    """

    by: Mapping[int, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)


def find(study: Study, dropped: Collection[int]) -> Found | None:
    """The next best controls for those of `dropped` that are in use; None where there are none of these.

    Made as at the first plan, on passages that never had a control, and asking nothing that a retired control
    asks, for one of its questions may be wrong. Nothing is written, nobody is held up.

    Args:
        study: open.
        dropped: controls that are to be retired.
    """
    with study.read() as session:
        states = {state.task: state for state in controls.states(session)}
        new = [task for task in sorted(set(dropped)) if not states[task].retired]
        if not new:
            return None
        targets = redirects.current(session)
        finding = _Finding(study, session, supply.corpus(session, targets), set(new))
    made, failures, cards = finding.controls(new, targets)
    seen = {task: state.retired is not None for task, state in states.items()}
    return Found(made, seen, cards, finding.corpus, targets, dict(failures))


def is_late(session: Session, found: Found | None) -> bool:
    """Whether controls were retired, or made, since one looked: the same may stand for two then."""
    if found is None:
        return False
    return found.seen != {state.task: state.retired is not None for state in controls.states(session)}


def put(session: Session, study: Study, found: Found | None, now: datetime) -> Replaced:
    """Write the new controls; part of the transaction that retires the others.

    They wait for a person, as all that are generated; where the control had been confirmed whose place one
    takes, nobody is given it before.
    """
    if found is None:
        return Replaced()
    # What was read may have grown since: ids are those that are free now.
    corpus = replace(found.corpus, next_ids=plans.next_ids(session), cards=plans.cards(session))
    drafting = Drafting(corpus, pooled=study.config.plan.show == "pooled", now=now)
    taken = controls.segments(session)
    by: dict[int, int] = {}
    for retired, control in found.controls.items():
        if drafting.segments[control.document][control.segment][0] in taken:
            continue
        drafting.control(
            control,
            lambda key, language: found.cards.get((key, language)),
            lambda key: found.targets.get(key, key),
            given=False,
        )
        row = drafting.rows.controls[-1]
        row["replaces"] = retired
        by[retired] = row["task_id"]
    plans.add(session, drafting.rows)
    return Replaced(by, found.failures)


def note(session: Session, retired: Sequence[int], reason: str, replaced: Replaced, now: datetime) -> None:
    """Put the retirement down for good: as an event, and in the hash of the plan, which is another now."""
    said = {"retired": list(retired), "reason": reason, "replaced_by": replaced.by}
    before = facts.get(session, _PLAN)
    text = f"{before} {EVENT} {sorted(retired)} {sorted(replaced.by.items())}"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    facts.put(session, _PLAN, sha256)
    work.log_event(session, None, EVENT, said | {"plan_sha256": sha256}, now)


class _Finding:
    """Looks for controls on what is left of a corpus."""

    def __init__(self, study: Study, session: Session, corpus: Corpus, dropped: Collection[int]) -> None:
        self.study, self.corpus = study, corpus
        self._seed = int(facts.get(session, "seed") or 0)
        self._planned = terms.planned(session)
        self._states = {state.task: state for state in controls.states(session)}
        self._passages = dict(plans.passages_of(session, self._states))
        self._deciding, self._decoys = plans.deciding_controls(session), plans.decoys(session)
        self._left = sum(task not in dropped for task, _ in plans.controls(session))
        gone = {task for task, state in self._states.items() if state.retired} | set(dropped)
        self._asked: dict[int, list[ControlDisplay]] = defaultdict(list)
        for display in plans.control_displays(session):
            if display.expected:
                self._asked[display.task].append(display)
        self._never = {_question(display) for task in gone for display in self._asked[task]}

    def controls(
        self, dropped: Sequence[int], targets: Mapping[str, str]
    ) -> tuple[dict[int, Control], Counter[str], dict[tuple[str, str], Card | None]]:
        """For each what takes its place, why others have none, and the cards of what is shown."""
        wanted: dict[Kind, list[int]] = defaultdict(list)
        for task in dropped:
            wanted[self._kind(task)].append(task)
        found: dict[int, Control] = {}
        failures = Counter[str]()
        if not self.study.config.controls.generate:
            failures[_OFF] = len(dropped)
            return found, failures, {}
        if self._planned.get("kb") and not self._has_kb():
            failures[_NO_KB] = len(dropped)
            return found, failures, {}
        cards: dict[tuple[str, str], Card | None] = {}
        try:
            entities, close = supply.entities(self.study, self.corpus)
            with closing(close):
                for kind, tasks in wanted.items():
                    made = self._made(kind, entities, found.values())
                    chosen = self._new(made)
                    found |= dict(zip(tasks, chosen, strict=False))
                    if len(chosen) < len(tasks):
                        failures.update(made.failures)
                for control in found.values():
                    cards |= self._cards(control, entities, targets)
        except PosthocError as error:
            # A knowledge base that gives no answer keeps nobody from retiring what is wrong.
            failures[str(error.problems[0])] = len(dropped)
            return {}, failures, {}
        return found, failures, cards

    def _has_kb(self) -> bool:
        told = self.study.config.kb
        return told.kind == "wikipedia" or self.study.file(told.file).is_file()

    def _kind(self, task: int) -> Kind:
        """What a control asks, in the words of study.yaml as it was planned under."""
        if task in self._decoys:
            return Kind((EDIT,), DECOY)
        counts = Counter(display.expected for display in self._asked[task])
        answers = int(self._planned.get("controls.answers_per_task", 3))
        wanted: dict[Decision, int] = {EDIT: counts[EDIT], REMOVE: counts[REMOVE]}
        wrong = [decision for decision, number in wanted.items() for _ in range(number)][:answers]
        right: list[Decision] = [VERIFY for _ in range(answers - len(wrong))]
        return Kind((*wrong, *right), GATE if task in self._deciding else MEASURE)

    def _made(self, kind: Kind, entities: supply.Known, besides: Iterable[Control]) -> Pool:
        """All that could be made of a kind, the best first."""
        taken = set(self._passages.values())
        of = self.corpus.grid.passages if self.corpus.grid else {}
        segments = {text.id: () for text in self.corpus.texts} | (
            dict(self.corpus.grid.segments) if self.corpus.grid else {}
        )
        for control in besides:
            segment = segments[control.document][control.segment][0]
            taken.add(of.get(segment, segment))
        held = {
            (document, number)
            for document, cut in segments.items()
            for number, (segment, _) in enumerate(cut)
            if of.get(segment, segment) in taken
        }
        return pool.more(
            self.corpus,
            segments,
            entities,
            self.study.config,
            taken=held,
            cycle=kind.decisions,
            use=kind.use,
            in_use=self._left,
            seed=self._seed,
        )

    def _new(self, made: Pool) -> list[Control]:
        """Those that ask nothing that a retired control asks."""
        texts = {text.id: text.text for text in self.corpus.texts}
        kept = []
        for control in made.controls:
            text = texts[control.document]
            asked = {
                (text[one.shown.start : one.shown.end].casefold(), one.shown.key, one.expected)
                for one in control.known
                if one.expected
            }
            if asked.isdisjoint(self._never):
                kept.append(control)
            else:
                made.failures[_ASKED] += 1
        return kept

    def _cards(
        self, control: Control, entities: supply.Known, targets: Mapping[str, str]
    ) -> dict[tuple[str, str], Any]:
        language = next(text.language for text in self.corpus.texts if text.id == control.document)
        keys = {targets.get(known.shown.key, known.shown.key) for known in control.known}
        return {(key, language): entities.card(key, language) for key in sorted(keys)}


def _question(display: ControlDisplay) -> Question:
    words = display.text[display.start : display.end].casefold()
    return words, display.key, display.expected or ""
