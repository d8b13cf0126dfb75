"""How a campaign went: times, controls, and rates against money, each ending where the other numbers are."""

import pandas as pd
import pytest

from analysis.control_results import control_results
from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from analysis.results import compute
from analysis.settings import Settings
from analysis.spending import spending
from analysis.study import Study
from analysis.times import times
from tests.support.small_study import write_csv


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("course") / "j.csv"
    write_csv(path, documents=4)
    return load(path)


def paid(study, reward="1.50"):
    """The same with money and times of submission, an hour apart."""
    assignments = study["assignments"].copy()
    assignments["reward"], assignments["currency"], assignments["state"] = reward, "USD", "submitted"
    start = pd.Timestamp("2026-01-01", tz="UTC")
    assignments["submitted"] = [start + pd.Timedelta(hours=hour) for hour in range(len(assignments))]
    return Study({**study.tables, "assignments": assignments}, study.manifest)


def test_the_last_rate_against_money_is_the_verification_rate(study):
    measured = measure(paid(study))
    last = spending(measured).groupby("source").last()
    rates = evaluate(measured, "verification_rate", replicates=0)
    rates = rates[rates["dataset"] == "*"].set_index("source")
    assert last["verification_rate"].to_dict() == pytest.approx(rates["estimate"].to_dict(), abs=1e-12)
    assert last["n"].to_dict() == rates["n"].to_dict()
    assert set(last["spent"]) == {1.5 * len(study["assignments"])}


def test_without_money_or_times_nothing_is_said(study):
    assert spending(measure(study)).empty
    assert spending(measure(paid(study, reward="0"))).empty


def test_times_are_quantiles_of_the_judgments_that_count(study):
    judgments = study["judgments"].assign(seconds=range(1, len(study["judgments"]) + 1))
    frame = times(Study({**study.tables, "judgments": judgments}))
    whole = frame[(frame["decision"] == "any") & (frame["dataset"] == frame["dataset"].iloc[-1])]
    counted = study["assignments"].loc[study["assignments"]["counted"].fillna(value=False), "assignment"]
    seconds = judgments.loc[judgments["assignment"].isin(counted), "seconds"]
    assert (whole["n"].item(), whole["median"].item()) == (len(seconds), seconds.median())


def test_without_seconds_or_controls_there_are_no_rows(study):
    judgments = study["judgments"].assign(seconds=None)
    assert times(Study({**study.tables, "judgments": judgments})).empty
    assert control_results(study, 0.95).empty


def test_results_say_what_they_are(study):
    results = compute(study, Settings(replicates=0))
    text = repr(results)
    assert text.startswith("Results: ")
    assert "verified" in text
    assert max(map(len, text.splitlines())) < 160


def test_in_a_notebook_names_are_shown_not_run(tmp_path):
    write_csv(tmp_path / "j.csv", documents=1)
    table = pd.read_csv(tmp_path / "j.csv")
    table["source"] = table["source"].where(table["source"] == table["source"].iloc[0], "<script>")
    table.to_csv(tmp_path / "k.csv", index=False)
    shown = compute(load(tmp_path / "k.csv"), Settings(replicates=0))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
