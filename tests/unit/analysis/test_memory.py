"""Large studies let go of what is cut again, and come to the same numbers."""

from __future__ import annotations

import sys

import pandas as pd

from analysis import compare, evaluate, load, memory
from analysis.outcomes import measure
from tests.support.random_studies import frame


def test_rows_that_are_not_held_give_the_same_numbers(monkeypatch):

    study = load(frame(3, rows=120))
    held = evaluate(study, replicates=2)
    monkeypatch.setattr(sys.modules["analysis.evaluate"], "_MANY_VOTES", 0)
    measured = measure(study)
    pd.testing.assert_frame_equal(evaluate(measured, replicates=2), held)
    assert not [name for name in measured.memo if str(name).startswith("view ")]


def test_memory_is_given_back_wherever_there_is_a_way_to(monkeypatch):
    """Without the C library of GNU, and without pyarrow, nothing happens."""
    memory.give_back()
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: (_ for _ in ()).throw(OSError("none")))
    monkeypatch.delitem(memory.sys.modules, "pyarrow", raising=False)
    memory.give_back()


def test_a_comparison_keeps_no_rows():
    measured = measure(load(frame(3, rows=60, datasets=1)))
    compare(measured, "A", "B")
    assert not [name for name in measured.memo if str(name).startswith("view ")]
