"""Prepared statements tell what SQLAlchemy tells, on both databases, and fail as it does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from verifier.store.engine import Store
from verifier.store.models import Event
from verifier.store.prepared import Prepared, plainly

EVENTS: Any = Event.__table__
COLUMNS = ["assignment_id", "kind", "data", "at"]
KEEP = Prepared(insert(EVENTS).inline(), COLUMNS)
QUERY = select(*(EVENTS.c[name] for name in COLUMNS)).where(Event.kind == bindparam("kind"), Event.id > 0)
KEPT = Prepared(QUERY.order_by(Event.id))
EVENT = {
    "assignment_id": None,
    "kind": "100 %",
    "data": {"ä": [1, None, "%s"]},
    "at": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
}


def test_what_is_stored_comes_back_as_it_was_and_as_sqlalchemy_reads_it(store: Store) -> None:
    """Times, JSON, nothing at all and signs that drivers give a meaning."""
    with store.write() as session:
        KEEP.run(session, **EVENT)
    with store.read() as session:
        assert KEPT.rows(session, kind="100 %") == [tuple(EVENT.values())]
        assert [tuple(row) for row in session.execute(QUERY, {"kind": "100 %"})] == [tuple(EVENT.values())]
        assert KEPT.one(session, kind="50 %") is None


def test_it_sees_its_own_transaction_and_no_other(store: Store) -> None:
    with store.read() as before, store.write() as session:
        assert KEPT.rows(before, kind="100 %") == []
        KEEP.run(session, **EVENT)
        assert len(KEPT.rows(session, kind="100 %")) == 1
        assert KEPT.rows(before, kind="100 %") == []


def test_a_session_used_again_has_the_driver_of_its_new_transaction(store: Store) -> None:
    with store._writing() as session:
        KEEP.run(session, **EVENT)
        session.commit()
        KEEP.run(session, **EVENT)
        session.rollback()
        assert len(KEPT.rows(session, kind="100 %")) == 1


def test_what_the_database_refuses_is_said_as_sqlalchemy_says_it_without_parameters(store: Store) -> None:
    with pytest.raises(IntegrityError) as told, store.write() as session:
        KEEP.run(session, **EVENT | {"assignment_id": 77, "kind": "secret"})
    assert "secret" not in str(told.value)


def test_times_without_a_zone_are_refused_here_too(store: Store) -> None:
    with pytest.raises(ValueError, match="naive"), store.write() as session:
        KEEP.run(session, **EVENT | {"at": datetime(2026, 1, 2)})  # noqa: DTZ001 - that is the point


def test_a_text_run_plainly_is_undone_with_its_transaction(store: Store) -> None:
    with store.write() as session:
        connection = session.connection()
        plainly(connection, "savepoint one")
        KEEP.run(session, **EVENT)
        plainly(connection, "rollback to savepoint one")
    with store.read() as session:
        assert KEPT.rows(session, kind="100 %") == []
