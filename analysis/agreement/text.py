"""The agreement of a table of labels for a terminal, as aligned columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from analysis.agreement.coefficient import Coefficient
from analysis.agreement.found import Agreement, Record
from analysis.agreement.registry import COEFFICIENTS
from analysis.agreement.span_declared import span_coefficient
from analysis.report import words

NOT_CORRECTNESS: Final = (
    "Agreement is not correctness: workers who share a mistake agree. Bands are read at the lower limit."
)
_SHOWN: Final = {"nominal": 0, "ordinal": 1, "interval": 2, "ratio": 3}
_MOST: Final = 10
_WIDEST: Final = 12


def shown(found: Agreement) -> list[Record]:
    """The records that a reader of these labels is shown: those of their scale, and what was given."""
    most = _SHOWN[found.scale]
    return [
        record
        for record in found.records
        if record["estimate"] is not None
        and (
            _SHOWN.get(declared(record).scale, 0) <= most
            or record["coefficient"].endswith(("weighted", "distance"))
        )
    ]


def left_out(found: Agreement) -> list[Record]:
    """The records of their scale that have no estimate."""
    most = _SHOWN[found.scale]
    return [
        record
        for record in found.records
        if record["estimate"] is None and _SHOWN.get(declared(record).scale, 0) <= most
    ]


def declared(record: Record) -> Coefficient:
    """The coefficient of a record."""
    name = record["coefficient"]
    return COEFFICIENTS[name] if name in COEFFICIENTS else span_coefficient(name)


def title(record: Record) -> str:
    """What a record is about."""
    name = declared(record).title
    return f"{name}: {record['category']}" if record.get("category") else name


def readable(found: Agreement) -> str:
    """The whole of it in lines."""
    first = found.records[0]
    what = "documents done by" if found.of_spans else "units with labels of"
    head = f"{first['n_units']:,} {what} two workers or more, {first['n_workers']:,} workers"
    parts = [head, "", *_coefficients(found), ""]
    if found.of_spans:
        parts += _pairs(found)
    else:
        parts += [*_table(found), "", *_overlap(found)]
    if len(found.workers) > 2 and not found.of_spans:  # noqa: PLR2004 - each of two agrees with the rest as the other does
        parts += ["", *_workers(found.workers)]
    if found.units:
        parts += ["", *_units(found.units)]
    if reasons := _reasons(left_out(found)):
        parts += ["", "Not computed", *reasons]
    return "\n".join([*parts, "", NOT_CORRECTNESS])


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Rows as aligned columns; the first `left` are words, the rest numbers."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _coefficients(found: Agreement) -> list[str]:
    level = words.level(found.records[0]["level"])
    rows = [("coefficient", "estimate", f"{level} interval", "read as")]
    for record in shown(found):
        limits = words.interval(record["low"], record["high"])
        rows.append((title(record), words.number(record["estimate"]), limits or "none", record["band"]))
    methods = dict.fromkeys(record["method"] for record in shown(found) if record["method"])
    reasons = dict.fromkeys(record["reason"] for record in shown(found) if record["reason"])
    return [*columns(rows), *(f"  {method}" for method in methods), *(f"  {reason}" for reason in reasons)]


def _table(found: Agreement) -> list[str]:
    rows, names = found.table["rows"], found.table["categories"]
    joint = found.table["kind"] == "joint"
    if not rows or len(names) > _WIDEST:
        return [f"{len(names)} categories: the table is in --json"]
    who = " by ".join(row["worker"] for row in found.workers) if joint else ""
    head = f"Joint table ({who})" if joint else "Coincidences (ordered pairs of labels over m - 1)"
    cells = [[name, *(words.size(cell) for cell in row)] for name, row in zip(names, rows, strict=True)]
    return [head, *columns([["", *names], *cells])]


def _pairs(found: Agreement) -> list[str]:
    """Every two workers: where they differ in the label, where in the boundaries."""
    rows = [["workers", "F1 exact", "F1 overlap", "spans", "same", "label differs", "boundary differs"]]
    for row in found.table["rows"][:_MOST]:
        counts = ("spans", "same_span_and_label", "label_differs", "boundary_differs")
        scores = (words.number(row[key]) for key in ("f1_exact", "f1_overlap"))
        rows.append([" and ".join(row["workers"]), *scores, *(words.count(row[key]) for key in counts)])
    return columns(rows)


def _overlap(found: Agreement) -> list[str]:
    many = (
        f"{often:,} with {size} label{'' if size == '1' else 's'}" for size, often in found.overlap.items()
    )
    return [f"Units: {', '.join(many)}"]


def _workers(workers: Sequence[Record]) -> list[str]:
    known = [row for row in workers if row["agreement_with_rest"] is not None]
    order = sorted(known, key=lambda row: row["agreement_with_rest"])[:_MOST]
    rows = [["worker", "labels", "agrees with rest", "interval", "alpha without", ""]]
    for row in order:
        agreement, without = (words.number(row[key]) for key in ("agreement_with_rest", "alpha_without"))
        limits = words.interval(row["agreement_low"], row["agreement_high"])
        flag = "agrees less" if row["flagged"] else ""
        rows.append([row["worker"], words.count(row["labels"]), agreement, limits, without, flag])
    head = (
        "Workers" if len(workers) <= _MOST else f"Workers who agree least with the rest (of {len(workers):,})"
    )
    return [head, *columns(rows)]


def _units(units: Sequence[Record]) -> list[str]:
    rows = [["unit", "agreement", "labels"]]
    for unit in units[:_MOST]:
        given = ", ".join(f"{often} x {name or '(empty set)'}" for name, often in unit["labels"].items())
        rows.append([unit["unit"], words.number(unit["agreement"]), given])
    wide = max(len(row[0]) for row in rows)
    return ["Units that disagree most", *(f"{a.ljust(wide)}  {b.rjust(9)}  {c}" for a, b, c in rows)]


def _reasons(records: Sequence[Record]) -> list[str]:
    """What was not computed, gathered by reason."""
    gathered: dict[str, list[str]] = {}
    for record in records:
        gathered.setdefault(record["reason"], []).append(record["coefficient"])
    return [f"  {', '.join(dict.fromkeys(names))}: {reason}" for reason, names in gathered.items()]


def as_rows(found: Agreement) -> list[dict[str, Any]]:
    """The shown records in words, for a page."""
    return [
        {
            "title": title(record),
            "estimate": words.number(record["estimate"]),
            "interval": words.interval(record["low"], record["high"]) or record["reason"],
            "band": record["band"],
            "record": record,
        }
        for record in shown(found)
    ]
