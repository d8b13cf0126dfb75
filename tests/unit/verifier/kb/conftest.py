"""A server on this machine that speaks Wikipedia's API, for every test of the live knowledge base."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import wikipedia


@pytest.fixture(scope="module")
def server() -> Iterator[wikipedia.Wikipedia]:
    with wikipedia.serving() as wiki:
        yield wiki


@pytest.fixture
def wiki(server: wikipedia.Wikipedia) -> wikipedia.Wikipedia:
    server.asked.clear()
    server.files.clear()
    server.mood = ["well"]
    return server
