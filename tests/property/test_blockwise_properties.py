"""A bundle counted block by block gives what it gives whole, to the bit."""

from __future__ import annotations

import json
import pickle
import shutil
from concurrent.futures import Executor, Future
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from analysis import blocks, blockwise, bundle
from analysis.blockwise import evaluate_bundle
from analysis.errors import InputError
from analysis.evaluate import evaluate, settings_of
from analysis.folder import sha256
from analysis.load import load
from analysis.policy import get_policy
from analysis.study import Study
from tests.support import controlled_studies
from tests.support.random_studies import frame

_FEW = 40  # replicates
# One of each way to count.
SOME = [
    "verification_rate_if_wrong",
    "posthoc_f1",
    "leave_own_out_recall",
    "unique_verified",
    "coverage_E",
    "pre_f1_overlap_judged",
    "alpha_nominal",
    "verified_2_of_3",
]


def _written(study: Study, folder) -> None:
    bundle.write(study.tables, study.manifest, folder)


def _travelled(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - it was packed in this very line


def _equal(folder, policy="recommended", overrides=None, metrics=SOME, size=120) -> pd.DataFrame:
    """Both ways, which are compared."""
    settings = settings_of(get_policy(policy, overrides), replicates=_FEW)
    got = evaluate_bundle(folder, metrics, ("dataset", "source"), settings, size=size)
    whole = evaluate(bundle.read(folder), metrics, policy=policy, overrides=overrides, replicates=_FEW)
    pd.testing.assert_frame_equal(got, whole, check_exact=True)
    assert got.attrs == whole.attrs
    return got


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Two datasets of documents with overlapping spans, some workers unknown."""
    rows = frame(seed=5, rows=150, datasets=2, documents=3)
    rows.loc[rows.index % 29 == 0, "worker"] = ""
    folder = tmp_path_factory.mktemp("bundles") / "several"
    _written(load(rows), folder)
    return folder


def test_every_metric_has_the_same_bits(several):
    _equal(several, metrics=None)


def test_so_have_intervals_that_resample_units(several):
    _equal(several, "original")


@pytest.mark.parametrize("size", [1, 10**6], ids=["a document a block", "one block"])
def test_the_size_of_blocks_changes_nothing(several, size):
    _equal(several, metrics=["posthoc_recall"], size=size)


@pytest.mark.parametrize(
    "overrides",
    [
        {"pooling": "own", "resolution": "majority", "union_edits": "yes", "recall_union": "groups"},
        {"scope": "shared", "hits": "weak", "recall_union": "greedy", "gate": "worker"},
        {"resolution": "first", "matching": "many_to_one", "recall_union": "thinned", "gate": "none"},
    ],
    ids=lambda choices: "-".join(choices.values()),
)
def test_so_have_other_choices(several, overrides):
    _equal(several, overrides=overrides)


def test_segments_with_weights_keep_them(several, tmp_path):
    """Weights are the study's: a block in which all are 1 is counted as the others are."""
    study = bundle.read(several)
    segments = study["segments"]
    weight = np.where(segments["dataset"] == "d1", 2.5, 1.0)
    tables = {**study.tables, "segments": segments.assign(weight=weight)}
    manifest = {**study.manifest, "sampling": {"unit": "segment", "method": "stratified", "share": 0.4}}
    _written(Study(tables, manifest), tmp_path / "b")
    _equal(tmp_path / "b", metrics=["posthoc_precision", "union_size", "pre_recall_exact_judged"])


def test_weights_by_skill_come_from_the_controls_of_the_whole_study(tmp_path):
    _written(controlled_studies.study(documents=6)[0], tmp_path / "b")
    _equal(tmp_path / "b", metrics=["verification_rate"], overrides={"resolution": "weighted"})


def test_nobody_counts_is_told_alike(several, tmp_path):
    study = bundle.read(several)
    refused = study["assignments"].assign(counted=False, reason="failed a control")
    _written(Study({**study.tables, "assignments": refused}, study.manifest), tmp_path / "b")
    assert _equal(tmp_path / "b", metrics=["edit_rate"])["reason"].str.contains("failed a control").any()


def test_whatever_travels_to_other_processes_gives_the_same_bits(several, monkeypatch):
    """Arguments and results are packed as they would be for a process of their own."""

    class _Packing(Executor):
        def submit(self, made, *given):
            done = Future()
            done.set_result(_travelled(made(*_travelled(given))))
            return done

    monkeypatch.setattr(blockwise, "_pool", lambda _: nullcontext((_Packing(), 2)))
    got = evaluate(several, SOME, replicates=_FEW, jobs=2)
    whole = evaluate(bundle.read(several), SOME, replicates=_FEW)
    pd.testing.assert_frame_equal(got, whole, check_exact=True)


def test_what_a_block_names_and_nobody_holds_is_told(several, tmp_path):
    """A reference that leads nowhere is found in the block where it is missed."""
    shutil.copytree(several, tmp_path / "b")
    manifest, file = tmp_path / "b" / "manifest.json", tmp_path / "b" / "credits.parquet"
    credited = pd.read_parquet(file)
    credited.assign(display=credited["display"] + 10_000).to_parquet(file, index=False)
    told = json.loads(manifest.read_text())
    told["tables"]["credits"]["sha256"] = sha256(file)
    manifest.write_text(json.dumps(told))
    with pytest.raises(InputError, match="displays does not hold"):
        evaluate(tmp_path / "b", "verification_rate")


def test_blocks_hold_every_row_once(several, tmp_path):
    cut = blocks.cut(several, tmp_path, size=60)
    parts = [part.read() for part in cut.parts()]
    whole = bundle.read(several)
    assert len(parts) > 3
    for name in ("documents", "annotations", "displays", "credits", "judgments"):
        assert sum(len(part[name]) for part in parts) == len(whole[name])
