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
from verifier.plan.gate import GATE
from verifier.plan.passages import Passages
from verifier.plan.sampling import Sampling
from verifier.plan.selecting import NOT_SAMPLED, Drawn, Suspects, chosen_tasks, weights
from verifier.plan.splitters import Splitter
from verifier.plan.tasks import Mark, Shown, draw_up, repeated
from verifier.store.plans import Additions, Grid, PlanText, card_row

# What is known of an entity, in a language.
CardOf = Callable[[str, str], Card | None]


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
        truth: sources that are ground truth.
        displays: document -> displays of earlier plans that stand for what they show, whoever gives it.
    """

    texts: Sequence[PlanText]
    marks: Mapping[int, Sequence[Mark]]
    ran: Mapping[int, frozenset[int]]
    sources: Mapping[int, str]
    grid: Grid | None
    next_ids: Mapping[str, int]
    cards: set[str]
    truth: frozenset[int] = frozenset()
    displays: Mapping[int, Mapping[Shown, Sequence[int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Terms:
    """What of a study's plan the drafting goes by.

    Attributes:
        k: judgments of a task.
        repeat_share: of tasks judged once more.
        most: annotations that a task shows at most; None: as many as there are.
        seed: the study's.
    """

    k: int
    repeat_share: float
    most: int | None
    seed: int


class Drafting:
    """A plan in the making.

    Attributes:
        rows: what will be added.
        segments: document -> [(segment id, span)], old and new.
        passages: segment -> the first that holds the same text.
        strata: new real task -> stratum.
        repeated: new real tasks judged once more.
        without_card: entities that the knowledge base does not know.
        control_displays: displays of new controls.
        deciding: new controls that have an answer which decides counting.
        weights: segment -> its weight, where that is not 1; 0 where it was not drawn.
    """

    def __init__(self, corpus: Corpus, *, pooled: bool, now: datetime) -> None:
        self._corpus = corpus
        self._pooled = pooled
        self._now = now
        self._ids = dict(corpus.next_ids)
        self._known_cards = set(corpus.cards)
        self._card_of: dict[tuple[str, str], str] = {}
        self._languages = {text.id: text.language for text in corpus.texts}
        self.rows = Additions()
        self.segments: dict[int, list[tuple[int, Span]]] = dict(corpus.grid.segments) if corpus.grid else {}
        self.passages = Passages(corpus.grid.passages if corpus.grid else {})
        self.strata: dict[int, str] = {}
        self.repeated: set[int] = set()
        self.without_card: set[str] = set()
        self.control_displays = 0
        self.deciding = 0
        grid = corpus.grid
        self.weights: dict[int, float] = dict.fromkeys(grid.undrawn, 0.0) | grid.weights if grid else {}
        self._drafts: list[Drawn] = []

    def cut(self, splitter: Splitter) -> None:
        """Cut every document that is not yet; whatever was cut before stays.

        Documents of one text, as data sets that share some have them, are cut alike, so that no two of their
        segments overlap: by the mentions of all, or as one of them was cut before.
        """
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
        new = [text for text in self._corpus.texts if text.id not in self.segments]
        cuts = self._read_again() if new else {}
        mentions: dict[str, list[Span]] = defaultdict(list)
        for text in new:
            mentions[text.text] += (mark.span for mark in self._corpus.marks.get(text.id, ()))
        for text in new:
            if text.text not in cuts:
                cuts[text.text] = splitter.split(text.text, mentions[text.text])
            self.segments[text.id] = [(self._next("segment"), span) for span in cuts[text.text]]
            self.rows.segments += [
                {
                    "id": segment,
                    "splitter_id": identity,
                    "document_id": text.id,
                    "start": span.start,
                    "end": span.end,
                    "passage_id": self.passages.put(segment, text.text[span.start : span.end]),
                    "weight": 1.0,
                }
                for segment, span in self.segments[text.id]
            ]

    def _read_again(self) -> dict[str, list[Span]]:
        """Text -> how it was cut, of documents cut before, whose passages are known from then on."""
        found = {}
        for text in self._corpus.texts:
            cut = self.segments.get(text.id, [])
            for segment, span in cut:
                self.passages.put(segment, text.text[span.start : span.end])
            if cut:
                found[text.text] = [span for _, span in cut]
        return found

    def draw_up(self, most: int | None) -> None:
        """What tasks there could be for annotations not planned yet.

        Args:
            most: a task shows no more than so many annotations.
        """
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
                existing=self._corpus.displays.get(text.id),
                most=most,
            )
            self.rows.reasons |= made.reasons
            for display, credited in made.late.items():
                self._credit(display, credited)
            self._drafts += [
                Drawn(text, self.segments[text.id][draft.segment][0], draft) for draft in made.tasks
            ]

    def units(self, kind: str) -> int:
        """How many segments, documents or tasks there are with something to judge."""
        if kind == "task":
            return len(self._drafts)
        return len({drawn.text.id if kind == "document" else drawn.segment for drawn in self._drafts})

    def sample(self, sampling: Sampling, seed: int) -> None:
        """Leave out the tasks that are not drawn; their annotations are not shown, for that reason."""
        new = {segment["id"] for segment in self.rows.segments}
        if sampling.unit == "task":
            chosen = chosen_tasks(self._drafts, sampling, self._corpus.sources, seed)
            kept = [place in chosen for place in range(len(self._drafts))]
        else:
            texts = {
                segment: text
                for text in self._corpus.texts
                for segment, _ in self.segments[text.id]
                if segment in new
            }
            suspects = Suspects(self._corpus.marks, self._corpus.ran, self._corpus.truth)
            self.weights |= weights(texts, self._drafts, sampling, suspects, seed)
            for segment in self.rows.segments:
                segment["weight"] = self.weights[segment["id"]]
            kept = [self.weights.get(drawn.segment, 1.0) > 0 for drawn in self._drafts]
        for drawn, keep in zip(self._drafts, kept, strict=True):
            if not keep:
                self.rows.reasons |= dict.fromkeys(drawn.annotations, NOT_SAMPLED)
        self._drafts = [drawn for drawn, keep in zip(self._drafts, kept, strict=True) if keep]

    def make(self, card: CardOf, terms: Terms) -> None:
        """Tasks, displays, credits and slots."""
        for drawn in self._drafts:
            self._real(drawn, card, terms.k)
        self.repeated = repeated(self.strata, terms.repeat_share, terms.seed)
        for task in self.rows.tasks:
            if task["id"] in self.repeated:
                task["k"] += 1
            if task["kind"] == "real":
                self._slots(task, terms.seed)

    def control(
        self,
        control: Control,
        card: CardOf,
        redirect: Callable[[str], str],
        *,
        given: bool,
    ) -> None:
        """A control task with the answers that are known; it has no slots: every assignment may get it.

        What a researcher has given in a file he has looked at; what was generated waits for a person.
        """
        segment, _ = self.segments[control.document][control.segment]
        language = self._languages[control.document]
        task = self._task("control", segment, None, k=1)
        self.rows.controls.append(
            {
                "task_id": task,
                "origin": "given" if given else "generated",
                "confirmed": self._now if given else None,
                "retired": None,
                "reason": None,
            }
        )
        self.control_displays += len(control.known)
        self.deciding += any(known.expected is not None and known.use == GATE for known in control.known)
        for ordinal, known in enumerate(control.known):
            shown = known.shown._replace(key=redirect(known.shown.key))
            display = self._display(task, ordinal, shown, language, card)
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
            # The values alone, in the order of their names, which is the same for every row.
            if table:
                total.update(repr(list(table[0])).encode())
            for row in table:
                total.update(repr(tuple(row.values())).encode())
        return total.hexdigest()

    def slots_by_passage(self) -> Counter[int]:
        """New slots of each passage."""
        return Counter(slot["passage_id"] for slot in self.rows.slots)

    def _real(self, drawn: Drawn, card: CardOf, k: int) -> None:
        draft = drawn.draft
        task = self._task("real", drawn.segment, draft.source, k)
        self.strata[task] = stratum(
            drawn.text.dataset, None if draft.source is None else self._corpus.sources[draft.source]
        )
        for ordinal, (shown, credited) in enumerate(draft.displays.items()):
            display = self._display(task, ordinal, shown, drawn.text.language, card)
            self._credit(display, credited)

    def _task(self, kind: str, segment: int, source: int | None, k: int) -> int:
        identity = self._next("task")
        self.rows.tasks.append(
            {"id": identity, "kind": kind, "segment_id": segment, "source_id": source, "k": k}
        )
        return identity

    def _display(self, task: int, ordinal: int, shown: Shown, language: str, card: CardOf) -> int:
        identity = self._next("display")
        self.rows.displays.append(
            {
                "id": identity,
                "task_id": task,
                "ordinal": ordinal,
                "start": shown.start,
                "end": shown.end,
                "key": shown.key,
                "card_id": self._card(shown.key, language, card),
            }
        )
        return identity

    def _card(self, key: str, language: str, card: CardOf) -> str:
        """The id of an entity's card, in the language of the text: items of Wikidata have one in each."""
        if (key, language) not in self._card_of:
            found = card(key, language)
            if found is None:
                self.without_card.add(key)
                found = bare_card(key)
            identity = card_id(found)
            self._card_of[key, language] = identity
            if identity not in self._known_cards:
                self._known_cards.add(identity)
                self.rows.cards.append(card_row(found, identity, self._now))
        return self._card_of[key, language]

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
                    "passage_id": self.passages[task["segment_id"]],
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
