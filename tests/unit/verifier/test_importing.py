"""Importing: whole or not at all, once, and only what fits what is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from analysis.errors import InputError, PosthocError, StateError
from verifier.corpus.importing import ImportReport, Request, import_files
from verifier.store import corpora, redirects
from verifier.store.models import (
    AnnotationRow,
    AssignmentRow,
    DocumentRow,
    Event,
    ImportFile,
    Place,
    SegmentRow,
    SourceDocument,
    SourceRow,
    Splitter,
    Worker,
)
from verifier.study import Study

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ANN = {"start": 0, "end": 3, "entity": "Q1"}
Import = Callable[..., ImportReport]


def row(name: str, text: str = "Ann met Bob.", *annotations: dict, **more: object) -> dict:
    return {"id": name, "text": text, "annotations": list(annotations), **more}


@pytest.fixture
def put(study: Study, tmp_path: Path) -> Import:
    """Imports rows as a file of a source: `put("GT", row("d"), ...)`."""

    def run(
        source: str, *rows: dict, file: str = "a.jsonl", dry_run: bool = False, **options: object
    ) -> ImportReport:
        path = tmp_path / file
        path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
        return import_files(study, Request((path,), "set", source, **options), now=NOW, dry_run=dry_run)

    return run


def count(study: Study, table: type) -> int:
    with study.read() as session:
        return session.scalar(select(func.count()).select_from(table))


def draw(study: Study) -> None:
    """Give a worker an assignment."""
    with study.write() as session:
        place = Place(platform="link", reward="1.00", currency="USD", origin="live", created=NOW)
        session.add_all([place, worker := Worker(pseudonym="w1")])
        session.flush()
        whose = {"place_id": place.id, "worker_id": worker.id, "token": "unguessable"}
        session.add(AssignmentRow(**whose, origin="live", claimed=NOW, deadline=NOW))


def lay_grid(study: Study) -> None:
    """Cut every document into one segment."""
    with study.write() as session:
        session.add(splitter := Splitter(name="whole", version="1", parameters={}))
        session.flush()
        for document in session.scalars(select(DocumentRow)).all():
            session.add(
                SegmentRow(splitter_id=splitter.id, document_id=document.id, start=0, end=len(document.text))
            )


def test_documents_and_annotations_are_kept_as_read(any_study: Study, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row("d", "🙂Ann", {"start": 1, "end": 4, "entity": "Q1", "confidence": 0.5})))
    import_files(any_study, Request((path,), "set", "GT"), now=NOW)
    with any_study.read() as session:
        (stored,) = session.scalars(select(AnnotationRow))
        assert (stored.mention, stored.key, stored.raw, stored.kind) == ("Ann", "wd:Q1", "Q1", "link")
        assert (stored.confidence, stored.shown, stored.reason) == (0.5, None, None)
        assert session.scalars(select(ImportFile)).one().imported == NOW


def test_ran_and_found_nothing_is_put_down(study: Study, put: Import) -> None:
    put("GT", row("d"), row("e"))
    put("M", row("d"), file="m.jsonl")
    with study.read() as session:
        query = select(SourceRow.name, SourceDocument.ran, SourceDocument.n).join(SourceRow)
        assert sorted(map(tuple, session.execute(query))) == [
            ("GT", True, 0),
            ("GT", True, 0),
            ("M", True, 0),
        ]


def test_what_is_not_declared_is_taken_and_said(study: Study, put: Import) -> None:
    assert put("GT", row("d")).notes == [
        "The dataset set is not declared in study.yaml: taken as language en.",
        "The source GT is not declared in study.yaml: taken as a ground truth.",
    ]
    put("M", row("d"), file="m.jsonl")
    with study.read() as session:
        assert {s.name: s.role for s in session.scalars(select(SourceRow))} == {
            "GT": "ground_truth",
            "M": "model",
        }


def test_the_same_bytes_do_nothing(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN))
    assert put("GT", row("d", "Ann", ANN), file="b.jsonl").files[0].unchanged
    assert (count(study, AnnotationRow), count(study, ImportFile)) == (1, 1)


def test_a_changed_file_is_refused(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN))
    with pytest.raises(StateError, match=r"a\.jsonl:1: the source GT has annotated these documents already"):
        put("GT", row("d", "Ann"))
    assert count(study, AnnotationRow) == 1


def test_a_changed_file_can_come_under_another_source(study: Study, put: Import) -> None:
    put("M", row("d", "Ann", ANN))
    put("M2", row("d", "Ann", ANN, ANN))
    assert count(study, AnnotationRow) == 3


def test_more_documents_can_come_in_another_file(study: Study, put: Import) -> None:
    put("GT", row("d"))
    put("GT", row("e"), file="b.jsonl")
    assert (count(study, DocumentRow), count(study, ImportFile)) == (2, 2)


def test_a_replacement_takes_all_that_was_there(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN), row("e"))
    put("M", row("e"), file="m.jsonl")
    put("GT", row("d", "Anna", ANN), replace=True)
    with study.read() as session:
        assert sorted(session.scalars(select(DocumentRow.text))) == ["Ann met Bob.", "Anna"]
        sources = [
            file.source_id for file in session.scalars(select(ImportFile).order_by(ImportFile.source_id))
        ]
    assert len(set(sources)) == 2
    assert count(study, AnnotationRow) == 1


def test_a_replacement_takes_the_plan_away_and_says_so(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN))
    lay_grid(study)
    assert (
        "The plan was taken away with what it planned: plan again."
        in put("GT", row("d", "Ann"), replace=True).notes
    )
    assert count(study, SegmentRow) == 0


def test_with_the_plan_go_its_reasons_but_not_those_of_the_import(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN, ANN, {**ANN, "entity": "Q2"}, {**ANN, "end": 2}))
    lay_grid(study)
    with study.write() as session:
        for stored in session.scalars(select(AnnotationRow)):
            stored.shown, stored.reason = False, "duplicate" if stored.key == "wd:Q2" else stored.reason
        corpora.drop_plan(session)
    with study.read() as session:
        reasons = session.scalars(select(AnnotationRow.reason).order_by(AnnotationRow.id))
        assert list(reasons) == [None, "duplicate", None, None]


def test_nothing_is_replaced_after_tasks_were_drawn(study: Study, put: Import) -> None:
    put("GT", row("d", "Ann", ANN))
    draw(study)
    with pytest.raises(StateError, match="tasks of this study have been drawn"):
        put("GT", row("d", "Ann"), replace=True)
    assert count(study, AnnotationRow) == 1


def test_another_text_than_imported_is_refused_with_the_difference(put: Import) -> None:
    put("GT", row("d"))
    with pytest.raises(
        InputError, match=r"m\.jsonl:1: two texts for the document 'd'.*offset 8.*'Ann met Bob\.' against"
    ):
        put("M", row("d", "Ann met Rob."), file="m.jsonl")


def test_a_document_in_two_files_is_refused(study: Study, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(json.dumps(row("d", "Ann" if name == "a" else "Bob")))
    with pytest.raises(InputError, match="stands in two files"):
        import_files(study, Request((tmp_path / "a", tmp_path / "b"), "set", "GT"), now=NOW)
    assert count(study, DocumentRow) == 0


def test_a_document_of_another_language_is_refused(put: Import) -> None:
    with pytest.raises(InputError, match="another language than its dataset; got fr; expected en"):
        put("GT", row("d", language="fr"))


def test_all_faults_of_files_and_store_come_together_and_nothing_is_kept(study: Study, put: Import) -> None:
    put("GT", row("d"))
    with pytest.raises(InputError) as caught:
        put("M", row("d", "other"), row("e", "Ann", {"start": 0, "end": 9}), row("f"), file="m.jsonl")
    assert len(caught.value.problems) == 2
    assert (count(study, DocumentRow), count(study, SourceRow)) == (1, 1)


def test_bad_rows_can_be_left_out(study: Study, put: Import) -> None:
    report = put("GT", row("d", "Ann", ANN, {"start": 0, "end": 9}), on_bad="drop")
    assert (len(report.dropped), report.files[0].annotations, count(study, AnnotationRow)) == (1, 1, 1)


def test_duplicates_of_a_source_are_kept_and_counted(study: Study, put: Import) -> None:
    none = {"start": 0, "end": 3}
    report = put("GT", row("d", "Ann", ANN, {**ANN, "entity": "wd:Q1"}, none, none, {**ANN, "end": 2}))
    with study.read() as session:
        marks = [
            (a.shown, a.reason) for a in session.scalars(select(AnnotationRow).order_by(AnnotationRow.id))
        ]
    again = (False, "duplicate")
    assert (report.files[0].duplicates, marks) == (
        2,
        [(None, None), again, (None, None), again, (None, None)],
    )


def test_a_dry_run_says_it_all_and_keeps_nothing(any_study: Study, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row("d", "Ann", ANN)))
    report = import_files(any_study, Request((path,), "set", "GT"), now=NOW, dry_run=True)
    assert report.files[0].annotations == 1
    assert count(any_study, DocumentRow) == count(any_study, SourceRow) == 0


def test_an_evaluation_span_may_come_later_but_not_change(study: Study, put: Import) -> None:
    put("M", row("d"))
    put("GT", row("d", evaluation_span=[0, 7]), file="gt.jsonl")
    put("M2", row("d"), file="m2.jsonl")
    with study.read() as session:
        stored = session.scalars(select(DocumentRow)).one()
        assert (stored.evaluation_start, stored.evaluation_end) == (0, 7)
    with pytest.raises(
        InputError, match="another evaluation span than before; got \\(0, 5\\); expected 0 to 7"
    ):
        put("M3", row("d", evaluation_span=[0, 5]), file="m3.jsonl")


def test_an_evaluation_span_does_not_change_once_the_text_is_cut(study: Study, put: Import) -> None:
    put("M", row("d"))
    lay_grid(study)
    with pytest.raises(InputError, match="another evaluation span"):
        put("GT", row("d", evaluation_span=[0, 7]), file="gt.jsonl")


@pytest.mark.parametrize(("dataset", "source"), [("a b", "GT"), ("set", ""), ("../x", "GT"), ("set", "é")])
def test_names_are_plain(study: Study, tmp_path: Path, dataset: str, source: str) -> None:
    with pytest.raises(InputError, match="not a name"):
        import_files(study, Request((tmp_path / "x",), dataset, source), now=NOW)


def test_redirects_are_put_in_force_once(study: Study, put: Import, tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("key\ttarget\nQ1\tQ2\n")
    for _ in range(2):
        put("GT", row("d", "Ann", ANN), redirects=(path,))
    with study.read() as session:
        assert redirects.current(session) == {"wd:Q1": "wd:Q2"}
        assert (redirects.resolve(session, "wd:Q1"), redirects.resolve(session, "wd:Q9")) == (
            "wd:Q2",
            "wd:Q9",
        )
    path.write_text("key\ttarget\nQ1\tQ3\n")
    assert put("GT", row("d", "Ann", ANN), redirects=(path,)).redirects == 1
    with study.read() as session:
        assert redirects.resolve(session, "wd:Q1") == "wd:Q3"
    path.write_text("key\ttarget\nQ1\tQ2\n")
    with pytest.raises(StateError, match="in force before and have been replaced"):
        put("GT", row("d", "Ann", ANN), redirects=(path,))


def test_redirects_in_a_circle_refuse_the_import(study: Study, put: Import, tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text("key\ttarget\nQ1\tQ2\nQ2\tQ1\n")
    with pytest.raises(InputError, match="wd:Q1 -> wd:Q2 -> wd:Q1"):
        put("GT", row("d"), redirects=(path,))
    assert count(study, DocumentRow) == 0


def test_a_dataset_keeps_its_language(study: Study, put: Import) -> None:
    put("GT", row("d"))
    text = (study.path / "study.yaml").read_text().replace("datasets: {}", "datasets: {set: {language: fr}}")
    (study.path / "study.yaml").write_text(text)
    with (
        Study.open(study.path) as opened,
        pytest.raises(PosthocError, match="imported with another language"),
    ):
        import_files(opened, Request((study.path / "study.yaml",), "set", "M", format="jsonl"), now=NOW)


@pytest.mark.parametrize("name", ["x" * 501, "a\nb", "a\x07b", "a\u2028b"])
def test_a_document_whose_name_nobody_could_read_is_refused(put: Import, name: str) -> None:
    with pytest.raises(InputError, match="not a document's name"):
        put("GT", row(name))
    assert put("GT", row("x" * 500)).files[0].documents == 1


def test_a_dry_run_reports_bad_rows_and_all_else(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = {"start": 0, "end": 3, "mention": "Ann", "entity": "<NIL>"}
    rows = [good, {**good, "start": 1}, {**good, "entity": "Q1", "end": 4}]
    path.write_text(json.dumps({"id": "d", "text": "Ann met Bob", "annotations": rows}), encoding="utf-8")
    report = import_files(study, Request((path,), "set", "GT"), now=NOW, dry_run=True)
    assert len(report.refused) == 2
    (file,) = report.files
    assert (file.annotations, file.nil_spellings) == (1, {"<NIL>": 1})
    assert file.audit == {"exact": 1, "wrong length": 2}
    assert file.audited == {"d": file.audit}


def test_repairs_rules_and_bad_rows_are_kept_with_the_import(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("-DOCSTART- (1)\nAnn\tB\tAnn\tQ1\nx\tI\n", encoding="utf-8")
    import_files(study, Request((path,), "set", "GT", on_bad="drop"), now=NOW)
    with study.read() as session:
        event = session.scalars(select(Event).where(Event.kind == "import")).one()
    assert event.data["file"] == "a.tsv"
    assert "tokens joined by one space" in event.data["notes"][0]
    assert "a.tsv:2: the mention is not that of its tokens" in event.data["dropped"][0]


def test_what_other_sources_share_is_counted_and_foreign_ids_are_told(put: Import) -> None:
    row = {"id": "d", "text": "Ann met Bob"}
    put("GT", {**row, "annotations": [{"start": 0, "end": 3, "entity": "Q1"}]})
    same = put("REL", {**row, "annotations": [{"start": 0, "end": 3, "entity": "Q1"}]}, file="b.jsonl")
    assert (same.files[0].same_texts, same.files[0].shared) == (1, {"GT": 1})
    other = put("BLINK", {**row, "annotations": [{"start": 0, "end": 3, "entity": "Ann"}]}, file="c.jsonl")
    assert other.files[0].schemes == {"w:en": 1}
    assert any("name entities in other ways" in note for note in other.notes)


def test_a_table_without_texts_is_about_those_of_the_study(put: Import, study: Study, tmp_path: Path) -> None:
    put("GT", {"id": "d", "text": "Ann met Bob", "annotations": []})
    path = tmp_path / "p.csv"
    path.write_text("document,start,end,entity\nd,8,11,Q3\n", encoding="utf-8")
    report = import_files(study, Request((path,), "set", "Mine"), now=NOW)
    assert (report.files[0].annotations, report.files[0].same_texts) == (1, 1)


def test_what_redirects_change_is_told_of_all_sources_and_ids_bring_them_together(
    put: Import, tmp_path: Path
) -> None:
    title = {"start": 0, "end": 3, "entity": "Ann_Lee"}
    put("GT", row("d", "Ann met Bob.", ANN))
    apart = put("REL", row("d", "Ann met Bob.", title), file="b.jsonl", dry_run=True)
    assert apart.files[0].shared == {"GT": 0}
    assert any("none can be equal" in note for note in apart.notes)
    (tmp_path / "ids.tsv").write_text("Ann Lee\tQ1\n")
    (tmp_path / "r.tsv").write_text("key\ttarget\nAnne Lee\tAnn Lee\nX\tAnn Lee#Life\n")
    files = (tmp_path / "r.tsv", tmp_path / "ids.tsv")
    report = put("REL", row("d", "Ann met Bob.", title), file="b.jsonl", redirects=files)
    assert (report.redirects, report.files[0].shared) == (2, {"GT": 1})
    assert report.redirected == {"GT": (0, 1), "REL": (1, 1)}
    said = " ".join(report.notes)
    assert "1 to sections, which were not followed" in said
    assert "0 of 1 links of GT, 1 of 1 links of REL" in said
    assert "w:en:Ann Lee -> wd:Q1 (1)" in said
    assert "none can be equal" not in said


def test_a_report_counts_overlaps_spaces_and_what_lies_outside(put: Import) -> None:
    marks = [{"start": s, "end": e, "entity": "Q1"} for s, e in ((0, 3), (0, 7), (8, 11), (7, 11))]
    [file] = put("GT", row("d", "Ann met Bob.", *marks, evaluation_span=[0, 7])).files
    assert (file.overlapping, file.outside, file.spaces) == (4, 2, 1)
