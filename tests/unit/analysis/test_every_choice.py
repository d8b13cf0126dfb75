"""Every value of every choice, on a study written out so small that its number is computed by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from analysis.policy import CHOICES, INTERVALS, POLICIES, get_policy

COLUMNS = ["document", "source", "start", "end", "entity", "worker", "decision", "new_entity", "assignment"]


def study(*rows: str, not_counted=(), k=None, controls=None):
    """A study of dataset `d`.

    Args:
        rows: `document source start-end entity worker decision` words; the worker may be `worker/assignment`,
            the decision `edit=Entity`.
        not_counted: assignments that are not counted.
        k: judgments wanted of each task.
        controls: worker -> (how many of his controls are right, how many he answered).
    """
    made = []
    for row in rows:
        document, source, span, entity, who, decision = row.split()
        worker, _, assignment = who.partition("/")
        decision, _, target = decision.partition("=")
        made.append((document, source, *span.split("-"), entity, worker, decision, target, assignment))
    frame = pd.DataFrame(made, columns=COLUMNS).assign(dataset="d")
    frame["counted"] = np.where(frame["assignment"].isin(not_counted), "0", "1")
    found = load(frame)
    tables = dict(found.tables)
    if k is not None:
        tables["tasks"] = tables["tasks"].assign(k=k)
    if controls is not None:
        tables |= _controls(tables, controls)
    return replace(found, tables=load(tables).tables)


def _controls(tables, controls):
    """Each worker's controls: displays of a control task, in his one assignment, expected to be verified."""
    task, display = (
        tables[name][key].max() + 1 for name, key in (("tasks", "task"), ("displays", "display"))
    )
    assignment = tables["assignments"].set_index("worker")["assignment"]
    answers = [(w, number < right) for w, (right, of) in controls.items() for number in range(of)]
    number = display + np.arange(len(answers))
    made = pd.DataFrame({"display": number, "assignment": [assignment[w] for w, _ in answers]})
    made["decision"] = ["verify" if right else "remove" for _, right in answers]
    made = made.assign(sequence=1000 + number, current=True, role="worker")
    shown = pd.DataFrame({"display": number, "task": task, "ordinal": np.arange(len(answers))})
    control = pd.DataFrame({"task": [task], "kind": ["control"], "segment": [0], "k": [1]})
    known = pd.DataFrame({"display": number, "expected": "verify", "use": "gate", "difficulty": None})
    add = {
        "tasks": control,
        "displays": shown.assign(start=0, end=1, key="wd:Q1"),
        "control_answers": known.assign(acceptable=None),
        "judgments": made,
    }
    return {name: pd.concat([tables[name], rows], ignore_index=True) for name, rows in add.items()}


# Own: GT's link was verified (1). Item: of the two judgments of the one item one verifies (1/2).
POOLING = study("t GT 0-5 Q1 w1 verify", "t A 0-5 Q1 w2 remove")

# Links judged v r r, v v r, v v v, v r v by w1, w2, w3. Shares 1/3 + 2/3 + 1 + 2/3 = 8/3, of 4: 2/3.
# Majority 0 + 1 + 1 + 1: 3/4. The first worker verified all: 1. All three verified one: 1/4.
# Weighted: controls 8, 3 and 3 right of 8 weigh 9/10, 4/10, 4/10, so (9 + 13 + 17 + 13) / 17 / 4 = 13/17.
RESOLUTION = study(
    *(
        f"t GT {10 * n}-{10 * n + 5} Q1 w{w} {'verify' if said == 'v' else 'remove'}"
        for w in (1, 2, 3)
        for n, word in enumerate(("vrr", "vvr", "vvv", "vrv"))
        for said in word[w - 1]
    ),
    controls={"w1": (8, 8), "w2": (3, 8), "w3": (3, 8)},
)

# One link is verified, one edited to Q9: the union has 1 item, or 2 with what the edit names.
EDITS = study("t GT 0-5 Q1 w1 verify", "t GT 10-15 Q2 w1 edit=Q9")

# A has the one item of t1 and nothing on t2: 1 of 2 items; of 1 where every source has something.
SCOPE = study("t1 GT 0-5 Q1 w1 verify", "t1 A 0-5 Q1 w1 verify", "t2 GT 0-5 Q1 w1 verify")

# Verified: GT 0-5, 20-25, 30-35; A 0-9, 6-9. Five items, GT has 3, A has 2.
# Groups {0-5, 0-9, 6-9}, {20-25}, {30-35}: GT is in all, A in 1.
# Thinned (longest first): 0-9, 20-25, 30-35: GT has 2 of them, A has 1.
# Greedy size: the same 3 below, all of a source's own above: 3 and 2.
UNION = study(
    *(f"t GT {span} Q{n} w1 verify" for n, span in enumerate(("0-5", "20-25", "30-35"), 1)),
    *(f"t A {span} Q{n} w1 verify" for n, span in enumerate(("0-9", "6-9"), 4)),
)

# A's link is removed, but overlaps a verified one with its entity: 0 by its own value, 1 by weak match.
HITS = study("t GT 0-5 Q1 w1 verify", "t A 0-9 Q1 w2 remove")

# Two links of A overlap the one of GT: one of them has a partner, or both.
MATCHING = study("t GT 0-9 Q1 w1 verify", "t A 0-4 Q1 w1 verify", "t A 5-9 Q1 w1 verify")

# w1 verified in a1 and removed in a2, which is not counted; w2 removed in a3. Per assignment a1 and a3: 1/2.
# Per worker a3 alone: 0. Everyone: 1/3.
GATE = study(
    "t GT 0-5 Q1 w1/a1 verify",
    "t GT 10-15 Q2 w1/a2 remove",
    "t GT 20-25 Q3 w2/a3 remove",
    not_counted=["a2"],
)

# One judgment was wanted; the first verifies, the second removes.
USE = study("t GT 0-5 Q1 w1 verify", "t GT 0-5 Q1 w2 remove", k=1)

RATE, RECALL = "verification_rate", "posthoc_recall"
# (choice, value): study, and metric with source -> its number.
CASES = {
    ("pooling", "own"): (POOLING, {(RATE, "GT"): 1}),
    ("pooling", "item"): (POOLING, {(RATE, "GT"): 1 / 2}),
    ("resolution", "share"): (RESOLUTION, {(RATE, "GT"): 2 / 3}),
    ("resolution", "majority"): (RESOLUTION, {(RATE, "GT"): 3 / 4}),
    ("resolution", "first"): (RESOLUTION, {(RATE, "GT"): 1}),
    ("resolution", "unanimous"): (RESOLUTION, {(RATE, "GT"): 1 / 4}),
    ("resolution", "weighted"): (RESOLUTION, {(RATE, "GT"): 13 / 17}),
    ("union_edits", "no"): (EDITS, {("union_size", ""): 1}),
    ("union_edits", "yes"): (EDITS, {("union_size", ""): 2}),
    ("scope", "all"): (SCOPE, {(RECALL, "A"): 1 / 2}),
    ("scope", "shared"): (SCOPE, {(RECALL, "A"): 1}),
    ("recall_union", "distinct"): (UNION, {(RECALL, "GT"): 3 / 5, (RECALL, "A"): 2 / 5}),
    ("recall_union", "groups"): (UNION, {(RECALL, "GT"): 1, (RECALL, "A"): 1 / 3}),
    ("recall_union", "thinned"): (UNION, {(RECALL, "GT"): 2 / 3, (RECALL, "A"): 1 / 3}),
    ("recall_union", "greedy"): (UNION, {(RECALL, "GT"): 1, (RECALL, "A"): 2 / 3}),
    ("hits", "own"): (HITS, {("posthoc_precision", "A"): 0}),
    ("hits", "weak"): (HITS, {("posthoc_precision", "A"): 1}),
    ("matching", "one_to_one"): (MATCHING, {("pre_precision_overlap", "A"): 1 / 2}),
    ("matching", "many_to_one"): (MATCHING, {("pre_precision_overlap", "A"): 1}),
    ("gate", "assignment"): (GATE, {(RATE, "GT"): 1 / 2}),
    ("gate", "worker"): (GATE, {(RATE, "GT"): 0}),
    ("gate", "none"): (GATE, {(RATE, "GT"): 1 / 3}),
    ("use", "all"): (USE, {(RATE, "GT"): 1 / 2}),
    ("use", "first_k"): (USE, {(RATE, "GT"): 1}),
}


def test_no_choice_and_no_value_is_without_its_number():
    """A choice that is added, or a value, fails here until a number shows what it does."""
    assert set(CASES) == {(name, value) for name, choice in CHOICES.items() for value in choice.values}  # noqa: PD011 - no frame


@pytest.mark.parametrize("choice", list(CASES), ids="=".join)
def test_a_choice_gives_the_number_that_hand_computation_gives(choice):
    made, wanted = CASES[choice]
    policy = get_policy("recommended", dict([choice]))
    for (metric, source), number in wanted.items():
        rows = evaluate(made, [metric], policy=policy, replicates=0)
        row = rows[(rows["dataset"] == "d") & (rows["source"] == source)].iloc[0]
        assert row["estimate"] == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize("name", list(CHOICES))
def test_no_two_values_of_a_choice_give_the_same_numbers(name):
    every = [tuple(numbers.values()) for (choice, _), (_, numbers) in CASES.items() if choice == name]
    assert len(set(every)) == len(every) == len(CHOICES[name].values)


# Verified of judged, a document each.
DOCUMENTS = [(1, 1), (2, 4), (1, 2), (4, 5)]
SPREAD = study(
    *(
        f"t{n} GT {10 * place}-{10 * place + 5} Q1 w1 {'verify' if place < hits else 'remove'}"
        for n, (hits, of) in enumerate(DOCUMENTS)
        for place in range(of)
    )
)


def _bounds(interval, cluster=None):
    row = evaluate(SPREAD, [RATE], by=["source"], interval=interval, cluster=cluster, replicates=400).iloc[0]
    return row["low"], row["high"]


def test_the_jackknife_is_what_deleting_documents_by_hand_gives():
    """Student's t on the logits of the rate without each document, G = N^2 / sum n^2 = 144 / 46."""
    hits, of = (sum(column) for column in zip(*DOCUMENTS, strict=True))
    assert (hits, of) == (8, 12)
    logits = [log((hits - h) / ((of - n) - (hits - h))) for h, n in DOCUMENTS]
    centre = log(8 / 4)
    half = stats.t.ppf(0.975, 144 / 46 - 1) * sqrt(3 / 4 * sum((one - centre) ** 2 for one in logits))
    wanted = [1 / (1 + exp(-end)) for end in (centre - half, centre + half)]
    assert _bounds("jackknife", "document") == pytest.approx(wanted, abs=1e-12)


def test_basic_mirrors_percentile():
    low, high = _bounds("percentile")
    assert _bounds("basic") == pytest.approx((2 * 8 / 12 - high, 2 * 8 / 12 - low), abs=1e-12)


def test_hits_are_binomial():
    """As published: quantiles of 0/1 hits resampled one by one, so that documents do not matter."""
    low, high = _bounds("hits")
    wanted = stats.binom.ppf([0.025, 0.975], 12, 8 / 12) / 12
    assert (low, high) == pytest.approx(tuple(wanted), abs=1 / 12)


def test_every_interval_is_another():
    every = {name: _bounds(name) for name in INTERVALS}
    assert not [pair for pair in itertools.combinations(every, 2) if every[pair[0]] == every[pair[1]]]


@pytest.mark.parametrize("name", list(POLICIES))
def test_a_policy_has_the_interval_of_the_table(name):
    """As the last row of the table in docs/definitions.md section 1 says, with its level and clusters."""
    wanted = {
        "paper": ("percentile bootstrap, annotations", 0.95),
        "original": ("percentile of 50 resamples of the 0/1 hits", 0.90),
        "recommended": ("jackknife-t, logit scale, documents", 0.95),
    }
    row = evaluate(measure(SPREAD, name), [RATE], by=["source"], replicates=50).iloc[0]
    assert row["method"].startswith(wanted[name][0])
    assert row["level"] == wanted[name][1]
