"""One simulated worker: arrives, works through the pages as a person would, and submits or drops out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from analysis.decisions import EDIT, VERIFY
from analysis.documents import Span
from analysis.errors import StateError
from analysis.keys import NIL
from verifier.kb.names import address_of, title_of
from verifier.simulate.client import TaskServer
from verifier.simulate.deciding import Choice, Mind
from verifier.simulate.doors import Door

Outcome = Literal["submitted", "returned", "abandoned", "turned away", "done before"]

_MOST_STEPS: Final = 10


@dataclass
class SimulatedWorker:
    """A worker with his mind, server and door; `acknowledged` hears of each judgment that is stored."""

    number: int
    mind: Mind
    server: TaskServer
    door: Door
    acknowledged: Callable[[str, int], None]
    token: str | None = None
    judgments: int = 0
    outcome: Outcome = "turned away"
    options: Mapping[str, Any] = field(default_factory=dict)

    def arrive(self) -> None:
        """Come in and claim a place."""
        self.token = self.door.enter(self.server)

    def work(self) -> None:
        """Go through the steps and decide on every display, or until dropping out."""
        if self.token is None:
            return
        state = self._reach_tasks(self.token)
        if state is None:
            return
        leaving = self.mind.leaving()
        tasks = state["tasks"]
        wanted = len(tasks) if leaving is None else int(leaving.share * len(tasks))
        sequence = int(state["sequence"])
        self.options = state["options"]
        for task in tasks[:wanted]:
            sequence = self._do_task(self.token, int(task["task"]), sequence)
        if leaving is None:
            self.outcome = "submitted"
        else:
            self.outcome = "returned" if leaving.returns else "abandoned"

    def end(self) -> None:
        """Hand the work in or back, as decided; who abandons does nothing."""
        if self.token is not None and self.outcome == "submitted":
            self.door.hand_in(self.server, self.token)
        elif self.token is not None and self.outcome == "returned":
            self.door.give_back(self.server, self.token)

    def _reach_tasks(self, token: str) -> dict[str, Any] | None:
        for _ in range(_MOST_STEPS):
            state = self.server.state(token)
            if state["code"] is not None:
                self.outcome = "done before"
                return None
            if state["step"] == "tasks":
                return state
            self.server.take_step(token, str(state["step"]))
        raise StateError("a simulated worker never reached the tasks", got=f"step {state['step']}")

    def _do_task(self, token: str, number: int, sequence: int) -> int:
        task = self.server.task(token, number)
        for display in task["displays"]:
            if display["judgment"] is None:
                sequence += 1
                card = display["card"] or self._named(token, display)
                judgment = self._judgment(token, task["text"], display | {"card": card})
                self.server.judge(token, {"sequence": sequence} | judgment)
                self.judgments += 1
                self.acknowledged(token, sequence)
        return sequence

    def _judgment(self, token: str, text: str, display: dict[str, Any]) -> dict[str, Any]:
        span = Span(points(text, display["start"]), points(text, display["end"]))
        key = str(display["card"]["key"])
        choice = self.mind.decide(text, span, key)
        entity = None
        if choice.decision == EDIT:
            searching = self.mind.searches(text, span, key) or choice.key is None
            entity = self._entity(token, display, choice, searching=searching)
        verifies = choice.decision == VERIFY
        least = float(self.options.get("verify_after_seconds", 0)) if verifies else 0.0
        opens = self.mind.opens(text, span, key)
        return {
            "display": display["display"],
            "action": choice.decision,
            "entity": entity,
            "opened": opens or (verifies and bool(self.options.get("require_open"))),
            "seconds": max(self.mind.seconds(text, span, key), least),
        }

    def _named(self, token: str, display: dict[str, Any]) -> dict[str, Any]:
        """Where the link is hidden: the first that a search for the mention offers is named; the card."""
        offered = self.server.search(token, display["mention"], display["display"])
        card: dict[str, Any] = self.server.name(token, display["display"], offered[0] if offered else NIL)[
            "card"
        ]
        return card

    def _entity(self, token: str, display: dict[str, Any], choice: Choice, *, searching: bool) -> str:
        """What is entered in an edit: what a search found, a pasted address, or any other entity."""
        if choice.key == NIL:
            return NIL
        if choice.key is None:
            offered = self.server.search(token, display["mention"], display["display"])
            others = [key for key in offered if key != display["card"]["key"]]
            return others[0] if others else NIL
        if searching:
            for query in (display["mention"], title_of(choice.key)):
                if choice.key in self.server.search(token, query, display["display"]):
                    return choice.key
        return address_of(choice.key) or choice.key


def points(text: str, units: int) -> int:
    """The number of code points in the first `units` UTF-16 units of `text`."""
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le"))
