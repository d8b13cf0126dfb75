"""Tables of judgments that no program should have written."""

from __future__ import annotations

from pathlib import Path

import pytest

import analysis
from analysis.errors import InputError

HEADER = "dataset,document,source,start,end,entity,worker,decision"


def test_empty_lines_before_the_header_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text(f"\n\n{HEADER}\nx,d,Alpha,0,4,Q1,ann,verify\n")
    assert len(analysis.load(path)["judgments"]) == 1


@pytest.mark.parametrize("line", ["[" * 200_000, '{"a":' * 50_000])
def test_a_first_line_without_an_end_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "j.csv").write_text(line)
    with pytest.raises(InputError, match=r"j\.csv"):
        analysis.load(tmp_path / "j.csv")
