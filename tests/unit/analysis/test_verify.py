"""verify-bundle: computes again with the folder's own settings, names what differs and what may be why."""

import json
import shutil

import pytest

from analysis.errors import InputError
from analysis.output import analyze
from analysis.verify import verify
from tests.support.small_study import write_csv


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A CSV and its output, with settings that are not the defaults."""
    folder = tmp_path_factory.mktemp("verify")
    write_csv(folder / "j.csv", documents=3)
    wanted = {"overrides": {"gate": "none"}, "level": 0.9, "seed": 5, "replicates": 10, "figures": "none"}
    analyze(folder / "j.csv", folder / "out", policies=("paper",), **wanted)
    return folder


def test_an_untouched_folder_is_the_same(root):
    verdict = verify(root / "j.csv", root / "out")
    assert (verdict.different, verdict.notes) == ((), ())
    assert "manifest.json" in verdict.same


def test_a_file_that_is_too_many_is_named(root, tmp_path):
    out = shutil.copytree(root / "out", tmp_path / "out")
    (out / "tables" / "mine.md").write_text("mine")
    assert verify(root / "j.csv", out).different == (("tables/mine.md", "not part of the output"),)


def test_another_input_is_said(root, tmp_path):
    verdict = verify(write_csv(tmp_path / "k.csv", documents=3, seed=4), root / "out")
    assert "metrics.csv" in dict(verdict.different)
    assert verdict.notes == ("the folder was made from another input than the one given",)


def test_other_software_is_said(root, tmp_path):
    out = shutil.copytree(root / "out", tmp_path / "out")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    manifest["software"]["numpy"] = "1.0"
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert verify(root / "j.csv", out).notes[0].startswith("made with other software: numpy 1.0, here ")


@pytest.mark.parametrize("text", [None, "{", "[]", "{}", '{"output_version": 1}'], ids=str)
def test_what_is_no_output_is_refused(root, tmp_path, text):
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError):
        verify(root / "j.csv", tmp_path)
