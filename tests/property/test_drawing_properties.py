"""Whatever workers do, each task ends with k counted judgments, and the log draws the same once more."""

import random

import pytest

from tests.support.drawing_campaigns import Corpus, in_turn, make
from tests.support.redrawing import all_drawn, copied, log_of, redraw
from verifier.study import Study


@pytest.mark.parametrize("seed", range(3))
def test_any_course_of_events_ends_with_k_judgments_and_can_be_drawn_again(tmp_path, seed):
    """Workers come, come again, hand in, fail controls, give back, vanish, and hand in late."""
    chance = random.Random(seed)
    corpus = Corpus(chance.randint(6, 14), chance.randint(1, 3), 0.2, chance.randint(4, 7), 1)
    make(tmp_path / "study", corpus, seed)
    again = copied(tmp_path / "study", tmp_path / "again")
    found = in_turn(tmp_path / "study", seed)
    assert found.faults == []
    assert len(found.outcomes) >= 3
    with Study.open(tmp_path / "study") as study, Study.open(again) as other:
        redraw(other, log_of(study))
        assert all_drawn(study) == all_drawn(other)
