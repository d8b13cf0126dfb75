"""Figures say the frame's numbers, are the same bytes each time, and survive any name."""

import re
from itertools import pairwise

import pandas as pd
import pytest

from analysis.report import style
from analysis.report.drawing import inline
from analysis.report.figures import NAMES, before_and_after, coverage, draw, outcome_shares, verification_rate
from analysis.report.numbers import Numbers
from tests.support.metric_rows import metrics, row

NUMBERS = Numbers.of(metrics(), "recommended", "GT")


@pytest.fixture(scope="module")
def drawings():
    return draw(NUMBERS)


def test_every_figure_is_drawn(drawings):
    assert tuple(drawing.name for drawing in drawings) == NAMES


def test_the_same_numbers_give_the_same_bytes(drawings):
    assert [drawing.svg for drawing in draw(NUMBERS)] == [drawing.svg for drawing in drawings]


def test_no_figure_holds_a_date(drawings):
    assert not [drawing.name for drawing in drawings if "dc:date" in drawing.svg]


def test_the_plotted_values_are_the_estimates():
    with style.style():
        axes = verification_rate(NUMBERS).figure.axes[0]
    drawn = sorted(line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1)
    assert drawn == sorted(r["estimate"] for r in NUMBERS.rows.values() if r["metric"] == "verification_rate")


def test_every_figure_has_words_for_those_who_cannot_see_it(drawings):
    assert all(len(drawing.alt) > 40 and drawing.caption and drawing.title for drawing in drawings)


def test_inlined_figures_share_no_id(drawings):
    ids = [name for drawing in drawings for name in re.findall(r'\bid="([^"]+)"', inline(drawing))]
    assert len(ids) == len(set(ids))


def test_an_inlined_figure_finds_all_its_references(drawings):
    for drawing in drawings:
        svg = inline(drawing)
        assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg)) <= set(re.findall(r'\bid="([^"]+)"', svg))


def test_names_with_specials_emoji_and_other_scripts_are_drawn():
    """A character without a glyph becomes a box: no warning, no mathematics from a dollar."""
    names = ("<b>$x_1$ & 100 %", "שלום עולם", "🙂 emoji\n", "x" * 80)
    frame = metrics((names[0], names[1]), ("GT", *names[2:]))
    assert len(draw(Numbers.of(frame, "recommended", "GT"))) == len(NAMES)


def test_what_has_no_numbers_is_not_drawn():
    frame = pd.DataFrame([row("d", "GT", "verification_rate", None)])
    assert draw(Numbers.of(frame, "recommended", "GT")) == []


def test_no_two_labels_of_an_axis_overlap():
    """Eight datasets with three sources, and one with ten, by the renderer's own extents."""
    for frame in (
        metrics(tuple(f"dataset-{i}" for i in range(8))),
        metrics(("d",), ("GT", *(f"model-{i}" for i in range(9)))),
    ):
        with style.style():
            figure = verification_rate(Numbers.of(frame, "recommended", "GT")).figure
            figure.canvas.draw()
            boxes = sorted(
                t.get_window_extent().extents[[1, 3]].tolist() for t in figure.axes[0].get_yticklabels()
            )
        assert all(above[0] >= below[1] - 0.5 for below, above in pairwise(boxes))


def test_an_estimate_above_one_stays_inside_its_figure():
    """The recall of one policy may exceed 1, and then has no interval."""
    frame = pd.DataFrame([row("d", "A", "posthoc_recall", 1.08, low=None, high=None)])
    with style.style():
        axes = before_and_after(Numbers.of(frame, "recommended", "GT")).figure.axes[1]
    assert axes.get_xlim()[1] > 1.08


def test_the_widths_of_the_bars_are_the_shares():
    with style.style():
        axes = coverage(NUMBERS).figure.axes[0]
    widths = sorted(round(bar.get_width(), 12) for bar in axes.patches)
    assert widths == sorted([0.62, 0.13, 0.02, 0.05, 0.18] * 3)


def test_outcomes_are_shares_of_what_was_shown():
    with style.style():
        axes = outcome_shares(NUMBERS).figure.axes[0]
    first = [bars[0].get_width() for bars in axes.containers]
    assert first == pytest.approx([0.93 * 0.98, 0.6 * 0.07 * 0.98, 0.4 * 0.07 * 0.98, 0.02])
