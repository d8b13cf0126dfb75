"""The published study's splitter, and where it sees sentences end."""

import pytest

from analysis.documents import Span
from verifier.plan.paper import Paper
from verifier.plan.sentences import sentences


def pieces(text, min_chars=300):
    return [text[a:b] for a, b in Paper(min_chars).split(text, [])]


def sentence(length, mark="x"):
    """A sentence of so many characters."""
    return (mark * (length - 1)).capitalize() + "."


def test_a_segment_closes_when_its_sentences_first_reach_300_characters():
    text = " ".join([sentence(150), sentence(149), sentence(10), sentence(300)])
    assert [len(piece) for piece in pieces(text)] == [150 + 1 + 149 + 1, 10 + 1 + 300]


def test_a_sentence_over_300_is_wrapped_at_white_space_into_pieces_of_at_most_300():
    text = "Word " * 139 + "end."
    assert [len(piece) for piece in pieces(text)] == [300, 399]
    assert [len(piece) for piece in pieces("Word " * 149 + "end.")] == [300, 300, 149]


def test_a_word_over_300_characters_is_cut():
    assert [len(piece) for piece in pieces("x" * 700)] == [300, 300, 100]


def test_a_tail_under_100_joins_the_segment_before():
    assert [len(piece) for piece in pieces(f"{sentence(300)} {sentence(99)}")] == [400]
    assert [len(piece) for piece in pieces(f"{sentence(300)} {sentence(100)}")] == [301, 100]


@pytest.mark.parametrize("text", ["", "Short.", " \n ", "no sentence end at all"])
def test_a_short_document_is_kept_as_one_segment(text):
    assert Paper().split(text, []) == [Span(0, len(text))]


def test_a_mention_may_be_cut():
    assert Paper(12).split("He met J.D. Salinger. Then he slept.", [Span(7, 30)])[0].end < 30


@pytest.mark.parametrize(
    "text",
    [
        "He met Dr. Smith there",
        "The U.S. Senate met",
        "J. S. Bach wrote it",
        "It rose to 3.5 per cent",
        "Wait ... and see",
        "In 1999. then more",
        "Wait ... Karzai left",
        "Sen. Lee (D-Calif.) did too",
        "Plan B. Smith wrote it",
        "Headline without a stop\n\nand then a text",
    ],
)
def test_one_sentence(text):
    assert len(sentences(text)) == 1


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("He left the U.S. The Senate met", "He left the U.S."),
        ('"Go!" he said.', '"Go!"'),
        ("In 1999. Then more", "In 1999."),
        ("See Fig. 3 there", "See Fig."),
        ("It was no. They left", "It was no."),
        ("He chose plan B. It failed", "He chose plan B."),
        ("They left (etc.) at once", "They left (etc.)"),
        ("Wait ... They see", "Wait ..."),
        ("It was v.2. next", "It was v.2."),
    ],
)
def test_two_sentences(text, first):
    found = sentences(text)
    assert (len(found), text[found[0].start : found[0].end]) == (2, first)


def test_name_version_and_parameters_are_recorded():
    assert (Paper().name, Paper().version) == ("paper", "2")
    assert Paper().parameters == {"min_chars": 300, "min_tail": 100}
