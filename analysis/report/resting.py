"""Tables of what the numbers rest on: the steps of precision, controls, corrections, and who counts."""

from __future__ import annotations

from typing import Any, Final

from analysis.corrected import RATE
from analysis.report.numbers import Numbers, Row
from analysis.report.tables import Table, noted
from analysis.report.text import Text, cell
from analysis.report.waterfalls import name_of, names_of
from analysis.report.words import count, dataset_name, interval, number, signed
from analysis.schema import ALL
from analysis.sensitivity import GATE, WORKER
from analysis.waterfall import END, START

_CORRECTED: Final = (
    ("Verification rate", "verification_rate"),
    ("Corrected", RATE),
    ("By experts", "audited_verification_rate"),
    ("Posthoc recall", "posthoc_recall"),
    ("Corrected recall", "corrected_recall"),
)
_METRICS: Final = {"verification_rate": "verification rate", "posthoc_f1": "posthoc F1"}


def resting_tables(numbers: Numbers) -> list[Table]:
    """Those that have rows."""
    tables = [
        waterfall_table(numbers),
        control_results_table(numbers),
        corrected_table(numbers),
        sensitivity_table(numbers),
    ]
    return [noted(table) for table in tables if table.rows and len(table.head) > table.words]


def waterfall_table(numbers: Numbers) -> Table:
    """The steps from exact to posthoc precision, a column a step."""
    rows = [row for row in numbers.records("waterfall") if row["dataset"] in numbers.groups]
    steps = names_of([rows]) if any(row["step"] == END for row in rows) else []
    places = dict.fromkeys((row["dataset"], row["source"]) for row in rows if row["step"] == END)
    found = {(row["dataset"], row["source"], name_of(row)): row for row in rows}
    cells = tuple(
        ((dataset_name(place[0]),), (place[1],), *(_step(found.get((*place, name))) for name in steps))
        for place in places
    )
    return Table(
        "waterfall",
        "From exact precision to posthoc precision, step by step",
        "First and last column: precision; the others: by how much it changes. Exact, edited or removed: "
        "exact links "
        "that people did not verify. B to E1, verified: links that are not exactly in the ground truth, "
        "by how they "
        "stand to it, that people verified.",
        ("Dataset", "Model", *(name[0].upper() + name[1:] for name in steps)),
        cells,
        2,
    )


def _step(row: Row | None) -> Text:
    if row is None:
        return ("\u2013",)
    return (number(row["reached"]) if row["step"] in (START, END) else signed(row["change"]),)


def control_results_table(numbers: Numbers) -> Table:
    """What people made of the controls."""
    rows = tuple(
        (
            (str(row["expected"]),),
            ("all" if row["difficulty"] == ALL else str(row["difficulty"] or "not given"),),
            (count(row["n"]),),
            (count(row["right"]),),
            (f"{number(row['share'])} {interval(row['low'], row['high'])}",),
        )
        for row in numbers.records("controls")
    )
    return Table(
        "control_results",
        "Controls: links whose right answer is known",
        "Judgments of controls by everyone, counted or not, with intervals over judgments.",
        ("Right answer", "Difficulty", "Judgments", "Right", "Share right"),
        rows,
        2,
    )


def corrected_table(numbers: Numbers) -> Table:
    """Rates as they are, and corrected for what people accept wrongly."""
    columns = [
        (title, metric)
        for title, metric in _CORRECTED
        if any(numbers.get(group, source, metric) for group in numbers.groups for source in numbers.sources)
    ]
    if not {metric for _, metric in columns} & {RATE, "audited_verification_rate"}:
        columns = []
    rows = tuple(
        (
            (dataset_name(group),),
            (source,),
            *(cell(numbers.get(group, source, metric)) for _, metric in columns),
        )
        for group in numbers.groups
        for source in numbers.sources
    )
    return Table(
        "corrected",
        "Rates as judged, and corrected for errors in judging",
        "Corrected: by what people made of the controls; how it hangs on that stands in sensitivity.csv. "
        "By experts: "
        "by what experts decided of the same links.",
        ("Dataset", "Source", *(title for title, _ in columns)),
        rows,
        2,
    )


def sensitivity_table(numbers: Numbers) -> Table:
    """Headline numbers if others counted, and without any one worker."""
    rows = [
        ((title,), (row["source"],), (str(row["what"] or ""),), *_moved(row))
        for metric, title in _METRICS.items()
        for row in numbers.records("sensitivity", dataset=numbers.overall, metric=metric)
        if row["kind"] in (GATE, WORKER)
    ]
    return Table(
        "sensitivity",
        "How much hangs on who counts",
        "Over everything. The estimate if others counted, and by how much it differs; for single workers "
        "the one who "
        "moves it most, and the range without any one of them.",
        ("Score", "Source", "If these counted", "Estimate", "Change", "Range"),
        tuple(rows),
        3,
    )


def _moved(row: dict[Any, Any] | Row) -> tuple[Text, ...]:
    if row["estimate"] is None:
        return (str(row["reason"] or "undefined"),), ("\u2013",), ("\u2013",)
    span = "\u2013" if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}"
    change = "\u2013" if row["change"] is None else signed(row["change"])
    return (number(row["estimate"]),), (change,), (span,)
