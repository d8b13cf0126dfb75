"""Words that name no entity: ordinary, of some length, away from every mention, and nobody's name."""

from analysis.documents import Span
from verifier.plan.no_entity import Vocabulary, find, opens_sentence

TEXT = (
    "Nobody in Texas saw a huge storm here. Travellers often waited there by York; all the travellers sang."
)
TEXAS = Span(TEXT.index("Texas"), TEXT.index("Texas") + 5)


def words(text=TEXT, marks=(TEXAS,), names=(), seen=None):
    vocabulary = Vocabulary(seen or [text])
    found = find(
        text,
        Span(0, len(text)),
        marks,
        vocabulary=vocabulary,
        is_name=lambda word: word in names,
        seed=1,
        name=(1,),
    )
    return [text[span.start : span.end] for _, span in found]


def test_a_capital_at_a_sentences_beginning_comes_before_small_words_of_content():
    found = words()
    assert found[0] == "Travellers"
    assert set(found[1:3]) <= {"storm", "waited", "travellers", "there"}


def test_no_word_of_one_or_two_letters_is_taken():
    assert min(map(len, words())) >= 3


def test_a_word_beside_a_mention_or_a_capital_is_not_taken():
    assert not {"in", "by", "all", "often"} & set(words())


def test_a_word_that_some_entity_goes_by_is_not_taken():
    assert "storm" not in words(names=("storm",))


def test_a_capital_that_is_never_written_small_may_be_a_name():
    assert "Nobody" not in words()
    assert "Nobody" in words(seen=[TEXT, "There was nobody."])


def test_a_word_that_is_mostly_a_name_elsewhere_is_not_taken():
    others = ["They met the Travellers.", "We saw Travellers play.", "So did Travellers."]
    assert "Travellers" not in words(seen=[TEXT, *others])


def test_words_that_most_texts_have_come_last():
    found = words(seen=[TEXT, *["They waited."] * 20])
    assert found.index("storm") < found.index("waited")


def test_where_sentences_begin():
    assert [opens_sentence('Yes. "No', start) for start in (0, 6, 7)] == [True, True, False]
