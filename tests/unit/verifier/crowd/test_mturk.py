"""MTurk's side of an arrival and of the last form; no call is made."""

from decimal import Decimal

import pytest

from analysis.errors import InputError
from verifier.config import MTurkPlatform
from verifier.crowd import mturk_terms
from verifier.crowd.base import Handed
from verifier.crowd.localmturk import questions
from verifier.crowd.mturk import PREVIEW, MTurkAdapter
from verifier.fees import fee

ADAPTER = MTurkAdapter(MTurkPlatform())
ARRIVAL = {"assignmentId": "3A", "hitId": "3H", "workerId": "A1", "turkSubmitTo": "https://evil.example"}


def test_an_arrival_names_worker_place_and_assignment():
    arrival = ADAPTER.parse_arrival(ARRIVAL)
    assert (arrival.participant, arrival.platform_place, arrival.platform_assignment) == ("A1", "3H", "3A")
    assert "A1" not in repr(arrival)


def test_an_assignment_that_is_not_accepted_is_a_preview():
    assert ADAPTER.parse_arrival({"assignmentId": PREVIEW, "hitId": "3H"}).preview


@pytest.mark.parametrize("name", ["assignmentId", "hitId", "workerId"])
@pytest.mark.parametrize("value", ["", "a b", "<script>", "A" * 65])
def test_what_has_not_mturks_form_is_refused_without_being_repeated(name, value):
    with pytest.raises(InputError) as error:
        ADAPTER.parse_arrival({**ARRIVAL, name: value})
    assert not value or value not in str(error.value)


def test_the_last_form_goes_to_the_site_of_the_environment_whatever_the_link_said():
    handed = Handed("CODE", None, "3A", "sandbox")
    finish = ADAPTER.finish(handed)
    assert finish.redirect_url == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert finish.fields == {"assignmentId": "3A", "completion_code": "CODE"}
    assert ADAPTER.finish(Handed("CODE", None, "3A", "")).redirect_url is None


@pytest.mark.parametrize(
    ("pay", "charged"), [("3.00", "0.60"), ("0.01", "0.01"), ("0.02", "0.01"), ("0.13", "0.03")]
)
def test_the_fee_is_a_fifth_and_at_least_a_cent(pay, charged):
    assert fee("mturk", Decimal(pay)) == Decimal(charged)
    assert ADAPTER.cost(Decimal(pay), "USD").fee == Decimal(charged)
    assert fee("link", Decimal(pay)) == 0


def test_a_page_in_place_of_our_frame_leads_to_us_and_takes_a_code():
    platform = MTurkPlatform(question="html")
    question = questions.read(mturk_terms.question("https://study.example/a", platform))
    assert (question.url, question.height) == (None, 800)
    assert 'href="https://study.example/a/start"' in question.html
    assert 'name="completion_code"' in question.html
    finish = MTurkAdapter(platform).finish(Handed("CODE", None, "3A", "sandbox"))
    assert (finish.code, finish.redirect_url) == ("CODE", None)


def test_our_address_is_escaped_in_either_question():
    for kind in ("external", "html"):
        xml = mturk_terms.question("https://study.example/a&b", MTurkPlatform(question=kind))
        question = questions.read(xml)
        assert "a&b/start" in (question.url or question.html.replace("&amp;", "&"))
