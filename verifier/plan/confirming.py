"""A person looks through the controls: which there are, which he confirms, which he retires."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from analysis.csv_lines import write_records
from analysis.errors import InputError, Problem, StateError
from verifier import targets
from verifier.plan.controls import least
from verifier.store import controls, plans

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.engine import Store
    from verifier.study import Study

COLUMNS: Final = (
    *("control", "origin", "state", "dataset", "document", "text", "mention", "entity", "title"),
    *("expected", "acceptable", "difficulty", "use", "keep"),
)
_NOT_GRADED: Final = "not graded"
_KEEP: Final = {"yes": True, "no": False, "": None}
LOOKED_THROUGH: Final = "looked through, and not kept"


@dataclass(frozen=True)
class Listed:
    """The controls of a study in numbers.

    Attributes:
        controls: all there ever were.
        states: how many are unconfirmed, confirmed, retired.
        origins: how many were generated, or given in a file.
        confirmed, retired: how many were just now.
        affected: assignments that had a control which was just retired.
    """

    controls: int
    states: Mapping[str, int]
    origins: Mapping[str, int]
    confirmed: int = 0
    retired: int = 0
    affected: Sequence[int] = field(default=())


def unconfirmed(store: Store) -> int:
    """How many controls of a study were generated, and nobody has looked at them: none may go live."""
    with store.read() as session:
        return controls.unconfirmed(session)


def listed(study: Study) -> Listed:
    """The controls as they stand.

    Raises:
        StateError: there are none.
    """
    with study.read() as session:
        return _listed(session)


def write(study: Study, target: Path) -> int:
    """Write every display of every control as a row of a CSV that can be given back to `confirm_listed`.

    Raises:
        StateError: there are none.
        InputError: the file exists.
    """
    with study.read() as session:
        _listed(session)
        states = {state.task: state for state in controls.states(session)}
        displays = plans.control_displays(session)
    with targets.new_file(target) as file:
        write_records(file, COLUMNS, (_row(display, states[display.task]) for display in displays))
    return len(states)


def confirm_all(study: Study, now: datetime) -> Listed:
    """Confirm every control that is in use."""
    with study.write() as session:
        found = _listed(session)
        tasks = [state.task for state in controls.states(session)]
        number = controls.confirm(session, tasks, now)
        return _listed(session, confirmed=number) if number else found


def confirm_listed(study: Study, file: Path, now: datetime) -> Listed:
    """Confirm the controls whose rows say `yes` under `keep`, retire those of which one says `no`.

    Raises:
        InputError: the file is no such list; every fault with its line.
        StateError: too few controls would be left.
    """
    with study.write() as session:
        shown: dict[int, set[tuple[str, str]]] = {state.task: set() for state in controls.states(session)}
        for display in plans.control_displays(session):
            shown[display.task].add((display.key, display.expected or _NOT_GRADED))
        wanted = _wanted(file, shown)
        kept = [task for task, keep in wanted.items() if keep]
        dropped = [task for task, keep in wanted.items() if not keep]
        return _settle(session, study, kept=kept, dropped=dropped, reason=LOOKED_THROUGH, now=now)


def retire(study: Study, tasks: Collection[int], reason: str, now: datetime) -> Listed:
    """Retire controls: nobody gets them any more, and grades leave their questions out.

    The assignments that had one have to be graded again (`affected`).

    Raises:
        InputError: one is no control.
        StateError: too few controls would be left.
    """
    with study.write() as session:
        known = {state.task for state in controls.states(session)}
        if strange := sorted(set(tasks) - known):
            raise InputError("no such control", where="--retire", got=", ".join(map(str, strange)))
        return _settle(session, study, dropped=tasks, reason=reason, now=now)


def _settle(
    session: Session,
    study: Study,
    *,
    kept: Collection[int] = (),
    dropped: Collection[int],
    reason: str,
    now: datetime,
) -> Listed:
    retired = controls.retire(session, dropped, now, reason)
    confirmed = controls.confirm(session, kept, now)
    if retired and study.config.place.controls:
        left = [passage for _, passage in plans.controls(session)]
        drawable = {count.passage for count in plans.slot_counts(session)}
        needed = least(left, drawable, study.config.place.controls)
        if len(left) < needed:
            raise StateError(
                "too few controls would be left",
                got=f"{len(left)} after {retired} are retired",
                expected=f"{needed} or more",
                remedy="Retire fewer, or lower place.controls. Nothing was changed.",
            )
    affected = plans.assignments_with(session, dropped) if retired else []
    return _listed(session, confirmed=confirmed, retired=retired, affected=affected)


def _listed(session: Session, **more: Any) -> Listed:
    found = controls.states(session)
    if not found:
        raise StateError("there are no controls", remedy="Set place.controls, and run: posthoc plan STUDY")
    return Listed(
        len(found),
        dict(sorted(Counter(state.word for state in found).items())),
        dict(sorted(Counter(state.origin for state in found).items())),
        **more,
    )


def _wanted(file: Path, shown: Mapping[int, Collection[tuple[str, str]]]) -> dict[int, bool]:
    """Control -> whether it is kept, of those about which the file says something.

    Numbers of an earlier plan, or of another study, mean other controls: a row that says which link it is
    about, and with which right answer, must say one that its control has (`shown`).
    """
    found: dict[int, bool] = {}
    problems: list[Problem] = []
    for line, row in _rows(file):
        where = f"{file}:{line}"
        name, keep = (row.get("control") or "").strip(), (row.get("keep") or "").strip().lower()
        said = ((row.get("entity") or "").strip(), (row.get("expected") or "").strip())
        if not name.isdecimal() or int(name) not in shown:
            problems.append(Problem("no such control", where, name))
        elif all(said) and said not in shown[int(name)]:
            remedy = "The list is of another plan. Write it anew: posthoc controls STUDY --out FILE"
            problems.append(Problem("the control of this number is another one", where, name, remedy=remedy))
        elif keep not in _KEEP:
            problems.append(Problem("'keep' cannot be this", where, keep, "yes, no, or nothing"))
        elif keep:
            found[int(name)] = found.get(int(name), True) and keep == "yes"
    if problems:
        raise InputError.of(problems)
    return found


def _rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("the list of controls cannot be read", where=str(file), got=str(error)) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"control", "keep"} <= set(reader.fieldnames or ()):
        raise InputError(
            "no list of controls",
            where=str(file),
            expected="the columns control and keep, as posthoc controls STUDY --out FILE writes them",
        )
    return [(reader.line_num, row) for row in reader]


def _row(display: plans.ControlDisplay, state: controls.State) -> dict[str, Any]:
    return {
        "control": display.task,
        "origin": state.origin,
        "state": state.word,
        "dataset": display.dataset,
        "document": display.document,
        "text": display.text[display.segment.start : display.segment.end],
        "mention": display.text[display.start : display.end],
        "entity": display.key,
        "title": display.title or "",
        "expected": display.expected or _NOT_GRADED,
        "acceptable": "|".join(display.acceptable or ()),
        "difficulty": display.difficulty or "",
        "use": display.use or "",
        "keep": "",
    }
