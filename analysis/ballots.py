"""Ballots: for every judged item what workers and experts said of it, and what that decides by a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import pandas as pd

from analysis.decisions import EDIT, VERIFY
from analysis.documents import Span
from analysis.errors import ConfigError
from analysis.keys import Kind
from analysis.study import Study

By = Literal["experts", "workers"]

_ITEM: Final = ["dataset", "document", "start", "end", "kind", "entity"]
_VOTE: Final = ["assignment", "display", "sequence", "worker", "role", "decision", "target", "display_key"]


class Item(NamedTuple):
    """What a vote is about: a span of a document with an entity (the key of a link, else the raw value)."""

    dataset: str
    document: str
    start: int
    end: int
    kind: Kind
    entity: str | None

    @property
    def span(self) -> Span:
        """Where it is."""
        return Span(self.start, self.end)


class Vote(NamedTuple):
    """One person's last word on an item; an edit to the entity that was shown is a verification."""

    assignment: int
    display: int
    sequence: int
    worker: str
    role: str
    decision: str
    target: str | None

    @property
    def answer(self) -> Answer:
        """What the vote says should stand there."""
        return Answer(self.decision, self.target)


class Answer(NamedTuple):
    """A decision; of an edit with its target, None where that is not known."""

    decision: str
    target: str | None = None


@dataclass(frozen=True)
class Rule:
    """What must be so before votes decide.

    Attributes:
        min_votes: that many workers at least.
        min_share: more than this share of them say the same; at least half, so that only one answer can win.
        experts_first: where an expert has decided, workers are not asked; one expert is enough.
        nested: mentions may be added that overlap others.
    """

    min_votes: int = 2
    min_share: float = 0.5
    experts_first: bool = True
    nested: bool = False

    def __post_init__(self) -> None:
        """Refuse what decides nothing or everything.

        Raises:
            ConfigError: a number is out of its range.
        """
        if self.min_votes < 1:
            raise ConfigError(
                "too few votes", where="--min-votes", got=str(self.min_votes), expected="1 or more"
            )
        if not 0.5 <= self.min_share < 1:  # noqa: PLR2004 - below one half two answers could win
            raise ConfigError(
                "not a share that only one answer can exceed",
                where="--min-share",
                got=f"{self.min_share:g}",
                expected="0.5 or more, under 1",
            )

    def wins(self, votes: int, of: int) -> bool:
        """Whether `votes` are more than the share of `of` that is asked for."""
        return votes > self.min_share * of


class Verdict(NamedTuple):
    """What the votes on an item come to.

    Attributes:
        answer: what won; None where nothing did.
        votes: for the answer, or for the entity that was shown where nothing won.
        of: how many were asked.
        by: who was asked.
    """

    answer: Answer | None
    votes: int
    of: int
    by: By

    @property
    def decided(self) -> bool:
        """Whether an answer won that says what should stand there."""
        return self.answer is not None

    @property
    def rank(self) -> tuple[bool, float, int]:
        """How strong it is: experts before workers, then the share, then the votes."""
        return (self.by == "experts", self.votes / self.of, self.votes)


@dataclass(frozen=True)
class Ballot:
    """All voices about one item, experts' among them."""

    item: Item
    votes: tuple[Vote, ...]

    def verdict(self, rule: Rule) -> Verdict | None:
        """What they decide; None where too few have voted.

        An edit whose target is not known says that the entity is wrong, not what is right: it never wins.
        """
        experts = [vote for vote in self.votes if vote.role == "expert"]
        if experts and rule.experts_first:
            return _verdict(experts, rule, "experts")
        workers = [vote for vote in self.votes if vote.role != "expert"]
        return _verdict(workers, rule, "workers") if len(workers) >= rule.min_votes else None


def _verdict(votes: list[Vote], rule: Rule, by: By) -> Verdict:
    counts = Counter(vote.answer for vote in votes)
    for answer, count in counts.items():
        if rule.wins(count, len(votes)) and (answer.decision != EDIT or answer.target is not None):
            return Verdict(answer, count, len(votes), by)
    return Verdict(None, counts[Answer(VERIFY)], len(votes), by)


def ballots(study: Study) -> dict[Item, Ballot]:
    """The ballot of every shown item that somebody judged, in the order of dataset, document and span.

    Workers speak in submitted assignments that count; experts unless their assignment was refused. Everybody
    has one voice an item, his last, whichever source's annotation he saw.
    """
    table = _judged(study)
    grouped: dict[Item, list[Vote]] = {}
    for row in records(table, [*_ITEM, *_VOTE]):
        place = row["dataset"], row["document"], int(row["start"]), int(row["end"])
        item = Item(*place, row["kind"], row["entity"])
        grouped.setdefault(item, []).append(_vote(row))
    return {item: Ballot(item, tuple(grouped[item])) for item in sorted(grouped, key=_place)}


def _place(item: Item) -> tuple[Any, ...]:
    return (*item[:5], item.entity or "")


def _vote(row: dict[str, Any]) -> Vote:
    decision, target = row["decision"], text(row["target"])
    if decision == EDIT and target is not None and target == text(row["display_key"]):
        decision = VERIFY
    return Vote(
        int(row["assignment"]),
        int(row["display"]),
        int(row["sequence"]),
        row["worker"],
        row["role"],
        decision,
        target if decision == EDIT else None,
    )


def _judged(study: Study) -> pd.DataFrame:
    """One row a voice and item: the last judgment of each, in time."""
    people = study["assignments"][["assignment", "worker", "state", "counted", "submitted", "claimed"]].copy()
    refused = people["counted"].notna() & ~people["counted"].fillna(False).astype(bool)
    counts = people["counted"].fillna(False).astype(bool) & (people["state"] == "submitted")
    people = people.assign(enters=counts, refused=refused, time=people["submitted"].fillna(people["claimed"]))
    # Who is not known by name is known by the assignment alone.
    people["voice"] = people["worker"].where(people["worker"] != "", "\0" + people["assignment"].astype(str))
    judgments = study["judgments"].rename(columns={"key": "target"})
    judgments = judgments[judgments["current"].astype(bool)].merge(people, on="assignment")
    expert = judgments["role"] == "expert"
    judgments = judgments[(expert & ~judgments["refused"]) | (~expert & judgments["enters"])]
    displays = study["displays"][["display", "key"]].rename(columns={"key": "display_key"})
    annotations = study["annotations"]
    shown = annotations[annotations["shown"].astype(bool)]
    entities = map(entity_of, shown["kind"], shown["key"], shown["raw"])
    shown = shown.assign(entity=pd.Series(list(entities), index=shown.index, dtype="object"))
    table = judgments.merge(displays, on="display").merge(study["credits"], on="display")
    table = table.merge(shown[["annotation", *_ITEM]], on="annotation")
    table = table.sort_values(
        ["time", "sequence", "assignment", "display"], kind="stable", na_position="first"
    )
    last = table.drop_duplicates([*_ITEM, "role", "voice"], keep="last")
    return last.sort_values(["assignment", "sequence"], kind="stable")


def entity_of(kind: Any, key: Any, raw: Any) -> str | None:
    """What tells entities of one kind apart: the key of a link, the raw value of what is none."""
    return text(key) if kind == "link" else text(raw)


def records(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of some columns as plain values, quicker than pandas makes them."""
    columns = [frame[name].astype(object).tolist() for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def text(value: Any) -> str | None:
    """A cell as text; missing values of any kind are None."""
    return value if isinstance(value, str) else None
