"""A planned study, served to a test alone; each file says how it is `made`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.support.web_worker import Worker
from verifier.study import Study
from verifier.web.app import create_app


@pytest.fixture
def served(made: Path, tmp_path: Path) -> Iterator[Study]:
    """A fresh copy of what the file's fixture has made, open."""
    with Study.open(Path(shutil.copytree(made, tmp_path / "pages"))) as study:
        yield study


@pytest.fixture
def client(served: Study) -> FlaskClient:
    """A browser without scripts, or somebody who asks what he likes."""
    return create_app(served).test_client()


@pytest.fixture
def worker(client: FlaskClient) -> Worker:
    """A worker at his first text."""
    return Worker(client).begin()
