"""Corrections of random studies: what is verified stays, nothing overlaps anew, and they are done once."""

from __future__ import annotations

from itertools import combinations, pairwise

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.ballots import Answer, Rule, ballots
from analysis.corrections import correct, corrected_documents
from analysis.documents import Document, Span
from analysis.load import load
from analysis.study import Study
from tests.support.examples import examples
from tests.support.judged_studies import JUDGMENTS

TEXT = "abcdefghijkl"
DECISIONS = ["verify", "edit=Q1", "edit=Q2", "edit=NIL", "edit", "remove", ""]
ENTITIES = ["Q1", "Q2", "Q3"]


@st.composite
def rows(draw: st.DrawFn) -> list[tuple[object, ...]]:
    """Judgments of three sources; the ground truth's mentions do not overlap."""
    made = []
    for source in ("GT", "A", "B"):
        cuts = sorted(draw(st.sets(st.integers(0, len(TEXT)), min_size=4, max_size=8)))
        spans = list(pairwise(cuts) if source == "GT" else combinations(cuts, 2))
        for span in draw(st.lists(st.sampled_from(spans), min_size=source == "GT", max_size=3, unique=True)):
            entity = draw(st.sampled_from(ENTITIES))
            for worker, said in enumerate(draw(st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=4))):
                decision, _, target = said.partition("=")
                name = f"w{worker}" if said else ""
                made.append(("d", "x", source, *span, entity, name, decision, target))
    return made


def study(made: list[tuple[object, ...]]) -> Study:
    loaded = load(pd.DataFrame(made, columns=JUDGMENTS))
    documents = loaded["documents"].assign(text=TEXT, evaluation_end=len(TEXT))
    everywhere = loaded["source_documents"].assign(ran=True)
    return Study({**loaded.tables, "documents": documents, "source_documents": everywhere}, loaded.manifest)


def after(judged: Study, rule: Rule) -> Document:
    return corrected_documents(judged, correct(judged, rule))["d"][0]


RULES = st.builds(Rule, st.integers(1, 3), st.sampled_from([0.5, 0.66, 0.9]), st.just(True), st.booleans())


@given(rows(), RULES)
@examples(12)
def test_what_is_verified_stays_and_no_overlap_is_added(made, rule):
    """And every change counts as many votes as the rule asks for."""
    judged = study(made)
    for change in correct(judged, rule).changes:
        assert change.verdict.of >= rule.min_votes
        assert change.verdict.votes > rule.min_share * change.verdict.of
        assert change.before != change.after
    found = after(judged, rule).annotations
    there = {(a.span, a.entity.key) for a in found}
    own = judged["annotations"].query("source == 'GT'").to_dict("records")
    for place in {(Span(row["start"], row["end"]), row["key"]) for row in own}:
        ballot = next((b for i, b in ballots(judged).items() if (i.span, i.entity) == place), None)
        verdict = ballot.verdict(rule) if ballot else None
        if verdict and verdict.answer == Answer("verify"):
            assert place in there
    assert rule.nested or not any(a.span.overlaps(b.span) for a, b in combinations(found, 2))


@given(rows(), RULES, st.randoms(use_true_random=False))
@examples(6)
def test_the_order_of_rows_changes_nothing(made, rule, chance):
    """Rows of one worker keep theirs: his last word counts."""
    workers = sorted({row[6] for row in made}, key=lambda _: chance.random())
    shuffled = sorted(made, key=lambda row: workers.index(row[6]))
    both = [
        {(a.span, a.entity.key) for a in after(study(each), rule).annotations} for each in (made, shuffled)
    ]
    assert both[0] == both[1]
