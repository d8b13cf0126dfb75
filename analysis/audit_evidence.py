"""The audit with its evidence: beside each finding what the votes agree on, experts' word, every judgment."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pandas as pd

from analysis.audit import audit_frame
from analysis.ballots import Ballot, Rule, Verdict, ballots
from analysis.decisions import EDIT
from analysis.outcomes import measure
from analysis.study import Study

EVIDENCE: Final = ("share", "edited_to", "answer", "experts", "votes")


def audit_table(study: Study, rule: Rule) -> pd.DataFrame:
    """The rows of `audit_frame` under the policy `recommended`, with the columns of `EVIDENCE`.

    share: of the judgments, those that verify. edited_to: targets of edits with their number. answer: what
    the rule makes of the votes; empty where they agree on nothing. experts: what experts decided. votes: who
    decided what, every judgment.

    Args:
        study: with a ground truth.
        rule: how many votes a finding needs, and what share of them is a verification.
    """
    found = audit_frame(measure(study), min_votes=rule.min_votes, min_share=rule.min_share)
    cast = ballots(study)
    by_place = {(*item[:4], item.entity): ballot for item, ballot in cast.items()}
    rows = [_evidence(row, by_place.get(_place(row)), rule) for row in found.to_dict("records")]
    evidence = pd.DataFrame(rows, columns=list(EVIDENCE), index=found.index)
    return pd.concat([found.drop(columns="policy"), evidence], axis=1)


def _place(row: dict[Any, Any]) -> tuple[Any, ...]:
    return (row["dataset"], row["document"], int(row["start"]), int(row["end"]), row["key"])


def _evidence(row: dict[Any, Any], ballot: Ballot | None, rule: Rule) -> tuple[Any, ...]:
    share = round(row["verify"] / row["judgments"], 6)
    if ballot is None:
        return (share, "", "", "", "")
    targets = Counter(vote.target or "?" for vote in ballot.votes if vote.decision == EDIT)
    edited = "|".join(f"{target} ({count})" for target, count in sorted(targets.items()))
    experts = "|".join(_said(vote.decision, vote.target) for vote in ballot.votes if vote.role == "expert")
    votes = "|".join(f"{vote.worker or '?'}:{_said(vote.decision, vote.target)}" for vote in ballot.votes)
    return (share, edited, _answer(ballot.verdict(rule)), experts, votes)


def _answer(verdict: Verdict | None) -> str:
    return _said(*verdict.answer) if verdict and verdict.answer else ""


def _said(decision: str, target: str | None) -> str:
    return f"{decision} {target}" if target else decision
