"""Tables that a person gives: what is wrong with them is said, whatever it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.given import number_of, records_of, rows_of


def test_rows_come_with_their_lines_and_those_that_hold_nothing_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('\ufeffa,b\r\n1,"x\ny"\n\n2\n3,4,5\n', encoding="utf-8")
    assert records_of(path) == (
        ["a", "b"],
        [(3, {"a": "1", "b": "x\ny"}), (5, {"a": "2"}), (6, {"a": "3", "b": "4"})],
    )
    path.write_text("", encoding="utf-8")
    assert records_of(path) == ([], [])


def test_a_cell_beyond_all_measure_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n" + "x" * 200_000, encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.csv:\d: the file is no CSV"):
        rows_of(tmp_path / "a.csv")


@pytest.mark.parametrize("text", ["9" * 5000, "9" * 19, "²", "٣", "-1", "1.0", ""])
def test_what_is_no_id_is_none(text) -> None:
    assert number_of(text) is None
    assert number_of("12") == 12


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16"), (",", "utf-8")])
def test_a_spreadsheet_may_have_saved_it(tmp_path: Path, separator: str, encoding: str) -> None:
    text = 'control,keep\n1,"yes"\n'.replace(",", separator)
    (tmp_path / "a.csv").write_text(text, encoding=encoding)
    assert records_of(tmp_path / "a.csv")[1] == [(2, {"control": "1", "keep": "yes"})]
