"""The steps of an assignment and which of them a study has switched on."""

from __future__ import annotations

from typing import Final, Literal

from verifier.config import PagesSection

Step = Literal["consent", "instructions", "example", "tasks", "thanks"]
STEPS: Final[tuple[Step, ...]] = ("consent", "instructions", "example", "tasks", "thanks")


def enabled(pages: PagesSection) -> list[Step]:
    """The steps that the study shows, in order."""
    on = {
        "consent": pages.consent_step,
        "instructions": pages.instructions_step,
        "example": pages.example_step,
    }
    return [step for step in STEPS if on.get(step, True)]


def current(stored: str, pages: PagesSection) -> Step:
    """The step to show: the stored one, or the next that is switched on."""
    shown = enabled(pages)
    return next((step for step in STEPS[_place(stored) :] if step in shown), "thanks")


def following(step: Step, pages: PagesSection) -> Step:
    """The step after `step`; the tasks are left by submitting only."""
    shown = enabled(pages)
    return shown[min(shown.index(step) + 1, shown.index("tasks"))]


def _place(stored: str) -> int:
    return STEPS.index(stored) if stored in STEPS else 0
