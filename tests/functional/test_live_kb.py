"""A study whose knowledge base is asked over the network: planned, judged, and judged while it is down."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.errors import ConfigError
from tests.support import wikipedia, worker_study
from tests.support.web_worker import Worker
from verifier import clock
from verifier.config import load_config
from verifier.kb import asking
from verifier.store.models import CardRow, Event
from verifier.study import Study
from verifier.web.app import create_app


@pytest.fixture(scope="module")
def server() -> Iterator[wikipedia.Wikipedia]:
    with wikipedia.serving() as wiki:
        yield wiki


@pytest.fixture
def wiki(
    server: wikipedia.Wikipedia, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> wikipedia.Wikipedia:
    server.mood = ["well"]
    # Patience is short only where the server is slow on purpose, not where the machine is.
    seconds = 0.5 if "slow" in request.node.name else 20.0
    for name, rest in (("WORKER", 600.0), ("RESEARCHER", 0.0)):
        monkeypatch.setattr(asking, name, asking.Patience(seconds, 2, 0.01, rest))
    return server


@pytest.fixture(scope="module")
def made(server: wikipedia.Wikipedia, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study; tests take copies."""
    folder = tmp_path_factory.mktemp("live") / "pages"
    return worker_study.make(folder, worker_study.CONFIG + server.yaml("wikidata"))


@pytest.fixture
def served(made: Path, tmp_path: Path) -> Iterator[Study]:
    with Study.open(Path(shutil.copytree(made, tmp_path / "pages"))) as study:
        yield study


@pytest.fixture
def worker(served: Study, wiki: wikipedia.Wikipedia) -> Worker:
    assert wiki.mood == ["well"]
    return Worker(create_app(served).test_client()).begin()


def test_cards_are_dated_when_they_were_fetched(served):
    with served.read() as session:
        cards = {card.key: card for card in session.query(CardRow)}
    paris = cards["wd:Q90"]
    assert (paris.title, paris.extract) == ("Paris", "Paris is the capital of France.")
    assert paris.url == "https://en.wikipedia.org/wiki/Paris"
    assert paris.fetched < clock.now()
    assert cards["wd:Q1726"].title == "Munich"


def test_a_worker_searches_and_pastes_and_what_was_offered_is_logged(worker, served):
    found = worker.get("/search?q=munich&display=0.0")
    assert [one["key"] for one in found["candidates"]] == ["wd:Q1726"]
    assert found["candidates"][0]["description"] == "city in Germany"
    pasted = worker.get("/search?q=https://de.wikipedia.org/wiki/Minga&display=0.0")
    assert [one["key"] for one in pasted["candidates"]] == ["wd:Q1726"]
    with served.read() as session:
        logged = [event.data for event in session.query(Event) if event.kind == "search"]
    assert [data["candidates"] for data in logged] == [["wd:Q1726"], ["wd:Q1726"]]


def test_an_address_in_another_language_of_what_is_shown_is_a_verification(worker):
    shown = next(d for d in worker.displays() if d["card"]["key"] == "wd:Q1726")
    saved = worker.judge((1, shown["display"], "edit", "https://de.m.wikipedia.org/wiki/Minga#Name"))
    assert saved.json["saved"][0]["decision"] == "verify"
    saved = worker.judge((2, shown["display"], "edit", "https://en.wikipedia.org/wiki/Obama"))
    assert (saved.json["saved"][0]["key"], saved.json["saved"][0]["title"]) == ("wd:Q76", "Barack Obama")
    refused = worker.judge((3, shown["display"], "edit", "https://en.wikipedia.org/wiki/No_such_thing"))
    assert (refused.status_code, "no such article" in refused.json["message"]) == (422, True)


@pytest.mark.parametrize("mood", ["slow", "fault", "garbled"])
def test_while_it_is_down_a_worker_has_his_links_and_decides(worker, wiki, mood):
    wiki.mood = [mood]
    found = worker.get("/search?q=munich&display=0.0")
    assert (found["candidates"], "no search just now" in found["message"]) == ([], True)
    asked = len(wiki.asked)
    displays = worker.displays()
    assert all(one["card"]["url"] for one in displays if one["card"]["key"].startswith("wd:"))
    worker.judge((1, displays[0]["display"], "verify"))
    edited = worker.judge((2, displays[1]["display"], "edit", "https://www.wikidata.org/wiki/Q76"))
    assert (edited.status_code, edited.json["saved"][0]["key"]) == (200, "wd:Q76")
    # Two attempts at most at what was not asked before: what failed is left alone.
    assert len(wiki.asked) <= asked + 2
    worker.decide_all()
    assert worker.client.post(f"/api/{worker.token}/submit").json["code"]


def test_the_preview_does_not_ask_for_passers_by(worker, wiki):
    before = len(wiki.asked)
    assert "no search" in worker.client.get("/preview/search?q=munich").json["message"]
    assert len(wiki.asked) == before


def test_the_doctor_asks_for_a_sign_of_life(posthoc, served, wiki):
    assert "the knowledge base answers" in posthoc("doctor", served.path).out
    wiki.mood = ["fault"]
    ran = posthoc("doctor", served.path)
    assert (ran.status, "busy or down" in ran.out + ran.err) == (1, True)


def test_a_plan_without_answers_stores_nothing_and_later_goes_on(posthoc, tiny_folder, wiki):
    with (tiny_folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(wiki.yaml("wikidata"))
    wiki.mood = ["fault"]
    ran = posthoc("plan", tiny_folder)
    assert (ran.status, "the knowledge base is busy or down" in ran.err) == (1, True)
    wiki.mood = ["well"]
    assert posthoc("plan", tiny_folder).out.startswith("Planned and stored.")
    refused = posthoc("kb", "build", tiny_folder, tiny_folder / "kb.tsv")
    assert (refused.status, "not built from a file" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("kb", "reason"),
    [
        ("kb: {kind: wikipedia}", "whom it can write to"),
        ("kb: {kind: wikipedia, contact: 'a b'}", "contact"),
        ("kb: {api: 'file:///etc'}", "https://"),
        ("kb: {api: 'https://{host}/w/api.php'}", "nothing but {language}"),
        ("kb: {kind: wikipedia, contact: me@example.org, keep_days: -1}", "keep_days"),
    ],
)
def test_what_is_wrong_in_study_yaml_is_told(tmp_path, kb, reason):
    (tmp_path / "study.yaml").write_text(f"study: {{name: a}}\n{kb}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "study.yaml")
    assert reason in str(caught.value)
