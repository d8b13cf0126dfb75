"""Splitting loses nothing, shares are exact, packing leaves no place nearly empty: for any corpus."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from analysis.documents import Span
from verifier.plan import chance
from verifier.plan.choice import pack, places_needed, shares
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


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10_000), min_size=1), st.integers(0, 500))
def test_each_share_is_within_one_task(counts, size):
    total = sum(counts.values())
    given_out = shares(counts, size)
    size = min(size, total)
    assert sum(given_out.values()) == size
    assert all(abs(given_out[n] - size * counts[n] / max(total, 1)) < 1 for n in counts)
    assert all(0 <= given_out[n] <= counts[n] for n in counts)


@given(SEGMENTS, st.integers(1, 12), st.integers(0, 99))
def test_packing_needs_exactly_the_places_announced_and_spreads_them_evenly(segments, capacity, seed):
    capacity = min(capacity, len(segments))
    strata = "abc"
    slots = [
        Slot(chance.number(seed, n, o), 0, n, strata[o % 3], chance.number(seed, "p", n, o))
        for n, count in enumerate(segments)
        for o in range(count)
    ]
    needed = places_needed(segments, capacity)
    sizes = []
    while slots:
        left = places_needed(Counter(slot.segment for slot in slots).values(), capacity)
        size = -(-len(slots) // left)
        taken = pack(slots, shares(Counter(slot.stratum for slot in slots), size), size, left)
        assert len({slot.segment for slot in taken}) == len(taken) == size <= capacity
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
    free = [slot for slot in slots if slot.segment % 3]
    taken = pack(free, {"s": size}, size, places_needed(segments, size))
    assert (
        len({slot.segment for slot in taken}) == len(taken) == min(size, len({slot.segment for slot in free}))
    )
