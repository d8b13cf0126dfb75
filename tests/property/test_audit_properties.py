"""Whatever offsets a file gives: what the audit puts right has its mention there, and is never a guess."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from analysis.documents import Span
from analysis.keys import Entity
from tests.support.examples import examples
from verifier.corpus.audit import EXACT, NOT_FOUND, SEVERAL, Draft, examine

LINK = Entity("link", "wd:Q1", "Q1")
TEXT = st.lists(st.sampled_from([*"ab &<\n", "\r\n", "🙂", "é", "&amp;", "ab"]), max_size=12).map("".join)
WORDS = ["Ann", "Bob", "Zoë", "São Paulo"]
QUICK = examples(150)


def plain(text: str) -> str:
    return html.unescape(text).replace("\r\n", "\n")


@given(TEXT, st.lists(st.tuples(st.integers(-3, 20), st.integers(-3, 20), TEXT), max_size=4))
@QUICK
def test_a_span_has_its_mention_or_there_is_none(text, given_):
    found = examine(text, [Draft(start, end, mention, LINK) for start, end, mention in given_])
    for (start, end, mention), finding in zip(given_, found, strict=True):
        assert finding.span is None or Span(0, 0) <= finding.span
        if finding.kind == EXACT:
            assert (finding.span, text[start:end]) == ((start, end), mention)
        elif finding.span and mention:
            assert plain(text[slice(*finding.span)]) == plain(mention)
        assert (finding.kind in (NOT_FOUND, SEVERAL)) <= (finding.span is None)


def counted(text: str, width) -> list[int]:
    """Where each code point begins in another unit, and where the text ends."""
    places = [0]
    for character in text:
        places.append(places[-1] + width(character))
    return places


@given(
    st.lists(st.sampled_from(["🙂", "é", "x, ", "y. "]), min_size=1, max_size=6),
    st.permutations(WORDS),
    st.sampled_from(["UTF-16 units", "UTF-8 bytes", "shift"]),
    st.integers(1, 3),
)
@QUICK
def test_one_way_of_counting_is_found_out_for_the_whole_document(start, words, unit, shift):
    """Each mention stands once, so there is one answer, and it is the right one."""
    text = "".join(start) + "🙂é" + " met ".join(words) + "."
    width = {"UTF-16 units": lambda c: 1 + (c > "\uffff"), "UTF-8 bytes": lambda c: len(c.encode())}.get(unit)
    places = counted(text, width) if width else [place + shift for place in range(len(text) + 1)]
    right = [Span(text.index(word), text.index(word) + len(word)) for word in words]
    drafts = [Draft(places[s], places[e], word, LINK) for (s, e), word in zip(right, words, strict=True)]
    found = examine(text, drafts)
    assert [finding.span for finding in found] == right
    # One emoji before all mentions is a shift by one and UTF-16 units alike: the spans are the same.
    assert unit == "shift" or {finding.kind for finding in found} == {unit}
