"""Generated controls: a right link, a wrong one, a span that is no entity; and when none can be made."""

import pytest

from analysis.documents import Span
from analysis.errors import StateError
from verifier.plan.controls import Place, agreed, generate, no_entity, require
from verifier.plan.tasks import Mark

TEXT = "In Rome the old men spoke about Paris and some of them had been there before."


class Known:
    """A knowledge base with one namesake, and some others."""

    def namesakes(self, key, limit):
        """Of Paris."""
        return ["wd:Q220", "wd:Q9"][:limit] if key == "wd:Q90" else []

    def neighbours(self, mention, limit):
        """Of Rome."""
        return ["wd:Q8"][:limit] if mention == "Rome" else []

    def random(self, _seed, limit):
        """The same two."""
        return ["wd:Q220", "wd:Q7"][:limit]


def mark(source, mention, key):
    start = TEXT.index(mention)
    return Mark(start * 10 + source, 1, source, start, start + len(mention), key, "link", None, planned=False)


def place(*marks, ran=(1, 2)):
    return Place(1, 0, TEXT, Span(0, len(TEXT)), marks, frozenset(ran))


BOTH = (
    mark(1, "Rome", "wd:Q220"),
    mark(2, "Rome", "wd:Q220"),
    mark(1, "Paris", "wd:Q90"),
    mark(2, "Paris", "wd:Q90"),
)


def made(answers=3, *marks, entities=None):
    return generate(
        [place(*(marks or BOTH))], entities or Known(), answers=answers, wanted=5, common={}, seed=1
    )


def test_a_control_holds_each_right_answer_once():
    [control] = made().controls
    assert sorted(known.expected for known in control.known) == ["edit", "remove", "verify"]


def test_the_wrong_link_is_a_namesake_that_nobody_gave_and_says_what_is_right():
    [control] = made().controls
    [wrong] = [known for known in control.known if known.expected == "edit"]
    assert (wrong.shown.key, wrong.acceptable, wrong.difficulty) == ("wd:Q9", ("wd:Q90",), "hard")


def test_without_a_namesake_a_neighbour_is_taken_and_called_easy():
    class Nameless(Known):
        def namesakes(self, _key, _limit):
            return []

    [control] = made(entities=Nameless()).controls
    [wrong] = [known for known in control.known if known.expected == "edit"]
    assert (wrong.shown.key, wrong.difficulty) == ("wd:Q8", "easy")


def test_the_span_that_is_no_entity_overlaps_no_mention():
    [control] = made().controls
    [none] = [known for known in control.known if known.expected == "remove"]
    words = TEXT[none.shown.start : none.shown.end]
    assert words.islower()
    assert len(words.split()) <= 2
    assert not any(m.span.overlaps(Span(*none.shown[:2])) for m in BOTH)


def test_displays_stand_in_text_order():
    [control] = made().controls
    assert list(control.known) == sorted(control.known, key=lambda known: known.shown)


def test_only_what_every_source_gives_identically_is_agreed():
    marks = (*BOTH[:3], mark(2, "Paris", "wd:Q9"))
    assert [m.key for m in agreed(place(*marks))] == ["wd:Q220"]


def test_an_overlapping_mention_contradicts():
    assert [m.key for m in agreed(place(*BOTH, mark(1, "In Rome", "wd:Q5")))] == ["wd:Q90"]


def test_a_source_that_did_not_run_there_is_not_asked():
    assert len(agreed(place(*BOTH[::2], ran=(1,)))) == 2


def test_words_beside_a_mention_or_a_capital_do_not_stand_for_no_entity():
    found = {TEXT[a:b] for a, b in no_entity(place(*BOTH), {})}
    assert not found & {"the", "the old", "about", "and", "In"}
    assert {"old", "men spoke", "there before"} <= found


def test_why_none_could_be_made_is_counted():
    pool = made(3, *BOTH[:2])
    assert pool.controls == []
    assert pool.failures == {"fewer than 2 mentions that all sources link identically": 1}


def test_too_few_controls_are_refused_with_numbers():
    with pytest.raises(
        StateError, match=r"needs at least 2 control tasks, could make 1 because 4 segments: no names"
    ):
        require([7], {7, 8}, 1, {"no names": 4})


def test_one_control_is_enough_where_its_segment_has_no_real_task():
    require([7], {8}, 1, {})
