"""Corrections: what people's votes change in the ground truth, by a declared rule, each with its evidence.

The rule, for one document. A ground-truth annotation whose own votes decide stays (verified), gets another
entity (edited to one that enough agree on) or goes (removed). Then what the ground truth lacks: a mention of
another source that is verified, or edited to one entity. It takes the place of an annotation at the same span
that is not verified or was never judged; it is added where it overlaps nothing that remains; an annotation
that enough have judged and that is not verified gives way to it. What is verified in the ground truth stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from analysis.ballots import Ballot, Rule, ballots, records, text
from analysis.changes import Change, Place
from analysis.documents import Annotation, Document, Span
from analysis.errors import StateError
from analysis.keys import Entity
from analysis.study import Study

_ANNOTATION: Final = ["annotation", "dataset", "document", "source", "start", "end", "key", "raw", "kind"]


@dataclass(frozen=True)
class Corrections:
    """All changes of a ground truth, in the order of dataset, document and span, and the rule behind them."""

    ground_truth: str
    rule: Rule
    changes: tuple[Change, ...]
    simulated: bool = False

    def of(self, dataset: str) -> Corrections:
        """Those of one dataset."""
        return replace(self, changes=tuple(change for change in self.changes if change.dataset == dataset))

    def header(self) -> dict[str, Any]:
        """The first line of a patch: what made it."""
        counts = {
            action: sum(c.action == action for c in self.changes) for action in ("relink", "remove", "add")
        }
        return {
            "patch": 1,
            "ground_truth": self.ground_truth,
            "rule": vars(self.rule),
            "changes": counts,
            "simulated": self.simulated,
        }


def patch_line(change: Change) -> dict[str, Any]:
    """A change as a line of the patch."""
    return {
        "dataset": change.dataset,
        "document": change.document,
        "span": list(change.span),
        "mention": change.mention,
        "action": change.action,
        "annotation": change.annotation,
        "before": _entity_json(change.before),
        "after": _entity_json(change.after),
        "reason": change.reason,
        "votes": {"for": change.verdict.votes, "of": change.verdict.of, "by": change.verdict.by},
        "sources": list(change.sources),
        "judgments": [line for ballot in change.ballots for line in evidence(ballot)],
    }


def _entity_json(entity: Entity | None) -> dict[str, Any] | None:
    return None if entity is None else {"kind": entity.kind, "entity": entity.key, "raw": entity.raw}


def evidence(ballot: Ballot) -> list[dict[str, Any]]:
    """The judgments of a ballot, and what was shown."""
    return [
        {
            "assignment": vote.assignment,
            "display": vote.display,
            "sequence": vote.sequence,
            "worker": vote.worker,
            "role": vote.role,
            "shown": {"span": list(ballot.item.span), "entity": ballot.item.entity},
            "decision": vote.decision,
            "entity": vote.target,
        }
        for vote in ballot.votes
    ]


def correct(study: Study, rule: Rule | None = None) -> Corrections:
    """What the votes of a study change in its ground truth.

    Raises:
        StateError: the study has no ground truth.
    """
    rule = rule or Rule()
    if (truth := study.ground_truth) is None:
        raise StateError(
            "no source is the ground truth: there is nothing to correct", remedy="Name it with --source."
        )
    places: dict[tuple[str, str], Place] = {}
    for row in records(study["annotations"].sort_values("annotation"), _ANNOTATION):
        place = places.setdefault(
            (row["dataset"], row["document"]), Place(rule, row["dataset"], row["document"])
        )
        place.take(row, own=row["source"] == truth)
    ran = study["source_documents"]
    ran = ran[ran["ran"].astype(bool) & (ran["source"] == truth)]
    wanted = set(zip(ran["dataset"], ran["document"], strict=True))
    for item, ballot in ballots(study).items():
        if (verdict := ballot.verdict(rule)) is not None:
            places[item.dataset, item.document].votes[item] = ballot, verdict
    texts = _texts(study)
    changes = [
        replace(change, mention=_words(texts.get(where), change.span))
        for where in sorted(places)
        if where in wanted
        for change in sorted(places[where].changes(), key=_order)
    ]
    return Corrections(truth, rule, tuple(changes), study.simulated)


def _order(change: Change) -> tuple[Any, ...]:
    return (*change.span, change.action, change.annotation or 0)


def _texts(study: Study) -> dict[tuple[str, str], str]:
    table = study["documents"]
    rows = zip(table["dataset"], table["document"], table["text"], strict=True)
    return {(dataset, name): value for dataset, name, value in rows if isinstance(value, str)}


def _words(whole: str | None, span: Span) -> str | None:
    return None if whole is None else whole[span.start : span.end]


def corrected_documents(
    study: Study, corrections: Corrections, given: Mapping[int, Entity] | None = None
) -> dict[str, list[Document]]:
    """The ground truth with the changes applied, by dataset; what is not changed stays as it was.

    Args:
        study: the tables, with texts.
        corrections: of this study.
        given: entities as they were imported, by annotation, where the tables hold keys after redirects.

    Raises:
        StateError: the texts are not there.
    """
    changed = {change.annotation: change for change in corrections.changes if change.annotation is not None}
    made: dict[tuple[str, str], list[Annotation]] = {}
    table = study["annotations"]
    for row in (
        table[table["source"] == corrections.ground_truth].sort_values("annotation").to_dict("records")
    ):
        number = int(row["annotation"])
        entity: Entity | None = Entity(row["kind"], text(row["key"]), text(row["raw"]))
        if number in changed:
            entity = changed[number].after
        elif given is not None:
            entity = given[number]
        if entity is not None:
            made.setdefault((row["dataset"], row["document"]), []).append(_annotation(row, entity))
    for change in corrections.changes:
        if change.annotation is None and change.after is not None:
            annotation = Annotation(change.span, change.after)
            made.setdefault((change.dataset, change.document), []).append(annotation)
    found: dict[str, list[Document]] = {}
    for row in _run_on(study, corrections.ground_truth):
        found.setdefault(row["dataset"], []).append(
            _document(row, made.get((row["dataset"], row["document"]), []))
        )
    return found


def _annotation(row: Mapping[Any, Any], entity: Entity) -> Annotation:
    confidence = row["confidence"]
    score = None if confidence is None or confidence != confidence else float(confidence)  # noqa: PLR0124 - NaN
    return Annotation(Span(int(row["start"]), int(row["end"])), entity, score)


def _run_on(study: Study, source: str) -> Iterator[dict[Any, Any]]:
    """The documents that the source ran on, in the order of the table."""
    ran = study["source_documents"]
    ran = ran[ran["ran"].astype(bool) & (ran["source"] == source)]
    wanted = set(zip(ran["dataset"], ran["document"], strict=True))
    for row in study["documents"].to_dict("records"):
        if (row["dataset"], row["document"]) in wanted:
            yield row


def _document(row: Mapping[Any, Any], annotations: list[Annotation]) -> Document:
    if (whole := text(row["text"])) is None:
        raise StateError(
            "the bundle has no texts: a corrected benchmark cannot be written",
            where=f"{row['dataset']}, {row['document']}",
            remedy="Export the bundle with its texts, or correct the study itself.",
        )
    evaluation = Span(int(row["evaluation_start"]), int(row["evaluation_end"]))
    # In text order, as every source is written; annotations of one place stay in their order.
    placed = tuple(sorted(annotations, key=lambda annotation: annotation.span.start))
    part = None if evaluation == (0, len(whole)) else evaluation
    return Document(row["document"], whole, placed, part, text(row["language"]))
