"""A campaign on the local MTurk in which some have handed in: `running` is a module's own."""

import pytest

from verifier.crowd.localmturk.server import LocalMTurk


@pytest.fixture
def study(running):
    """The study of it."""
    return running[0]


@pytest.fixture
def platform(running):
    """Its platform."""
    return running[1]


@pytest.fixture
def empty():
    """A platform with nothing on it."""
    with LocalMTurk() as platform:
        yield platform
