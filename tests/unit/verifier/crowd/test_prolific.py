"""Prolific without its calls: who comes, what he is told, what it costs; a client that keeps the token."""

from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from analysis.errors import InputError, StateError
from verifier import fees
from verifier.config import ProlificPlatform
from verifier.crowd import codes
from verifier.crowd.base import Handed
from verifier.crowd.prolific import ProlificAdapter
from verifier.crowd.prolific_client import ProlificClient
from verifier.secrets import platform_token

PID, STUDY, SESSION = "a" * 24, "b" * 24, "c" * 24
LINK = {"PROLIFIC_PID": PID, "STUDY_ID": STUDY, "SESSION_ID": SESSION}


@pytest.fixture
def adapter():
    return ProlificAdapter(ProlificPlatform(worker_url="http://127.0.0.1:9/"))


def test_the_link_says_who_comes_for_which_submission(adapter):
    came = adapter.parse_arrival(LINK)
    assert (came.participant, came.platform_place, came.platform_assignment) == (PID, STUDY, SESSION)
    assert PID not in repr(came)
    assert adapter.parse_arrival({"preview": "1"}).preview


@pytest.mark.parametrize(
    "wrong", [{}, {**LINK, "SESSION_ID": ""}, {**LINK, "PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}]
)
def test_a_link_that_prolific_did_not_fill_in_is_refused_without_repeating_it(adapter, wrong):
    with pytest.raises(InputError) as refused:
        adapter.parse_arrival(wrong)
    assert STUDY not in str(refused.value)


def test_each_outcome_has_a_code_of_its_own_that_depends_on_the_study(adapter):
    ours, others = ([codes.code(codes.key("secret", nonce), o) for o in codes.OUTCOMES] for nonce in "ab")
    assert len({*ours, *others}) == 2 * len(codes.OUTCOMES)
    done = adapter.finish(Handed("own", None, SESSION, "local", codes.COMPLETED, codes.key("secret", "a")))
    assert (done.code, done.redirect_url) == (
        ours[0],
        f"http://127.0.0.1:9/submissions/complete?cc={ours[0]}",
    )


def test_the_way_back_in_production_is_prolifics_site_and_before_publication_there_is_none(adapter):
    told = adapter.leave(codes.NO_CONSENT, "key", "production")
    assert told.redirect_url.startswith("https://app.prolific.com/submissions/complete?cc=")
    assert adapter.leave(codes.NO_CONSENT, "key", "") is None


@pytest.mark.parametrize(
    ("pay", "fee"), [("1.00", "0.43"), ("3.00", "1.29"), ("0.01", "0.01"), ("2.50", "1.07")]
)
def test_a_part_of_a_cent_of_the_fee_counts_as_one(adapter, pay, fee):
    assert adapter.cost(Decimal(pay), "USD").fee == Decimal(fee)
    assert fees.fee("prolific", Decimal(pay), Decimal("42.8")) == Decimal(fee)


def test_the_token_comes_from_the_environment_first_then_from_the_file(tmp_path):
    assert platform_token(tmp_path, "PROLIFIC_TOKEN", {}) == ""
    (tmp_path / "secrets.env").write_text("PROLIFIC_TOKEN='of the file'\n", encoding="utf-8")
    assert platform_token(tmp_path, "PROLIFIC_TOKEN", {}) == "of the file"
    assert platform_token(tmp_path, "PROLIFIC_TOKEN", {"PROLIFIC_TOKEN": "of the shell"}) == "of the shell"


@pytest.fixture
def answering():
    """A server that answers every request with the same bytes, and keeps what it was asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)

        def log_message(self, *_):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def client(server):
    return ProlificClient(f"http://127.0.0.1:{server.server_port}", "secret token")


def test_what_is_no_prolific_is_said(answering):
    answering.body = b"<html>"
    with pytest.raises(StateError, match="not Prolific"):
        client(answering).get("users/me/")


def test_the_next_page_is_asked_for_here_whatever_its_link_names(answering):
    answering.body = (
        b'{"results": [{"id": "1"}], "_links": {"next": {"href": "https://evil.example/x?page=2"}}}'
    )
    pages = client(answering)._pages("studies/", {"page": "1"})
    next(pages)
    next(pages)
    assert answering.asked == ["/api/v1/studies/?page=1", "/api/v1/studies/?page=2"]
    pages.close()


def test_an_item_that_moved_between_pages_is_told_once(answering):
    answering.body = b'{"results": [{"id": "1"}, {"id": "1"}, {"id": "2"}], "_links": {"next": null}}'
    assert [item["id"] for item in client(answering).all("studies/")] == ["1", "2"]
