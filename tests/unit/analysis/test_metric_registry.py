"""The registry: every published name is there, declared in full, and a name is given once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.evaluate import evaluate
from analysis.metrics import registry
from analysis.metrics.registry import get, macro, register, registered
from tests.support.small_study import write_csv

PUBLISHED = [
    *(
        "verification_rate",
        "edit_rate",
        "removal_rate",
        "unjudged_rate",
        "union_size",
        "leave_own_out_recall",
    ),
    *("unique_verified", "mention_precision", "mention_recall", "linking_accuracy", "verified_3_of_3"),
    *(f"posthoc_{kind}{form}" for kind in ("precision", "recall", "f1") for form in ("", "_macro")),
    *(
        f"pre_{kind}_{spans}{form}"
        for kind in ("precision", "recall", "f1")
        for spans in ("exact", "overlap")
        for form in ("", "_macro", "_judged")
    ),
    *(f"coverage_{letter}" for letter in ("A", "B", "C", "D", "E", "E0", "E1")),
    *("alpha_nominal", "observed_agreement"),
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_name_is_a_metric(name):
    assert get(name).name == name


def test_every_metric_says_what_it_is():
    for metric in registered():
        assert metric.title
        assert metric.formula
        assert metric.undefined
        assert "document" in metric.clusters


def test_a_name_is_given_once():
    with pytest.raises(ValueError, match="registered twice"):
        register(get("union_size"))


def test_a_macro_form_is_clustered_by_documents_and_workers_alone():
    assert set(macro(get("posthoc_recall")).clusters) == {"document", "worker", "two-way"}


def test_the_order_of_metrics_hangs_on_no_import(monkeypatch):
    """Whichever module of metrics is imported first, rows come in one order."""
    before = [metric.count.__module__ for metric in registered()]
    monkeypatch.setattr(registry, "_METRICS", dict(reversed(registry._METRICS.items())))
    assert [metric.count.__module__ for metric in registered()] == before


def test_a_metric_of_ones_own_needs_a_few_lines_and_may_be_declared_again(tmp_path, monkeypatch):
    """The page's own example, run twice as a cell of a notebook is."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "own-metric.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)\n```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_METRICS", dict(registry._METRICS))
    write_csv(tmp_path / "judgments.csv", documents=5)
    for _ in range(2):
        told: dict[str, object] = {"__name__": "notebook"}
        exec(code, told)  # noqa: S102 - the page's own code
    frame = evaluate(told["study"], ["long_mention_rate"], replicates=0)
    assert set(frame["metric"]) == {"long_mention_rate"}
    assert frame["estimate"].notna().any() or (frame["reason"] != "").all()
