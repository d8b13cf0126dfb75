"""Workers read the pages in the study's language, or in that of their browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.support import worker_study
from tests.support.web_worker import STEPS, Worker
from verifier.store import work
from verifier.study import Study
from verifier.web.app import create_app

CONFIG = worker_study.CONFIG + "pages: {language: auto}\n"
# A word of each step that no English page has.
GERMAN = {"consent": "Bevor Sie beginnen", "instructions": "Was zu tun ist", "example": "Nach jeder Wahl"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    folder = worker_study.make(tmp_path_factory.mktemp("languages") / "pages", CONFIG)
    with closing(Study.open(folder)) as opened:
        yield opened


def worker(study: Study, accepted: str, participant: str) -> Worker:
    client = create_app(study).test_client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = accepted
    return Worker(client, participant)


def test_a_german_browser_reads_german_from_arrival_to_thanks(study: Study) -> None:
    german = worker(study, "de-DE,de;q=0.9,en;q=0.5", "gerda")
    for step in STEPS:
        page = german.page()
        assert '<html lang="de">' in page
        assert GERMAN[step] in page
        german.step(step)
    assert "Bestätigen" in german.page()
    german.decide_all()
    assert german.client.post(f"/api/{german.token}/submit", json={}).status_code == 200
    assert "Vielen Dank!" in german.page()
    with study.read() as session:
        row = work.assignment_by_token(session, german.token)
        assert row is not None
        assert row.consent == "consent-v1 (de)"


def test_reasons_are_given_in_the_workers_language(study: Study) -> None:
    for accepted, reason in (("de", "anderen Website"), ("en", "another site"), ("fr", "another site")):
        asked = worker(study, accepted, f"asks in {accepted}").begin()
        found = asked.client.get(f"/api/{asked.token}/search", query_string={"q": "https://example.org/a"})
        assert reason in found.json["message"]


def test_another_browser_reads_english(study: Study) -> None:
    page = worker(study, "fr-FR", "francine").page()
    assert '<html lang="en">' in page
    assert not re.search("|".join(GERMAN.values()), page)
