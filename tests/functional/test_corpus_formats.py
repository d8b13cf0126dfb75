"""A corpus leaves a study in any format and comes into another as it was."""

from __future__ import annotations

import pytest

from tests.support.written import held
from verifier import exporting
from verifier.corpus import read_corpus, writers
from verifier.study import Study


@pytest.mark.parametrize("form", writers.FORMATS)
def test_what_is_exported_is_imported_as_it_was(form, tiny_blank, tmp_path, posthoc) -> None:
    """Texts with emoji, NIL, spans: into an empty study, through the command line, recognised by itself."""
    out = tmp_path / f"gt{writers.format_of(form).suffix}"
    told = posthoc("export", tiny_blank, "--to", "corpus", "--source", "GT", "--format", form, "--out", out)
    assert told.status == 0, told.err
    with Study.create(tmp_path / "new", "link", name="new"):
        pass
    told = posthoc("import", tmp_path / "new", out, "--dataset", "small", "--source", "GT")
    assert told.status == 0, told.err
    both = []
    for name, folder in (("old", tiny_blank), ("new", tmp_path / "new")):
        with Study.open(folder) as study:
            (path,) = exporting.write_corpora(study, tmp_path / f"{name}.jsonl", source="GT")
        both.append(held(read_corpus(path)))
    assert both[0] == both[1]


def test_every_source_has_a_folder_where_texts_stand_apart(tiny_blank, tmp_path, posthoc) -> None:
    told = posthoc("export", tiny_blank, "--to", "corpus", "--format", "wned", "--out", tmp_path / "o")
    assert told.status == 0, told.err
    for source in ("Alpha", "Beta", "GT"):
        folder = tmp_path / "o" / f"small.{source}"
        assert sorted(path.name for path in folder.iterdir()) == ["RawText", f"small.{source}.xml"]


def test_a_format_that_is_not_written_is_refused(tiny_blank, tmp_path, posthoc) -> None:
    told = posthoc("export", tiny_blank, "--to", "corpus", "--format", "conel", "--out", tmp_path / "o")
    assert (told.status, "cannot be written" in told.err) == (1, True)
