"""A drawn-up plan in numbers: what it adds, how much was sampled, what its controls ask."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from analysis.decisions import DECISIONS, EDIT
from verifier.plan.gate import GATE, Gate, gate
from verifier.plan.report import Added, Sampled
from verifier.store import plans

if TYPE_CHECKING:
    from verifier.config import StudyConfig
    from verifier.plan.drafting import Drafting
    from verifier.plan.sampling import Sampling
    from verifier.store import Session


def sampled(sampling: Sampling, drafting: Drafting) -> Sampled:
    """How much of the study was drawn, earlier and now."""
    weights = [weight for weight in drafting.weights.values() if weight]
    left_out = sum(not weight for weight in drafting.weights.values())
    segments = sum(map(len, drafting.segments.values()))
    return Sampled(
        **vars(sampling),
        segments=segments,
        drawn=segments - left_out,
        weights=(min(weights), max(weights)) if weights else (1.0, 1.0),
    )


def added(drafting: Drafting) -> Added:
    """What a plan adds."""
    rows = drafting.rows
    return Added(
        documents=len({segment["document_id"] for segment in rows.segments}),
        segments=len(rows.segments),
        tasks=sum(task["kind"] == "real" for task in rows.tasks),
        displays=len(rows.displays) - drafting.control_displays,
        slots=len(rows.slots),
        repeated=len(drafting.repeated),
        controls=sum(task["kind"] == "control" for task in rows.tasks),
        cards=len(rows.cards),
    )


def control_numbers(session: Session, drafting: Drafting, tasks: int) -> dict[str, Any]:
    """Control tasks, their graded displays by right answer, wrong links by difficulty, and the rest."""
    new = ((a["expected"], a["difficulty"], a["use"]) for a in drafting.rows.answers)
    answers = [*plans.answers(session), *new]
    expected = Counter(decision for decision, _, use in answers if use == GATE)
    wrong = Counter(difficulty or "not said" for decision, difficulty, _ in answers if decision == EDIT)
    return {
        "tasks": tasks,
        "deciding": len(plans.deciding_controls(session)) + drafting.deciding,
        "expected": {decision: expected[decision] for decision in DECISIONS if expected[decision]},
        "wrong": dict(sorted(wrong.items())),
        "measured": sum(use != GATE for *_, use in answers),
        "displays": plans.control_display_count(session) + drafting.control_displays,
    }


def questions(config: StudyConfig, numbers: dict[str, Any]) -> int:
    """How many graded answers an assignment has, on average over the pool."""
    graded, deciding = sum(numbers["expected"].values()), numbers["deciding"]
    counted = config.place.controls - config.controls.measure - config.controls.decoys
    return round(counted * graded / deciding) if deciding and counted > 0 else 0


def gate_of(config: StudyConfig, numbers: dict[str, Any]) -> Gate | None:
    """What the rule asks of an assignment; None where nothing is graded."""
    asked = questions(config, numbers)
    return gate(config.controls.rule, asked) if asked else None
