"""Many people open the entry link at one moment: whoever there is work for gets it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from tests.support import planned
from tests.support.planned import NOW, plan
from verifier.crowd.arrivals import arrive
from verifier.plan import draw
from verifier.study import Study

PEOPLE = 16


def come(study, names, now=NOW):
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda name: arrive(study, {"participant": name}, now), names))


def test_nobody_is_sent_away_because_another_took_the_place_made_for_him(any_study):
    planned.configure(any_study.path, tasks=4)
    with Study.open(any_study.path) as study:
        planned.fill(study, 40)
        plan(study, now=NOW)
        arrived = come(study, [f"p{n}" for n in range(PEOPLE)])
        assert {one.outcome for one in arrived} == {"working"}
        assert len({one.token for one in arrived}) == PEOPLE


def test_a_place_given_back_goes_to_one_of_those_who_come_next(any_study):
    planned.configure(any_study.path, tasks=4)
    with Study.open(any_study.path) as study:
        planned.fill(study, 40)
        plan(study, now=NOW)
        come(study, ["first"])
        draw.release(study, 1, state="returned", now=NOW)
        arrived = come(study, [f"p{n}" for n in range(PEOPLE)], NOW + timedelta(seconds=5))
        assert {one.outcome for one in arrived} == {"working"}
        places = sorted(planned.assignment(study, n).place_id for n in range(2, PEOPLE + 2))
        assert places == list(range(1, PEOPLE + 1))
