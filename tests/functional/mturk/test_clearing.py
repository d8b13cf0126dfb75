"""Clearing up: what is decided is deleted on the platform, and who took part can be written to."""

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import ready, requester
from tests.support.crowds import NOON
from verifier.crowd import clearing, collecting, paying, publishing


@pytest.fixture
def running(tiny_blank, tmp_path):
    """Two places handed in and approved here."""
    with ready(tiny_blank, tmp_path / "campaign", 2) as (opened, platform):
        yield opened, platform


def delete(study):
    return clearing.delete(study, requester(study), "local", now=NOON)


def test_only_what_is_decided_and_paid_is_deleted_and_once(study, platform):
    publishing.publish(study, requester(study), "local", places=3, now=NOON)
    assert delete(study) == clearing.Cleared(0, 0)
    paying.pay(study, requester(study), now=NOON)
    assert delete(study) == clearing.Cleared(2, 0)
    assert delete(study) == clearing.Cleared(0, 0)
    assert [hit["disposed"] for hit in platform.service.statement()["hits"]] == [1, 1, 0]


def test_what_was_deleted_by_us_is_not_told_as_gone(study):
    paying.pay(study, requester(study), now=NOON)
    delete(study)
    found = collecting.collect(study, requester(study), "local", now=NOON, live=True)
    assert found.found == {}


def test_a_message_goes_to_who_took_part_by_pseudonym(study, platform):
    assert clearing.notify(study, requester(study), [], "Thank you", "All is paid.") == 0
    with pytest.raises(InputError, match="nobody has this pseudonym"):
        clearing.notify(study, requester(study), ["w0"], "Thank you", "All is paid.")
    with pytest.raises(InputError, match="not a subject"):
        clearing.notify(study, requester(study), [], "", "All is paid.")
    messages = platform.service.state.all("select worker, subject from message order by number")
    assert [tuple(row) for row in messages] == [("A0", "Thank you"), ("A1", "Thank you")]


def test_a_plain_link_carries_no_message_and_deletes_nothing(tiny_folder, posthoc):
    ran = posthoc("notify", tiny_folder, "--subject", "a", "--text", "b")
    assert (ran.status, "cannot notify" in ran.err) == (1, True)
    ran = posthoc("close", tiny_folder, "--delete")
    assert (ran.status, "cannot delete" in ran.err) == (1, True)


def test_the_command_says_first_what_it_would_delete(study, platform, posthoc):
    paying.pay(study, requester(study), now=NOON)
    assert "Would delete 2 places" in posthoc("close", study.path, "--delete").out
    ran = posthoc("close", study.path, "--delete", "--live", "--confirm", "tiny")
    assert ran.out == "Deleted 2 places; the platform keeps 0 for now.\n", ran.err
    assert all(hit["disposed"] for hit in platform.service.statement()["hits"])
    with pytest.raises(StateError, match="published in another environment"):
        clearing.delete(study, requester(study), "sandbox", now=NOON)
