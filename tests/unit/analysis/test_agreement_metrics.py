"""Agreement of workers about items: the metrics, i of n, and the agreement table."""

import pytest

from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY
from analysis.agreement_table import agreement_names, agreement_table
from analysis.decided import decided
from analysis.errors import InputError
from analysis.evaluate import evaluate
from analysis.metrics.i_of_n import independent
from analysis.metrics.registry import get, names
from tests.support.judged_studies import measured

# Two items that all three sources have, each judged by three workers; one that only GT and M have.
ROWS = [
    f"{document} {source} 0-5 Paris {source}-worker {decision}"
    for document, decisions in {"one": "verify verify verify", "two": "verify edit remove"}.items()
    for source, decision in zip(("GT", "M", "N"), decisions.split(), strict=True)
]
ROWS += ["one GT 9-12 Rome GT-worker verify", "one M 9-12 Rome M-worker remove"]
ROWS += ["three N 0-4 Bern N-worker verify"]


def value(study, name: str) -> float:
    """The estimate over all datasets."""
    return evaluate(study, [name], replicates=2)["estimate"].iloc[-1]


def test_a_workers_decision_about_an_item_is_one_however_many_sources_have_it():
    assert len(decided(measured(ROWS))) == 9


@pytest.mark.parametrize("policy", ["recommended", "paper", "original"])
def test_agreement_is_about_decisions_as_they_were_made_under_every_policy(policy):
    study = measured(ROWS, policy)
    assert value(study, "observed_agreement") == pytest.approx((1 + 0 + 0) / 3)
    assert value(study, "observed_agreement_verified") == pytest.approx((1 + 1 / 3 + 0) / 3)


def test_alpha_by_hand():
    """Verify 5, edit 1, remove 2 of 8 pairable decisions; 3 agree: 1 - 7 (8 - 3) / (64 - 30)."""
    assert value(measured(ROWS), "alpha_nominal") == pytest.approx(1 - 7 * 5 / 34)


def test_i_of_n_counts_workers_who_verified_what_every_source_has():
    study = measured(ROWS)
    assert [value(study, f"verified_{i}_of_3") for i in (3, 2, 1, 0)] == [0.5, 0, 0.5, 0]


def test_with_more_workers_than_n_every_choice_of_n_counts_alike():
    rows = [*ROWS, "one GT 0-5 Paris fourth remove"]  # three of four verified: all three in 1 choice of 4
    assert value(measured(rows), "verified_3_of_3") == pytest.approx(0.25 / 2)


def test_i_of_n_adds_to_one():
    frame = evaluate(measured(ROWS), [f"verified_{i}_of_2" for i in range(3)], replicates=0)
    assert frame[frame["dataset"] == "*"]["estimate"].sum() == pytest.approx(1)


def test_items_that_only_an_edit_brought_in_shift_nothing():
    """Under original the union holds edited targets; agreement is about what was shown."""
    rows = [*ROWS, "one GT 20-24 Oslo GT-worker edit=Aalborg", "one M 20-24 Oslo M-worker edit=Bergen"]
    study = measured(rows, "original")
    assert study.items["edited"].any()
    assert value(study, "observed_agreement") == pytest.approx((1 + 0 + 0 + 1) / 4)
    assert value(study, "verified_1_of_3") == 0.5


def test_names_follow_the_number_of_sources():
    assert [name for name in names(measured(ROWS)) if name.startswith("verified_")] == [
        f"verified_{i}_of_3" for i in range(4)
    ]


def test_more_than_n_of_n_is_no_metric():
    with pytest.raises(InputError, match="verified_4_of_3"):
        get("verified_4_of_3")


def test_independence_gives_binomial_shares():
    assert [round(independent(0.9, i, 3), 3) for i in (3, 2, 1, 0)] == [0.729, 0.243, 0.027, 0.001]


def _table(rows):
    study = measured(rows)
    frame = agreement_table(study, evaluate(study, agreement_names(study)))
    whole = frame[(frame["dataset"] == "*") & (frame["category"] == "")]
    return whole.set_index(["over", "coefficient"])


def test_the_table_holds_the_family_beside_alpha():
    """Verified or not: shares by item 1, 1/3, 1/2; Ao (1 + 1/3 + 0) / 3; a lone decision counts nowhere."""
    table = _table(ROWS)
    share, observed = (1 + 1 / 3 + 1 / 2) / 3, 4 / 9
    chance = share**2 + (1 - share) ** 2
    assert table.loc[("verified", "multi_pi"), "estimate"] == pytest.approx(
        (observed - chance) / (1 - chance)
    )
    assert table.loc[("verified", "brennan_prediger"), "estimate"] == pytest.approx(2 * observed - 1)
    assert table.loc[("decisions", "ac1"), "n_workers"] == 3


def test_the_table_says_units_workers_and_overlap():
    row = _table(ROWS).loc[("decisions", "alpha_nominal")]
    assert (row["n_units"], row["n_workers"], row["labels_per_unit"]) == (3, 3, "2:1 3:2")
    assert row["low"] < row["estimate"] < row["high"]


def test_the_table_says_what_independence_would_give():
    """The two items of every source were verified at rate (1 + 1/3) / 2."""
    row = _table(ROWS).loc[("verified", "verified_3_of_3")]
    assert row["independent"] == pytest.approx((2 / 3) ** 3)


def test_an_undefined_alpha_says_which_of_the_two_reasons_it_has():
    alone = _table(["one GT 0-5 Paris a verify", "two GT 0-5 Paris b remove"])
    assert alone.loc[("decisions", "alpha_nominal"), "reason"] == NO_OVERLAP
    constant = _table(["one GT 0-5 Paris a verify", "one GT 0-5 Paris b verify"])
    assert constant.loc[("decisions", "alpha_nominal"), "reason"] == ONE_CATEGORY


def test_judgments_of_unknown_workers_are_nobodys_agreement():
    assert len(decided(measured(["one GT 0-5 Paris - verify", "one GT 0-5 Paris - remove"]))) == 0


# A worker each for three sources; two of them edit the same item, one removes it.
EDITS = [
    "one GT 20-24 Oslo GT-worker edit=Aalborg",
    "one M 20-24 Oslo M-worker edit=Bergen",
    "one N 20-24 Oslo N-worker edit=Bergen",
    "two GT 9-13 Kiel GT-worker edit=Rome",
    "two M 9-13 Kiel M-worker edit=Rome",
]


def test_agreement_on_the_entity_that_workers_are_left_with():
    """Paris 3; Paris, Bonn, none; Rome, none; Aalborg, Bergen 2; Rome 2: (1 + 0 + 0 + 1/3 + 1) / 5."""
    rows = [*(row.replace("M-worker edit", "M-worker edit=Bonn") for row in ROWS), *EDITS]
    table = _table(rows)
    row = table.loc[("chosen entity", "observed_agreement")]
    assert row["estimate"] == pytest.approx((1 + 0 + 0 + 1 / 3 + 1) / 5)
    assert (row["n_units"], row["n_workers"], row["labels_per_unit"]) == (5, 3, "2:2 3:3")
    # Matches 3 + 1 + 2 of 13 labels; Paris 4, Rome 3, Bergen 2, none 2, Bonn 1, Aalborg 1: 35.
    alpha = table.loc[("chosen entity", "alpha_nominal"), "estimate"]
    assert alpha == pytest.approx(1 - (7 / 13) / ((169 - 35) / (13 * 12)))


def test_agreement_on_the_target_of_those_who_edited():
    row = _table([*ROWS, *EDITS]).loc[("edited target", "observed_agreement")]
    assert row["estimate"] == pytest.approx((1 / 3 + 1) / 2)
    assert (row["n_units"], row["labels_per_unit"]) == (2, "2:1 3:1")


def test_the_crowd_and_a_source_agree_where_it_has_what_they_verify():
    """Paris stands in both documents but two; Rome is tied; Bern is of N alone and stands."""
    table = _table(ROWS)
    row = table.loc[("crowd and N", "observed_agreement")]
    assert (row["estimate"], row["n_units"]) == (pytest.approx(2 / 3), 3)
    assert table.loc[("crowd and N", "bias_index"), "estimate"] == pytest.approx(-1 / 3)
