"""The terms a study was planned under: kept with the plan, and compared with what study.yaml says later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.errors import StateError
from verifier.config import StudyConfig
from verifier.store import facts

if TYPE_CHECKING:
    from verifier.store import Session

FACT: Final = "planned"
_SECTIONS: Final = ("plan", "place", "controls")
_LATER: Final = "what is planned already keeps the old value, what a later plan adds has the new one"
_GRID: Final = "texts go on to be cut in the old way"
_FROM_NOW: Final = (
    "it holds for whoever comes from now on; the plan's places, cost and precision were reckoned with the old"
)
_CONTROLS: Final = "controls are made once: those that were made stay as they are"
_GRADING: Final = (
    "it holds for what is submitted from now on; posthoc review STUDY --regrade grades the rest once more"
)
_EFFECTS: Final = {
    "plan.show": "planning refuses: what is shown cannot change",
    "plan.k": _LATER,
    "plan.repeat_share": _LATER,
    "plan.splitter": _GRID,
    "plan.min_chars": _GRID,
    "plan.max_annotations": _LATER,
    "plan.sample": "what was drawn or not stays so, and what a later plan adds is drawn as at first",
    "plan.reuse": _LATER,
    "plan.workers": "it says how many people there are, and changes nothing that is planned",
    "controls.file": _CONTROLS,
    "controls.generate": _CONTROLS,
    "controls.answers_per_task": _CONTROLS,
    "controls.measure": _CONTROLS,
    "controls.decoys": _CONTROLS,
    "controls.rule": _GRADING,
    "controls.per": _GRADING,
    "controls.on_fail": "it holds for every review from now on",
}
# What a later plan does not change either: the grid and the controls of the first.
_FROZEN: Final = {key for key, effect in _EFFECTS.items() if effect in (_GRID, _CONTROLS)} | {
    "plan.show",
    "plan.sample",
}


@dataclass(frozen=True)
class Departure:
    """A setting that is not what it was when the study was planned.

    Attributes:
        key: its place in study.yaml.
        planned: its value then.
        now: its value now.
        effect: what happens.
    """

    key: str
    planned: Any
    now: Any
    effect: str

    def __str__(self) -> str:
        return (
            f"study.yaml has {self.key} {_shown(self.now)}; it was {_shown(self.planned)} when the study was"
            f" planned: {self.effect}."
        )


REMEDY: Final = "Put it back, or, as long as nobody has drawn tasks, plan anew: posthoc plan STUDY --afresh"


def record(session: Session, config: StudyConfig, *, kb: bool) -> None:
    """Keep what the study is planned under. A later plan changes what is not fixed by the first.

    Args:
        session: the plan's own transaction.
        config: as it is now.
        kb: whether a knowledge base is built.
    """
    values = _flat(config)
    if before := planned(session):
        values |= {key: value for key, value in before.items() if key in _FROZEN}
        kb = before["kb"] and kb
    facts.put(session, FACT, json.dumps(values | {"kb": kb}, sort_keys=True))


def planned(session: Session) -> dict[str, Any]:
    """What the study was planned under, by key; empty where it is not planned."""
    found: dict[str, Any] = json.loads(facts.get(session, FACT) or "{}")
    return found


def departures(session: Session, config: StudyConfig) -> list[Departure]:
    """Every setting that is not as it was planned, in the order of study.yaml."""
    before = planned(session)
    return [
        Departure(key, before[key], value, _EFFECTS.get(key, _FROM_NOW))
        for key, value in _flat(config).items()
        if key in before and before[key] != value
    ]


def notices(session: Session, config: StudyConfig) -> list[str]:
    """The departures for people, and what can be done about them."""
    return said(departures(session, config))


def said(found: Iterable[Departure]) -> list[str]:
    """Departures as sentences, the last with what can be done."""
    lines = [str(departure) for departure in found]
    return [*lines, f"{REMEDY}."] if lines else []


def without_kb(session: Session) -> bool:
    """Whether the study was planned while no knowledge base was built."""
    return planned(session).get("kb") is False


def check_identity(session: Session, config: StudyConfig) -> None:
    """Refuse a planned study whose name or seed was changed: its draws and its people hang on them.

    Raises:
        StateError: with what it was and what it is.
    """
    before = planned(session)
    for key, value in _identity(config).items():
        if key in before and before[key] != value:
            raise StateError(
                f"{key} was changed after planning",
                where=f"study.yaml, {key}",
                got=str(value),
                expected=str(before[key]),
                remedy="Put it back, or make another study with: posthoc init DIR",
            )


def _identity(config: StudyConfig) -> dict[str, Any]:
    return {"study.name": config.study.name, "study.seed": config.study.seed}


def _flat(config: StudyConfig) -> dict[str, Any]:
    return _identity(config) | dict(_settings(config))


def _settings(config: StudyConfig) -> Iterator[tuple[str, Any]]:
    values = config.model_dump(mode="json")
    for section in _SECTIONS:
        for name, value in values[section].items():
            yield f"{section}.{name}", value


def _shown(value: Any) -> str:
    """A setting as study.yaml would write it on one line."""
    if isinstance(value, dict):
        given = (f"{key}: {_shown(each)}" for key, each in value.items() if each is not None)
        return f"{{{', '.join(given)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return json.dumps(value) if isinstance(value, bool | None) else str(value)
