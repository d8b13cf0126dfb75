"""What a study may ask beside judgments: hidden links, looking first, order, comments, missing names."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import ConfigError, InputError
from tests.support import worker_study
from tests.support.web_worker import Worker
from verifier import exporting
from verifier.plan import conditions
from verifier.store import export
from verifier.study import Study
from verifier.web.app import create_app

Served = Callable[[str], Study]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study; tests take copies and change their pages."""
    return worker_study.make(tmp_path_factory.mktemp("asides") / "pages")


@pytest.fixture
def served(made: Path, tmp_path: Path) -> Iterator[Served]:
    """Opens a copy with these pages."""
    opened = []

    def serve(pages: str) -> Study:
        folder = Path(shutil.copytree(made, tmp_path / "pages"))
        with (folder / "study.yaml").open("a", encoding="utf-8") as file:
            file.write(f"pages: {{{pages}}}\n")
        opened.append(Study.open(folder))
        return opened[-1]

    yield serve
    for study in opened:
        study.close()


def begun(study: Study) -> Worker:
    """A worker at his first text."""
    return Worker(create_app(study).test_client()).begin()


def post(worker: Worker, path: str, body: dict) -> tuple[int, dict]:
    answer = worker.client.post(f"/api/{worker.token}{path}", json=body)
    return answer.status_code, answer.json


def table(study: Study, name: str) -> list[dict]:
    with study.read() as session:
        return export.tables(session)[name].to_dict("records")


def test_a_hidden_link_is_shown_only_after_the_entity_is_named(served: Served) -> None:
    worker = begun(study := served("hidden_links_share: 1"))
    shown = worker.displays()[0]
    assert (shown["card"], shown["named"]) == (None, None)
    assert worker.judge((1, "0.0", "verify")).json["error"] == "name_first"
    assert worker.judge((1, "0.0", "edit", "Q220")).json["error"] == "name_first"
    status, told = post(worker, "/name", {"display": "0.0", "entity": "Q64", "seconds": 4})
    assert (status, told["named"]["key"], told["same"]) == (200, "wd:Q64", False)
    assert told["card"]["title"]
    again = post(worker, "/name", {"display": "0.0", "entity": told["card"]["key"]})[1]
    assert again["named"]["key"] == "wd:Q64"
    after = next(one for one in worker.displays() if one["display"] == "0.0")
    assert (after["card"], after["named"]["key"]) == (told["card"], "wd:Q64")
    assert worker.judge((1, "0.0", "verify")).status_code == 200
    assert [(row["key"], row["seconds"]) for row in table(study, "namings")] == [("wd:Q64", 4.0)]
    assert [row["arm"] for row in table(study, "judgments")] == ["hidden"]


def test_a_search_does_not_tell_which_entity_a_hidden_link_leads_to(served: Served) -> None:
    worker = begun(served("hidden_links_share: 1"))
    mention = worker.displays()[0]["mention"]
    found = worker.get(f"/search?q={mention}&display=0.0")["candidates"]
    assert found
    assert not any(one["shown"] for one in found)
    told = post(worker, "/name", {"display": "0.0", "entity": "Q64", "seconds": 4})[1]["card"]
    found = worker.get(f"/search?q={told['title']}&display=0.0")["candidates"]
    assert [one["key"] for one in found if one["shown"]] == [told["key"]]
    assert found[-1]["shown"]


def test_that_there_is_no_name_can_be_said_without_naming_one(served: Served) -> None:
    worker = begun(served("hidden_links_share: 1"))
    assert worker.judge((1, "0.0", "remove")).status_code == 200
    assert post(worker, "/name", {"display": "9.9", "entity": "Q64"})[1]["error"] == "not_hidden"
    assert (
        post(worker, "/name", {"display": "0.0", "entity": "no such thing"})[1]["error"] == "not_understood"
    )


def test_arms_are_drawn_within_each_assignment(served: Served) -> None:
    """Half of four tasks are hidden, whoever comes, and every answer has the same shape."""
    study = served("hidden_links_share: 0.5")
    tasks = begun(study).tasks()
    hidden = [all(one["card"] is None for one in task["displays"]) for task in tasks]
    assert sum(hidden) == 2
    assert len({frozenset(one) for task in tasks for one in task["displays"]}) == 1
    pages = study.config.pages
    drawn = [conditions.arms(pages, 5, seed, "x").count(conditions.HIDDEN) for seed in range(40)]
    assert set(drawn) == {2, 3}


def test_a_link_must_be_looked_at_before_it_is_verified(served: Served) -> None:
    """Seconds of earlier judgments count; either of both means is enough; a removal needs neither."""
    worker = begun(served("verify_after_seconds: 6"))
    assert worker.judge((1, "0.0", "verify")).json["error"] == "too_soon"
    for sequence in (1, 2):
        assert worker.judge((sequence, "0.0", "remove")).status_code == 200
    assert worker.judge((3, "0.0", "verify")).status_code == 200


def test_options_hold_as_they_were_when_the_work_began(served: Served) -> None:
    study = served("require_open: true, verify_after_seconds: 2.0")
    worker = begun(study)
    assert worker.judge((1, "0.0", "verify")).status_code == 200
    options = json.loads(table(study, "assignments")[0]["options"])
    assert (options["require_open"], options["verify_after_seconds"]) == (True, 2.0)
    assert worker.get("/state")["options"] == options


def test_a_random_order_is_the_workers_own_and_stays(served: Served) -> None:
    study = served("order: random")
    workers = [Worker(create_app(study).test_client(), name).begin() for name in "abcdef"]
    orders = [[one["display"] for one in worker.displays()] for worker in workers]
    assert orders[0] == [one["display"] for one in workers[0].displays()]
    starts = [[one["start"] for one in task["displays"]] for worker in workers for task in worker.tasks()]
    assert any(found != sorted(found) for found in starts)


def test_comments_are_kept_replaced_and_taken_back(served: Served) -> None:
    worker = begun(study := served("comments: true"))
    for text in ("odd", "odd", " two of them\u202e ", ""):
        body = {"comments": [{"display": "0.0", "text": text}, {"display": "0.1", "text": "b"}]}
        assert post(worker, "/comments", body) == (200, {"saved": 2})
    assert [(row["text"]) for row in table(study, "comments")] == ["b"]
    assert {one["display"]: one["comment"] for one in worker.displays()}["0.1"] == "b"
    assert post(worker, "/comments", {"comments": [{"display": "0.0", "text": 501 * "x"}]})[0] == 400
    assert post(worker, "/comments", {"comments": [{"display": "7.7", "text": "x"}]})[0] == 422


def test_missing_mentions_are_marked_in_browser_units_and_leave_every_number_alone(served: Served) -> None:
    """Marked twice, kept once; taken back, gone from the export; no judgment comes of it."""
    worker = begun(study := served("missing_mentions: true"))
    task = next(task for task in worker.tasks() if "🙂" in task["text"] or "👩" in task["text"] or task)
    units = task["text"].encode("utf-16-le")
    end = len(units) // 2
    marks = [
        {"task": task["task"], "start": end - 4, "end": end},
        {"task": task["task"], "start": 0, "end": 3},
    ]
    for _ in range(2):
        assert post(worker, "/missing", {"missing": marks}) == (200, {"saved": 2})
    assert post(worker, "/missing", {"missing": [marks[1] | {"withdrawn": True}]})[0] == 200
    mention = units[2 * (end - 4) :].decode("utf-16-le")
    assert worker.get(f"/tasks/{task['task']}")["missing"] == [
        {"start": end - 4, "end": end, "mention": mention}
    ]
    rows = table(study, "missing_mentions")
    assert [row["mention"] for row in rows] == [mention]
    assert table(study, "judgments") == []
    for wrong in (
        {"start": 3, "end": 3},
        {"start": 0, "end": end + 1},
        {"start": -1, "end": 2},
        {"task": 77},
    ):
        assert post(worker, "/missing", {"missing": [marks[0] | wrong]})[0] in (400, 422)


@pytest.mark.parametrize("path", ["/comments", "/missing"])
def test_what_a_study_does_not_ask_for_is_refused(served: Served, path: str) -> None:
    assert post(begun(served("language: en")), path, {path[1:]: []})[1]["error"] == "not_offered"


def test_a_bundle_holds_what_was_said(served: Served, tmp_path: Path) -> None:
    worker = begun(study := served("comments: true, missing_mentions: true, hidden_links_share: 1"))
    post(worker, "/comments", {"comments": [{"display": "0.0", "text": "odd"}]})
    post(worker, "/missing", {"missing": [{"task": 0, "start": 0, "end": 3}]})
    post(worker, "/name", {"display": "0.0", "entity": "NIL"})
    read = analysis.load(exporting.write_bundle(study, tmp_path / "bundle"))
    assert list(read["comments"]["text"]) == ["odd"]
    assert list(read["namings"]["key"]) == ["NIL"]
    assert len(read["missing_mentions"]) == 1
    bare = analysis.load(exporting.write_bundle(study, tmp_path / "bare", text=False))
    assert bare["comments"]["text"].isna().all()
    assert bare["missing_mentions"]["mention"].isna().all()


def test_a_bundle_from_before_is_read_with_nothing_said(served: Served, tmp_path: Path) -> None:
    """What came with a later version is empty; what that version must hold may not be missing."""
    folder = exporting.write_bundle(served("language: en"), tmp_path / "bundle")
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in ("namings", "comments", "missing_mentions"):
        (folder / f"{name}.parquet").unlink()
        del manifest["tables"][name]
    for name, column in (("assignments", "options"), ("judgments", "arm")):
        path = folder / f"{name}.parquet"
        pq.write_table(pq.read_table(path).drop_columns([column]), path)
        manifest["tables"][name]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="table missing"):
        analysis.load(folder)
    (folder / "manifest.json").write_text(json.dumps(manifest | {"schema_version": 1}))
    study = analysis.load(folder)
    assert len(study["comments"]) == len(study["namings"]) == len(study["missing_mentions"]) == 0
    assert "arm" in study["judgments"].columns


def test_a_film_stands_above_the_instructions_with_its_captions(served: Served) -> None:
    """A film without captions keeps the server from starting; only these two files are given out."""
    study = served("video: work.mp4")
    folder = study.path / "templates"
    folder.mkdir(exist_ok=True)
    (folder / "work.mp4").write_bytes(bytes(4000))
    with pytest.raises(ConfigError, match="captions"):
        create_app(study)
    (folder / "work.vtt").write_text("WEBVTT\n", encoding="utf-8")
    worker = Worker(create_app(study).test_client())
    worker.step("consent")
    assert '<track kind="captions" src="/film/work.vtt" srclang="en"' in worker.page()
    with worker.client.get("/film/work.mp4", headers={"Range": "bytes=10-19"}) as part:
        assert (part.status_code, len(part.data)) == (206, 10)
    with worker.client.get("/film/work.vtt") as captions:
        assert captions.mimetype == "text/vtt"
    assert worker.client.get("/film/study.yaml").status_code == 404


def test_missing_mentions_are_a_file_of_their_own(served: Served, tmp_path: Path, posthoc) -> None:
    """For audits of recall: a row for each worker and mention; without texts, without the words."""
    worker = begun(study := served("missing_mentions: true"))
    text = worker.get("/tasks/0")["text"]
    post(worker, "/missing", {"missing": [{"task": 0, "start": 0, "end": 3}]})
    ran = posthoc("export", study.path, "--to", "missing", "--out", tmp_path / "missing.csv")
    assert (ran.status, ran.err) == (0, "1 rows\n")
    head, row = csv.reader((tmp_path / "missing.csv").read_text(encoding="utf-8").splitlines())
    found = dict(zip(head, row, strict=True))
    assert (found["mention"], found["end"], found["counted"]) == (text[:3], "3", "0")
    assert (
        posthoc("export", study.path, "--to", "missing", "--out", tmp_path / "b.csv", "--no-text").status == 0
    )
    assert f",{text[:3]}," not in (tmp_path / "b.csv").read_text(encoding="utf-8")


@pytest.mark.usefixtures("served_here")
def test_a_simulated_crowd_names_what_is_hidden_and_looks_before_it_verifies(served: Served, posthoc) -> None:
    study = served("hidden_links_share: 0.5, require_open: true, verify_after_seconds: 2.0, order: random")
    ran = posthoc("simulate", study.path, "--workers", 1, "--seed", 1, "--truth", "GT")
    assert "1 submitted" in ran.out + ran.err
    assert {row["arm"] for row in table(study, "judgments")} == {"shown", "hidden"}
    named = {row["display"] for row in table(study, "namings")}
    assert named == {row["display"] for row in table(study, "judgments") if row["arm"] == "hidden"}
