"""Scores from documents: what counts, what is undefined, and what is refused."""

import pytest

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.keys import read_entity
from analysis.score import score

TEXT = "Paris and Rome and Oslo and Bern"


def document(name: str, *mentions: tuple[int, int, str], text: str = TEXT, evaluation=None) -> Document:
    """A document with links at the given places."""
    annotations = tuple(Annotation(Span(start, end), read_entity(raw, "en")) for start, end, raw in mentions)
    return Document(name, text, annotations, evaluation)


GT = [
    document("one", (0, 5, "Paris"), (10, 14, "Rome")),
    document("two", (0, 5, "Paris"), (19, 23, "NIL")),
    document("three", (28, 32, "Bern")),
]


def only(predictions, **options):
    """The one record of the one source."""
    [record] = score(GT, {"M": predictions}, **options)
    return record


def test_hits_predicted_gold_and_the_scores_they_make():
    record = only(
        [document("one", (0, 5, "Paris"), (10, 14, "Rome (TV)")), document("two"), document("three")]
    )
    assert [record[name] for name in ("source", "hits", "predicted", "gold")] == ["M", 1, 2, 4]
    assert (record["precision"], record["recall"], record["f1"]) == (0.5, 0.25, pytest.approx(1 / 3))


def test_the_interval_holds_the_estimate_and_names_its_method():
    record = only([document("one", (0, 5, "Paris"), (10, 14, "x")), document("two", (0, 5, "Paris")), GT[2]])
    assert record["precision_low"] < record["precision"] < record["precision_high"]
    assert (record["level"], record["reason"]) == (0.95, "")
    assert "by documents" in record["method"]


def test_a_narrower_level_gives_a_narrower_interval():
    predictions = [document("one", (0, 5, "Paris"), (10, 14, "x")), document("two", (0, 5, "Paris")), GT[2]]
    wide, narrow = only(predictions), only(predictions, level=0.5)
    assert narrow["precision_high"] - narrow["precision_low"] < wide["precision_high"] - wide["precision_low"]


def test_a_source_that_found_nothing_has_no_precision_and_says_why():
    record = only([document("one"), document("two"), document("three")])
    assert (record["precision"], record["recall"], record["f1"]) == (None, 0, 0)
    assert record["reason"] == "precision: the source made no prediction that counts"


def test_perfect_scores_have_an_interval_below_one():
    record = only(GT)
    assert record["precision"] == record["precision_high"] == 1
    assert 0 < record["precision_low"] < 1


def test_one_document_gives_estimates_and_the_reason_why_no_interval():
    record = only([document("one", (0, 5, "Paris"), (10, 14, "x"))])
    assert (record["precision"], record["precision_low"]) == (0.5, None)
    assert "no interval" in record["reason"]


def test_documents_that_a_source_did_not_run_on_do_not_count_and_are_named():
    record = only([document("one", (0, 5, "Paris"))])
    assert (record["documents"], record["gold"]) == (1, 2)
    assert (
        "2 of 3 documents of the ground truth are not in its file ('two', 'three')" in record["warnings"][0]
    )


def test_only_the_evaluation_span_of_the_ground_truth_is_scored():
    gt = [document("one", (0, 5, "Paris"), (10, 14, "Rome"), evaluation=Span(0, 6))]
    [record] = score(gt, {"M": [document("one", (10, 14, "Rome"))]})
    assert (record["predicted"], record["gold"]) == (0, 1)


def test_nil_can_be_an_entity():
    assert only([document("two", (19, 23, "NIL"))])["hits"] == 0
    assert only([document("two", (19, 23, "NIL"))], nil="require")["hits"] == 1


def test_keys_of_different_kinds_are_warned_of():
    record = only([document("one", (0, 5, "Q90"))])
    assert any(
        "1 Wikidata ids, where the ground truth has Wikipedia titles (en)" in w for w in record["warnings"]
    )


def test_another_text_of_the_same_name_is_refused():
    with pytest.raises(InputError, match="M: one: the text is not that of the ground truth"):
        only([document("one", text="Paris!" + TEXT)])


def test_a_corpus_without_a_common_document_is_refused():
    with pytest.raises(InputError, match="no document of the predictions is in the ground truth"):
        only([document("1")])


def test_a_document_given_twice_is_refused():
    with pytest.raises(InputError, match="two documents of one name"):
        only([document("one"), document("one")])


def test_an_impossible_level_is_refused():
    with pytest.raises(InputError, match="confidence level"):
        only(GT, level=95)
