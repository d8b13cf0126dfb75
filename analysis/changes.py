"""What the votes change in one document: the ground truth's own annotations first, then what it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from analysis.ballots import Answer, Ballot, Item, Rule, Verdict, entity_of, text
from analysis.decisions import EDIT, REMOVE, VERIFY
from analysis.documents import Span
from analysis.keys import LINK, NIL, NIL_KIND, Entity

Action = Literal["relink", "remove", "add"]

EDITED: Final = "edited to another entity"
REMOVED: Final = "removed"
VERIFIED: Final = "verified, and the ground truth lacked it"
GIVES_WAY: Final = "not verified, and a mention that overlaps it is"
TWICE: Final = "what is right already stands at its span"


@dataclass(frozen=True)
class Change:
    """One change of the ground truth.

    Attributes:
        action: relink, remove or add.
        dataset, document: where.
        span: of the mention.
        before: what stood there; None for an added one.
        after: what stands there now; None for a removed one.
        reason: which part of the rule asked for it.
        verdict: the votes that decided.
        ballots: all votes behind it.
        annotation: the ground truth's annotation, as the bundle numbers it; None for an added one.
        sources: who else had what stands there now.
        mention: its words, where the texts are known.
    """

    action: Action
    dataset: str
    document: str
    span: Span
    before: Entity | None
    after: Entity | None
    reason: str
    verdict: Verdict
    ballots: tuple[Ballot, ...]
    annotation: int | None = None
    sources: tuple[str, ...] = ()
    mention: str | None = None


@dataclass
class _Standing:
    """A ground-truth annotation while its document is corrected; `entity` is None once it is taken away."""

    annotation: int
    item: Item
    given: Entity
    entity: Entity | None
    ballot: Ballot | None = None
    verdict: Verdict | None = None
    change: Change | None = None

    @property
    def verified(self) -> bool:
        """Whether enough say that it stands, or what it is to be."""
        return self.entity is not None and self.verdict is not None and self.verdict.answer is not None

    @property
    def firm(self) -> bool:
        """Whether it stands against a mention that overlaps it: verified, or never judged enough."""
        return self.entity is not None and (self.verified or self.verdict is None)


@dataclass
class Place:
    """One document: what the ground truth has there, what others have, and the votes on both.

    Attributes:
        rule: what must be so before votes decide.
        dataset, document: which.
        votes: what was decided on each item, and from what.
    """

    rule: Rule
    dataset: str
    document: str
    votes: dict[Item, tuple[Ballot, Verdict]] = field(default_factory=dict)
    _standing: list[_Standing] = field(default_factory=list)
    _support: dict[Item, set[str]] = field(default_factory=dict)
    _added: list[Change] = field(default_factory=list)

    def take(self, row: Mapping[Any, Any], *, own: bool) -> None:
        """An annotation, the ground truth's own or another source's."""
        entity = Entity(row["kind"], text(row["key"]), text(row["raw"]))
        item = self._item(Span(int(row["start"]), int(row["end"])), entity)
        if own:
            self._standing.append(_Standing(int(row["annotation"]), item, entity, entity))
        else:
            self._support.setdefault(item, set()).add(row["source"])

    def changes(self) -> Iterator[Change]:
        """What changes here."""
        for each in self._standing:
            self._own(each)
        for item, entity in self._candidates():
            self._offer(item, entity)
        yield from (each.change for each in self._standing if each.change)
        yield from self._added

    def _item(self, span: Span, entity: Entity) -> Item:
        name = entity_of(entity.kind, entity.key, entity.raw)
        return Item(self.dataset, self.document, *span, entity.kind, name)

    def _own(self, each: _Standing) -> None:
        """What an annotation's own votes decide."""
        each.ballot, each.verdict = self.votes.get(each.item, (None, None))
        answer = each.verdict.answer if each.verdict else None
        if each.verdict is None or answer is None:
            return
        if answer.decision == REMOVE:
            self._change(each, None, REMOVED, each.verdict)
        elif answer.decision == EDIT:
            self._change(each, _linked(answer), EDITED, each.verdict)

    def _candidates(self) -> list[tuple[Item, Entity]]:
        """What other sources' items come to, the strongest first; of equals the longest, then the first."""
        own = {each.item for each in self._standing}
        found = []
        for item, (_, verdict) in self.votes.items():
            if item not in own and verdict.answer and verdict.answer.decision != REMOVE:
                verified = verdict.answer.decision == VERIFY
                found.append((item, _entity(item) if verified else _linked(verdict.answer)))
        return sorted(found, key=lambda pair: self._strength(*pair))

    def _strength(self, item: Item, entity: Entity) -> tuple[Any, ...]:
        expert, share, votes = self.votes[item][1].rank
        return (not expert, -share, -votes, item.start - item.end, item.start, str(entity.key))

    def _offer(self, item: Item, entity: Entity) -> None:
        """Put what another source found in its place, if there is one for it."""
        ballot, verdict = self.votes[item]
        there = [each for each in self._standing if each.item.span == item.span]
        if any(each.verified for each in there) or any(_same(each.entity, entity) for each in there):
            return
        standing = [each for each in there if each.entity is not None]
        if not standing and not self._room(item, ballot, verdict):
            return
        if there:
            each = (standing or there)[0]
            self._change(each, entity, VERIFIED, verdict, ballot)
            each.verdict = verdict
        else:
            self._added.append(self._made(item.span, None, entity, VERIFIED, (verdict, (ballot,))))

    def _room(self, item: Item, ballot: Ballot, verdict: Verdict) -> bool:
        """Whether a mention may be added there; annotations that are not firm give way to it."""
        if any(change.span == item.span for change in self._added):
            return False
        if self.rule.nested:
            return True
        others = [each for each in self._standing if each.entity and each.item.span.overlaps(item.span)]
        if any(each.firm for each in others) or any(c.span.overlaps(item.span) for c in self._added):
            return False
        for each in others:
            self._change(each, None, GIVES_WAY, verdict, ballot)
        return True

    def _change(
        self, each: _Standing, entity: Entity | None, reason: str, verdict: Verdict, *behind: Ballot
    ) -> None:
        beside = [
            other for other in self._standing if other is not each and other.item.span == each.item.span
        ]
        if entity is not None and any(_same(other.entity, entity) for other in beside):
            entity, reason = None, TWICE
        each.entity = entity
        ballots = (*([each.ballot] if each.ballot else []), *behind)
        each.change = self._made(each.item.span, each, entity, reason, (verdict, ballots))

    def _made(
        self,
        span: Span,
        standing: _Standing | None,
        after: Entity | None,
        reason: str,
        behind: tuple[Verdict, tuple[Ballot, ...]],
    ) -> Change:
        """The change, by what stood there (nothing: an addition) and what is to stand there."""
        support = self._support.get(self._item(span, after), set()) if after else set()
        return Change(
            "add" if standing is None else "remove" if after is None else "relink",
            self.dataset,
            self.document,
            span,
            standing.given if standing else None,
            after,
            reason,
            *behind,
            annotation=standing.annotation if standing else None,
            sources=tuple(sorted(support)),
        )


def _entity(item: Item) -> Entity:
    """The entity of an item as it was shown."""
    if item.kind == LINK:
        return Entity(LINK, item.entity, None)
    return Entity(item.kind, NIL if item.kind == NIL_KIND else None, item.entity)


def _linked(answer: Answer) -> Entity:
    """The entity that an edit names; an edit to NIL says that the knowledge base lacks it."""
    return Entity(NIL_KIND if answer.target == NIL else LINK, answer.target, None)


def _same(one: Entity | None, other: Entity) -> bool:
    """Whether both say the same; two NIL do, however they are spelled."""
    if one is None or one.kind != other.kind:
        return False
    return one.key == other.key and (one.key is not None or one.raw == other.raw)
