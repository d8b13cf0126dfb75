"""CSV comes back as it went out, whatever its cells hold."""

import csv
import io
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.csv_lines import line, write_frame, write_rows

CELLS = st.text(st.sampled_from('a,"\r\n\t é🙂'), max_size=6)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=4))
def test_rows_come_back(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    write_rows(file, rows)
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == rows


def test_a_lone_carriage_return_is_quoted_and_rows_end_with_a_line_feed() -> None:
    assert line(["a\rb", 1]) == '"a\rb",1\n'


def test_a_frame_comes_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"mention": ["a\rb", "x\r\ny", "z"], "n": [1, 2, 3]})
    write_frame(frame, tmp_path / "f.csv")
    assert (tmp_path / "f.csv").read_bytes() == b'mention,n\n"a\rb",1\n"x\r\ny",2\nz,3\n'
    with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)] == ["mention", "a\rb", "x\r\ny", "z"]
