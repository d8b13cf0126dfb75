"""The file of bonuses, as people and spreadsheets write it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.crowd import bonus_file


def test_amounts_may_have_a_decimal_comma(tmp_path: Path) -> None:
    """With semicolons between columns, or in quotes; what may be a thousand is refused."""
    path = tmp_path / "b.csv"
    path.write_text("assignment;amount;reason\n4;0,75;Thanks\n9;1,5;Thanks\n", encoding="utf-8-sig")
    assert [asked.amount for asked in bonus_file.read(path)] == [Decimal("0.75"), Decimal("1.5")]
    path.write_text('assignment,amount,reason\n4,"1,000",Thanks\n', encoding="utf-8")
    with pytest.raises(InputError, match="not an amount"):
        bonus_file.read(path)
