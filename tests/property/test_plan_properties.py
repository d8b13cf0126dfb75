"""Splitting loses nothing, shares are exact, packing leaves no place nearly empty: for any corpus."""

from collections import Counter

import pytest
import scipy.sparse.csgraph  # noqa: F401 - loaded here, so that no example is slow for it
from hypothesis import given
from hypothesis import strategies as st

from analysis.documents import Span
from verifier.plan import chance
from verifier.plan.choice import pack, places_needed, shares
from verifier.plan.paper import Paper
from verifier.plan.sampling import Sampling, Unit, draw, probabilities
from verifier.plan.split import Whole
from verifier.store.claims import Slot

PIECES = st.sampled_from(
    ["A", "b", " ", ". ", "? ", "\n\n", "\r\n", "é", "🙂", "。", "Dr. ", "”", "word ", "Name "]
)
TEXTS = st.lists(PIECES, max_size=120).map("".join)
SEGMENTS = st.lists(st.integers(1, 6), min_size=1, max_size=60)


@given(TEXTS, st.data())
def test_segments_tile_the_text_and_cut_no_mention(text, data):
    bounds = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(bounds, bounds), max_size=8))
    mentions = [Span(*sorted(pair)) for pair in pairs if pair[0] != pair[1]]
    segments = Whole(data.draw(st.integers(1, 40))).split(text, mentions)
    assert "".join(text[a:b] for a, b in segments) == text
    assert [a for a, _ in segments] == [0, *(b for _, b in segments[:-1])]
    assert all(any(mention.within(segment) for segment in segments) for mention in mentions)


@given(TEXTS, st.integers(1, 40))
def test_all_segments_but_the_last_reach_the_floor(text, min_chars):
    *long, last = Whole(min_chars).split(text, [])
    assert all(end - start >= min_chars for start, end in long)
    assert not long or last.end - last.start >= min_chars // 3


@given(TEXTS, st.integers(1, 40))
def test_the_published_splitter_covers_every_text_in_order_and_repeats_itself(text, min_chars):
    segments = Paper(min_chars).split(text, [])
    assert segments
    assert "".join(text[a:b] for a, b in segments) == text
    assert [a for a, _ in segments] == [0, *(b for _, b in segments[:-1])]
    assert all(start < end for start, end in segments) or not text
    assert Paper(min_chars).split(text, []) == segments


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=60), st.integers(1, 60))
def test_probabilities_add_up_to_the_number_drawn_and_never_exceed_1(sizes, number):
    found = probabilities(sizes, number)
    assert sum(found) == pytest.approx(min(number, len(sizes)))
    assert all(0 < chance <= 1 for chance in found)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=60),
    st.sampled_from(["simple", "stratified", "size"]),
    st.floats(0.01, 1),
    st.integers(0, 999),
)
def test_a_sample_has_its_size_and_weights_are_one_over_the_probability(parts, method, share, seed):
    units = [
        Unit(n, stratum if method == "stratified" else "", size) for n, (stratum, size) in enumerate(parts)
    ]
    found = draw(units, Sampling("segment", method, share), seed)
    full = [unit for unit in units if unit.size]
    drawn = [unit for unit in full if found[unit.name]]
    least = len({unit.stratum for unit in full})
    wanted = int(share * len(full) + 0.5)
    assert set(found) == set(range(len(units)))
    assert max(wanted, min(least, 1)) <= len(drawn) <= max(wanted, least) + least
    assert all(found[unit.name] >= 1 for unit in drawn)
    if method != "size" and wanted >= least:
        assert sum(found[unit.name] for unit in drawn) == pytest.approx(len(full))
    assert found == draw(units[::-1], Sampling("segment", method, share), seed)


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10_000), min_size=1), st.integers(0, 500))
def test_each_share_is_within_one_task(counts, size):
    total = sum(counts.values())
    given_out = shares(counts, size)
    size = min(size, total)
    assert sum(given_out.values()) == size
    assert all(abs(given_out[n] - size * counts[n] / max(total, 1)) < 1 for n in counts)
    assert all(0 <= given_out[n] <= counts[n] for n in counts)


@given(SEGMENTS, st.integers(1, 12), st.integers(0, 99), st.sampled_from(["abc", "aaaaab", "aaabbcdef"]))
def test_packing_keeps_the_places_announced_and_every_share(segments, capacity, seed, strata):
    capacity = min(capacity, len(segments))
    slots = [
        Slot(
            chance.number(seed, n, o),
            0,
            n,
            strata[chance.number(seed, "s", n, o) % len(strata)],
            chance.number(seed, "p", n, o),
        )
        for n, count in enumerate(segments)
        for o in range(count)
    ]
    needed = places_needed(segments, capacity)
    sizes = []
    while slots:
        left = places_needed(Counter(slot.passage for slot in slots).values(), capacity)
        size = -(-len(slots) // left)
        counts = Counter(slot.stratum for slot in slots)
        taken = pack(slots, counts, size, left)
        assert len({slot.passage for slot in taken}) == len(taken) == size <= capacity
        given_out = Counter(slot.stratum for slot in taken)
        assert all(abs(given_out[name] - size * counts[name] / len(slots)) < 1 for name in counts)
        sizes.append(size)
        slots = [slot for slot in slots if slot not in taken]
    assert len(sizes) == needed
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(0, 2**63 - 1), st.lists(st.integers(), unique=True, max_size=20))
def test_shuffling_keeps_every_item_and_repeats_itself(seed, items):
    assert sorted(chance.shuffled(items, seed, "x")) == sorted(items)
    assert chance.shuffled(items, seed, "x") == chance.shuffled(items, seed, "x")


@given(SEGMENTS, st.integers(1, 12), st.integers(0, 99))
def test_a_worker_who_has_seen_much_still_gets_different_segments(segments, size, seed):
    slots = [
        Slot(n * 9 + o, 0, n, "s", chance.number(seed, n, o))
        for n, c in enumerate(segments)
        for o in range(c)
    ]
    free = [slot for slot in slots if slot.passage % 3]
    taken = pack(free, {"s": size}, size, places_needed(segments, size))
    assert (
        len({slot.passage for slot in taken}) == len(taken) == min(size, len({slot.passage for slot in free}))
    )
