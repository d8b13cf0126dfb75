"""The audit with its evidence: beside each finding what the votes agree on, experts' word, every judgment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from analysis.audit import audit_frame
from analysis.ballots import Ballot, Rule, Verdict, ballots
from analysis.decisions import EDIT
from analysis.outcomes import measure
from analysis.study import Study

EVIDENCE: Final = ("title", "context", "share", "edited_to", "edited_titles", "answer", "experts", "votes")
# Characters of the text on either side of a mention.
_AROUND: Final = 60


def audit_table(study: Study, rule: Rule) -> pd.DataFrame:
    """The rows of `audit_frame` under the policy `recommended`, with the columns of `EVIDENCE`.

    title: what the link is called, where a card says so. context: the text around, the mention in brackets;
    empty without texts. share: of the judgments, those that verify. edited_to: targets of edits with their
    number. edited_titles: what they are called, in the same order. answer: what the rule makes of the votes;
    empty where they agree on nothing. experts: what experts decided. votes: who decided what, every judgment.

    Args:
        study: with a ground truth.
        rule: how many votes a finding needs, and what share of them is a verification.
    """
    found = audit_frame(measure(study), min_votes=rule.min_votes, min_share=rule.min_share)
    cast = ballots(study)
    by_place = {(*item[:4], item.entity): ballot for item, ballot in cast.items()}
    cards = study["cards"].dropna(subset=["title"])
    titles = dict(zip(cards["key"], cards["title"], strict=True))
    documents = study["documents"]
    where = zip(documents["dataset"], documents["document"], strict=True)
    texts = dict(zip(where, documents["text"], strict=True))
    rows = [
        (
            titles.get(row["key"], ""),
            _context(texts.get((row["dataset"], row["document"])), int(row["start"]), int(row["end"])),
            *_evidence(row, by_place.get(_place(row)), rule, titles),
        )
        for row in found.to_dict("records")
    ]
    evidence = pd.DataFrame(rows, columns=list(EVIDENCE), index=found.index)
    return pd.concat([found.drop(columns="policy"), evidence], axis=1)


def _place(row: dict[Any, Any]) -> tuple[Any, ...]:
    return (row["dataset"], row["document"], int(row["start"]), int(row["end"]), row["key"])


def _context(text: object, start: int, end: int) -> str:
    """The words around a mention, in one line."""
    if not isinstance(text, str):
        return ""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return " ".join(f"{before}[{text[start:end]}]{after}".split())


def _evidence(
    row: dict[Any, Any], ballot: Ballot | None, rule: Rule, titles: Mapping[str, str]
) -> tuple[Any, ...]:
    share = round(row["verify"] / row["judgments"], 6)
    if ballot is None:
        return (share, "", "", "", "", "")
    targets = Counter(vote.target or "?" for vote in ballot.votes if vote.decision == EDIT)
    edited = "|".join(f"{target} ({count})" for target, count in sorted(targets.items()))
    named = "|".join(titles.get(target, "?") for target in sorted(targets))
    experts = "|".join(_said(vote.decision, vote.target) for vote in ballot.votes if vote.role == "expert")
    votes = "|".join(f"{vote.worker or '?'}:{_said(vote.decision, vote.target)}" for vote in ballot.votes)
    return (share, edited, named, _answer(ballot.verdict(rule)), experts, votes)


def _answer(verdict: Verdict | None) -> str:
    return _said(*verdict.answer) if verdict and verdict.answer else ""


def _said(decision: str, target: str | None) -> str:
    return f"{decision} {target}" if target else decision
