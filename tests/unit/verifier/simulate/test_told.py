"""What a simulated crowd is asked and what is told of it."""

import pytest

from analysis.errors import InputError
from verifier.simulate.campaign import Simulated, lines
from verifier.simulate.client import check_address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "http://",
        "http://[::1",
        "http://a:99999",
        "http://a b/",
        "ftp://a",
        "http://a/?x=1",
    ],
)
def test_what_can_be_no_address_is_refused_at_once(url):
    with pytest.raises(InputError, match="--url: not the address"):
        check_address(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "https://study.example.org/one/"])
def test_addresses_are_taken(url):
    check_address(url)


def test_work_that_is_left_is_told_and_work_that_is_not_is_not():
    done = list(lines(Simulated({"submitted": 3, "turned away": 1}, 40, 0)))
    assert done[0] == "4 simulated workers: 3 submitted, 1 turned away; 40 judgments."
    assert done[1].startswith("Turned away: nothing was open")
    assert done[-1] == "All work is done."
    assert "1 more place is left" in list(lines(Simulated({"submitted": 3}, 40, 1)))[-1]
