"""The offset audit: whether each mention stands at its span and, if not, what the file counted instead.

A document is looked at as a whole first: another unit, or one shift of all spans, counts if it explains more
of them than taking them as they are. What is left is looked at one by one. A span has a repair only where all
explanations agree on one place; the first place of a mention near by is never taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from analysis.documents import Annotation, Label, Span
from analysis.errors import Problem
from analysis.keys import Entity
from verifier.corpus.rows import BadRowError, Rows, shown
from verifier.corpus.units import UNITS, Unit

EXACT: Final = "exact"
UNCHECKED: Final = "no mention to check"
LENGTH: Final = "wrong length"
NOT_FOUND: Final = "not found"
SEVERAL: Final = "several places"

# A mention that stands oftener than this says nothing about a shift.
_MANY = 200
# One span that a shift explains is what any shift does.
_VOTES = 2


class Draft(NamedTuple):
    """An annotation as a file gives it, before anyone has looked at its span.

    Attributes:
        start, end: as given; whole numbers, not yet known to lie in the text.
        mention: the text that the file says stands there; None if it says nothing.
        entity, confidence, line: as in `Annotation`.
        ordinal: which annotation of its row it is, 1-based, for messages; 0 if it has a row of its own.
        label: as in `Annotation`.
        lines: where its span and its mention stand, if that is not in `line`.
    """

    start: int
    end: int
    mention: str | None
    entity: Entity
    confidence: float | None = None
    line: int = 0
    ordinal: int = 0
    label: Label | None = None
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What the audit says of one span: its kind, and where it lies; None if that has no one answer."""

    kind: str
    span: Span | None


def settle(
    name: str, text: str, drafts: Sequence[Draft], rows: Rows, text_line: int = 0
) -> tuple[Annotation, ...]:
    """The annotations of a document whose spans are right, or were put right where that was asked for.

    Args:
        name: of the document.
        text: of the document.
        drafts: its annotations as given.
        rows: where the audit, the repairs and the bad rows are put down.
        text_line: where the text stands, if that is in the file.
    """
    findings = examine(text, drafts)
    made = []
    for draft, finding in zip(drafts, findings, strict=True):
        right = finding.kind in (EXACT, UNCHECKED)
        if finding.span and (right or rows.repair):
            made.append(Annotation(finding.span, draft.entity, draft.confidence, draft.line, draft.label))
        if finding.span and not right and rows.repair:
            rows.repaired.append(_repair(draft, finding, rows, text))
        elif not (finding.span and right):
            rows.bad(draft.line, _fault(draft, finding, text, text_line))
    rows.audit[name] = rows.audit.get(name, Counter()) + Counter(finding.kind for finding in findings)
    return tuple(made)


def examine(text: str, drafts: Sequence[Draft]) -> list[Finding]:
    """What is to be said of each span of a document, in order."""
    given = [_as_given(text, draft) for draft in drafts]
    wrong = [place for place, finding in enumerate(given) if finding is None]
    if not wrong:
        return [finding for finding in given if finding]
    checked = {place: draft for place, draft in enumerate(drafts) if draft.mention}
    plain = {place: finding.span for place, finding in enumerate(given) if finding and finding.span}
    maps = [(unit, unit.places(text)) for unit in UNITS]
    occurrences = {place: _occurrences(text, drafts[place].mention or "") for place in wrong}
    whole = _whole(text, checked, plain, maps, _shifts(checked, occurrences))
    found = dict(enumerate(given)) | whole
    possible = [pair for pair in maps if _fits(text, checked, found, *pair)]
    for place in wrong:
        if found[place] is None:
            found[place] = _alone(text, drafts[place], possible, occurrences[place])
    _by_neighbours(drafts, found, occurrences)
    return [found[place] or Finding(NOT_FOUND, None) for place in range(len(drafts))]


def _as_given(text: str, draft: Draft) -> Finding | None:
    """The finding where the span can be taken as it is; None if it must be looked into."""
    inside = 0 <= draft.start < draft.end <= len(text)
    if draft.mention is None:
        return Finding(UNCHECKED, Span(draft.start, draft.end) if inside else None)
    if inside and text[draft.start : draft.end] == draft.mention:
        return Finding(EXACT, Span(draft.start, draft.end))
    return None


def _whole(
    text: str,
    checked: Mapping[int, Draft],
    plain: Mapping[int, Span],
    maps: Sequence[tuple[Unit, Mapping[int, int]]],
    shifts: Sequence[int],
) -> dict[int, Finding | None]:
    """What the one explanation of the document that beats all others, and taking it as it is, says."""
    explained: list[tuple[str, dict[int, Span]]] = []
    for unit, places in maps:
        pairs = ((place, _in_unit(text, draft, unit, places)) for place, draft in checked.items())
        explained.append((unit.name, {place: span for place, span in pairs if span}))
    for shift in shifts:
        pairs = ((place, _moved(text, draft, shift)) for place, draft in checked.items())
        spans = {place: span for place, span in pairs if span}
        # A unit is a reason; a mere number must move every mention that the text has.
        if all(place in spans or not text.count(draft.mention or "") for place, draft in checked.items()):
            explained.append((_shifted(shift), spans))
    most = max(len(spans) for _, spans in explained)
    best = [(kind, spans) for kind, spans in explained if len(spans) == most]
    exact = sum(1 for place in checked if place in plain)
    if most <= exact or most < _VOTES or any(spans != best[0][1] for _, spans in best):
        return {}
    kind, spans = best[0]
    return {
        place: Finding(EXACT if plain.get(place) == span else kind, span) for place, span in spans.items()
    }


def _shifts(checked: Mapping[int, Draft], occurrences: Mapping[int, Sequence[int]]) -> list[int]:
    """The shift that would explain most of the spans that are wrong, if it is one and has several votes."""
    votes = Counter(
        start - checked[place].start
        for place, starts in occurrences.items()
        if len(starts) <= _MANY
        for start in starts
    )
    most = max(votes.values(), default=0)
    best = [shift for shift, count in votes.items() if count == most >= _VOTES]
    return best if len(best) == 1 and best[0] else []


def _in_unit(text: str, draft: Draft, unit: Unit, places: Mapping[int, int]) -> Span | None:
    start, end = places.get(draft.start), places.get(draft.end)
    if start is None or end is None or start >= end:
        return None
    return Span(start, end) if unit.same(draft.mention or "", text[start:end]) else None


def _fits(
    text: str,
    checked: Mapping[int, Draft],
    found: Mapping[int, Finding | None],
    unit: Unit,
    places: Mapping[int, int],
) -> bool:
    """Whether a unit says the same as what is known of the document's other spans."""
    return all(
        finding is None or _in_unit(text, draft, unit, places) == finding.span
        for finding, draft in ((found[place], draft) for place, draft in checked.items())
    )


def _moved(text: str, draft: Draft, shift: int) -> Span | None:
    start, mention = draft.start + shift, draft.mention or ""
    if start < 0 or not text.startswith(mention, start):
        return None
    return Span(start, start + len(mention))


def _alone(
    text: str, draft: Draft, maps: Sequence[tuple[Unit, Mapping[int, int]]], starts: Sequence[int]
) -> Finding:
    """What can be said of one span by itself."""
    mention = draft.mention or ""
    if not mention:
        return Finding(NOT_FOUND, None)
    answers: dict[Span, str] = {}
    for unit, places in maps:
        if span := _in_unit(text, draft, unit, places):
            answers.setdefault(span, unit.name)
    for start in {draft.start, draft.end - len(mention)}:
        if start >= 0 and text.startswith(mention, start):
            answers.setdefault(Span(start, start + len(mention)), LENGTH)
    if len(answers) == 1:
        ((span, kind),) = answers.items()
        return Finding(kind, span)
    if answers:
        return Finding(SEVERAL, None)
    if not starts:
        return Finding(NOT_FOUND, None)
    if len(starts) > 1 or _in_a_word(text, starts[0], starts[0] + len(mention)):
        return Finding(SEVERAL if len(starts) > 1 else NOT_FOUND, None)
    return Finding(_shifted(starts[0] - draft.start), Span(starts[0], starts[0] + len(mention)))


def _by_neighbours(
    drafts: Sequence[Draft],
    found: dict[int, Finding | None],
    occurrences: Mapping[int, Sequence[int]],
) -> None:
    """Give a mention with several places the shift of its neighbours, if both have the same."""
    known = sorted(
        (drafts[place].start, place) for place, finding in found.items() if finding and finding.span
    )
    for place, finding in list(found.items()):
        if finding is None or finding.kind != SEVERAL:
            continue
        draft = drafts[place]
        after = bisect_left(known, (draft.start, -1))
        around = [known[i][1] for i in (after - 1, after) if 0 <= i < len(known)]
        shifts = {_shift(drafts[other], found[other]) for other in around}
        if len(around) < 2 or len(shifts) != 1:  # noqa: PLR2004 - one on each side
            continue
        start = draft.start + shifts.pop()
        if start != draft.start and start in occurrences[place]:
            span = Span(start, start + len(draft.mention or ""))
            found[place] = Finding(_shifted(start - draft.start), span)


def _shift(draft: Draft, finding: Finding | None) -> int:
    return finding.span.start - draft.start if finding and finding.span else 0


def _occurrences(text: str, mention: str) -> list[int]:
    """Where a mention stands in the text; a few more than `_MANY` are enough."""

    def starts() -> Iterator[int]:
        place = text.find(mention)
        while place >= 0:
            yield place
            place = text.find(mention, place + 1)

    return list(islice(starts(), _MANY + 1)) if mention else []


def _in_a_word(text: str, start: int, end: int) -> bool:
    """Whether the span cuts a word of a script that writes spaces between words."""

    def joined(first: str, second: str) -> bool:
        return all(letter.isdigit() or letter.lower() != letter.upper() for letter in (first, second))

    before = start > 0 and joined(text[start - 1], text[start])
    return before or (end < len(text) and joined(text[end - 1], text[end]))


def _shifted(shift: int) -> str:
    return f"shifted by {shift:+d}"


def _repair(draft: Draft, finding: Finding, rows: Rows, text: str) -> Problem:
    span = finding.span or Span(0, 0)
    return Problem(
        f"{_numbered(draft)}span put right: {finding.kind}",
        f"{rows.path}:{draft.line}",
        f"{shown(draft.mention)} for {draft.start} to {draft.end}",
        f"{shown(text[slice(*span)])} at {span.start} to {span.end}",
    )


def _fault(draft: Draft, finding: Finding, text: str, text_line: int) -> BadRowError:
    """Why a span is refused, and what to do."""
    head = _numbered(draft)
    if finding.kind == UNCHECKED:
        return BadRowError(
            f"{head}span outside the text"
            if draft.start < draft.end
            else f"{head}span is empty or backwards",
            got=f"{draft.start} to {draft.end}",
            expected=f"0 <= start < end <= {len(text)}, in code points",
            remedy="Offsets count Unicode code points: no bytes, no UTF-16 units." + _see(draft, text_line),
        )
    if finding.span:
        where = f"It stands at {finding.span.start} to {finding.span.end}"
        remedy = f"{where} ({finding.kind}): --repair takes that."
    elif finding.kind == SEVERAL:
        remedy = "It stands in several places, none of them more likely: mend the offsets in the file."
    else:
        remedy = (
            "It stands nowhere in the text: mend the file, or check that this is the text it was made on."
        )
    inside = 0 <= draft.start < draft.end <= len(text)
    return BadRowError(
        f"{head}the mention is not the text at its span",
        got=f"{shown(draft.mention)} for {draft.start} to {draft.end}",
        expected=shown(text[draft.start : draft.end])
        if inside
        else f"a span with 0 <= start < end <= {len(text)}",
        remedy=remedy + _see(draft, text_line),
    )


def _see(draft: Draft, text_line: int) -> str:
    """Where else than in the line of the annotation the fault may be."""
    first, last = min(draft.lines, default=draft.line), max(draft.lines, default=draft.line)
    told = f" Look at lines {min(first, draft.line)} to {last}." if last > draft.line else ""
    return f"{told} The text is in line {text_line}." if text_line not in (0, draft.line) else told


def _numbered(draft: Draft) -> str:
    return f"annotation {draft.ordinal}: " if draft.ordinal else ""
