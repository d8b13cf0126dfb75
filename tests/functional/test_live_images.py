"""A study in two languages with a live knowledge base: cards in each, images for workers and experts."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from analysis import load
from tests.support import wikipedia
from tests.support.web_worker import Worker
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.exporting import write_bundle
from verifier.kb import asking
from verifier.plan import planning
from verifier.study import Study
from verifier.web.app import create_app

CREDIT = "Ann & Bob, CC BY 4.0 (https://l.example)"
TEXTS = {"news": ("en", "Many came to Munich for the fair."), "zeitung": ("de", "Viele kamen nach München.")}
CONFIG = """\
study: {name: two, seed: 3}
datasets: {news: {language: en}, zeitung: {language: de}}
sources: {Alpha: {}}
plan: {k: 3}
place: {tasks: 2, controls: 0, minutes: 1, pay: "1.00"}
"""


@pytest.fixture(scope="module")
def wiki() -> Iterator[wikipedia.Wikipedia]:
    with wikipedia.serving() as found:
        yield found


@pytest.fixture(scope="module")
def made(wiki: wikipedia.Wikipedia, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study; tests take copies."""
    folder = tmp_path_factory.mktemp("two") / "study"
    Study.create(folder, "link").close()
    told = wiki.yaml("wikidata").replace("}\n", f', images: "{wiki.home}/images/"}}\n')
    (folder / "study.yaml").write_text(CONFIG + told, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, Study.open(folder) as study:
        patch.setattr(asking, "RESEARCHER", asking.Patience(20.0, 2, 0.01, 0.0, images=True))
        for dataset, (language, text) in TEXTS.items():
            mention = {"en": "Munich", "de": "München"}[language]
            start = text.index(mention)
            given = {"start": start, "end": start + len(mention), "entity": "Q1726"}
            path = folder / f"{dataset}.jsonl"
            path.write_text(json.dumps({"id": "a", "text": text, "annotations": [given]}) + "\n")
            import_files(study, Request((path,), dataset, "Alpha"), now=clock.now())
        planning.plan(study, now=clock.now())
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Iterator[Study]:
    with Study.open(Path(shutil.copytree(made, tmp_path / "study"))) as opened:
        yield opened


def expert(study: Study) -> FlaskClient:
    client = create_app(study, dashboard_key="once").test_client()
    client.get("/admin/enter?key=once")
    return client


def got(client: FlaskClient, address: str) -> tuple[int, bytes]:
    """What a page gets that asks again for an image which is not there yet."""
    until = time.monotonic() + 60
    answer = client.get(address, follow_redirects=True)
    while answer.status_code == 202 and time.monotonic() < until:
        time.sleep(0.01)
        answer = client.get(address, follow_redirects=True)
    return answer.status_code, answer.data


def searched(worker: Worker, query: str, language: str = "en") -> dict[str, str | None]:
    """The one answer to a search on the text in a language."""
    number = next(n for n, task in enumerate(worker.tasks()) if task["language"] == language)
    (found,) = worker.get(f"/search?q={query}&display={number}.0")["candidates"]
    return found


def test_each_dataset_has_the_card_in_its_language(study: Study) -> None:
    """One entity, two cards: each in the language of its text, with the item's image."""
    worker = Worker(create_app(study).test_client()).begin()
    shown = {task["language"]: task["displays"][0]["card"] for task in worker.tasks()}
    assert {language: (card["title"], card["description"]) for language, card in shown.items()} == {
        "en": ("Munich", "city in Germany"),
        "de": ("München", "Stadt in Bayern"),
    }
    assert {card["image_by"] for card in shown.values()} == {CREDIT}
    assert worker.client.get(shown["de"]["image"]).data == wikipedia.PNG


def test_answers_of_a_search_have_images_from_the_server_itself(study: Study) -> None:
    worker = Worker(create_app(study).test_client()).begin()
    shutil.rmtree(study.path / "images")
    found = searched(worker, "munich")
    assert found["image"].startswith("/images/soon/")
    assert "127.0.0.1" not in json.dumps(found)
    assert got(worker.client, found["image"]) == (200, wikipedia.PNG)
    told = worker.client.get(found["image"], headers={"Accept": "application/json"})
    assert told.json == {"image_by": CREDIT}
    again = searched(worker, "munich")
    assert (again["image_by"], got(worker.client, again["image"])) == (CREDIT, (200, wikipedia.PNG))
    assert got(worker.client, f"/images/soon/{'0' * 64}")[0] == 404


def test_a_pasted_address_shows_title_and_image_in_the_language_of_the_text(study: Study) -> None:
    worker = Worker(create_app(study).test_client()).begin()
    found = searched(worker, "https://en.wikipedia.org/wiki/Munich", "de")
    assert (found["title"], found["image_by"]) == ("München", CREDIT)


def found_by(client: FlaskClient) -> list[dict[str, str | None]]:
    """What an expert is offered who looks at Munich, and searches for it."""
    return client.get("/admin/adjudicate/search?q=munich&language=en&shown=wd:Q1726").json["candidates"]


def test_experts_see_the_credit_and_no_image_where_workers_see_none(study: Study) -> None:
    paths = ("/admin/tasks/1", "/admin/adjudicate/1")
    with_image = expert(study)
    (told,) = found_by(with_image)
    assert (told["title"], told["shown"]) == ("Munich", True)
    assert got(with_image, told["image"]) == (200, wikipedia.PNG)
    for path in paths:
        page = with_image.get(path).text
        assert ("/images/" in page, "Ann &amp; Bob, CC BY 4.0" in page) == (True, True)
    file = study.path / "study.yaml"
    file.write_text(file.read_text() + "pages: {images: false}\n")
    with Study.open(study.path) as changed:
        without = expert(changed)
        assert found_by(without)[0]["image"] is None
        for path in paths:
            page = without.get(path).text
            assert ("/images/" in page, "Ann &amp; Bob" in page) == (False, False)
        worker = Worker(create_app(changed).test_client()).begin()
        found = searched(worker, "munich")
        assert (found["image"], found["image_by"]) == (None, None)


def test_a_link_that_was_hidden_shows_no_image_either(study: Study) -> None:
    with (study.path / "study.yaml").open("a") as file:
        file.write("pages: {images: false, hidden_links_share: 1}\n")
    with Study.open(study.path) as changed:
        worker = Worker(create_app(changed).test_client()).begin()
        body = {"display": "0.0", "entity": "NIL", "seconds": 2}
        card = worker.client.post(f"/api/{worker.token}/name", json=body).json["card"]
        assert (card["key"], card["image"], card["image_by"]) == ("wd:Q1726", None, None)


def test_a_bundle_tells_which_image_a_card_showed(study: Study, tmp_path: Path) -> None:
    cards = load(write_bundle(study, tmp_path / "bundle"))["cards"]
    assert len(cards) == 2
    assert set(cards["image_credit"]) == {CREDIT}
    assert {name.rpartition(".")[2] for name in cards["image"]} == {"png"}
