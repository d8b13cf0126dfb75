"""Generated controls: like real tasks, with a right link, a wrong one, and a word that is no entity."""

from dataclasses import replace
from typing import ClassVar

import pytest

from analysis.documents import Span
from analysis.errors import StateError
from verifier.plan.agreeing import OPEN, READ, SURE, UNSURE, Place, agreed, sureness
from verifier.plan.controls import UNSURE_LINKS, Wanted, generate, require
from verifier.plan.no_entity import Vocabulary
from verifier.plan.tasks import Mark

TEXT = "In Rome the old senators spoke about Paris and some of them remembered Troy before."
SEEN = Vocabulary([TEXT])


class Known:
    """A knowledge base in which Paris has a namesake, and Rome only names that a search finds."""

    names: ClassVar = {"Rome": ["wd:Q220"], "Paris": ["wd:Q90", "wd:Q9"], "Troy": ["wd:Q22647"]}
    described: ClassVar = {"wd:Q90": {"senators", "remembered"}, "wd:Q9": {"remembered"}}

    def named(self, mention):
        """By its exact name."""
        return self.names.get(mention, [])

    def namesakes(self, _key, _limit):
        """None beyond."""
        return []

    def neighbours(self, mention, limit):
        """Of Rome."""
        return ["wd:Q8"][:limit] if mention == "Rome" else []

    def containing(self, word, limit):
        """Something named after senators."""
        return ["wd:Q6"][:limit] if word == "senators" else []

    def alike(self, _key, _limit):
        """Nothing."""
        return []

    def words(self, key):
        """What it is described in."""
        return self.described.get(key, set())

    def random(self, _seed, limit):
        """The same two."""
        return ["wd:Q220", "wd:Q7"][:limit]


class Nameless(Known):
    """The same without a namesake."""

    names: ClassVar = {name: keys[:1] for name, keys in Known.names.items()}


def mark(source, mention, key):
    start = TEXT.index(mention)
    return Mark(start * 10 + source, 1, source, start, start + len(mention), key, "link", None, planned=False)


def place(*marks, ran=(1, 2)):
    return Place(1, 0, TEXT, Span(0, len(TEXT)), marks, frozenset(ran))


def both(mention, key):
    return (mark(1, mention, key), mark(2, mention, key))


BOTH = (*both("Rome", "wd:Q220"), *both("Paris", "wd:Q90"))
WANTED = Wanted(answers=3, most=5, least=1)


def made(*marks, wanted=WANTED, entities=None):
    return generate([place(*(marks or BOTH))], entities or Known(), wanted, vocabulary=SEEN, seed=1)


def known(expected, *marks, **more):
    [control] = made(*marks, **more).controls
    return [answer for answer in control.known if answer.expected == expected]


def test_a_control_holds_each_right_answer_once():
    [control] = made().controls
    assert sorted(answer.expected for answer in control.known) == ["edit", "remove", "verify"]


def test_the_wrong_link_is_a_namesake_that_nobody_gave_and_says_what_is_right():
    [wrong] = known("edit")
    assert (wrong.shown.key, wrong.acceptable, wrong.difficulty) == ("wd:Q9", ("wd:Q90",), "hard")


def test_without_a_namesake_a_neighbour_is_taken_before_just_any_and_called_easy():
    found = {known("edit", entities=Nameless())[0].difficulty}
    wrong = {
        known("edit", *both("Rome", "wd:Q220"), *both(other, key), entities=Nameless())[0].shown.key
        for other, key in (("Paris", "wd:Q90"), ("Troy", "wd:Q22647"))
    }
    assert found == {"easy"}
    assert wrong <= {"wd:Q8", "wd:Q220"}


def test_the_word_that_is_no_entity_is_one_of_content_that_linkers_stumble_over():
    [none] = known("remove")
    assert (TEXT[none.shown.start : none.shown.end], none.shown.key) == ("senators", "wd:Q6")


TROY = (mark(1, "Troy", "wd:Q22647"), mark(2, "Troy", "wd:Q5"))
OLD = both("old", "wd:Q3")


def test_the_word_that_is_no_entity_stands_in_the_place_of_something_else():
    """A control has as many highlights as a real task there, where that one has enough."""
    assert len(made(*BOTH, *TROY).controls[0].known) == 3
    [control] = made(*BOTH, *TROY, *OLD).controls
    assert sorted(answer.expected or "" for answer in control.known) == ["", "edit", "remove", "verify"]


def test_what_nobody_learns_anything_from_makes_room_first():
    marks = (*BOTH, *both("Troy", "wd:Q22647"), *OLD)
    uses = [(answer.expected, answer.use) for answer in made(*marks).controls[0].known]
    assert sorted(uses) == [("edit", "gate"), ("remove", "gate"), ("verify", "gate"), ("verify", "measure")]


def test_a_pooled_control_shows_the_links_of_all_sources():
    [control] = made(*BOTH, *TROY, wanted=replace(WANTED, pooled=True)).controls
    assert len(control.known) == 4


def test_a_control_shows_no_more_than_a_real_task_may():
    """With `plan.max_annotations`, which parts what a segment has: else each longer task were a control."""
    marks = (*BOTH, *both("Troy", "wd:Q22647"), *OLD, *both("remembered", "wd:Q4"))
    assert len(made(*marks).controls[0].known) == 5
    assert len(made(*marks, wanted=replace(WANTED, room=3)).controls[0].known) == 3


def test_of_those_that_can_be_made_the_one_that_looks_like_a_real_task_is_taken():
    """Controls come about where there is much to ask about; most real tasks have less."""
    few, many = both("Rome", "wd:Q220"), (*both("Troy", "wd:Q22647"), *OLD, *both("remembered", "wd:Q4"))
    full = [place(*BOTH, *many)._replace(segment=number) for number in range(3)]
    small = [place(*BOTH)._replace(segment=number) for number in (3, 4)]
    real = [place(*BOTH, *few)._replace(segment=number) for number in range(5, 25)]
    wanted = replace(WANTED, answers=1, most=1, cycle=("verify",))
    found = generate([*full, *small, *real], Known(), wanted, vocabulary=SEEN, seed=1)
    assert [len(control.known) for control in found.controls] == [2]


def test_displays_stand_in_text_order():
    [control] = made().controls
    assert list(control.known) == sorted(control.known, key=lambda answer: answer.shown)


def test_only_what_every_source_gives_identically_is_agreed():
    marks = (*BOTH[:3], mark(2, "Paris", "wd:Q9"))
    assert [m.key for m in agreed(place(*marks))] == ["wd:Q220"]


def test_an_overlapping_mention_contradicts():
    assert [m.key for m in agreed(place(*BOTH, mark(1, "In Rome", "wd:Q5")))] == ["wd:Q90"]


def test_a_source_that_did_not_run_there_is_not_asked():
    assert len(agreed(place(*BOTH[::2], ran=(1,)))) == 2


@pytest.mark.parametrize(
    ("mention", "key", "expected"),
    [
        ("Rome", "wd:Q220", SURE),
        ("Paris", "wd:Q90", READ),
        ("Paris", "wd:Q9", UNSURE),
        ("Troy", "wd:Q1", UNSURE),
    ],
)
def test_how_sure_a_link_is_follows_from_who_bears_the_name_and_what_the_text_says(mention, key, expected):
    assert sureness(mark(1, mention, key), TEXT, Known()) == expected


def test_a_name_of_which_the_text_says_nothing_is_open():
    class Silent(Known):
        described: ClassVar = {}

    assert sureness(mark(1, "Paris", "wd:Q90"), TEXT, Silent()) == OPEN


def test_links_that_may_be_an_error_of_all_serve_only_where_there_are_too_few():
    marks = (*both("Rome", "wd:Q220"), *both("Paris", "wd:Q9"))
    assert len(made(*marks).controls) == 1
    none = made(*marks, wanted=replace(WANTED, least=0))
    assert (none.controls, none.failures) == ([], {UNSURE_LINKS: 1})


def test_why_none_could_be_made_is_counted():
    pool = made(*BOTH[:2])
    assert pool.controls == []
    assert pool.failures == {"fewer than 2 mentions that all sources link identically": 1}


def test_too_few_controls_are_refused_with_numbers():
    with pytest.raises(
        StateError, match=r"needs at least 2 control tasks, could make 1 because 4 segments: no names"
    ):
        require([7], {7, 8}, 1, {"no names": 4})


def test_one_control_is_enough_where_its_segment_has_no_real_task():
    require([7], {8}, 1, {})
