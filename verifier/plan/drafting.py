"""Puts a plan together: the rows that are added to a study, with their ids, before anything is written."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from analysis.documents import Span
from verifier.kb.local import Card
from verifier.plan import chance
from verifier.plan.controls import Control
from verifier.plan.entities import bare_card, card_id
from verifier.plan.split import Whole
from verifier.plan.tasks import Draft, Mark, Shown, draw_up, repeated
from verifier.store.plans import Additions, Grid, PlanText, card_row


@dataclass(frozen=True)
class Corpus:
    """All that planning reads of a study.

    Attributes:
        texts: every document.
        marks: document -> its annotations, of all sources.
        ran: document -> sources that ran on it.
        sources: id -> name.
        grid: as frozen; None before the first plan.
        next_ids: first free ids.
        cards: ids of the cards there are.
        pooled: document -> displays of pooled tasks there are.
    """

    texts: Sequence[PlanText]
    marks: Mapping[int, Sequence[Mark]]
    ran: Mapping[int, frozenset[int]]
    sources: Mapping[int, str]
    grid: Grid | None
    next_ids: Mapping[str, int]
    cards: set[str]
    pooled: Mapping[int, Mapping[Shown, int]] = field(default_factory=dict)


class Drafting:
    """A plan in the making.

    Attributes:
        rows: what will be added.
        segments: document -> [(segment id, span)], old and new.
        strata: new real task -> stratum.
        repeated: new real tasks judged once more.
        without_card: entities that the knowledge base does not know.
        control_displays: displays of new controls.
    """

    def __init__(self, corpus: Corpus, *, pooled: bool, now: datetime) -> None:
        self._corpus = corpus
        self._pooled = pooled
        self._now = now
        self._ids = dict(corpus.next_ids)
        self._known_cards = set(corpus.cards)
        self._card_of: dict[str, str] = {}
        self._datasets = {text.id: text.dataset for text in corpus.texts}
        self.rows = Additions()
        self.segments: dict[int, list[tuple[int, Span]]] = dict(corpus.grid.segments) if corpus.grid else {}
        self.strata: dict[int, str] = {}
        self.repeated: set[int] = set()
        self.without_card: set[str] = set()
        self.control_displays = 0

    def cut(self, splitter: Whole) -> None:
        """Cut every document that is not yet; whatever was cut before stays."""
        grid = self._corpus.grid
        identity = grid.splitter if grid else self._next("splitter")
        if grid is None:
            self.rows.splitter.append(
                {
                    "id": identity,
                    "name": splitter.name,
                    "version": splitter.version,
                    "parameters": splitter.parameters,
                }
            )
        for text in self._corpus.texts:
            if text.id in self.segments:
                continue
            mentions = [mark.span for mark in self._corpus.marks.get(text.id, ())]
            spans = splitter.split(text.text, mentions)
            self.segments[text.id] = [(self._next("segment"), span) for span in spans]
            self.rows.segments += [
                {
                    "id": segment,
                    "splitter_id": identity,
                    "document_id": text.id,
                    "start": span.start,
                    "end": span.end,
                    "weight": 1.0,
                }
                for segment, span in self.segments[text.id]
            ]

    def draw_up(self, card: Callable[[str], Card | None], *, k: int, repeat_share: float, seed: int) -> None:
        """Tasks, displays, credits and slots for every annotation not planned yet."""
        drafts: list[tuple[int, Draft]] = []
        for text in self._corpus.texts:
            new = [mark for mark in self._corpus.marks.get(text.id, ()) if not mark.planned]
            if not new:
                continue
            spans = [span for _, span in self.segments[text.id]]
            made = draw_up(
                new,
                spans,
                text.evaluation,
                pooled=self._pooled,
                existing=self._corpus.pooled.get(text.id),
            )
            self.rows.reasons |= made.reasons
            for display, credited in made.late.items():
                self._credit(display, credited)
            drafts += [(text.id, draft) for draft in made.tasks]
        for document, draft in drafts:
            self._real(document, draft, card, k)
        self.repeated = repeated(self.strata, repeat_share, seed)
        for task in self.rows.tasks:
            if task["id"] in self.repeated:
                task["k"] += 1
            if task["kind"] == "real":
                self._slots(task, seed)

    def control(
        self, control: Control, card: Callable[[str], Card | None], redirect: Callable[[str], str]
    ) -> None:
        """A control task with the answers that are known; it has no slots: every assignment may get it."""
        segment, _ = self.segments[control.document][control.segment]
        task = self._task("control", segment, None, k=1)
        self.control_displays += len(control.known)
        for ordinal, known in enumerate(control.known):
            shown = known.shown._replace(key=redirect(known.shown.key))
            display = self._display(task, ordinal, shown, card)
            if known.expected is None:
                continue
            acceptable = None if known.acceptable is None else [redirect(key) for key in known.acceptable]
            self.rows.answers.append(
                {
                    "display_id": display,
                    "expected": known.expected,
                    "acceptable": acceptable,
                    "difficulty": known.difficulty,
                    "use": known.use,
                }
            )

    def digest(self, before: str) -> str:
        """Hash of the plan: of what earlier plans hashed to, and of all that this one adds to tasks."""
        total = hashlib.sha256(before.encode())
        rows = self.rows
        for table in (
            rows.splitter,
            rows.segments,
            rows.tasks,
            rows.displays,
            rows.credits,
            rows.answers,
            rows.slots,
        ):
            for row in table:
                total.update(repr(sorted(row.items())).encode())
        return total.hexdigest()

    def slots_by_segment(self) -> Counter[int]:
        """New slots of each segment."""
        return Counter(slot["segment_id"] for slot in self.rows.slots)

    def _real(self, document: int, draft: Draft, card: Callable[[str], Card | None], k: int) -> None:
        segment, _ = self.segments[document][draft.segment]
        task = self._task("real", segment, draft.source, k)
        self.strata[task] = stratum(
            self._datasets[document], None if draft.source is None else self._corpus.sources[draft.source]
        )
        for ordinal, (shown, credited) in enumerate(draft.displays.items()):
            self._credit(self._display(task, ordinal, shown, card), credited)

    def _task(self, kind: str, segment: int, source: int | None, k: int) -> int:
        identity = self._next("task")
        self.rows.tasks.append(
            {"id": identity, "kind": kind, "segment_id": segment, "source_id": source, "k": k}
        )
        return identity

    def _display(self, task: int, ordinal: int, shown: Shown, card: Callable[[str], Card | None]) -> int:
        identity = self._next("display")
        self.rows.displays.append(
            {
                "id": identity,
                "task_id": task,
                "ordinal": ordinal,
                "start": shown.start,
                "end": shown.end,
                "key": shown.key,
                "card_id": self._card(shown.key, card),
            }
        )
        return identity

    def _card(self, key: str, card: Callable[[str], Card | None]) -> str:
        if key not in self._card_of:
            found = card(key)
            if found is None:
                self.without_card.add(key)
                found = bare_card(key)
            identity = card_id(found)
            self._card_of[key] = identity
            if identity not in self._known_cards:
                self._known_cards.add(identity)
                self.rows.cards.append(card_row(found, identity, self._now))
        return self._card_of[key]

    def _credit(self, display: int, credited: Iterable[int]) -> None:
        for annotation in credited:
            self.rows.credits.append({"display_id": display, "annotation_id": annotation})
            self.rows.shown.append(annotation)

    def _slots(self, task: dict[str, Any], seed: int) -> None:
        for ordinal in range(task["k"]):
            identity = self._next("task_slot")
            self.rows.slots.append(
                {
                    "id": identity,
                    "task_id": task["id"],
                    "segment_id": task["segment_id"],
                    "stratum": self.strata[task["id"]],
                    "ordinal": ordinal,
                    "position": chance.number(seed, "slot", identity),
                    "state": "open",
                    "assignment_id": None,
                    "leased_until": None,
                }
            )

    def _next(self, table: str) -> int:
        identity = self._ids[table]
        self._ids[table] += 1
        return identity


def stratum(dataset: str, source: str | None) -> str:
    """The name of a stratum; no name of a dataset or source has a slash in it."""
    return dataset if source is None else f"{dataset}/{source}"


def by_document(marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    """Annotations by their document."""
    found: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        found[mark.document].append(mark)
    return dict(found)
