"""Published tables of labels, of any of the kinds they are printed in, as this package takes them."""

import json
from pathlib import Path

import pandas as pd

from analysis.agreement import Agreement, agreement

FILE = Path(__file__).parents[1] / "reference" / "agreement_values.json"
ENTRIES = json.loads(FILE.read_text(encoding="utf-8"))["entries"]


def entries(*coefficients: str) -> list[dict]:
    """The entries of some coefficients."""
    return [entry for entry in ENTRIES if entry["coefficient"] in coefficients]


def long(rows: list[tuple], columns: str = "unit worker label") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def of_matrix(matrix: list[list]) -> pd.DataFrame:
    """Workers x units, None for no label, as a long table."""
    return long(
        [
            (unit, worker, label)
            for worker, row in enumerate(matrix)
            for unit, label in enumerate(row)
            if label is not None
        ]
    )


def of_counts(counts: list[list[int]]) -> pd.DataFrame:
    """Units x categories, as a long table in which the workers of a unit are the first, second and so on."""
    rows = []
    for unit, row in enumerate(counts):
        given = [category for category, often in enumerate(row) for _ in range(often)]
        rows += [(unit, worker, category) for worker, category in enumerate(given)]
    return long(rows)


def of_joint(cells: list[list[int]]) -> pd.DataFrame:
    """A joint table, as a long table of two workers."""
    pairs = [(i, j) for i, row in enumerate(cells) for j, often in enumerate(row) for _ in range(often)]
    return long(
        [(unit, worker, label) for unit, pair in enumerate(pairs) for worker, label in enumerate(pair)]
    )


def measured(table: dict, **options: object) -> Agreement:
    """The agreement of a published table."""
    options = {"replicates": 0, **options}
    cells, kind = table.get("table"), table["kind"]
    names = table.get("categories") or list(range(len(cells[0]) if cells else 0))
    if kind == "contingency":
        return agreement(table=pd.DataFrame(cells, index=names, columns=names), categories=names, **options)
    if kind == "counts":
        return agreement(of_counts(cells), categories=names, **options)
    if kind == "reliability_matrix":
        return agreement(of_matrix(cells), categories=names, **options)
    rows = [
        (unit, worker, set(label))
        for unit, pair in enumerate(table["units"])
        for worker, label in enumerate(pair)
    ]
    return agreement(long(rows), distance="jaccard", **options)
