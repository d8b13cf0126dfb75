"""Fixtures shared by all tests: databases (SQLite and PostgreSQL), studies, the command line."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import examples, serving_here, tiny
from tests.support.postgres import Server, start
from verifier import clock, founding
from verifier.cli.app import main
from verifier.corpus.importing import Request, import_files
from verifier.kb.build import build
from verifier.store.engine import Store
from verifier.study import Study

ROOT = Path(__file__).resolve().parent.parent
# Before the modules with properties are imported.
examples.register()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes name no test: packed ones hold the second in which they were packed, in each process another."""
    return argname if isinstance(val, bytes) else None


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit status and what it said."""

    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of whoever runs the tests reaches a study."""
    for name in [name for name in os.environ if name.startswith("POSTHOC_")]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _guessable() -> Iterator[None]:
    """Studies of tests show their tasks in an order that follows from the seed alone, always the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(founding, "unguessable", str)
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is not there."""
    folder = ROOT / "../shared/data"
    if not folder.is_dir():
        pytest.skip("the real corpora (../shared/data) are not here")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server with a template database that has our tables."""
    with start() as server:
        yield server


@pytest.fixture(scope="session")
def blank_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite database with our tables and nothing in them."""
    path = tmp_path_factory.mktemp("sqlite") / "blank.db"
    store = Store(f"sqlite:///{path}")
    store.upgrade()
    store.close()
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of a database with our tables and nothing in them, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        path = tmp_path / "database.db"
        shutil.copy(request.getfixturevalue("blank_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    yield server.create(name)
    server.drop(name)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An open, empty database, once on SQLite and once on PostgreSQL."""
    opened = Store(database_url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def blank_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study just made; tests take copies of it."""
    folder = tmp_path_factory.mktemp("studies") / "blank"
    Study.create(folder, "link").close()
    return folder


@pytest.fixture
def study_folder(blank_study: Path, tmp_path: Path) -> Path:
    """The folder of a fresh, empty study on SQLite."""
    return Path(shutil.copytree(blank_study, tmp_path / "study"))


@pytest.fixture
def study(study_folder: Path) -> Iterator[Study]:
    """A fresh, empty study on SQLite."""
    with Study.open(study_folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def tiny_blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny study, imported and with its knowledge base; tests take copies of it."""
    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    Study.create(folder, "link", name="tiny").close()
    fill_tiny(folder)
    return folder


def fill_tiny(folder: Path, database: str | None = None) -> None:
    """Make the study just created in `folder` the tiny one."""
    address = f"database: {database!r}\n" if database else ""
    (folder / "study.yaml").write_text(tiny.STUDY + address, encoding="utf-8")
    with Study.open(folder) as study:
        for source, path in tiny.write_sources(folder).items():
            import_files(study, Request((path,), "small", source), now=clock.now())
        build(tiny.write_kb(folder / "kb.tsv"), study.file(study.config.kb.file))


@pytest.fixture
def tiny_folder(tiny_blank: Path, tmp_path: Path) -> Path:
    """The folder of a tiny study (tests/support/tiny.py) on SQLite: imported, not planned."""
    return Path(shutil.copytree(tiny_blank, tmp_path / "tiny"))


@pytest.fixture
def tiny_study(tiny_folder: Path) -> Iterator[Study]:
    """A tiny study on SQLite: four documents, GT and two models imported, its knowledge base built."""
    with Study.open(tiny_folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def tiny_on_postgres(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str, str]]:
    """The folder of the tiny study on PostgreSQL, its database and the address of that; tests take copies."""
    folder, name = tmp_path_factory.mktemp("tiny-on-postgres") / "tiny", f"tiny_{uuid.uuid4().hex}"
    address = postgres.create(name)
    Study.create(folder, "link", name="tiny", database=address).close()
    fill_tiny(folder, address)
    yield folder, name, address
    postgres.drop(name)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_tiny_study(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Study]:
    """The tiny study, once on SQLite and once on PostgreSQL."""
    folder, name = tmp_path / "any", f"test_{uuid.uuid4().hex}"
    if request.param == "sqlite":
        shutil.copytree(request.getfixturevalue("tiny_blank"), folder)
    else:
        server: Server = request.getfixturevalue("postgres")
        kept, template, address = request.getfixturevalue("tiny_on_postgres")
        shutil.copytree(kept, folder)
        text = (folder / "study.yaml").read_text(encoding="utf-8")
        own = text.replace(address, server.create(name, template))
        (folder / "study.yaml").write_text(own, encoding="utf-8")
    with Study.open(folder) as opened:
        yield opened
    if request.param == "postgres":
        server.drop(name)


@pytest.fixture
def any_study(tmp_path: Path, database_url: str) -> Iterator[Study]:
    """A fresh, empty study, once on SQLite and once on PostgreSQL."""
    with Study.create(tmp_path / "any", "link", database=database_url) as opened:
        yield opened


@pytest.fixture
def served_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that start a task server of their own have it in this process."""
    serving_here.put(monkeypatch)


@pytest.fixture
def posthoc(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command line in this process: `posthoc("init", folder)`."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return run
