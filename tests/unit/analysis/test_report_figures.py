"""Figures say the frame's numbers, are the same bytes each time, and survive any name."""

import re

import pandas as pd
import pytest

from analysis.report import style
from analysis.report.drawing import inline
from analysis.report.figures import before_and_after, coverage, outcome_shares, verification_rate
from analysis.report.gallery import NAMES, draw
from analysis.report.numbers import Numbers
from tests.support.figure_frames import numbers
from tests.support.metric_rows import row

NUMBERS = numbers()


@pytest.fixture(scope="module")
def drawings():
    return draw(NUMBERS)


def test_every_figure_is_drawn(drawings):
    assert tuple(drawing.name for drawing in drawings) == NAMES


def test_the_same_numbers_give_the_same_bytes(drawings):
    with style.style():
        again = {
            drawn.__name__: drawn(NUMBERS).write().svg
            for drawn in (outcome_shares, before_and_after, coverage)
        }
    assert again == {drawing.name: drawing.svg for drawing in drawings if drawing.name in again}


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
    assert len(draw(numbers(names[:1], ("GT", *names[1:3])))) == len(NAMES) - 1


def test_what_has_no_numbers_is_not_drawn():
    frame = pd.DataFrame([row("d", "GT", "verification_rate", None)])
    assert draw(Numbers.of(frame, "recommended", "GT")) == []


def test_an_estimate_above_one_stays_inside_its_figure():
    """The recall of one policy may exceed 1, and then has no interval."""
    frame = pd.DataFrame([row("d", "A", "posthoc_recall", 1.08, low=None, high=None)])
    with style.style():
        axes = before_and_after(Numbers.of(frame, "recommended", "GT")).figure.axes[1]
    assert axes.get_xlim()[1] > 1.08


def test_the_widths_of_the_bars_are_the_shares():
    with style.style():
        axes = coverage(NUMBERS).figure.axes[1]
    widths = sorted(round(bar.get_width(), 12) for bar in axes.patches)
    assert widths == sorted([0.62, 0.13, 0.02, 0.05, 0.18] * 3)


def test_outcomes_are_shares_of_what_was_shown():
    with style.style():
        axes = outcome_shares(NUMBERS).figure.axes[0]
    first = [bars[0].get_width() for bars in axes.containers]
    assert first == pytest.approx([0.93 * 0.98, 0.6 * 0.07 * 0.98, 0.4 * 0.07 * 0.98, 0.02])
