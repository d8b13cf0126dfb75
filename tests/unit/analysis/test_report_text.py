"""Numbers are written one way, carry their cell, and what is undefined says why."""

import numpy as np
import pandas as pd
import pytest

from analysis.report import words
from analysis.report.text import as_html, as_latex, as_markdown, cell, compose, plain, say, sentence
from tests.support.metric_rows import row


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.8943, "0.894"),
        (1.0, "1.000"),
        (0.0, "0.000"),
        (222.0, "222"),
        (1234, "1,234"),
        (3.5, "3.500"),
        (302.25, "302.2"),
        (None, "n/a"),
    ],
)
def test_numbers_are_written_for_people(value, text):
    assert words.number(value) == text


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, pd.NA, pd.NaT, ""])
def test_every_kind_of_empty_cell_is_known(value):
    assert words.is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, False, "nan", "0"])
def test_a_zero_is_not_an_empty_cell(value):
    assert not words.is_missing(value)


def test_a_cell_shows_estimate_and_interval():
    assert plain(cell(row("d", "A", "m", 0.9))).replace("\u00a0", " ") == "0.900 [0.870, 0.930]"


def test_an_undefined_cell_says_its_reason():
    assert plain(cell(row("d", "A", "m", None))) == "undefined: nobody's judgments are counted"


def test_an_estimate_without_interval_says_why_in_a_sentence():
    bare = row("d", "A", "m", 1.2, low=None, high=None, reason="no interval: recall is above 1")
    assert plain(sentence(bare)) == "1.200 (n\u00a0=\u00a0120; no interval: recall is above 1)"


def test_html_names_the_cell_of_each_number_and_escapes_everything():
    text = compose("{} <b>", say(row("<d>", 'A"', "m", 0.5)))
    assert as_html(text) == (
        '<data value="0.5" data-cell="recommended|&lt;d&gt;|A&quot;|m|estimate">0.500</data> &lt;b&gt;'
    )


def test_latex_prints_its_specials():
    assert (
        as_latex(("A_1 & 5 % #{}~^\\",))
        == r"A\_1 \& 5 \% \#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
    )


def test_a_latex_cell_never_begins_with_a_bracket():
    assert as_latex(("[x]",)) == "{}[x]"


def test_markdown_shows_pipes_and_marks():
    assert as_markdown(("a|b *c*\nd",)) == r"a\|b \*c\* d"
