"""The store: sessions, revisions, what it says about a database that will not do."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from analysis.errors import ConfigError, StateError
from verifier.store import facts
from verifier.store.engine import Store, locate, missing_file, revisions
from verifier.store.models import Base


def test_migrations_lead_to_the_models(store: Store) -> None:
    with store._engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_store_knows_its_revision(store: Store) -> None:
    assert store.revision() == revisions()[-1]


def test_a_write_is_kept(store: Store) -> None:
    with store.write() as session:
        facts.put(session, "name", "first")
        facts.put(session, "name", "second")
    with store.read() as session:
        assert facts.get(session, "name") == "second"
        assert facts.get(session, "seed") == ""


def test_an_error_undoes_the_whole_write(store: Store) -> None:
    with contextlib.suppress(RuntimeError), store.write() as session:
        facts.put(session, "name", "half")
        session.flush()
        raise RuntimeError
    with store.read() as session:
        assert facts.get(session, "name") == ""


def test_what_a_reader_changes_is_thrown_away(store: Store) -> None:
    with store.read() as session:
        facts.put(session, "name", "no")
        session.flush()
    with store.read() as session:
        assert facts.get(session, "name") == ""


def test_a_reader_sees_one_snapshot(store: Store) -> None:
    with store.read() as reading:
        assert facts.get(reading, "name") == ""
        with store.write() as writing:
            facts.put(writing, "name", "later")
        reading.expire_all()
        assert facts.get(reading, "name") == ""


def test_writers_that_ask_to_be_alone_lose_no_update(store: Store) -> None:
    def add() -> None:
        for _ in range(5):
            with store.write(alone=True) as session:
                facts.put(session, "n", str(int(facts.get(session, "n") or "0") + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as session:
        assert facts.get(session, "n") == "20"


def test_a_newer_database_is_refused_unchanged(store: Store) -> None:
    with store.write() as session:
        session.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(
        StateError, match=rf"newer version.*got revision 9999; expected revision {revisions()[-1]}"
    ):
        store.check_revision()
    assert store.revision() == "9999"


def test_a_database_of_no_study_is_refused(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/none.db")
    with pytest.raises(StateError, match="holds no study"):
        store.check_revision()
    store.close()


@pytest.mark.parametrize("address", ["study.db", "oracle-ish://x", "sqlite://", "sqlite:///:memory:"])
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a database address"):
        Store(locate(address, tmp_path))


def test_a_relative_file_is_taken_from_the_study(tmp_path: Path) -> None:
    assert locate("sqlite:///study.db", tmp_path) == f"sqlite:///{tmp_path}/study.db"
    assert missing_file(f"sqlite:///{tmp_path}/study.db") == tmp_path / "study.db"


def test_an_unreachable_database_is_said_in_words(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/no/such/folder.db")
    with pytest.raises(StateError, match="the database cannot be used"):
        store.revision()
    store.close()


def test_the_password_is_never_shown() -> None:
    store = Store("postgresql+psycopg://me:hidden@127.0.0.1/x")
    assert "hidden" not in store.shown_url
    store.close()


def test_a_file_that_is_no_database_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "study.db").write_bytes(b"no database at all" * 100)
    store = Store(f"sqlite:///{tmp_path}/study.db")
    with pytest.raises(StateError, match="database cannot be used; got file is not a database"):
        store.check_revision()
    store.close()
