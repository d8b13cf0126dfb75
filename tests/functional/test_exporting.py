"""What leaves a study: the same bytes each time, keys after redirects, nothing of the vault."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import analysis
from analysis.errors import InputError, StateError
from tests.support import tiny, worked
from verifier import exporting
from verifier.corpus import read_corpus
from verifier.corpus.importing import Request, import_files
from verifier.kb.build import build
from verifier.plan.planning import plan
from verifier.store import export, redirects
from verifier.study import Study


@pytest.fixture(scope="session")
def worked_blank(tiny_blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny study, worked off: the first verifies all he sees, those after him know the truth."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("worked") / "tiny"))
    with Study.open(folder) as study:
        plan(study, now=worked.START)
        worked.work_off(study, worked.verify, workers=1)
        worked.work_off(study, tiny.truly, first=1)
    return folder


@pytest.fixture
def worked_study(worked_blank: Path, tmp_path: Path) -> Study:
    folder = Path(shutil.copytree(worked_blank, tmp_path / "worked"))
    with Study.open(folder) as opened:
        yield opened


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_same_study_gives_the_same_bytes(worked_study: Study, tmp_path: Path) -> None:
    first, second = (exporting.write_bundle(worked_study, tmp_path / name) for name in "ab")
    for path in sorted(first.iterdir()):
        assert path.read_bytes() == (second / path.name).read_bytes(), path.name


def test_a_bundle_loads_with_every_row(worked_study: Study, tmp_path: Path) -> None:
    loaded = analysis.load(exporting.write_bundle(worked_study, tmp_path / "b"))
    with worked_study.read() as session:
        tables = export.tables(session)
    assert {name: len(frame) for name, frame in loaded.tables.items()} == {
        n: len(f) for n, f in tables.items()
    }
    assert len(loaded.tables["judgments"]) > 40
    assert loaded.manifest["seeds"] == {"study": 5}
    assert len(loaded.manifest["plan_sha256"]) == 64


def test_the_last_judgment_of_a_display_is_current(worked_study: Study) -> None:
    with worked_study.read() as session:
        judgments = export.tables(session)["judgments"]
    assert judgments.groupby(["assignment", "display"])["current"].sum().eq(1).all()


def test_nothing_of_the_vault_or_the_secrets_leaves(worked_study: Study, tmp_path: Path) -> None:
    folder = exporting.write_bundle(worked_study, tmp_path / "b")
    exporting.write_judgments(worked_study, tmp_path / "j.csv")
    written = b"".join(path.read_bytes() for path in [*folder.iterdir(), tmp_path / "j.csv"])
    for hidden in ("person-", *vars(worked_study.secrets).values(), str(worked_study.path)):
        assert hidden.encode() not in written


def test_a_database_password_does_not_leave(any_study: Study) -> None:
    config = exporting.public_config(any_study)
    assert config["database"] in ("sqlite", "postgresql")


def test_without_texts_the_hashes_stay(worked_study: Study, tmp_path: Path) -> None:
    loaded = analysis.load(exporting.write_bundle(worked_study, tmp_path / "b", text=False))
    assert loaded.tables["documents"]["text"].isna().all()
    assert loaded.tables["annotations"]["mention"].isna().all()
    assert loaded.tables["documents"]["text_sha256"].str.len().eq(64).all()


def test_keys_stand_after_redirects(worked_study: Study) -> None:
    with worked_study.write() as session:
        redirects.take(session, "r.tsv", "0" * 64, {"wd:Q90": "wd:Q1000"}, worked.START)
    with worked_study.read() as session:
        tables = export.tables(session)
    for name in ("annotations", "displays", "judgments", "cards"):
        assert "wd:Q90" not in set(tables[name]["key"])
    assert "wd:Q1000" in set(tables["annotations"]["key"])
    assert not tables["control_answers"]["acceptable"].fillna("").str.contains('"wd:Q90"').any()


def test_before_a_plan_nothing_is_shown_with_the_reason(tiny_study: Study) -> None:
    with tiny_study.read() as session:
        annotations = export.tables(session)["annotations"]
    assert not annotations["shown"].any()
    assert set(annotations["reason"]) == {"not_planned"}


def test_a_table_of_judgments_holds_each_shown_annotation(worked_study: Study, tmp_path: Path) -> None:
    count = exporting.write_judgments(worked_study, tmp_path / "j.csv")
    rows = table(tmp_path / "j.csv")
    with worked_study.read() as session:
        tables = export.tables(session)
    annotations = tables["annotations"]
    spans = {(r["dataset"], r["document"], r["source"], r["start"], r["end"]) for r in rows}
    assert (count, list(rows[0])) == (len(rows), list(exporting.JUDGMENTS))
    assert len(spans) == annotations["shown"].sum()
    assert not {r["new_entity"] for r in rows if r["decision"] != "edit"} - {""}


def test_bundle_and_tables_give_the_same_numbers(worked_study: Study, tmp_path: Path) -> None:
    exporting.write_bundle(worked_study, tmp_path / "b")
    exporting.write_judgments(worked_study, tmp_path / "j.csv", tmp_path / "a.csv")
    metrics = [
        "verification_rate",
        "edit_rate",
        "posthoc_recall",
        "pre_f1_overlap",
        "coverage_E0",
        "coverage_A",
    ]
    rates = []
    for path, beside in ((tmp_path / "b", None), (tmp_path / "j.csv", tmp_path / "a.csv")):
        frame = analysis.evaluate(analysis.load(path, annotations=beside), metrics, replicates=10)
        rates.append(
            frame[["dataset", "source", "metric", "estimate"]].sort_values(["dataset", "source", "metric"])
        )
    assert rates[0].to_csv(index=False) == rates[1].to_csv(index=False)


def test_what_was_not_counted_is_marked(worked_study: Study, tmp_path: Path) -> None:
    exporting.write_judgments(worked_study, tmp_path / "j.csv")
    rows = table(tmp_path / "j.csv")
    marks = Counter(row["counted"] for row in rows)
    assert marks["0"] > 0
    assert marks["1"] > marks["0"]


def test_unjudged_annotations_have_an_empty_decision(tiny_study: Study, tmp_path: Path) -> None:
    plan(tiny_study, now=worked.START)
    exporting.write_judgments(tiny_study, tmp_path / "j.csv")
    rows = table(tmp_path / "j.csv")
    assert {(row["decision"], row["worker"], row["judgment"]) for row in rows} == {("", "", "")}


def test_corpora_read_back_as_imported(tiny_study: Study, tmp_path: Path) -> None:
    paths = exporting.write_corpora(tiny_study, tmp_path / "out")
    assert [path.name for path in paths] == ["small.Alpha.jsonl", "small.Beta.jsonl", "small.GT.jsonl"]
    for source, given in tiny.write_sources(tmp_path).items():
        back = read_corpus(tmp_path / "out" / f"small.{source}.jsonl")
        assert [(d.name, d.text, d.annotations) for d in back] == [
            (d.name, d.text, tuple(sorted(d.annotations, key=lambda a: a.span))) for d in read_corpus(given)
        ]


def test_one_corpus_can_be_one_file(
    posthoc: Callable[..., object], tiny_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "gt.jsonl"
    ran = posthoc("export", tiny_folder, "--to", "corpus", "--source", "GT", "--out", out, "--no-text")
    assert (ran.status, ran.out) == (0, f"{out}\n")
    assert "text" not in json.loads(out.read_text().splitlines()[0])


def test_an_unknown_source_is_told_with_those_there_are(tiny_study: Study, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="the datasets small and the sources GT, Alpha, Beta"):
        exporting.write_corpora(tiny_study, tmp_path / "x.jsonl", source="Gamma")
    assert not (tmp_path / "x.jsonl").exists()


def test_a_study_folder_is_analysed_through_its_bundle(
    posthoc: Callable[..., object], worked_blank: Path, tmp_path: Path
) -> None:
    ran = posthoc("analyze", worked_blank, "--out", tmp_path / "o", "--replicates", 10, "--figures", "none")
    assert ran.status == 0, ran.err
    assert posthoc("verify-bundle", worked_blank, tmp_path / "o").status == 0


def test_either_database_gives_a_bundle(any_tiny_study: Study, tmp_path: Path) -> None:
    plan(any_tiny_study, now=worked.START)
    worked.work_off(any_tiny_study, tiny.truly)
    loaded = analysis.load(exporting.write_bundle(any_tiny_study, tmp_path / "b"))
    assert loaded.tables["assignments"]["counted"].all()
    assert set(loaded.tables["assignments"]["submitted"].dt.hour) > {9}


def test_an_imported_file_is_never_exported_over(worked_study: Study, tmp_path: Path) -> None:
    first = exporting.write_corpora(worked_study, tmp_path / "a")[0]
    dataset, source = first.stem.split(".")
    assert exporting.write_corpora(worked_study, first, dataset=dataset, source=source) == [first]
    request = Request((first,), dataset, "again")
    import_files(worked_study, request, now=worked.START)
    before = first.read_bytes()
    with pytest.raises(InputError, match="was imported"):
        exporting.write_corpora(worked_study, first, dataset=dataset, source=source)
    assert first.read_bytes() == before


def test_judgments_and_annotations_need_two_files(worked_study: Study, tmp_path: Path) -> None:
    out = tmp_path / "x.csv"
    with pytest.raises(InputError, match="one file"):
        exporting.write_judgments(worked_study, out, out)
    assert not out.exists()


def test_what_was_chosen_has_a_card_that_says_what_it_is_called(tiny_study: Study, tmp_path: Path) -> None:
    """One that nobody was shown; what is not in the knowledge base has none."""
    plan(tiny_study, now=worked.START)
    worked.work_off(tiny_study, lambda *_: ("edit", "wd:Q60"), workers=1)
    with tiny_study.read() as session:
        assert "wd:Q60" not in set(export.tables(session)["cards"]["key"])
    table = tmp_path / "kb.tsv"
    table.write_text("key\ttitle\nQ60\tNew York City\n", encoding="utf-8")
    build(table, tiny_study.path / "kb.db")
    cards = analysis.load(exporting.write_bundle(tiny_study, tmp_path / "b"))["cards"]
    assert cards.loc[cards["key"] == "wd:Q60", "title"].tolist() == ["New York City"]
