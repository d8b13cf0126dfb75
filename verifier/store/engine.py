"""The database of a study, SQLite or PostgreSQL: sessions that read, sessions that write, its revision."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from analysis.errors import ConfigError, MissingExtraError, StateError, plain
from verifier.store.prepared import plainly

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_BUSY_SECONDS = 30
_POOL = 32
# One number for the advisory lock by which writers that must be alone find each other on PostgreSQL.
_ALONE = 0x706F7374


def revisions() -> list[str]:
    """The revisions this program knows, oldest first: the leading numbers of the migration files."""
    return sorted(path.name.split("_", 1)[0] for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))


class Store:
    """An open database. Sessions of `read` see one snapshot; those of `write` commit on exit.

    On SQLite every writing session begins IMMEDIATE: it waits for its turn at its start, so that what it
    reads cannot be changed under it before it writes.

    Attributes:
        url: its address.
        is_sqlite: whether it is an SQLite file.
        read_only: whether that file, or the folder it lies in, cannot be written: then it is only read.
    """

    def __init__(self, url: str | URL) -> None:
        try:
            self.url = make_url(url)
            self.read_only = _is_read_only(self.url)
            self._engine = _engine(self.url, read_only=self.read_only)
        except (ArgumentError, NoSuchModuleError):
            raise _unreadable(str(url)) from None
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                f"the database needs the package {error.name}", remedy="pip install 'posthoc[postgres]'"
            ) from None
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        # Held by the writer of this process: SQLite's own waiting sleeps for ever longer and is not fair.
        self._turn = threading.Lock()
        self._reading = sessionmaker(self._engine.execution_options(**options), expire_on_commit=False)
        self._writing = sessionmaker(self._engine.execution_options(immediate=True), expire_on_commit=False)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one snapshot of the database; what it changes is thrown away."""
        with _said(self), self._reading() as session:
            yield session
            # Let go of first, so that what was read can still be looked at afterwards.
            session.expunge_all()
            session.rollback()

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Session]:
        """A session whose changes are committed on exit, or rolled back if an error leaves it.

        Args:
            alone: no other writer that asks to be alone runs meanwhile. On SQLite none ever does.

        Raises:
            StateError: the database can only be read.
        """
        self.refuse_to_write()
        with _said(self), self._in_turn(), self._writing.begin() as session:
            if alone and not self.is_sqlite:
                session.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _ALONE})
            yield session

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait for the other writers of this process; not on PostgreSQL, where they need not wait."""
        # Who has waited as long as SQLite would goes on to it, and is told by it that it is busy.
        held = self.is_sqlite and self._turn.acquire(timeout=_BUSY_SECONDS)
        try:
            yield
        finally:
            if held:
                self._turn.release()

    def refuse_to_write(self) -> None:
        """Say so if the database can only be read.

        Raises:
            StateError: it can.
        """
        if self.read_only:
            raise StateError(
                "the study can only be read: its database, or the folder it lies in, cannot be written",
                where=self.shown_url,
                remedy="Give yourself the right to write there, or work on a copy.",
            )

    def revision(self) -> str | None:
        """The revision of the database; None if it has no tables of ours."""
        with _said(self), self._engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            return connection.execute(text("select version_num from alembic_version")).scalar()

    def upgrade(self) -> None:
        """Bring the database to the newest revision; creates the tables in an empty one."""
        from alembic import command  # noqa: PLC0415 - takes long to load, rarely needed
        from alembic.config import Config  # noqa: PLC0415 - the same

        self.refuse_to_write()
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with _said(self), self._engine.execution_options(immediate=True).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def check_revision(self) -> None:
        """Bring an older database up to date.

        Raises:
            StateError: there is no study in the database, or a newer version made it.
        """
        found, known = self.revision(), revisions()
        if found is None:
            raise StateError(
                "the database holds no study",
                where=self.shown_url,
                remedy="Check 'database' in study.yaml, or make a study with: posthoc init DIR",
            )
        if found not in known:
            raise StateError(
                "the database was made by a newer version of posthoc",
                where=self.shown_url,
                got=f"revision {found}",
                expected=f"revision {known[-1]} or older",
                remedy="Install the newest posthoc and try again; nothing was changed.",
            )
        if found != known[-1]:
            self.upgrade()

    def compact(self) -> None:
        """Write the database anew, so that what was deleted is nowhere in its files any more."""
        self.refuse_to_write()
        with _said(self), self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            if driver is None:
                return
            if self.is_sqlite:
                # Twice: the rewriting itself goes through the log, which must end empty.
                for statement in (
                    "pragma wal_checkpoint(truncate)",
                    "vacuum",
                    "pragma wal_checkpoint(truncate)",
                ):
                    driver.execute(statement)
                return
            driver.autocommit = True
            driver.execute("vacuum full")
            driver.autocommit = False

    def snapshot(self, path: Path) -> None:
        """Copy an SQLite database, as it is at this moment, into a new file while others may write."""
        with _said(self), closing(sqlite3.connect(path)) as target, self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            if driver is not None:
                driver.backup(target)
                target.execute("pragma journal_mode=DELETE")

    @property
    def shown_url(self) -> str:
        """The address without its password, for messages and manifests."""
        return self.url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Give up all connections."""
        self._engine.dispose()


def locate(address: str, folder: Path) -> str:
    """The database address of a study, a relative SQLite file being taken from the study's folder.

    Raises:
        ConfigError: it cannot be read, or names no file (a database in memory is no study's home).
    """
    try:
        url = make_url(address)
    except ArgumentError:
        raise _unreadable(address) from None
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:":
            raise _unreadable(address)
        url = url.set(database=_text((folder / url.database).absolute()))
    return url.render_as_string(hide_password=False)


def _text(path: Path) -> str:
    """The path, if it is text that SQLite can be given."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise ConfigError(
            "the path of the database is not UTF-8 text",
            where=ascii(str(path)),
            remedy="Move the study to a folder whose whole path is.",
        ) from None
    return str(path)


def missing_file(address: str) -> Path | None:
    """The file that an SQLite `address` names, if it is not there; None if it is, or for PostgreSQL."""
    url = make_url(address)
    path = Path(url.database or "")
    return path if url.get_backend_name() == "sqlite" and not path.is_file() else None


def _unreadable(address: str) -> ConfigError:
    return ConfigError(
        "not a database address",
        where="study.yaml, database",
        got=plain(address),
        expected="sqlite:///study.db or postgresql+psycopg://user@host/name",
    )


_UNKNOWN: Final = (
    "the database cannot be used",
    "Check that it exists, can be written and is not held by another program; then try again.",
)
# What databases say of themselves -> what that means, and what to do.
_SIGNS: Final = {
    ("database is locked",): (
        "another command is at work on the study, and has been for long",
        "Wait until it has finished; then try again.",
    ),
    ("malformed", "not a database", "no such table", "no such column"): (
        "the database is damaged, or not that of a study",
        "Take the study from its last backup, with posthoc restore; keep the damaged file until then.",
    ),
    ("disk I/O error",): (
        "the disk is full or fails",
        "Make room, even to read: SQLite needs some beside the file; then try again.",
    ),
    ("disk is full",): ("the disk is full", "Make room; then try again: what was not finished was not kept."),
}


@contextmanager
def _said(store: Store) -> Iterator[None]:
    """Say in words what a database that cannot be reached, or stays busy, says in codes."""
    try:
        yield
    except DatabaseError as error:
        if type(error) not in (OperationalError, DatabaseError):
            raise  # what a statement did wrong is a fault of ours; these are of the database as a whole
        reason = re.sub(r"\s+", " ", str(error.orig)).strip()
        what, remedy = next(
            (said for signs, said in _SIGNS.items() if any(sign in reason for sign in signs)), _UNKNOWN
        )
        raise StateError(what, where=store.shown_url, got=reason, remedy=remedy) from error


def _is_read_only(url: URL) -> bool:
    """Whether `url` is an SQLite file that is there but cannot be written, nor what SQLite lays beside it."""
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or not path.is_file():
        return False
    return not (writable(path) and writable(path.parent))


def writable(path: Path) -> bool:
    """Whether we may write there."""
    return os.access(path, os.W_OK)


def _engine(url: URL, *, read_only: bool) -> Engine:
    # Parameters may be a worker's platform id: they never stand in an error or a log.
    options: dict[str, Any] = {"pool_size": _POOL, "max_overflow": _POOL, "hide_parameters": True}
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True, **options)
    engine = create_engine(
        _read_address(url) if read_only else url, connect_args={"timeout": _BUSY_SECONDS}, **options
    )
    event.listen(engine, "connect", _prepare_to_read if read_only else _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _read_address(url: URL) -> URL:
    """The address under which SQLite reads a file without laying anything beside it."""
    path = Path(url.database or "").absolute()
    log = path.with_name(f"{path.name}-wal")
    # While somebody else writes, his log must be read too; else nothing of the file is going to change.
    query = {"uri": "true", "mode": "ro"}
    if not (log.is_file() and log.stat().st_size):
        query["immutable"] = "1"
    return url.set(database=path.as_uri(), query=query)


def _prepare_to_read(connection: Any, _record: Any) -> None:
    """Set up a connection to a file that cannot be written."""
    connection.isolation_level = None


def _prepare(connection: Any, _record: Any) -> None:
    """Set up a new SQLite connection; the driver's own transactions are off, `_begin` starts them."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"pragma {pragma}")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    plainly(connection, "begin immediate" if options.get("immediate") else "begin")
