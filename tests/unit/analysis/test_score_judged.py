"""A source that was never shown, on the judgments of a study: ranges, what to judge next, what is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.evaluate import evaluate
from analysis.keys import read_entity
from analysis.load import load
from analysis.score_judged import score_judged

NAMES = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]


def _study(documents=6):
    """GT and A in every document: both have a link that two of them verify; each has one of its own."""
    rows = []
    for n in range(documents):
        rows += [
            ("d", f"t{n}", "GT", 0, 3, "Q1", f"w{n}", "verify"),
            ("d", f"t{n}", "A", 0, 3, "Q1", f"v{n}", "verify" if n else "remove"),
            ("d", f"t{n}", "GT", 10, 13, "Q2", f"w{n}", "verify"),
            ("d", f"t{n}", "A", 20, 23, "Q3", f"v{n}", "remove"),
        ]
    return load(pd.DataFrame(rows, columns=NAMES))


def _new(*links, documents=6):
    """A source with the same links in every document."""
    made = tuple(Annotation(Span(start, end), read_entity(key, "en")) for start, end, key in links)
    return [Document(f"t{n}", "", made) for n in range(documents)]


def _record(*links, study=None, documents=6):
    found = score_judged(study or _study(), {"New": _new(*links, documents=documents)})
    return found.records[0], found.to_judge


def test_a_source_that_the_study_knows_has_its_own_scores():
    study = _study()
    record, left = _record((0, 3, "Q1"), (10, 13, "Q2"), study=study)
    known = evaluate(study, ["posthoc_precision", "posthoc_recall", "posthoc_f1"], replicates=0)
    known = known.set_index(["dataset", "source", "metric"])["estimate"]
    for name in ("precision", "recall", "f1"):
        wanted = known["d", "GT", f"posthoc_{name}"]
        assert record[f"{name}_if_wrong"] == record[f"{name}_if_right"] == pytest.approx(wanted, abs=1e-12)
    assert (record["unjudged"], len(left)) == (0, 0)


def test_what_is_not_judged_makes_a_range():
    """Six links verified but for half a vote, six that nobody saw; the union holds 5.5 + 6."""
    record, _ = _record((0, 3, "Q1"), (15, 18, "Q9"))
    assert (record["predicted"], record["judged"], record["unjudged_share"]) == (12, 6, 0.5)
    assert record["precision_judged"] == pytest.approx(5.5 / 6)
    assert (record["precision_if_wrong"], record["precision_if_right"]) == pytest.approx(
        (5.5 / 12, 11.5 / 12)
    )
    assert (record["recall_if_wrong"], record["recall_if_right"]) == pytest.approx((5.5 / 11.5, 11.5 / 17.5))
    assert record["precision_low"] < 5.5 / 12
    assert record["precision_high"] > 11.5 / 12


def test_what_to_judge_next_is_listed_with_what_most_sources_have_first():
    study = _study()
    one, other = _new((15, 18, "Q9"), (16, 18, "Q8")), _new((15, 18, "Q9"))
    left = score_judged(study, {"One": one, "Other": other}).to_judge
    assert left["sources"].tolist() == ["One|Other"] * 6 + ["One"] * 6
    assert left.iloc[0].to_dict() == {
        "dataset": "d",
        "document": "t0",
        "start": 15,
        "end": 18,
        "mention": "",
        "key": "wd:Q9",
        "sources": "One|Other",
    }


def test_a_link_given_twice_counts_once_and_one_outside_the_evaluation_span_not_at_all():
    record, _ = _record((0, 3, "Q1"), (0, 3, "Q1"), (50, 53, "Q1"))
    assert record["predicted"] == 6


def test_a_source_without_links_has_reasons_and_no_numbers():
    record, _ = _record()
    assert record["precision_if_wrong"] is None
    assert "made no link" in record["reason"]
    assert record["recall_if_wrong"] == 0


def test_only_the_documents_of_the_source_make_the_union():
    record, _ = _record((0, 3, "Q1"), documents=2)
    assert record["recall_if_wrong"] == pytest.approx(1.5 / 3.5)
    assert "4 of 6 documents" in record["warnings"][0]


def test_documents_that_the_study_does_not_have_are_refused_when_all_are_so():
    with pytest.raises(InputError, match="no document of the predictions is in the study"):
        score_judged(_study(), {"New": [Document("other", "")]})


def test_one_document_given_twice_is_refused():
    with pytest.raises(InputError, match="two documents of one name"):
        score_judged(_study(), {"New": [Document("t0", ""), Document("t0", "")]})


def test_the_price_of_a_judgment_is_not_known_from_a_csv():
    assert _record((15, 18, "Q9"))[0]["cost"] is None
