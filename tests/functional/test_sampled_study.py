"""A sampled study end to end: what the plan drew, and what the analysis makes of it."""

import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from tests.support import planned as made
from tests.support.crowds import always_verify, work_through
from verifier import exporting
from verifier.plan import planning
from verifier.study import Study


def analysed(folder, sample, tmp_path):
    """Twenty documents, half of what is asked for judged by people who accept all; its numbers."""
    made.configure(folder, plan=f"repeat_share: 0, sample: {{{sample}}}", controls=0)
    with Study.open(folder) as study:
        made.fill(study, 20)
        planning.plan(study, now=made.NOW)
        for number in range(6):
            work_through(study, f"w{number}", always_verify)
        read = load(exporting.write_bundle(study, tmp_path / "bundle"))
    found = evaluate(read, ["verification_rate", "posthoc_recall"], by=["source"], replicates=0)
    return read, found.set_index(["metric", "source"])


def test_segments_drawn_with_all_sources_estimate_everything(study_folder, tmp_path):
    read, found = analysed(study_folder, "share: 0.5", tmp_path)
    assert sorted(set(read["segments"]["weight"])) == [0.0, 2.0]
    assert set(read["annotations"]["reason"].dropna()) == {"not_sampled"}
    assert found["estimate"]["posthoc_recall", "Beta"] == pytest.approx(2 / 3)


def test_tasks_drawn_by_themselves_give_rates_and_no_recall(study_folder, tmp_path):
    _, found = analysed(study_folder, "unit: task, share: 0.5", tmp_path)
    assert found["estimate"]["verification_rate", "GT"] == 1
    assert found["estimate"].isna()["posthoc_recall", "GT"]
    assert "tasks of single sources" in found["reason"]["posthoc_recall", "GT"]
