"""Numbers parted further: each part is what the study of that part alone gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.errors import ConfigError, InputError
from analysis.evaluate import evaluate
from analysis.grouped import COLUMNS
from analysis.load import load
from analysis.outcomes import measure
from analysis.output import analyze
from analysis.reliability import reliability
from analysis.verify import verify
from tests.support.random_studies import frame

BY = ["dataset", "source"]


def _study(seed=3, **more):
    rows = frame(seed, rows=300, datasets=1, documents=8, workers=12)
    study = load(rows[rows["decision"] != ""])
    annotations = study["annotations"]
    words = np.array(["one", "two words", "three words here", "and four words here"])
    return load(
        {
            **study.tables,
            "annotations": annotations.assign(
                mention=words[annotations["end"] - annotations["start"] - 2],
                confidence=(annotations["annotation"] % 21) / 20,
                **more,
            ),
        }
    )


def _of(study, grouping, metric, **options):
    got = evaluate(study, [metric], by=[*BY, grouping], replicates=0, **options)
    assert tuple(got.columns) == COLUMNS
    return got[got["dataset"] == "d0"].set_index(["group", "source"])


def _rate(rows):
    return (rows["verify"] / rows["n"]).mean()


def test_mention_length_is_in_words():
    study = _study()
    got = _of(study, "mention_length", "verification_rate")
    assert set(got.index.get_level_values("group")) == {"1 word", "2 words", "3 or more words"}
    made = measure(study).annotations
    words = np.minimum(made["mention"].str.split().str.len(), 3)
    for group, n in (("1 word", 1), ("2 words", 2), ("3 or more words", 3)):
        rows = made[(words == n) & (made["source"] == "A") & made["judged"]]
        row = got.loc[(group, "A")]
        assert row["estimate"] == pytest.approx(_rate(rows), abs=1e-12)
        assert row["low"] < row["estimate"] < row["high"]
        assert row["n"] == len(rows)


def test_items_are_parted_as_their_annotations_are():
    """Recall of mentions of one length: what the source has of the union's items of that length."""
    study = _study()
    got = _of(study, "mention_length", "posthoc_recall")
    measured = measure(study)
    length = measured.items["end"] - measured.items["start"] - 1
    own = measured.support[:, measured.source_code("A")]
    for group, inside in (("1 word", length == 1), ("3 or more words", length > 2)):
        y = measured.items["y"].where(inside, 0).to_numpy()
        assert got.loc[(group, "A"), "estimate"] == pytest.approx(y[own].sum() / y.sum(), abs=1e-12)


def test_parts_of_a_rate_add_up_to_the_whole():
    study = _study()
    whole = evaluate(study, ["verification_rate"], by=["source"], replicates=0).set_index("source")
    for grouping in ("mention_length", "confidence_bin", "document", "entity_type"):
        got = _of(study, grouping, "verification_rate")
        for source in ("GT", "A", "B"):
            rows = got.xs(source, level="source")
            total = (rows["estimate"] * rows["n"]).sum() / rows["n"].sum()
            assert total == pytest.approx(whole.loc[source, "estimate"], abs=1e-12)


def test_confidence_bins_are_equally_wide_and_the_last_holds_one():
    got = _of(_study(), "confidence_bin", "verification_rate")
    assert list(got.xs("A", level="source").index)[:2] == ["0 to 0.1", "0.1 to 0.2"]
    unknown = _of(load(frame(3, datasets=1)), "confidence_bin", "verification_rate")
    assert set(unknown.index.get_level_values("group")) == {"not known"}


def test_a_worker_is_parted_by_his_judgments():
    """Judgments weigh their share of what they speak for."""
    study = _study()
    got = _of(study, "worker", "verification_rate")
    measured = measure(study)
    votes = measured.votes[measured.votes["source_code"] == measured.source_code("A")]
    mine = votes[votes["worker"] == measured.workers.index("w3")]
    wanted = (mine["verify"] / mine["n"]).sum() / (mine["weight"] / mine["n"]).sum()
    assert got.loc[("w3", "A"), "estimate"] == pytest.approx(wanted, abs=1e-12)


def test_a_document_has_a_number_and_no_interval():
    got = _of(_study(), "document", "posthoc_f1")
    assert len(got) == 8 * 3
    assert (got["reason"] == "no interval: it is one document").all()


@pytest.mark.parametrize(
    ("grouping", "metric", "why"),
    [
        ("entity_type", "posthoc_recall", "sources may think differently"),
        ("confidence_bin", "union_size", "sources may think differently"),
        ("worker", "posthoc_recall", "not a sum of what each worker decided"),
        ("mention_length", "pre_recall_exact", "matches all of a document's annotations"),
        ("document", "posthoc_f1_macro", "mean over documents"),
        ("moon", "posthoc_f1", "cannot part by that"),
    ],
)
def test_what_has_no_such_parts_is_refused_with_the_reason(grouping, metric, why):
    with pytest.raises(ConfigError, match=why):
        evaluate(_study(), [metric], by=[*BY, grouping], replicates=0)


def test_one_grouping_at_a_time_and_sources_stay_apart():
    with pytest.raises(ConfigError, match="one grouping"):
        evaluate(_study(), ["edit_rate"], by=[*BY, "worker", "document"], replicates=0)
    with pytest.raises(InputError, match="about one source"):
        evaluate(_study(), ["edit_rate"], by=["worker"], replicates=0)


def test_unless_named_all_metrics_that_have_such_parts_are_parted():
    got = evaluate(_study(), by=[*BY, "mention_length"], replicates=20)
    assert {"posthoc_recall", "coverage_A", "brier", "unique_verified"} <= set(got["metric"])
    assert not got["metric"].str.startswith("pre_").any()
    assert got.loc[got["estimate"].isna(), "reason"].ne("").all()


def test_analyze_writes_groups_when_asked_and_the_folder_can_be_made_again(tmp_path):
    rows = frame(3, rows=60, datasets=1, documents=4)
    rows.to_csv(tmp_path / "j.csv", index=False)
    wanted = {"by": ("mention_length", "worker"), "replicates": 2, "figures": "none"}
    analyze(tmp_path / "j.csv", tmp_path / "out", **wanted)
    table = pd.read_csv(tmp_path / "out" / "groups.csv")
    assert set(table["grouping"]) == {"mention_length", "worker"}
    assert not verify(tmp_path / "j.csv", tmp_path / "out").different


def test_the_reliability_curve_is_the_rate_and_the_mean_confidence_of_each_bin():
    study = _study()
    measured = measure(study)
    curve = reliability(measured)
    row = curve.set_index(["dataset", "source", "bin"]).loc[("d0", "A", "0.3 to 0.4")]
    own = measured.annotations
    place = np.floor(own["confidence"] * 10) == 3
    rows = own[place & (own["source"] == "A") & own["judged"]]
    assert row["n"] == len(rows)
    assert row["confidence"] == pytest.approx(rows["confidence"].mean(), abs=1e-4)
    assert row["verified"] == pytest.approx(_rate(rows), abs=1e-12)
    assert row["low"] <= row["verified"] <= row["high"]


def test_without_confidences_there_is_no_curve():
    assert reliability(measure(load(frame(3)))).empty
