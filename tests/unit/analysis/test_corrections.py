"""Corrections: what votes change in the ground truth by the declared rule, and what stays as it is."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from analysis.ballots import Rule, ballots
from analysis.corrections import Corrections, correct, corrected_documents, patch_line
from analysis.errors import ConfigError, StateError
from analysis.load import load
from analysis.outcomes import measure
from analysis.study import Study
from tests.support.judged_studies import JUDGMENTS
from tests.support.random_studies import frame

RULE = Rule()


def study(*rows: str, experts: tuple[str, ...] = ()) -> Study:
    """Rows `source start-end entity worker decision`, `edit=Entity`; some workers are experts."""
    made = []
    for words in rows:
        source, span, entity, worker, decision = words.split()
        start, end = map(int, span.split("-"))
        decision, _, target = decision.strip("-").partition("=")
        made.append(("d", "x", source, start, end, entity, worker.strip("-"), decision, target))
    loaded = load(pd.DataFrame(made, columns=JUDGMENTS))
    names = loaded["assignments"].set_index("assignment")["worker"]
    judgments = loaded["judgments"]
    role = ["expert" if names[a] in experts else "worker" for a in judgments["assignment"]]
    return Study({**loaded.tables, "judgments": judgments.assign(role=role)}, loaded.manifest)


def votes(source: str, span: str, entity: str, *decisions: str) -> list[str]:
    """One row a decision, by as many workers."""
    return [f"{source} {span} {entity} w{n} {decision}" for n, decision in enumerate(decisions)]


def told(corrections: Corrections) -> list[tuple[object, ...]]:
    return [
        (c.action, f"{c.span.start}-{c.span.end}", c.before and c.before.key, c.after and c.after.key)
        for c in corrections.changes
    ]


def changed(*rows: str, rule: Rule = RULE, experts: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    return told(correct(study(*rows, experts=experts), rule))


def test_what_is_verified_stays():
    assert changed(*votes("GT", "0-5", "Q1", "verify", "verify", "remove")) == []


def test_an_edit_that_enough_agree_on_changes_the_entity():
    rows = votes("GT", "0-5", "Q1", "edit=Q2", "edit=Q2", "verify")
    assert changed(*rows) == [("relink", "0-5", "wd:Q1", "wd:Q2")]


def test_edits_to_different_entities_agree_on_nothing():
    assert changed(*votes("GT", "0-5", "Q1", "edit=Q2", "edit=Q3", "edit=Q4")) == []


def test_edits_to_an_entity_that_is_not_known_change_nothing():
    assert changed(*votes("GT", "0-5", "Q1", "edit", "edit", "edit")) == []


def test_an_edit_to_the_entity_that_was_shown_is_a_verification():
    assert changed(*votes("GT", "0-5", "Q1", "edit=Q1", "edit=Q1")) == []


def test_an_edit_to_nil_makes_it_nil():
    ((_, _, before, after),) = changed(*votes("GT", "0-5", "Q1", "edit=NIL", "edit=NIL"))
    assert (before, after) == ("wd:Q1", "NIL")


def test_what_is_removed_goes():
    rows = votes("GT", "0-5", "Q1", "remove", "remove")
    assert changed(*rows) == [("remove", "0-5", "wd:Q1", None)]


def test_one_vote_is_not_enough_unless_the_rule_says_so():
    rows = votes("GT", "0-5", "Q1", "remove")
    assert changed(*rows) == []
    assert changed(*rows, rule=Rule(min_votes=1)) == [("remove", "0-5", "wd:Q1", None)]


def test_the_share_must_be_exceeded():
    rows = votes("GT", "0-5", "Q1", "remove", "remove", "verify")
    assert len(changed(*rows)) == 1
    assert changed(*rows, rule=Rule(min_share=0.7)) == []
    assert changed(*votes("GT", "0-5", "Q1", "remove", "verify")) == []


@pytest.mark.parametrize("numbers", [{"min_votes": 0}, {"min_share": 0.4}, {"min_share": 1.0}])
def test_a_rule_by_which_two_answers_could_win_is_refused(numbers):
    with pytest.raises(ConfigError):
        Rule(**numbers)


def test_a_verified_mention_that_the_ground_truth_lacks_is_added():
    rows = [*votes("GT", "0-5", "Q1", "verify", "verify"), *votes("A", "9-12", "Q2", "verify", "verify")]
    assert changed(*rows) == [("add", "9-12", None, "wd:Q2")]


def test_a_verified_entity_takes_the_place_of_one_that_agrees_on_nothing():
    rows = [*votes("GT", "0-5", "Q1", "edit", "edit=Q3"), *votes("A", "0-5", "Q2", "verify", "verify")]
    assert changed(*rows) == [("relink", "0-5", "wd:Q1", "wd:Q2")]


def test_a_verified_entity_takes_the_place_of_a_nil_that_nobody_judged():
    rows = ["GT 0-5 NIL - -", *votes("A", "0-5", "Q2", "verify", "verify")]
    assert changed(*rows) == [("relink", "0-5", "NIL", "wd:Q2")]


def test_two_verified_entities_of_one_span_leave_the_ground_truth_as_it_is():
    rows = [*votes("GT", "0-5", "Q1", "verify", "verify"), *votes("A", "0-5", "Q2", "verify", "verify")]
    assert changed(*rows) == []


def test_a_mention_over_a_verified_one_is_added_only_where_nesting_is_allowed():
    rows = [*votes("GT", "0-5", "Q1", "verify", "verify"), *votes("A", "0-3", "Q2", "verify", "verify")]
    assert changed(*rows) == []
    assert changed(*rows, rule=Rule(nested=True)) == [("add", "0-3", None, "wd:Q2")]


def test_a_mention_over_one_that_nobody_judged_is_not_added():
    assert changed("GT 0-5 Q1 - -", *votes("A", "0-3", "Q2", "verify", "verify")) == []


@pytest.mark.parametrize("own", [("remove", "remove"), ("edit", "remove")])
def test_what_is_not_verified_gives_way_to_a_verified_mention_over_it(own):
    rows = [*votes("GT", "0-9", "Q1", *own), *votes("A", "4-9", "Q2", "verify", "verify")]
    assert changed(*rows) == [("remove", "0-9", "wd:Q1", None), ("add", "4-9", None, "wd:Q2")]


def test_of_two_verified_mentions_over_each_other_the_stronger_is_added():
    rows = [
        *votes("GT", "20-25", "Q1", "verify", "verify"),
        *votes("A", "0-9", "Q2", "verify", "verify", "edit"),
        *votes("B", "4-9", "Q2", "verify", "verify"),
    ]
    assert changed(*rows) == [("add", "4-9", None, "wd:Q2")]


def test_an_edit_to_what_already_stands_there_takes_the_other_away():
    rows = [*votes("GT", "0-5", "Q1", "verify", "verify"), *votes("GT", "0-5", "Q2", "edit=Q1", "edit=Q1")]
    assert changed(*rows) == [("remove", "0-5", "wd:Q2", None)]


def test_an_expert_decides_before_workers_and_alone():
    rows = [*votes("GT", "0-5", "Q1", "verify", "verify", "verify"), "GT 0-5 Q1 expert edit=Q2"]
    assert changed(*rows, experts=("expert",)) == [("relink", "0-5", "wd:Q1", "wd:Q2")]
    assert changed(*rows, experts=("expert",), rule=Rule(experts_first=False)) == []


def test_experts_who_disagree_leave_it_as_it_is():
    rows = [
        *votes("GT", "0-5", "Q1", "remove", "remove"),
        "GT 0-5 Q1 e1 remove",
        "GT 0-5 Q1 e2 verify",
    ]
    assert changed(*rows, experts=("e1", "e2")) == []


def test_votes_on_the_identical_item_count_together_and_once_a_worker():
    rows = [*votes("GT", "0-5", "Q1", "remove"), *votes("A", "0-5", "Q1", "verify"), "B 0-5 Q1 w1 remove"]
    (ballot,) = ballots(study(*rows)).values()
    assert [(vote.worker, vote.decision) for vote in ballot.votes] == [("w0", "verify"), ("w1", "remove")]


def test_the_patch_names_the_votes_and_the_judgments():
    corrections = correct(study(*votes("GT", "0-5", "Q1", "edit=Q2", "edit=Q2", "verify")))
    line = patch_line(corrections.changes[0])
    assert line["votes"] == {"for": 2, "of": 3, "by": "workers"}
    assert [(j["worker"], j["decision"], j["entity"]) for j in line["judgments"]] == [
        ("w0", "edit", "wd:Q2"),
        ("w1", "edit", "wd:Q2"),
        ("w2", "verify", None),
    ]
    assert corrections.header()["changes"] == {"relink": 1, "remove": 0, "add": 0}


def test_without_a_ground_truth_there_is_nothing_to_correct():
    with pytest.raises(StateError, match="no source is the ground truth"):
        correct(study("A 0-5 Q1 w verify"))


def test_a_corrected_benchmark_needs_the_texts():
    judged = study(*votes("GT", "0-5", "Q1", "remove", "remove"))
    with pytest.raises(StateError, match="no texts"):
        corrected_documents(judged, correct(judged))


def test_votes_are_those_that_the_metrics_count():
    """Under the policy `recommended`, whose judgments of an identical item count together, one a worker."""
    judged = load(frame(5))
    cast = {(*item[:4], item.entity): ballot for item, ballot in ballots(judged).items()}
    measured = measure(judged).annotations.query("judged and kind == 'link'")
    names = ["dataset", "document", "start", "end", "key", "verify", "edit", "remove", "n"]
    for *place, verify, edit, remove, n in measured[names].itertuples(index=False, name=None):
        said = Counter(vote.decision for vote in cast[tuple(place)].votes)
        assert (said["verify"], said["edit"], said["remove"], said.total()) == (verify, edit, remove, n)
