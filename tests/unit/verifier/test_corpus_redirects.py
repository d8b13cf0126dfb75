"""Reading redirects: both layouts, chains, cycles, contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus.redirects import Redirects, read_redirects


def read(folder: Path, content: str) -> Redirects:
    path = folder / "r.tsv"
    path.write_text(content, encoding="utf-8")
    return read_redirects(path)


def test_a_title_and_its_redirects(tmp_path: Path) -> None:
    found = read(tmp_path, "Obama_(man)\tBarack_O.\tobama\nAlone\n")
    assert found.targets == {"w:en:Barack O.": "w:en:Obama (man)", "w:en:Obama": "w:en:Obama (man)"}


def test_key_and_target_by_their_heading(tmp_path: Path) -> None:
    assert read(tmp_path, "key\ttarget\nQ1\tQ2\n").targets == {"wd:Q1": "wd:Q2"}
    assert read(tmp_path, "target\tkey\nQ1\tQ2\n").targets == {"wd:Q2": "wd:Q1"}


def test_key_and_target_by_what_repeats(tmp_path: Path) -> None:
    assert read(tmp_path, "# made by hand\nA\tC\nB\tC\n").targets == {"w:en:A": "w:en:C", "w:en:B": "w:en:C"}
    assert read(tmp_path, "C\tA\nC\tB\n").targets == {"w:en:A": "w:en:C", "w:en:B": "w:en:C"}


def test_two_columns_that_can_be_read_either_way_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which can be read either way round"):
        read(tmp_path, "A\tB\nC\tD\n")


def test_chains_are_followed_to_their_end(tmp_path: Path) -> None:
    found = read(tmp_path, "key\ttarget\nA\tB\nB\tC\nC\tD\n")
    assert set(found.targets.values()) == {"w:en:D"}
    assert found.chained == 2


def test_a_redirect_to_itself_says_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, "key\ttarget\na_b\tA b\nC\tD\n")
    assert (found.targets, found.problems) == ({"w:en:C": "w:en:D"}, ())


def test_a_cycle_is_told_once_with_its_members(tmp_path: Path) -> None:
    found = read(tmp_path, "key\ttarget\nX\tB\nB\tC\nC\tA\nA\tB\nO\tP\n")
    assert [problem.got for problem in found.problems] == ["w:en:A -> w:en:B -> w:en:C -> w:en:A"]
    assert found.targets == {"w:en:O": "w:en:P"}


def test_a_contradiction_and_a_bad_title_are_told_with_their_lines(tmp_path: Path) -> None:
    found = read(tmp_path, "key\ttarget\nA\tB\nA\tC\n[x]\tC\n")
    assert [problem.where.rpartition(":")[2] for problem in sorted(found.problems, key=str)] == ["3", "4"]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file of redirects is empty"):
        read(tmp_path, "# nothing\n")


@pytest.mark.parametrize("content", ["Paris\tQ90\nRoma\tQ220\n", "qid\ttitle\nQ90\tParis\nQ220\tRoma\n"])
def test_titles_with_their_wikidata_ids_in_either_order(tmp_path: Path, content: str) -> None:
    found = read(tmp_path, content)
    assert found.layout == "titles and their Wikidata ids"
    assert found.targets == {"w:en:Paris": "wd:Q90", "w:en:Roma": "wd:Q220"}


def test_several_titles_of_one_wikidata_id(tmp_path: Path) -> None:
    assert read(tmp_path, "Q90\tParis\tParis, France\n").targets == dict.fromkeys(
        ["w:en:Paris", "w:en:Paris, France"], "wd:Q90"
    )


def test_redirects_come_before_ids_and_ids_may_redirect_too(tmp_path: Path) -> None:
    files = {"r.tsv": "key\ttarget\nLutetia\tParis\nQ90\tQ9090\n", "ids.tsv": "Paris\tQ90\nLutetia\tQ7\n"}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    found = read_redirects([tmp_path / name for name in files])
    assert found.targets == {"w:en:Lutetia": "wd:Q9090", "w:en:Paris": "wd:Q9090", "wd:Q90": "wd:Q9090"}
    assert found.name == "r.tsv + ids.tsv"


def test_redirects_to_sections_are_counted_and_not_followed(tmp_path: Path) -> None:
    found = read(tmp_path, "key\ttarget\nA\tB#History\nC\tD\nE\thttps://en.wikipedia.org/wiki/F#G\n")
    assert (found.targets, found.sections) == ({"w:en:C": "w:en:D"}, 2)
    found = read(tmp_path, "B\tA#x\tC\nid:a#b\tD\n")
    assert (found.targets, found.sections) == ({"w:en:C": "w:en:B", "w:en:D": "id:a#b"}, 1)
