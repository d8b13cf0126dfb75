"""What our writers write, our readers read back as the same corpus, in every format that can hold it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from analysis.documents import Document
from tests.support.examples import examples
from tests.support.written import LINKS, OTHERS, documents, held
from verifier.corpus import read_file, writers

QUICK = examples(40)


def again(made: list[Document], form: str) -> list[Document]:
    """The documents, written and read with the format recognised, in the order of their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"c{writers.format_of(form).suffix}"
        writers.write(made, path, form=form, name="corpus", language="en")
        reading = read_file(path)
    assert not reading.problems, reading.problems
    assert reading.format.startswith(form)
    assert not {kind for found in reading.audit.values() for kind in found} - {"exact", "no mention to check"}
    return list(reading.documents)


@given(documents(LINKS))
@QUICK
def test_wned(made: list[Document]) -> None:
    assert held(again(made, "wned")) == held(made)


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_csv(made: list[Document]) -> None:
    assert held(again(made, "csv")) == held(made)


@given(documents(LINKS, empty=False))
@QUICK
def test_neleval(made: list[Document]) -> None:
    assert held(again(made, "neleval")) == held(made)


@given(documents(LINKS))
@QUICK
def test_nif(made: list[Document]) -> None:
    pytest.importorskip("rdflib")
    assert held(again(made, "nif")) == held(made)
