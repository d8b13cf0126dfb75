"""Numbers parted by types of entities that a table gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.errors import ConfigError, InputError
from analysis.evaluate import evaluate
from analysis.given_types import read_types
from analysis.load import load
from analysis.outcomes import measure
from analysis.output import analyze
from analysis.verify import verify
from tests.support.random_studies import frame

BY = ["dataset", "source", "given_type"]


def _study():
    """Keys of even numbers are places, those of multiples of three persons; six is both."""
    rows = frame(3, rows=300, datasets=1, documents=8, workers=12)
    study = load(rows[rows["decision"] != ""])
    keys = sorted(study["annotations"]["key"].dropna().unique())
    types = {
        key: tuple(name for name, each in (("PER", 3), ("LOC", 2)) if place % each == 0)
        for place, key in enumerate(keys)
    }
    return replace(study, types={key: names for key, names in types.items() if names})


def _of(study, metric):
    got = evaluate(study, [metric], by=BY, replicates=0)
    return got[got["dataset"] == "d0"].set_index(["group", "source"])


def _has(study, keys, name):
    return np.array([name in study.types.get(str(key), ()) for key in keys])


def test_a_rate_is_that_of_the_annotations_of_the_type():
    study = _study()
    got = _of(study, "verification_rate")
    made = measure(study).annotations
    own = made[(made["source"] == "A") & made["judged"]]
    for name in ("PER", "LOC"):
        rows = own[_has(study, own["key"], name)]
        row = got.loc[(name, "A")]
        assert row["estimate"] == pytest.approx((rows["verify"] / rows["n"]).mean(), abs=1e-12)
        assert row["n"] == len(rows)
        assert row["low"] < row["estimate"] < row["high"]
    untyped = own[[str(key) not in study.types for key in own["key"]]]
    assert got.loc[("not given", "A"), "n"] == len(untyped)


def test_recall_is_that_of_the_items_of_the_type():
    """Sources that link alike share the item, so that no source thinks otherwise of its type."""
    study = _study()
    got = _of(study, "posthoc_recall")
    measured = measure(study)
    y = measured.items["y"].to_numpy()
    own = measured.support[:, measured.source_code("A")]
    for name in ("PER", "LOC"):
        inside = _has(study, measured.items["key"], name)
        wanted = y[own & inside].sum() / y[inside].sum()
        assert got.loc[(name, "A"), "estimate"] == pytest.approx(wanted, abs=1e-12)


def test_what_an_edit_brought_in_has_its_own_type():
    study = _study()
    measured = measure(study, "original")
    assert measured.items["edited"].any()
    got = evaluate(measured, ["union_size"], by=["dataset", "given_type"], replicates=0)
    per = got[(got["group"] == "PER") & (got["dataset"] == "d0")]["estimate"].item()
    assert per == pytest.approx(measured.items["y"][_has(study, measured.items["key"], "PER")].sum())


@pytest.mark.parametrize(
    ("rows", "types"),
    [
        ([("Q1", "PER"), ("Q1", "ORG"), ("Q2", "")], {"wd:Q1": ("PER", "ORG")}),
        ([("Q1", "PER | ORG"), ("NIL", "none")], {"wd:Q1": ("PER", "ORG"), "NIL": ("none",)}),
        ([("Paris", "LOC"), ("https://en.wikipedia.org/wiki/Paris", "LOC")], {"w:en:Paris": ("LOC",)}),
    ],
)
def test_a_table_of_types(rows, types):
    assert read_types(pd.DataFrame(rows, columns=["key", "type"]), "en") == types


def test_a_bad_key_is_named_with_its_line_and_a_table_of_something_else_refused(tmp_path):
    path = tmp_path / "types.csv"
    path.write_text("Key;Type\nQ1;PER\n[[;PER\n;LOC\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_types(path, "en")
    assert [(problem.where[-2:], problem.what) for problem in caught.value] == [
        (":3", "not an entity"),
        (":4", "no entity"),
    ]
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="no CSV of types"):
        read_types(path, "en")
    path.write_text("key,type\nQ1,\n", encoding="utf-8")
    with pytest.raises(InputError, match="no types"):
        read_types(path, "en")


def test_without_types_and_with_too_many_it_is_refused():
    study = _study()
    with pytest.raises(ConfigError, match="no types were given"):
        _of(replace(study, types=None), "verification_rate")
    many = {key: tuple(f"{key} {n}" for n in range(300)) for key in study.types}
    with pytest.raises(ConfigError, match="too many types"):
        _of(replace(study, types=many), "verification_rate")


def test_the_folder_can_be_made_again_with_the_same_types(tmp_path):
    frame(3, rows=60, datasets=1, documents=4).to_csv(tmp_path / "j.csv", index=False)
    (tmp_path / "t.csv").write_text("key,type\nQ1,PER\nQ2,LOC\n", encoding="utf-8")
    wanted = {"by": ("given_type",), "replicates": 0, "figures": "none"}
    analyze(tmp_path / "j.csv", tmp_path / "out", types=tmp_path / "t.csv", **wanted)
    assert {"PER", "not given"} <= set(pd.read_csv(tmp_path / "out" / "groups.csv")["group"])
    assert not verify(tmp_path / "j.csv", tmp_path / "out", types=tmp_path / "t.csv").different
    with pytest.raises(ConfigError, match="no types were given"):
        verify(tmp_path / "j.csv", tmp_path / "out")
    with pytest.raises(ConfigError, match="--by given_type"):
        analyze(tmp_path / "j.csv", tmp_path / "out", types=tmp_path / "t.csv")
