"""The ways of cutting texts, by the name and version that a grid is recorded with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from analysis.documents import Span
from analysis.errors import StateError
from verifier.config import PlanSection
from verifier.plan import paper, split
from verifier.plan.paper import Paper
from verifier.plan.split import Whole


class Splitter(Protocol):
    """A way of cutting texts into segments that tile them."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def version(self) -> str:
        """Of its rule: another rule is another version."""

    @property
    def parameters(self) -> dict[str, Any]:
        """What it is set to."""

    def split(self, text: str, mentions: Iterable[Span]) -> list[Span]:
        """The segments of a text, in order, given the mentions of every source."""


def configured(plan: PlanSection) -> Splitter:
    """The splitter that study.yaml names."""
    made: Splitter = Paper(plan.min_chars) if plan.splitter == paper.NAME else Whole(plan.min_chars)
    return made


@dataclass(frozen=True)
class Gone:
    """A splitter of another version of posthoc: what it has cut stays, nothing more can be cut like it."""

    name: str
    version: str
    parameters: dict[str, Any]

    def split(self, text: str, mentions: Iterable[Span]) -> list[Span]:
        """Nothing.

        Raises:
            StateError: always, with what can be done.
        """
        del text, mentions
        raise StateError(
            "there are texts to cut, and the others were cut as this version of posthoc does no more",
            where="the splitter of the first plan",
            got=f"{self.name} {self.version}",
            expected=f"{split.NAME} {split.VERSION} or {paper.NAME} {paper.VERSION}",
            remedy="As long as nobody has drawn tasks, have all texts cut anew: posthoc plan STUDY --afresh."
            " Once people work, put the new documents into a study of their own; those that were cut before"
            " are served, collected and analysed as ever, and later sources on them can be planned.",
        )


def recorded(name: str, version: str, parameters: Mapping[str, Any]) -> Splitter:
    """The splitter that a grid was cut by; `Gone` where this version of posthoc has it no more."""
    if (name, version) == (paper.NAME, paper.VERSION):
        return Paper(**parameters)
    if name == split.NAME and version in ("1", split.VERSION):
        return Whole(**parameters, headlines=version != "1")
    return Gone(name, version, dict(parameters))
