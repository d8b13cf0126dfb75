"""Backups of whole studies, studies made again from them, and forgetting who people were."""

import shutil
import stat
import tarfile
from pathlib import Path

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import ready, requester
from tests.support.crowds import NOON, planned
from tests.support.wikipedia import PNG
from verifier import keeping
from verifier.crowd import collecting, paying
from verifier.crowd.arrivals import arrive
from verifier.exporting import write_bundle
from verifier.kb.answers import Answers
from verifier.kb.images import Images
from verifier.store import crowd, forgetting
from verifier.study import Study


@pytest.fixture
def worked(tiny_blank, tmp_path):
    """Three people, handed in, approved and paid on a local MTurk."""
    with ready(tiny_blank, tmp_path / "campaign", 3) as (study, _):
        paying.pay(study, requester(study), now=NOON)
        yield study


def bundle(study, folder):
    write_bundle(study, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_backup_made_again_is_the_same_study(worked, tmp_path):
    file = tmp_path / "kept.tar.gz"
    assert set(keeping.backup(worked, file).holds) >= {"backup.json", "database.db", "kb.db", "secrets.env"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = keeping.restore(file, tmp_path / "again")
    assert stat.S_IMODE((again / "secrets.env").stat().st_mode) == 0o600
    with Study.open(again) as study:
        assert bundle(study, tmp_path / "b") == bundle(worked, tmp_path / "a")
        with study.read() as session, worked.read() as other:
            assert crowd.committed(session) == crowd.committed(other)


def test_a_backup_holds_images_and_what_was_answered(worked, tmp_path):
    """Answers are copied whole though a search is adding to them."""
    name = Images(worked.path / "kb.db").keep(PNG)
    answers = Answers(worked.path / "kb-cache.db")
    answers.keep("asked", "said", NOON)
    keeping.backup(worked, tmp_path / "kept.tar.gz")
    answers.close()
    again = keeping.restore(tmp_path / "kept.tar.gz", tmp_path / "again")
    assert Images(again / "kb.db").find(name) == (PNG, "image/png")
    kept = Answers(again / "kb-cache.db")
    assert kept.latest("asked").said == "said"
    kept.close()


def test_neither_backup_nor_study_is_ever_overwritten(worked, tmp_path):
    file = tmp_path / "kept.tar.gz"
    keeping.backup(worked, file)
    with pytest.raises(InputError, match="the file exists"):
        keeping.backup(worked, file)
    with pytest.raises(InputError, match="something of this name"):
        keeping.restore(file, worked.path)
    with pytest.raises(InputError, match="does not belong into the study"):
        keeping.backup(worked, worked.path / "kept.tar.gz")


def test_a_damaged_backup_and_any_other_file_are_refused_and_leave_nothing(worked, tmp_path):
    file = tmp_path / "kept.tar.gz"
    keeping.backup(worked, file)
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "parts", filter="data")
    (tmp_path / "parts" / "study.yaml").write_text("study: {name: other}\n", encoding="utf-8")
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as archive:
        for path in (tmp_path / "parts").iterdir():
            archive.add(path, path.name)
    with pytest.raises(InputError, match=r"damaged; got study\.yaml"):
        keeping.restore(tmp_path / "bad.tar.gz", tmp_path / "again")
    (tmp_path / "text").write_text("hello", encoding="utf-8")
    with pytest.raises(InputError, match="not a backup"):
        keeping.restore(tmp_path / "text", tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.postgres
def test_a_study_moves_to_postgresql_by_its_backup_and_grows_there(tiny_folder, tmp_path, postgres):
    with Study.open(tiny_folder) as study:
        planned(study)
        keeping.backup(study, tmp_path / "kept.tar.gz")
        before = bundle(study, tmp_path / "a")
    name = "kept_study"
    address = postgres.create_blank(name)
    again = keeping.restore(tmp_path / "kept.tar.gz", tmp_path / "again", database=address)
    with Study.open(again) as study:
        after = bundle(study, tmp_path / "b")
        assert {n: b for n, b in after.items() if n.endswith("parquet")} == {
            n: b for n, b in before.items() if n.endswith("parquet")
        }
        assert arrive(study, {"participant": "somebody"}, NOON).outcome == "working"
    with pytest.raises(StateError, match="holds a study already"):
        keeping.restore(tmp_path / "kept.tar.gz", tmp_path / "third", database=address)
    postgres.drop(name)


def test_forgetting_leaves_no_id_in_any_byte_and_the_study_can_be_analysed(worked, tmp_path, posthoc):
    with worked.read() as session:
        ids = [crowd.participant(session, n, "mturk") for n in (1, 2, 3)]
        ids += [row.platform_assignment for row in crowd.submitted(session)]
    before = bundle(worked, tmp_path / "a")
    worked.store.close()
    ran = posthoc("forget", worked.path)
    assert "Would delete the ids of 3 people" in ran.out
    ran = posthoc("forget", worked.path, "--on", "2999-01-01", "--live", "--confirm", "tiny")
    assert "Not before 2999-01-01" in ran.out
    ran = posthoc("forget", worked.path, "--live", "--confirm", "tiny")
    assert (ran.status, ran.out) == (0, "Forgot 3 people. Their judgments stay, under pseudonyms.\n"), ran.err
    content = b"".join(path.read_bytes() for path in worked.path.glob("study.db*"))
    assert not [told for told in ids if told.encode() in content and len(told) > 2]
    with Study.open(worked.path) as study:
        assert bundle(study, tmp_path / "b") == before
        with pytest.raises(StateError, match="was forgotten"):
            collecting.collect(study, requester(study), "local", now=NOON, live=True)


def test_what_is_not_finished_keeps_people_known(tiny_blank, tmp_path, posthoc):
    with ready(tiny_blank, tmp_path / "campaign", 3) as (study, _), study.write() as session:
        crowd.assignment(session, 1).decision = None
    ran = posthoc("forget", study.path, "--live", "--confirm", "tiny")
    assert ran.status == 1
    assert "1 undecided" in ran.err
    ran = posthoc("forget", study.path, "--live", "--confirm", "tiny", "--unpaid-too")
    assert ran.status == 0
    with Study.open(study.path) as again, again.read() as session:
        assert forgetting.known(session) == 0


def test_who_comes_after_forgetting_finds_nothing(any_tiny_study):
    study = planned(any_tiny_study)
    assert arrive(study, {"participant": "somebody"}, NOON).outcome == "working"
    with study.write() as session:
        assert forgetting.forget(session, "2026-12-01") == 1
    study.store.compact()
    assert arrive(study, {"participant": "somebody"}, NOON).outcome == "nothing_left"
    with study.read() as session:
        assert forgetting.known(session) == 0


def test_a_backup_holds_no_exports(worked, tmp_path):
    (worked.path / "exports").mkdir()
    (worked.path / "exports" / "payments.csv").write_text("participant\n", encoding="utf-8")
    keeping.backup(worked, tmp_path / "kept.tar.gz")
    with tarfile.open(tmp_path / "kept.tar.gz") as archive:
        assert not [name for name in archive.getnames() if Path(name).parts[0] == "exports"]
    shutil.rmtree(worked.path / "exports")
