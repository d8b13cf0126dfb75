"""Steps: each can be switched off; only submitting leaves the tasks."""

from __future__ import annotations

from verifier.config import PagesSection
from verifier.web import steps


def test_all_steps_in_order() -> None:
    pages = PagesSection()
    assert steps.enabled(pages) == ["consent", "instructions", "example", "tasks", "thanks"]
    assert steps.following("consent", pages) == "instructions"
    assert steps.following("example", pages) == "tasks"
    assert steps.following("tasks", pages) == "tasks"


def test_a_step_switched_off_is_passed_over() -> None:
    pages = PagesSection(consent_step=False, example_step=False)
    assert steps.current("consent", pages) == "instructions"
    assert steps.following("instructions", pages) == "tasks"
    assert steps.current("example", pages) == "tasks"


def test_all_switched_off_leaves_the_tasks() -> None:
    pages = PagesSection(consent_step=False, instructions_step=False, example_step=False)
    assert steps.current("consent", pages) == "tasks"
    assert steps.current("thanks", pages) == "thanks"
