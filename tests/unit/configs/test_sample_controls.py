"""The sample study's generated controls: none contradicts the truth, and many wrong links are namesakes."""

import json

import pytest

from analysis.keys import normalise
from verifier import clock, demo
from verifier.corpus.importing import Request, import_files
from verifier.kb.build import build
from verifier.plan import planning
from verifier.store import plans
from verifier.study import Study


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample study, planned: its control displays, and the truth by document and span."""
    folder = tmp_path_factory.mktemp("sample") / "demo"
    with Study.create(folder, "demo", name="demo") as study:
        for source, name in demo.CORPUS.items():
            import_files(study, Request((folder / "corpus" / name,), "news", source), now=clock.now())
        build(folder / "kb.tsv", study.file(study.config.kb.file))
        planning.plan(study, now=clock.now())
        with study.read() as session:
            displays = plans.control_displays(session)
    lines = (folder / demo.TRUTH).read_text(encoding="utf-8").splitlines()
    return displays, {row["id"]: truly(row) for row in map(json.loads, lines)}


def truly(row):
    return {
        (mark["start"], mark["end"]): normalise(mark["entity"], "en") if mark["entity"] else "NIL"
        for mark in row["annotations"]
    }


def of(sample, expected):
    displays, truth = sample
    for shown in displays:
        if shown.expected == expected:
            yield shown, truth[shown.document]


def test_every_right_link_is_right(sample):
    assert all(truth.get((a.start, a.end)) == a.key for a, truth in of(sample, "verify"))


def test_every_wrong_link_is_wrong_and_its_right_entity_right(sample):
    for answer, truth in of(sample, "edit"):
        right = truth.get((answer.start, answer.end))
        assert [right] == answer.acceptable
        assert right != answer.key


def test_no_entity_is_where_none_is_marked(sample):
    for answer, truth in of(sample, "remove"):
        assert not any(start < answer.end and answer.start < end for start, end in truth)
        assert answer.end - answer.start >= 3


def test_there_are_enough_of_them_and_many_wrong_links_are_namesakes(sample):
    wrong = [answer.difficulty for answer, _ in of(sample, "edit")]
    assert len(wrong) >= 40
    assert wrong.count("hard") >= 12


def test_they_show_as_many_links_as_real_tasks_do(sample):
    displays, _ = sample
    sizes = [sum(one.task == task for one in displays) for task in {one.task for one in displays}]
    assert (min(sizes), max(sizes)) == (3, 8)
