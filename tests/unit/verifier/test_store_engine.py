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

PLANNED_BEFORE = """
insert into dataset (id, name, language) values (1, 'd', 'en');
insert into source (id, name, role) values (1, 's', 'model');
insert into import_file (id, dataset_id, source_id, file, sha256, format, importer, imported)
  values (1, 1, 1, 'f', '0', 'jsonl', '1', '2026-01-01 00:00:00');
insert into document (id, dataset_id, name, text, sha256, evaluation_start, evaluation_end, import_id)
  values (1, 1, 'a', 'Caf\u00e9 Roma.', '0', 0, 10, 1), (2, 1, 'b', 'Cafe\u0301  Roma. Oslo.', '0', 0, 18, 1);
insert into splitter (id, name, version, parameters) values (1, 'whole', '1', '{}');
insert into segment (id, splitter_id, document_id, start, "end", passage_id, weight)
  values (1, 1, 1, 0, 10, 1, 1), (2, 1, 2, 0, 13, 2, 1), (3, 1, 2, 13, 18, 3, 1);
insert into task (id, kind, segment_id, k) values (1, 'real', 1, 1), (2, 'real', 2, 1), (3, 'real', 3, 1);
insert into task_slot (id, task_id, passage_id, stratum, ordinal, position, state)
  values (1, 1, 1, 'd', 0, 1, 'open'), (2, 2, 2, 'd', 0, 2, 'open'), (3, 3, 3, 'd', 0, 3, 'open')
"""


def test_migrations_lead_to_the_models(store: Store) -> None:
    with store._engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_store_knows_its_revision(store: Store) -> None:
    assert store.revision() == revisions()[-1]


def test_credits_of_images_are_kept_under_their_new_name(store: Store) -> None:
    with store._engine.begin() as connection:
        connection.execute(text("alter table card rename column image_credit to credit"))
        connection.execute(text("alter table control drop column replaces"))
        connection.execute(text("drop table import_layout"))
        connection.execute(text("insert into card (id, key, credit) values ('x', 'wd:Q2', 'Ann, CC0')"))
        connection.execute(text("update alembic_version set version_num = '0006'"))
    store.upgrade()
    with store.read() as session:
        assert session.execute(text("select image_credit from card")).scalar_one() == "Ann, CC0"


def test_texts_that_were_planned_twice_become_one_passage(store: Store) -> None:
    """Segments and slots of a study made before passages were known get theirs."""
    with store.write() as session:
        for statement in PLANNED_BEFORE.split(";"):
            session.execute(text(statement))
    with store._engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '0004'"))
        connection.execute(text("alter table segment drop column passage_id"))
        connection.execute(text("alter table card drop column image_credit"))
        connection.execute(text("alter table control drop column replaces"))
        connection.execute(text("drop table import_layout"))
        connection.execute(text("alter table task_slot rename column passage_id to segment_id"))
    store.upgrade()
    with store.read() as session:
        rows = session.execute(text("select id, passage_id from segment order by id")).all()
        slots = session.execute(text("select id, passage_id from task_slot order by id")).all()
    assert [tuple(row) for row in rows] == [(1, 1), (2, 1), (3, 3)]
    assert [tuple(row) for row in slots] == [(1, 1), (2, 1), (3, 3)]


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
    with pytest.raises(StateError, match=r"is damaged.*got file is not a database.*posthoc restore"):
        store.check_revision()
    store.close()
