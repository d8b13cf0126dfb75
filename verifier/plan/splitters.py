"""The ways of cutting texts, by the name and version that a grid is recorded with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def recorded(name: str, version: str, parameters: Mapping[str, Any]) -> Splitter:
    """The splitter that a grid was cut by.

    Raises:
        StateError: this version of posthoc has no such splitter.
    """
    if (name, version) == (paper.NAME, paper.VERSION):
        return Paper(**parameters)
    if name == split.NAME and version in ("1", split.VERSION):
        return Whole(**parameters, headlines=version != "1")
    raise StateError(
        "the grid was cut by another splitter",
        got=f"{name} {version}",
        expected=f"{split.NAME} {split.VERSION} or {paper.NAME} {paper.VERSION}",
        remedy="Plan with the version of posthoc that made it.",
    )
