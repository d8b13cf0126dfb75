"""A bundle whose values cannot be is refused, whatever its hashes say."""

import pytest

from analysis import bundle
from analysis.errors import InputError
from analysis.load import load
from tests.support.random_studies import frame


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("judgments", "decision", "agree", "unknown word"),
        ("judgments", "seconds", float("inf"), "impossible number"),
        ("judgments", "seconds", -1.0, "impossible number"),
        ("judgments", "role", "boss", "unknown word"),
        ("sources", "role", "oracle", "unknown word"),
        ("annotations", "kind", "guess", "unknown word"),
        ("annotations", "start", -1, "impossible number"),
        ("annotations", "end", 0, "impossible span"),
        ("annotations", "key", None, "wrong value"),
        ("segments", "weight", -1.0, "impossible weight"),
        ("documents", "text", "another text", "wrong value"),
        ("assignments", "origin", "dreamt", "unknown word"),
    ],
)
def test_an_impossible_value_is_named_with_its_column(tmp_path, table, column, value, message):
    tables = dict(load(frame(1, rows=20)).tables)
    tables[table] = tables[table].assign(**{column: value})
    with pytest.raises(InputError, match=message) as caught:
        bundle.write(tables, {}, tmp_path / "bundle")
    assert any(column in problem.where or table in problem.where for problem in caught.value)
    assert not (tmp_path / "bundle").exists()
