"""The default splitter: where it cuts, and where it does not."""

import pytest

from analysis.documents import Span
from analysis.errors import StateError
from verifier.plan import splitters
from verifier.plan.split import Whole, sentence_ends


def pieces(text, min_chars, mentions=(), **options):
    return [text[a:b] for a, b in Whole(min_chars, **options).split(text, mentions)]


def test_a_segment_closes_at_the_first_sentence_end_at_or_after_the_floor():
    text = "One is here. Two is there. Three follows. Four ends it."
    assert pieces(text, 20) == ["One is here. Two is there. ", "Three follows. Four ends it."]


def test_a_sentence_end_exactly_at_the_floor_closes():
    assert pieces("Ten chars. Ten more go. The rest of it.", 10) == [
        "Ten chars. ",
        "Ten more go. ",
        "The rest of it.",
    ]


def test_no_mention_is_cut():
    text = "He read Ulysses. By Joyce. Then he slept well."
    assert pieces(text, 10, [Span(8, 25)]) == ["He read Ulysses. By Joyce. ", "Then he slept well."]


def test_a_mention_that_touches_a_cut_is_no_obstacle():
    text = "He met Ann. Bob was late."
    assert pieces(text, 5, [Span(7, 12), Span(12, 15)]) == ["He met Ann. ", "Bob was late."]


def test_a_short_tail_joins_the_segment_before():
    assert pieces("A first sentence. A second sentence. Yes.", 15) == [
        "A first sentence. ",
        "A second sentence. Yes.",
    ]


@pytest.mark.parametrize("text", ["", "Short.", "no sentence end at all"])
def test_a_short_text_is_one_segment(text):
    assert Whole(300).split(text, []) == [Span(0, len(text))]


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\n \t\n", "\n\n\n  "])
def test_a_blank_line_ends_a_sentence(gap):
    assert pieces(f"A headline without stop{gap}and then small letters", 10) == [
        f"A headline without stop{gap}",
        "and then small letters",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "He met Dr. Smith there",
        "It rose to 3.5 per cent",
        "The U.S. Senate met",
        "J. S. Bach wrote it",
        "Wait ... and see",
        "the Boss e.g. Springsteen",
    ],
)
def test_a_stop_that_ends_no_sentence(text):
    assert list(sentence_ends(text)) == []


@pytest.mark.parametrize(
    ("text", "following"),
    [
        ('"Go." "Why?" he said.', '"Why?" he said.'),
        ("Really?! Yes.", "Yes."),
        ("Ende. Über allem.", "Über allem."),
        ("他来了。她走了", "她走了"),
        ("Fin… Élan", "Élan"),
        ("Party 🎉. 🙂 Bye", "🙂 Bye"),
    ],
)
def test_a_stop_that_ends_a_sentence(text, following):
    [(_, begin), *_] = sentence_ends(text)
    assert text[begin:] == following


def test_parameters_are_recorded():
    assert Whole(300).parameters == {"min_chars": 300, "min_tail": 100}
    assert Whole(**Whole(30, 7).parameters) == Whole(30, 7)


def test_a_headline_is_a_sentence_of_its_own():
    text = "Storm over Rome\nA long report that goes on and on about what the storm did there. The end of it."
    assert pieces(text, 10)[0] == "Storm over Rome\n"


@pytest.mark.parametrize(
    "text",
    [
        "A text of which each line\nis broken at the same width\nfor printing",
        "He said, on the way to Rome,\nthat " + "word " * 30,
    ],
)
def test_a_line_break_inside_a_sentence_is_no_headline(text):
    assert list(sentence_ends(text)) == []


def test_a_grid_of_the_first_version_goes_on_without_headlines():
    old = splitters.recorded("whole", "1", {"min_chars": 10, "min_tail": 3})
    text = "Storm over Rome\nA long report that goes on and on about what the storm did."
    assert (len(old.split(text, [])), old.version) == (1, "1")


def test_a_splitter_that_is_gone_leaves_what_it_cut_and_says_what_can_be_done_for_more():
    old = splitters.recorded("paper", "1", {"min_chars": 300})
    assert (old.name, old.version) == ("paper", "1")
    with pytest.raises(StateError, match=r"cut anew: posthoc plan STUDY --afresh"):
        old.split("Some text.", [])
