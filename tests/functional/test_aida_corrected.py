"""A ground truth that came as AIDA-YAGO2 TSV leaves as such: corrected, or as it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.ballots import Rule
from tests.support import worked
from verifier import clock, correcting
from verifier.corpus.importing import Request, import_files
from verifier.plan.planning import plan
from verifier.store import corpora
from verifier.study import Study

GT = """\
-DOCSTART- (1 PARIS)
Paris\tB\tParis\tParis,_Texas\thttp://en.wikipedia.org/wiki/Paris,_Texas\t1\t/m/01
is
in
France\tB\tFrance\tFrance\thttp://en.wikipedia.org/wiki/France\t2\t/m/02
,
says
Ann-Lee\tB\tAnn-Lee\t--NME--
.

Rome\tB\tRome\tRome\thttp://en.wikipedia.org/wiki/Rome\t3\t/m/03
too
is
in
South\tB\tSouth Italy\tItaly\thttp://en.wikipedia.org/wiki/Italy\t4\t/m/04
Italy\tI\tSouth Italy\tItaly\thttp://en.wikipedia.org/wiki/Italy\t4\t/m/04
.

"""
TEXT = "Paris is in France , says Ann-Lee .\nRome too is in South Italy ."
# What the linker found: right but for the ground truth's Paris; Italy without South; a part of Ann-Lee.
LINKED = {"Paris": "Paris", "France": "France", "Rome": "Rome", "Italy": "Italy", "Lee": "Lee"}
# What people say is right, by mention.
RIGHT = {**LINKED, "Paris": "Paris"}
STUDY = """\
study: {name: aida, seed: 5}
datasets: {news: {language: en}}
sources: {GT: {role: ground_truth}, Alpha: {}}
plan: {k: 1, repeat_share: 0}
place: {tasks: 2, controls: 0, minutes: 5, pay: "1.00"}
"""
ONE = Rule(min_votes=1)


def decide(text: str, span: tuple[int, int], key: str) -> tuple[str, str | None]:
    """What a worker who knows does."""
    right = RIGHT.get(text[slice(*span)])
    if right is None:
        return "remove", None
    return ("verify", None) if key == f"w:en:{right}" else ("edit", f"w:en:{right}")


@pytest.fixture(scope="module")
def judged(blank_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of one document of tokens, with a linker, judged once."""
    folder = Path(shutil.copytree(blank_study, tmp_path_factory.mktemp("aida") / "study"))
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    gt, alpha = folder.parent / "gt.tsv", folder.parent / "alpha.jsonl"
    gt.write_text(GT, encoding="utf-8")
    marks = [
        {"start": TEXT.index(words), "end": TEXT.index(words) + len(words), "entity": entity}
        for words, entity in LINKED.items()
    ]
    alpha.write_text(json.dumps({"id": "1 PARIS", "text": TEXT, "annotations": marks}) + "\n")
    with Study.open(folder) as study:
        import_files(study, Request((gt,), "news", "GT"), now=clock.now())
        import_files(study, Request((alpha,), "news", "Alpha"), now=clock.now())
        plan(study, now=worked.START)
        worked.work_off(study, decide)
    return folder


def without_layout(folder: Path, to: Path) -> Path:
    """The study as one that was imported before the lines of files were kept."""
    copy = Path(shutil.copytree(folder, to))
    with Study.open(copy) as study, study.store._engine.begin() as connection:
        connection.exec_driver_sql("delete from import_layout")
    return copy


def test_only_the_lines_of_corrections_change(judged: Path, tmp_path: Path) -> None:
    """`South Italy` goes for `Italy`, whose columns the file knows; Paris has a page id that it does not."""
    done = correcting.write_corrected(judged, tmp_path / "gt.tsv", ONE)
    lines = GT.split("\n")
    lines[1] = "Paris\tB\tParis\tParis\thttp://en.wikipedia.org/wiki/Paris\t"
    lines[14:16] = ["South", "Italy\tB\tItaly\tItaly\thttp://en.wikipedia.org/wiki/Italy\t4\t/m/04"]
    assert done.files[0].read_text(encoding="utf-8").split("\n") == lines
    assert done.changes == {"relink": 1, "remove": 1, "add": 1}


def test_what_cuts_a_token_is_told_with_its_line_and_stands_in_the_patch(
    judged: Path, tmp_path: Path
) -> None:
    done = correcting.write_corrected(judged, tmp_path / "gt.tsv", Rule(min_votes=1, nested=True))
    (note,) = done.notes
    assert note.endswith("not made: add in document '1 PARIS', 30 to 33: it cuts a token (gt.tsv:8)")
    head, *changes = map(json.loads, done.files[1].read_text(encoding="utf-8").splitlines())
    assert (head["changes"]["add"], head["refused"]) == (1, 1)
    (refused,) = [change for change in changes if "refused" in change]
    assert (refused["mention"], refused["refused"]) == ("Lee", "it cuts a token (gt.tsv:8)")


def test_the_corpus_leaves_as_it_came(judged: Path, tmp_path: Path, posthoc: Callable) -> None:
    options = ("--to", "corpus", "--format", "aida", "--source", "GT", "--out", tmp_path / "out")
    assert posthoc("export", judged, *options).status == 0
    assert (tmp_path / "out" / "news.GT" / "news.GT.aida.tsv").read_text(encoding="utf-8") == GT


def test_documents_keep_the_order_of_their_files(tmp_path: Path, any_study: Study, posthoc: Callable) -> None:
    """Names in another order, two files, and a linker that was there first with an order of its own."""
    names = ("2 B", "10 A", "1 C", "3 D")
    parts = [f"-DOCSTART- ({name})\nRome\tB\tRome\tRome\n\n" for name in names]
    marks = [{"id": name, "text": "Rome", "annotations": []} for name in sorted(names)]
    contents = {"a.jsonl": "".join(json.dumps(row) + "\n" for row in marks)}
    contents |= {"x.tsv": "".join(parts[:2]), "y.tsv": "".join(parts[2:])}
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        source = "Alpha" if name == "a.jsonl" else "GT"
        import_files(any_study, Request((tmp_path / name,), "news", source), now=clock.now())
    for what in (("corpus", "--format", "aida", "--source", "GT"), ("corrected",)):
        out = tmp_path / f"{what[0]}.tsv"
        assert posthoc("export", any_study.path, "--to", *what, "--out", out).status == 0
        assert out.read_text(encoding="utf-8") == "".join(parts)


def test_a_file_behind_another_begins_with_its_document(
    tmp_path: Path, any_study: Study, posthoc: Callable
) -> None:
    """Behind a byte order mark it would be the end of the document before; stray tokens would too."""
    parts = [f"-DOCSTART- ({name})\nRome\tB\tRome\tRome\n\n" for name in ("1 A", "2 B")]
    for name, content in {"x.tsv": f"\ufeff{parts[0]}", "y.tsv": f"\ufeff\nstray\n{parts[1]}"}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        into = Request((tmp_path / name,), "news", "GT", "aida", on_bad="drop")
        import_files(any_study, into, now=clock.now())
    out = tmp_path / "out.tsv"
    options = ("--to", "corpus", "--format", "aida", "--source", "GT", "--out", out)
    assert posthoc("export", any_study.path, *options).status == 0
    assert out.read_text(encoding="utf-8") == f"\ufeff{parts[0]}\n{parts[1]}"


def test_a_study_imported_before_lines_were_kept_is_written_by_its_tokens(
    judged: Path, tmp_path: Path
) -> None:
    """Page ids and Freebase ids are gone, and come back when the same file is imported again."""
    old = without_layout(judged, tmp_path / "old")
    done = correcting.write_corrected(old, tmp_path / "gt.tsv", ONE)
    assert "Rome\tB\tRome\tRome\thttp://en.wikipedia.org/wiki/Rome\t\n" in done.files[0].read_text()
    with Study.open(old) as study:
        report = import_files(study, Request((judged.parent / "gt.tsv",), "news", "GT"), now=clock.now())
    assert report.files[0].unchanged
    assert report.notes == [f"{judged.parent / 'gt.tsv'}: its layout is kept now, to be written again."]
    again = correcting.write_corrected(old, tmp_path / "again.tsv", ONE)
    whole = correcting.write_corrected(judged, tmp_path / "whole.tsv", ONE)
    assert again.files[0].read_bytes() == whole.files[0].read_bytes()


def test_layouts_go_with_what_is_replaced(tmp_path: Path, any_study: Study) -> None:
    changed = tmp_path / "gt.tsv"
    for content in (GT, GT.replace("too", "also")):
        changed.write_text(content, encoding="utf-8")
        import_files(any_study, Request((changed,), "news", "GT", replace=True), now=clock.now())
    with any_study.read() as session:
        (kept,) = corpora.kept_files(session, "news", "GT")
    assert kept.layout == GT.replace("too", "also")
