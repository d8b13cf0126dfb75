"""Copies a study's database row for row into another one, with the work that was done in it or without."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Table, func, insert, select, text, update
from sqlalchemy.orm import Session

from verifier.store.models import Base, StratumRow, StudyFact, TaskSlot

_ROWS: Final = 2000
_PEOPLE: Final = frozenset({"worker", "place", "assignment"})
# What says how a study stands with people and platforms is not the copy's.
_FACTS: Final = frozenset({"origin", "environment", "nonce"})
_FREE: Final[dict[str, Any]] = {"state": "open", "assignment_id": None, "leased_until": None}


def copy_all(source: Session, target: Session) -> None:
    """Copy every row of every table into an empty database."""
    for table in Base.metadata.sorted_tables:
        _copy(source, target, table, {})
    _count_on(target)


def copy_plan(source: Session, target: Session) -> None:
    """Copy what a study consists of, with every task open: no worker, assignment, judgment or payment."""
    left_out = _work()
    for table in Base.metadata.sorted_tables:
        if table.name not in left_out:
            _copy(source, target, table, _FREE if table.name == TaskSlot.__tablename__ else {})
    for fact in _FACTS:
        if (row := target.get(StudyFact, fact)) is not None:
            target.delete(row)
    counts = select(TaskSlot.stratum, func.count()).group_by(TaskSlot.stratum)
    for stratum, n in target.execute(counts).all():
        target.execute(update(StratumRow).where(StratumRow.name == stratum).values(open=n))
    _count_on(target)


def _work() -> set[str]:
    """The tables of what people did: those that cannot be without a worker, a place or an assignment."""
    found = {*_PEOPLE, "platform_call", "event"}
    for table in Base.metadata.sorted_tables:
        needed = {
            key.column.table.name
            for column in table.columns
            if not column.nullable
            for key in column.foreign_keys
        }
        if needed & found:
            found.add(table.name)
    return found


def _copy(source: Session, target: Session, table: Table, changed: dict[str, Any]) -> None:
    rows = source.execute(select(table).execution_options(yield_per=_ROWS))
    for part in rows.mappings().partitions(_ROWS):
        target.execute(insert(table), [{**row, **changed} for row in part])


def _count_on(target: Session) -> None:
    """Let PostgreSQL number new rows from behind those that were copied; SQLite does so by itself."""
    if target.get_bind().dialect.name != "postgresql":
        return
    for table in Base.metadata.sorted_tables:
        if "id" in table.columns:
            last = target.scalar(select(func.max(table.columns["id"])))
            if isinstance(last, int):
                target.execute(
                    text("select setval(pg_get_serial_sequence(:table, 'id'), :last)"),
                    {"table": table.name, "last": last},
                )
