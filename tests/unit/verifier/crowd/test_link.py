"""The link platform: who comes, how they leave, what it cannot do."""

from __future__ import annotations

from decimal import Decimal

import pytest

from analysis.errors import InputError, StateError
from verifier.config import LinkPlatform
from verifier.crowd.base import Capability, Handed, require
from verifier.crowd.link import LinkAdapter

PLAIN = LinkAdapter(LinkPlatform())


def test_the_participant_is_read_from_the_parameter_that_the_study_names():
    adapter = LinkAdapter(LinkPlatform(participant_parameter="pid"))
    assert adapter.parse_arrival({"pid": " ann "}).participant == "ann"


@pytest.mark.parametrize("value", ["", "  ", "a\x00b", "x" * 201, "a\u202eb"])
def test_an_id_that_cannot_be_used_is_refused_and_not_repeated(value):
    with pytest.raises(InputError) as caught:
        PLAIN.parse_arrival({"participant": value})
    assert not value.strip() or value not in str(caught.value)


def test_a_preview_needs_no_participant():
    assert PLAIN.parse_arrival({"preview": "1"}).preview


def test_an_arrival_never_shows_its_id():
    assert "ann" not in repr(PLAIN.parse_arrival({"participant": "ann"}))


def test_code_and_participant_are_filled_into_the_return_address():
    adapter = LinkAdapter(LinkPlatform(complete_url="https://panel.test/end?c={code}&p={participant}"))
    assert adapter.needs_participant
    assert adapter.finish(Handed("AB12", "a&b")).redirect_url == "https://panel.test/end?c=AB12&p=a%26b"


def test_without_a_return_address_the_code_is_all():
    assert PLAIN.finish(Handed("AB12")).redirect_url is None
    assert not PLAIN.needs_participant


def test_a_link_takes_no_fee():
    assert PLAIN.cost(Decimal("3.00"), "USD").total == Decimal("3.00")


def test_what_a_platform_cannot_do_is_refused_with_what_it_can():
    with pytest.raises(StateError, match="cannot publish"):
        require(PLAIN, Capability.PUBLISH)
