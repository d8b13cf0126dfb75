"""A person looks through the controls: which there are, which he confirms, which he retires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from analysis.csv_lines import write_records
from analysis.errors import InputError, Problem, StateError, plain
from verifier import targets
from verifier.given import number_of, records_of
from verifier.plan import lock, replacing
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
LONGEST_REASON: Final = 200


@dataclass(frozen=True)
class PassedOver:
    """A control that a list says yes to, and that is retired: it stays so.

    Attributes:
        control: its number.
        retired: the day, in UTC.
        reason: why it was retired.
    """

    control: int
    retired: str
    reason: str


@dataclass(frozen=True)
class Listed:
    """The controls of a study in numbers.

    Attributes:
        controls: all there ever were.
        states: how many are unconfirmed, confirmed, retired.
        origins: how many were generated, or given in a file.
        confirmed, retired: how many were just now.
        affected: assignments that had a control which was just retired.
        replaced_by: control that was just retired -> the one that takes its place.
        not_replaced: those that were just retired and have none in their place.
        failures: reason -> segments on which no other control could be made.
        waiting: of those in the place of others, which nobody is given before a person has confirmed them.
        passed_over: controls that the list says yes to, and that are retired.
        locked: whether the study is locked, and its plan another one by what was just retired.
    """

    controls: int
    states: Mapping[str, int]
    origins: Mapping[str, int]
    confirmed: int = 0
    retired: int = 0
    affected: Sequence[int] = field(default=())
    replaced_by: Mapping[int, int] = field(default_factory=dict)
    not_replaced: Sequence[int] = field(default=())
    failures: Mapping[str, int] = field(default_factory=dict)
    waiting: Sequence[int] = field(default=())
    passed_over: Sequence[PassedOver] = field(default=())
    locked: bool = False


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

    One that is retired already stays so, whatever the list says; `passed_over` names it.

    Raises:
        InputError: the file is no such list; every fault with its line.
        StateError: too few controls would be left.
    """
    with study.read() as session:
        shown: dict[int, set[tuple[str, str]]] = {state.task: set() for state in controls.states(session)}
        for display in plans.control_displays(session):
            shown[display.task].add((display.key, display.expected or _NOT_GRADED))
    wanted = _wanted(file, shown)
    kept = [task for task, keep in wanted.items() if keep]
    dropped = [task for task, keep in wanted.items() if not keep]
    return _settle(study, kept=kept, dropped=dropped, reason=LOOKED_THROUGH, now=now)


def retire(study: Study, tasks: Collection[int], reason: str, now: datetime) -> Listed:
    """Retire controls: nobody gets them any more, and grades leave their questions out.

    The next best that can be made takes the place of each (see `replacing`); who has drawn the old one keeps
    it. The assignments that had one have to be graded again (`affected`).

    Raises:
        InputError: one is no control, or the reason is none that can be kept.
        StateError: too few controls would be left.
    """
    _check_reason(reason)
    with study.read() as session:
        known = {state.task for state in controls.states(session)}
    if strange := sorted(set(tasks) - known):
        raise InputError(
            "no such control",
            where="--retire",
            got=", ".join(map(str, strange)),
            expected=f"a number from {min(known)} to {max(known)}" if known else "",
            remedy="Their numbers stand under control in: posthoc controls STUDY --out FILE"
            if known
            else "There are no controls yet: posthoc plan STUDY",
        )
    return _settle(study, dropped=tasks, reason=reason, now=now)


def _check_reason(reason: str) -> None:
    """A reason stands in lists and reports: a line of words."""
    if len(reason) > LONGEST_REASON:
        raise InputError(
            "too long a reason",
            where="--reason",
            got=f"{len(reason):,} characters",
            expected=f"{LONGEST_REASON} at most",
            remedy="Say it in a line; keep the rest elsewhere.",
        )
    if not reason.isprintable():
        raise InputError("the reason holds what is no text", where="--reason", got=plain(reason[:60]))


def _settle(
    study: Study, *, kept: Collection[int] = (), dropped: Collection[int], reason: str, now: datetime
) -> Listed:
    while True:
        found = replacing.find(study, dropped)
        with study.write(alone=True) as session:
            if not replacing.is_late(session, found):
                return _settled(session, study, found, kept=kept, dropped=dropped, reason=reason, now=now)


def _settled(
    session: Session,
    study: Study,
    found: replacing.Found | None,
    *,
    kept: Collection[int],
    dropped: Collection[int],
    reason: str,
    now: datetime,
) -> Listed:
    before = {state.task: state for state in controls.states(session)}
    confirmed = controls.confirm(session, kept, now)
    retired = controls.retire(session, dropped, now, reason)
    if not retired:
        return _listed(session, confirmed=confirmed, passed_over=_passed_over(before, kept))
    replaced = replacing.put(session, study, found, now)
    _enough(session, study, len(retired))
    replacing.note(session, retired, reason, replaced, now)
    return _listed(
        session,
        confirmed=confirmed,
        retired=len(retired),
        affected=plans.assignments_with(session, retired),
        replaced_by=replaced.by,
        not_replaced=[task for task in retired if task not in replaced.by],
        failures=replaced.failures,
        waiting=[new for old, new in replaced.by.items() if before[old].confirmed],
        passed_over=_passed_over(before, kept),
        locked=lock.current(session) is not None,
    )


def _passed_over(before: Mapping[int, controls.State], kept: Collection[int]) -> list[PassedOver]:
    states = (before[task] for task in sorted(kept))
    return [
        PassedOver(state.task, f"{state.retired:%Y-%m-%d}", state.reason or "")
        for state in states
        if state.retired
    ]


def _enough(session: Session, study: Study, retired: int) -> None:
    """Refuse where workers could not be given as many controls as a place has."""
    if not study.config.place.controls:
        return
    left = [passage for _, passage in plans.controls(session)]
    drawable = {count.passage for count in plans.slot_counts(session)}
    needed = least(left, drawable, study.config.place.controls)
    if len(left) < needed:
        raise StateError(
            "too few controls would be left",
            got=f"{len(left)} after {retired} are retired, those in their place that need no word counted in",
            expected=f"{needed} or more",
            remedy="Retire fewer at a time and confirm what takes their place, or lower place.controls."
            " Nothing was changed.",
        )


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
        number = number_of(name)
        if number is None or number not in shown:
            problems.append(Problem("no such control", where, plain(name)))
        elif all(said) and said not in shown[number]:
            remedy = "The list is of another plan. Write it anew: posthoc controls STUDY --out FILE"
            problems.append(Problem("the control of this number is another one", where, name, remedy=remedy))
        elif keep not in _KEEP:
            problems.append(Problem("'keep' cannot be this", where, keep, "yes, no, or nothing"))
        elif keep:
            found[number] = found.get(number, True) and keep == "yes"
    if problems:
        raise InputError.of(problems)
    return found


def _rows(file: Path) -> list[tuple[int, dict[str, str]]]:
    columns, rows = records_of(file)
    if not {"control", "keep"} <= set(columns):
        raise InputError(
            "no list of controls",
            where=str(file),
            expected="the columns control and keep, as posthoc controls STUDY --out FILE writes them",
        )
    return rows


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
