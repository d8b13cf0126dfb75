"""Input that is wrong, or so thin that little can be said: a message, or a defined and explained result."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.compare import comparisons
from analysis.errors import InputError
from analysis.evaluate import DERIVED, evaluate, metrics
from analysis.load import load
from analysis.outcomes import measure
from analysis.results import compute
from analysis.settings import Settings
from tests.support.random_studies import frame

COLUMNS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "new_entity"]
ROW = ("d", "t", "GT", 0, 5, "Q1", "w", "verify", "")


def rows(*made):
    return pd.DataFrame(made, columns=COLUMNS)


def _with(**changes):
    return rows(tuple(changes.get(name, value) for name, value in zip(COLUMNS, ROW, strict=True)))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (_with(decision="maybe"), "decision.*maybe"),
        (_with(decision="Verified?"), "decision"),
        (_with(start=5, end=5), "impossible span"),
        (_with(start=-1), "not a whole number"),
        (_with(end="six"), "not a whole number"),
        (_with(source=""), "source"),
        (_with(document=""), "document"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_column_and_value(bad, message):
    with pytest.raises(InputError, match=message):
        load(bad)


def test_bad_rows_are_all_told_at_once():
    bad = pd.concat([_with(decision="maybe"), _with(start=9), rows(ROW), _with(end="x")])
    with pytest.raises(InputError) as found:
        load(bad)
    assert len(list(found.value)) == 3


def test_a_worker_twice_on_one_item_has_one_voice_his_last():
    study = load(pd.concat([rows(ROW), _with(decision="remove")]))
    measured = measure(study)
    assert measured.judgments == 1
    assert evaluate(measured, ["verification_rate"], replicates=0)["estimate"].iloc[0] == 0


def test_two_texts_for_a_document_are_refused():
    """The documents table has a row a document; a second one, whatever its text, is an error."""
    study = load(rows(ROW))
    twice = pd.concat([study["documents"], study["documents"].assign(text_sha256="another")])
    with pytest.raises(InputError, match="two rows with one key"):
        load({**study.tables, "documents": twice})


def test_a_text_that_is_not_the_one_of_its_hash_is_refused():
    study = load(rows(ROW))
    with pytest.raises(InputError, match="SHA-256"):
        load({**study.tables, "documents": study["documents"].assign(text="other words")})


BASE = frame(5, rows=60, datasets=1, documents=3, workers=9)
THIN = {
    "no ground truth": BASE[BASE["source"] != "GT"],
    "one source": BASE[BASE["source"] == "A"],
    "the ground truth alone": BASE[BASE["source"] == "GT"],
    "one document": BASE.assign(document="t"),
    "one worker": BASE.assign(worker="w"),
    "nobody named": BASE.assign(worker=""),
    "nobody counted": BASE.assign(counted="0"),
    "nothing judged": BASE.assign(decision="", new_entity=""),
    "everything verified": BASE.assign(decision="verify", new_entity=""),
    "everything removed": BASE.assign(decision="remove", new_entity=""),
    "one judgment": rows(ROW),
    "no link": BASE.assign(entity="NIL"),
}


@pytest.mark.parametrize("kind", THIN)
def test_a_thin_study_has_numbers_or_reasons(kind):
    """Whatever is empty says why; nothing is infinite, and every share lies between its limits in [0, 1]."""
    got = compute(load(THIN[kind]), Settings(replicates=10))
    table = got.metrics
    assert (table.loc[table["estimate"].isna(), "reason"] != "").all()
    assert (table.loc[table["estimate"].notna() & table["low"].isna(), "reason"] != "").all()
    numbers = table[["estimate", "low", "high"]].to_numpy(float)
    assert not np.isinf(numbers).any()
    assert (table["low"].isna() | (table["low"] <= table["estimate"] + 1e-9)).all()
    for frame_ in (got.comparisons, got.sensitivity, got.waterfall):
        if len(frame_):
            silent = frame_["reason"] == ""
            name = "reached" if "reached" in frame_ else "estimate"
            assert frame_.loc[silent, name].notna().all()


def test_every_name_in_the_table_is_listed():
    """`analysis.metrics()` lists all that metrics.csv may hold; i of n stands for its numbers."""
    known = set(metrics())
    assert set(DERIVED) < known
    table = compute(load(BASE), Settings(replicates=0)).metrics
    names = {"verified_I_of_N" if name.startswith("verified_") else name for name in table["metric"]}
    assert names <= known
    assert {"corrected_recall", "capture_chapman", "verified_I_of_N"} <= names


def test_sources_on_different_documents_cannot_be_compared_and_it_says_so():
    apart = BASE.assign(dataset=np.where(BASE["source"] == "A", "a", "b"))
    table, _ = comparisons(measure(load(apart[apart["source"] != "B"])))
    assert table["reason"].str.contains("no document on which both ran").any()
