"""The dashboard's pages: tasks as workers saw them, workers, edits; and what all of them show."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, abort, render_template, request

from verifier.crowd import outlook
from verifier.store.shown import CONTROLS, judged_tasks, shown_task
from verifier.web import adminviews, requests
from verifier.web.snapshots import counts
from verifier.web.state import state

# Within the dashboard's blueprint, which lets nobody in without a session.
blueprint = Blueprint("look", __name__)

_PAGE: Final = 40
_LONG_PAGE: Final = 100
# Of workers, suspect controls and edits, so many stand on the overview.
_FEW: Final = 12
_HIGHEST: Final = 2**62
_LONGEST: Final = 300


def common() -> dict[str, Any]:
    """What every page shows."""
    return {"study": state().study.config.study.name, "counts": counts()}


def live() -> dict[str, Any] | None:
    """What the overview shows; None while the study is first counted."""
    found = counts().latest()
    if found is None:
        return None
    flagged = sorted((line for line in found.workers if line.flags), key=lambda line: -len(line.flags))
    keys = [key for one in found.changed[:_FEW] for key in (one.shown, one.chosen)]
    return {
        **common(),
        "status": found.status,
        "at": found.at,
        "totals": adminviews.totals(found.status),
        "forecast": outlook.forecast(found.status),
        "lasting": outlook.lasting,
        "flagged": flagged[:_FEW],
        "flagged_in_all": len(flagged),
        "suspects": [one for one in found.audited if one.flag][:_FEW],
        "asked": len(found.audited),
        "changed": found.changed[:_FEW],
        "changed_in_all": len(found.changed),
        "titles": state().titles(keys),
    }


@blueprint.get("/workers")
def workers() -> str:
    """Every worker by pseudonym, a page of them, or those of whom something stands out."""
    if (found := counts().latest()) is None:
        return _counting("workers")
    only = request.args.get("show", "") == "flagged"
    rows = [line for line in found.workers if line.flags or not only]
    page, pages, rows = _paged(rows, _LONG_PAGE)
    return render_template(
        "admin/workers.html",
        here="workers",
        **common(),
        at=found.at,
        people=found.status.people,
        workers=rows,
        only=only,
        page=page,
        pages=pages,
    )


@blueprint.get("/edits")
def edits() -> str:
    """Edits grouped by what was shown and what was chosen."""
    if (found := counts().latest()) is None:
        return _counting("edits")
    wanted = request.args.get("q", "")[:_LONGEST].strip()
    rows = [one for one in found.changed if not wanted or _matches(one, wanted.casefold())]
    page, pages, rows = _paged(rows, _PAGE)
    keys = [key for one in rows for key in (one.shown, one.chosen)]
    return render_template(
        "admin/edits.html",
        here="edits",
        **common(),
        at=found.at,
        changed=rows,
        wanted=wanted,
        titles=state().titles(keys),
        page=page,
        pages=pages,
    )


@blueprint.get("/displays/<number>")
def display(number: str) -> Any:
    """The task in which a display stands."""
    from verifier.store import experts  # noqa: PLC0415 - beside the only use

    with state().study.read() as session:
        case = experts.case(session, _number(number))
    if case is None:
        abort(404)
    return task(str(case.task))


@blueprint.get("/tasks")
def tasks() -> str:
    """The tasks that have been judged, a page of them."""
    after = min(requests.number(request.args.get("after", "")) or 0, _HIGHEST)
    dataset, source = (request.args.get(name, "")[:_LONGEST] for name in ("dataset", "source"))
    with state().study.read() as session:
        found = judged_tasks(session, _PAGE + 1, after, dataset=dataset, source=source)
    snapshot = counts().latest()
    cells = snapshot.status.cells if snapshot else ()
    return render_template(
        "admin/tasks.html",
        here="tasks",
        **common(),
        tasks=found[:_PAGE],
        more=len(found) > _PAGE,
        after=after,
        dataset=dataset,
        source=source,
        datasets=sorted({cell.work.dataset for cell in cells}),
        sources=sorted({cell.work.source for cell in cells}),
        controls=CONTROLS,
    )


@blueprint.get("/tasks/<number>")
def task(number: str) -> str:
    """One task as workers saw it, with what they decided."""
    with state().study.read() as session:
        found = shown_task(session, _number(number))
    if found is None:
        abort(404)
    keys = [made.key for shown in found.displays for made in shown.judgments]
    keys += [made.key for shown in found.displays for made in shown.experts]
    return render_template(
        "admin/task.html",
        here="tasks",
        **common(),
        task=found,
        pieces=adminviews.pieces(found),
        titles=state().titles(keys + [shown.key for shown in found.displays]),
    )


def _matches(one: Any, wanted: str) -> bool:
    return any(wanted in key.casefold() for key in (one.shown, one.chosen) if key)


def _counting(here: str) -> str:
    return render_template("admin/counting.html", here=here, **common())


def _paged(rows: list[Any], size: int) -> tuple[int, int, list[Any]]:
    """The page that is asked for, how many there are, and its rows."""
    pages = max(-(-len(rows) // size), 1)
    page = min(max(requests.number(request.args.get("page", "")) or 1, 1), pages)
    return page, pages, rows[(page - 1) * size : page * size]


def _number(text: str) -> int:
    found = requests.number(text)
    if found is None or found > _HIGHEST:
        abort(404)
    return found
