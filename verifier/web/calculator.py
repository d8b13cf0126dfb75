"""The dashboard's calculator: a table of labels is pasted, every coefficient of agreement is read off."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, render_template, request

from analysis.agreement.found import Agreement
from analysis.agreement.pasted import SHAPES, of_text
from analysis.agreement.text import NOT_CORRECTNESS, as_rows, left_out
from analysis.errors import PosthocError
from analysis.report import words
from verifier.web.state import state

# Within the dashboard's blueprint, which lets nobody in without a session.
blueprint = Blueprint("calculator", __name__, url_prefix="/calculator")

SCALES: Final = ("nominal", "ordinal", "interval", "ratio")
DISTANCES: Final = {"": "no sets", "jaccard": "sets, Jaccard", "masi": "sets, MASI"}
REPEATS: Final = {"error": "refuse them", "first": "the first counts", "last": "the last counts"}
EXAMPLE: Final = (
    "unit,worker,label\n1,ann,verify\n1,bob,verify\n2,ann,edit\n2,bob,verify\n3,ann,remove\n3,bob,remove\n"
)
_FIELDS: Final = {
    "table": "",
    "shape": "labels",
    "categories": "",
    "scale": "nominal",
    "distance": "",
    "repeats": "error",
}
_MOST: Final = 50
_WIDEST: Final = 20


@blueprint.get("")
def form() -> str:
    """The empty form."""
    return _page(dict(_FIELDS))


@blueprint.post("")
def result() -> str | tuple[str, int]:
    """The coefficients of what was pasted; nothing of it is kept."""
    given = {name: request.form.get(name, usual) for name, usual in _FIELDS.items()}
    options = {name: value for name, value in given.items() if name != "table"}
    try:
        found = of_text(given["table"], **options)  # type: ignore[arg-type]  # all are text
    except PosthocError as error:
        return _page(given, problems=[str(problem) for problem in error]), 400
    return _page(given, found=found)


def _page(given: dict[str, str], found: Agreement | None = None, problems: list[str] | None = None) -> str:
    return render_template(
        "admin/calculator.html",
        here="calculator",
        study=state().study.config.study.name,
        given=given,
        problems=problems or [],
        choices={"shape": SHAPES, "distance": DISTANCES, "repeats": REPEATS},
        scales=SCALES,
        example=EXAMPLE,
        shown=_shown(found) if found else None,
    )


def _shown(found: Agreement) -> dict[str, Any]:
    """What the page says of a table, in words."""
    first = found.records[0]
    joint = found.table.get("kind") == "joint"
    names, cells = found.table.get("categories", []), found.table.get("rows", [])
    return {
        "units": words.count(first["n_units"]),
        "workers": words.count(first["n_workers"]),
        "of_spans": found.of_spans,
        "level": words.level(first["level"]),
        "warnings": found.warnings,
        "rows": as_rows(found),
        "reasons": left_out(found),
        "remark": NOT_CORRECTNESS,
        "joint": joint,
        "names": names,
        "table": [(name, [words.size(cell) for cell in row]) for name, row in zip(names, cells, strict=True)]
        if not found.of_spans and len(names) <= _WIDEST
        else [],
        "pairs": cells[:_MOST] if found.of_spans else [],
        "categories": found.categories[:_MOST],
        "members": [] if found.of_spans else found.workers[:_MOST],
        "more": max(0, len(found.workers) - _MOST),
        "disagreeing": found.units,
        "overlap": found.overlap,
        "number": words.number,
        "count": words.count,
        "interval": words.interval,
    }
