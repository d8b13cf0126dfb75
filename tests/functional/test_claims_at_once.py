"""Many workers at once, on both databases: no slot twice, none lost, whatever they do."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from tests.support import planned
from tests.support.planned import NOW, plan
from verifier.plan import draw
from verifier.store import claims
from verifier.study import Study

THREADS = 8
WORKERS = 120
MORE = 80


def busy(study):
    """Eight threads of workers who claim, return, expire, finish, and are not counted."""
    numbers, lock = iter(range(1, WORKERS + 1)), threading.Lock()
    chance = random.Random(1)

    def one():
        while True:
            with lock:
                number, luck = next(numbers, None), chance.random()
            if number is None:
                return
            try:
                found = draw.claim(study, place_id=number, worker_id=number, now=NOW)
            except draw.NothingLeft:
                continue
            if luck < 0.1:
                draw.release(study, found, state="returned", now=NOW)
            elif luck < 0.15:
                draw.expire(study, NOW + timedelta(hours=2))
            else:
                with study.write() as session:
                    draw.finish(session, found, NOW)
                    if luck > 0.9:
                        draw.reopen(session, found)

    with ThreadPoolExecutor(THREADS) as pool:
        for ended in [pool.submit(one) for _ in range(THREADS)]:
            ended.result()


def rest(study):
    """Workers one by one, who take what was given back last."""
    numbers = iter(range(WORKERS + 1, WORKERS + MORE + 1))
    while draw.open_places(study):
        number = next(numbers)
        found = draw.claim(study, place_id=number, worker_id=number, now=NOW)
        with study.write() as session:
            draw.finish(session, found, NOW)


def test_eight_threads_draw_no_slot_twice(any_study):
    planned.configure(any_study.path, tasks=8, plan="k: 2, repeat_share: 0.1")
    with Study.open(any_study.path) as study:
        planned.fill(study, 30)
        plan(study, now=NOW)
        planned.crowd(study, WORKERS + MORE)
        busy(study)
        rest(study)
        slots = planned.slots(study)
        assert {slot.state for slot in slots} == {"done"}
        for assignment in {slot.assignment_id for slot in slots}:
            tasks = planned.drawn(study, assignment)
            assert {slot.id for slot in slots if slot.assignment_id == assignment} <= {
                task.slot for task in tasks
            }
            assert len({task.segment for task in tasks}) == len(tasks)
        with study.read() as session:
            assert claims.miscounted(session) == []
