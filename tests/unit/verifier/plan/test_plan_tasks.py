"""What is shown, as which displays, credited to whom, and why the rest is not."""

from collections import Counter

import pytest

from analysis.documents import Span
from analysis.schema import NOT_SHOWN
from verifier.plan.tasks import Mark, Shown, draw_up, repeated

WHOLE = Span(0, 100)


def mark(identity, source, start, end, key="wd:Q1", kind="link"):  # noqa: PLR0917 - a row
    return Mark(identity, 1, source, start, end, key, kind, None, planned=False)


def test_each_source_has_its_own_task_on_a_segment():
    tasks = draw_up(
        [mark(1, 1, 0, 5), mark(2, 2, 0, 5), mark(3, 1, 60, 65)],
        [Span(0, 50), Span(50, 100)],
        WHOLE,
        pooled=False,
    ).tasks
    assert [(t.segment, t.source, t.displays) for t in tasks] == [
        (0, 1, {(0, 5, "wd:Q1"): [1]}),
        (0, 2, {(0, 5, "wd:Q1"): [2]}),
        (1, 1, {(60, 65, "wd:Q1"): [3]}),
    ]


def test_identical_annotations_of_one_source_are_one_display_credited_to_all():
    [task] = draw_up([mark(2, 1, 0, 5), mark(1, 1, 0, 5)], [WHOLE], WHOLE, pooled=False).tasks
    assert task.displays == {(0, 5, "wd:Q1"): [1, 2]}


def test_pooled_shows_each_distinct_item_once():
    marks = [mark(1, 1, 0, 5), mark(2, 2, 0, 5), mark(3, 2, 0, 5, "wd:Q2")]
    [task] = draw_up(marks, [WHOLE], WHOLE, pooled=True).tasks
    assert task.source is None
    assert task.displays == {(0, 5, "wd:Q1"): [1, 2], (0, 5, "wd:Q2"): [3]}


def test_a_later_source_is_credited_for_a_pooled_display_there_is():
    drafts = draw_up([mark(9, 3, 0, 5)], [WHOLE], WHOLE, pooled=True, existing={Shown(0, 5, "wd:Q1"): [77]})
    assert (drafts.tasks, drafts.late) == ([], {77: [9]})


def test_displays_stand_in_text_order_the_shorter_first():
    [task] = draw_up(
        [mark(1, 1, 10, 20), mark(2, 1, 0, 9), mark(3, 1, 10, 12)], [WHOLE], WHOLE, pooled=False
    ).tasks
    assert [shown[:2] for shown in task.displays] == [(0, 9), (10, 12), (10, 20)]


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (mark(1, 1, 0, 5, "NIL", "nil"), "nil"),
        (mark(1, 1, 0, 5, None, "unmapped"), "unmapped"),
        (mark(1, 1, 0, 5, None, "none"), "no_link"),
        (mark(1, 1, 0, 5, None, "other"), "not_an_entity"),
        (mark(1, 1, 85, 95), "outside_evaluation"),
        (mark(1, 1, 45, 55), "crosses_segments"),
    ],
)
def test_an_annotation_that_is_not_shown_keeps_its_reason(annotation, reason):
    drafts = draw_up([annotation], [Span(0, 50), Span(50, 100)], Span(0, 90), pooled=False)
    assert drafts.reasons == {1: reason}
    assert reason in NOT_SHOWN
    assert not drafts.tasks


def test_repeated_tasks_are_spread_over_the_strata():
    chosen = repeated({task: f"s{task % 3}" for task in range(300)}, 0.1, seed=4)
    assert Counter(task % 3 for task in chosen) == {0: 10, 1: 10, 2: 10}


def test_repeated_tasks_follow_from_the_seed():
    tasks = dict.fromkeys(range(50), "s")
    assert repeated(tasks, 0.2, 1) == repeated(tasks, 0.2, 1) != repeated(tasks, 0.2, 2)
