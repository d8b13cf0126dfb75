"""Drawing: shares, order, what a worker never sees twice, and what becomes of slots that are given back."""

from collections import Counter
from datetime import timedelta

import pytest

from analysis.errors import StateError
from tests.support import planned
from tests.support.planned import NOW, plan
from tests.support.redrawing import copied, log_of
from verifier import founding
from verifier.plan import chance, draw
from verifier.store import claims, facts
from verifier.study import Study


def make(folder, documents, *, workers=60, **changes):
    """A planned study of one-segment documents, with workers and places."""
    planned.configure(folder, **changes)
    study = Study.open(folder)
    planned.fill(study, documents)
    plan(study, now=NOW)
    planned.crowd(study, workers)
    return study


@pytest.fixture
def small(study_folder):
    """Twelve documents, three sources; four real tasks and a control a place."""
    with make(study_folder, 12, tasks=5) as study:
        yield study


def claim(study, place, worker=None, now=NOW):
    return draw.claim(study, place_id=place, worker_id=worker or place, now=now)


def counted_rightly(study):
    with study.read() as session:
        return claims.miscounted(session) == []


def test_a_draw_leases_real_tasks_and_mixes_in_controls(small):
    tasks = planned.drawn(small, claim(small, 1))
    assert Counter(task.kind for task in tasks) == {"real": 4, "control": 1}
    assert len({task.segment for task in tasks}) == 5
    leased = [slot for slot in planned.slots(small) if slot.state == "leased"]
    assert {slot.id for slot in leased} == {task.slot for task in tasks if task.slot}
    assert counted_rightly(small)


def test_who_knows_the_seed_cannot_compute_where_controls_stand(small):
    """Place and worker are numbers that can be guessed, and seeds are often 1."""
    with small.write() as session:
        facts.put(session, facts.ORDER, "which nobody knows")
    guessed, stood, seed = [], [], small.config.study.seed
    for place in range(1, 9):
        tasks = planned.drawn(small, claim(small, place))
        real = sorted(task.slot is None for task in tasks)
        guessed.append(chance.shuffled(real, seed, "order", "draw", place, place).index(True))
        stood.append([task.slot is None for task in tasks].index(True))
    assert guessed != stood


def test_a_new_study_has_an_unguessable_text(monkeypatch, tmp_path):
    monkeypatch.setattr(founding, "unguessable", lambda: "which nobody knows")
    with Study.create(tmp_path / "study", "link") as study, study.read() as session:
        assert facts.get(session, facts.ORDER) == "which nobody knows"


def test_deadline_and_lease(small):
    found = planned.assignment(small, claim(small, 1))
    assert found.deadline == NOW + timedelta(minutes=30)
    assert {s.leased_until for s in planned.slots(small) if s.assignment_id} == {NOW + timedelta(minutes=60)}
    assert len(found.token) >= 40


def test_a_worker_never_sees_a_segment_twice_not_even_after_a_return(small):
    first = claim(small, 1, worker=1)
    draw.release(small, first, state="returned", now=NOW)
    second = claim(small, 1, worker=1)
    seen = [{task.segment for task in planned.drawn(small, found)} for found in (first, second)]
    assert not seen[0] & seen[1]


def test_a_text_that_two_datasets_share_is_cut_alike_and_read_once(study_folder):
    """In copies with other white space too; controls, which lie on such texts as well, do not repeat one."""
    planned.configure(study_folder, tasks=5)
    with Study.open(study_folder) as study:
        planned.fill(study, 8)
        planned.add_source(study, "GT", range(8), copies=True)
        plan(study, now=NOW)
        planned.crowd(study, 60)
        passages = planned.passages(study)
        assert len(set(passages.values())) == len(passages) // 2 == 8
        for place in range(1, draw.open_places(study) + 1):
            tasks = planned.drawn(study, claim(study, place))
            assert len({passages[task.segment] for task in tasks}) == len(tasks)
        assert all(slot.state == "leased" for slot in planned.slots(study))


def test_a_later_document_of_a_known_text_is_cut_as_it_was(study_folder):
    with make(study_folder, 8, tasks=5) as study:
        planned.add_source(study, "Alpha", range(8), copies=True)
        plan(study, now=NOW)
        passages = planned.passages(study)
    assert [passages[segment] for segment in sorted(passages)] == [*range(1, 9), *range(1, 9)]


def test_all_is_drawn_in_the_places_planned_and_then_nothing_is_left(small):
    places = draw.open_places(small)
    sizes = [len(planned.drawn(small, claim(small, number))) for number in range(1, places + 1)]
    assert (places, sizes) == (9, [5] * 9)
    with pytest.raises(draw.NothingLeft):
        claim(small, places + 1)
    assert draw.open_places(small) == 0
    assert planned.assignment(small, places).state == "claimed"


def test_every_draw_gives_each_stratum_its_share_within_one_task(study_folder):
    """Long before the tail: three strata of 300 slots, 19 real tasks a place."""
    with make(study_folder, 150, plan="repeat_share: 0, k: 2") as study:
        for number in range(1, 13):
            counts = Counter(task.source for task in planned.drawn(study, claim(study, number)) if task.slot)
            assert sum(counts.values()) == 19
            assert all(abs(count - 19 / 3) < 1 for count in counts.values())


def test_slots_are_taken_in_the_seeded_order(study_folder):
    with make(study_folder, 150, plan="repeat_share: 0, k: 2") as study:
        order = sorted((s for s in planned.slots(study) if s.stratum == "news/GT"), key=lambda s: s.position)
        taken = {task.slot for task in planned.drawn(study, claim(study, 1)) if task.source == "GT"}
        ranks = [rank for rank, slot in enumerate(order) if slot.id in taken]
        assert max(ranks) <= len(ranks) + 3


def test_the_last_places_are_even(study_folder):
    """60 slots at 11 a place: six places of 10 rather than five of 11 and one of 5."""
    with make(study_folder, 20, plan="repeat_share: 0", tasks=12) as study:
        sizes = [
            len(planned.drawn(study, claim(study, n))) - 1 for n in range(1, draw.open_places(study) + 1)
        ]
        assert sizes == [10] * 6


@pytest.mark.parametrize("state", ["returned", "expired", "no_consent"])
def test_slots_given_back_are_open_at_a_new_place(small, state):
    before = {slot.id: slot.position for slot in planned.slots(small)}
    identity = claim(small, 1)
    given_back = {task.slot for task in planned.drawn(small, identity) if task.slot}
    draw.release(small, identity, state=state, now=NOW)
    assert all(slot.state == "open" and slot.assignment_id is None for slot in planned.slots(small))
    assert {slot.id for slot in planned.slots(small) if slot.position != before[slot.id]} == given_back
    assert planned.assignment(small, identity).state == state
    assert counted_rightly(small)


def test_a_place_given_back_can_be_claimed_again(small):
    draw.release(small, claim(small, 1), state="returned", now=NOW)
    assert claim(small, 1, worker=2)


def test_a_taken_place_cannot(small):
    claim(small, 1)
    with pytest.raises(StateError, match="not open"):
        claim(small, 1, worker=2)


def test_what_is_released_twice_stays_as_it_was(small):
    identity = claim(small, 1)
    draw.release(small, identity, state="returned", now=NOW)
    draw.release(small, identity, state="expired", now=NOW)
    assert planned.assignment(small, identity).state == "returned"


def test_only_leases_past_deadline_and_grace_expire(small):
    late, fresh = claim(small, 1), claim(small, 2, now=NOW + timedelta(minutes=40))
    assert draw.expire(small, NOW + timedelta(minutes=60)) == 0
    assert draw.expire(small, NOW + timedelta(minutes=61)) == 1
    assert [planned.assignment(small, found).state for found in (late, fresh)] == ["expired", "claimed"]


def test_who_needs_longer_is_given_as_long_again(small):
    """From when it is asked for; asked twice, once; the slots stay, too."""
    identity = claim(small, 1)
    late = NOW + timedelta(minutes=29)
    assert draw.prolong(small, identity, late) == late + timedelta(minutes=30)
    assert draw.prolong(small, identity, late) == planned.assignment(small, identity).deadline
    assert {s.leased_until for s in planned.slots(small) if s.assignment_id} == {late + timedelta(minutes=60)}


def test_time_is_given_ten_times_and_no_more(small):
    identity = claim(small, 1)
    given = [draw.prolong(small, identity, NOW + timedelta(minutes=30) * n) for n in range(1, 13)]
    assert len(set(given)) == draw.TIMES
    assert given[-1] == NOW + timedelta(minutes=30) * (draw.TIMES + 1)


def test_time_is_given_to_nobody_who_has_ended(small):
    identity = claim(small, 1)
    draw.release(small, identity, state="returned", now=NOW)
    with pytest.raises(StateError):
        draw.prolong(small, identity, NOW)


def test_finished_slots_are_done(small):
    identity = claim(small, 1)
    with small.write() as session:
        assert draw.finish(session, identity, NOW) == 4
    assert Counter(slot.state for slot in planned.slots(small)) == {"done": 4, "open": 32}
    assert counted_rightly(small)


def test_late_work_fills_what_nobody_took_since(small):
    identity = claim(small, 1)
    draw.expire(small, NOW + timedelta(hours=2))
    with small.write() as session:
        assert draw.finish(session, identity, NOW) == 4
    assert Counter(slot.state for slot in planned.slots(small)) == {"done": 4, "open": 32}
    assert counted_rightly(small)


def test_late_work_whose_slots_others_took_is_surplus_and_takes_none_back(small):
    late = claim(small, 1)
    draw.expire(small, NOW + timedelta(hours=2))
    for number in range(2, 11):
        claim(small, number)
    with small.write() as session:
        assert draw.finish(session, late, NOW) == 0
    assert late not in {slot.assignment_id for slot in planned.slots(small)}


def test_work_under_way_is_drawn_by_nobody_else(small):
    held = {task.slot for task in planned.drawn(small, claim(small, 1)) if task.slot}
    drawn = [task.slot for number in range(2, 10) for task in planned.drawn(small, claim(small, number))]
    assert not held & set(drawn)


def test_what_opens_slots_stands_in_the_log_with_the_draws_before_it(small):
    first = claim(small, 1)
    claim(small, 2)
    draw.release(small, first, state="returned", now=NOW)
    claim(small, 1, worker=3)
    assert [(line.kind, line.assignment) for line in log_of(small)] == [
        ("drawn", 1),
        ("drawn", 2),
        (draw.OPENED, 1),
        ("drawn", 3),
    ]


def test_slots_of_uncounted_work_open_again(small):
    identity = claim(small, 1)
    with small.write() as session:
        draw.finish(session, identity, NOW)
        assert draw.reopen(session, identity) == 4
    assert Counter(slot.state for slot in planned.slots(small)) == {"open": 36}
    assert counted_rightly(small)


def test_a_replay_draws_the_same(small, tmp_path):
    with Study.open(copied(small.path, tmp_path / "replay")) as other:
        for study in (small, other):
            draw.release(study, claim(study, 1), state="returned", now=NOW)
            for place in range(1, 5):
                claim(study, place, worker=place + 1)
        assert [planned.drawn(small, n) for n in range(1, 6)] == [
            planned.drawn(other, n) for n in range(1, 6)
        ]


def test_controls_and_sources_have_no_usual_place(study_folder):
    """A control stands in each of 5 places about 12 times in 60 (chi-square, 4 degrees, .001: 18.5)."""
    with make(study_folder, 120, tasks=5, plan="repeat_share: 0, k: 2") as study:
        found = [task for n in range(1, 61) for task in planned.drawn(study, claim(study, n))]
    for kind in ("control", "GT"):
        places = Counter(task.ordinal for task in found if kind in (task.kind, task.source))
        expected = sum(places.values()) / 5
        assert sum((places[n] - expected) ** 2 / expected for n in range(5)) < 18.5


def test_where_controls_cover_the_corpus_real_tasks_give_way(tiny_study):
    """Four segments, all with controls: a place of two real tasks and a control leaves one segment out."""
    plan(tiny_study, now=NOW)
    planned.crowd(tiny_study, 20)
    places = draw.open_places(tiny_study)
    sizes = [len(planned.drawn(tiny_study, claim(tiny_study, n))) for n in range(1, places + 1)]
    assert (sizes, draw.open_places(tiny_study)) == ([3] * 6, 0)


def test_an_unplanned_study_has_nothing(study):
    planned.crowd(study, 1)
    with pytest.raises(draw.NothingLeft, match="nothing is planned"):
        claim(study, 1)


def test_a_draw_reads_the_open_slots_along_an_index(small):
    """No sort, no scan: what a draw costs does not grow with what is open."""
    query = claims._PAGE.params(named="news/GT", last=-1, size=5)
    with small.read() as session:
        sql = query.compile(session.connection(), compile_kwargs={"literal_binds": True})
        steps = [row[3] for row in session.connection().exec_driver_sql(f"explain query plan {sql}")]
    assert steps == ["SEARCH task_slot USING INDEX ix_task_slot_draw (state=? AND stratum=? AND position>?)"]
