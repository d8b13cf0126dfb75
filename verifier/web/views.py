"""The JSON that pages get: what a worker sees, in the browser's units, and nothing that tells more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.kb.local import Candidate
from verifier.kb.names import address_of, title_of
from verifier.store.asides import Span
from verifier.store.judging import Saved
from verifier.store.work import Card, DisplayView, Standing, TaskProgress, TaskView
from verifier.web import images


class Utf16:
    """Turns offsets in code points into the UTF-16 units that browsers count."""

    def __init__(self, text: str) -> None:
        wide = 0xFFFF  # the end of plane 0
        self._wide = (
            [] if text.isascii() else [place for place, letter in enumerate(text) if ord(letter) > wide]
        )

    def __call__(self, offset: int) -> int:
        """The same place in UTF-16 units."""
        return offset + sum(place < offset for place in self._wide)

    def back(self, units: int) -> int:
        """The place in code points; what lies inside a letter counts as behind it."""
        return units - sum(place + n < units for n, place in enumerate(self._wide))


@dataclass(frozen=True)
class Said:
    """What a worker has said beside his judgments.

    Attributes:
        named: where links are hidden until the worker has named the entity: what he named, by display.
        comments: by display.
        missing: mentions that he misses in the text; offsets into the document.
        images: whether his cards show images; an option of the pages.
    """

    named: Mapping[int, str] | None
    comments: Mapping[int, str]
    missing: Sequence[Span]
    images: bool = True


def task(
    view: TaskView, displays: Sequence[DisplayView], said: Said, titles: Mapping[str, str]
) -> dict[str, Any]:
    """A task: its text and displays, in the order to go through them. `titles` names entities."""
    units = Utf16(view.text)
    return {
        "task": view.task,
        "text": view.text,
        "language": view.language,
        "displays": [
            {
                "display": shown.reference,
                "start": units(shown.start),
                "end": units(shown.end),
                "mention": view.text[shown.start : shown.end],
                **_link(shown, said, titles),
                "judgment": judgment(shown.judgment, titles),
                "comment": said.comments.get(shown.display, ""),
            }
            for shown in displays
        ],
        "missing": [_missing(span, view, units) for span in said.missing],
    }


def _link(shown: DisplayView, said: Said, titles: Mapping[str, str]) -> dict[str, Any]:
    """The card, unless it is hidden still, and what the worker named before he saw it."""
    made = card(shown.key, shown.card, with_images=said.images)
    if said.named is None:
        return {"card": made, "named": None}
    key = said.named.get(shown.display)
    if key is None:
        return {"card": None, "named": None}
    return {"card": made, "named": entity(key, titles)}


def entity(key: str, titles: Mapping[str, str]) -> dict[str, str]:
    """An entity by key and title."""
    return {"key": key, "title": titles.get(key, title_of(key))}


def _missing(span: Span, view: TaskView, units: Utf16) -> dict[str, Any]:
    """A mention that the worker misses; offsets into the task's text."""
    start, end = span[0] - view.offset, span[1] - view.offset
    return {"start": units(start), "end": units(end), "mention": view.text[start:end]}


def card(key: str, row: Card | None, *, with_images: bool = True) -> dict[str, Any]:
    """What is shown about an entity; from its key alone where nothing else is known."""
    pictured = row if with_images and row and row.image else None
    return {
        "key": key,
        "title": (row.title if row else None) or title_of(key),
        "description": row.description if row else None,
        "extract": row.extract if row else None,
        "url": (row.url if row else None) or address_of(key),
        "image": images.address(pictured.image) if pictured else None,
        "image_by": pictured.image_credit if pictured else None,
    }


def judgment(row: Standing | None, titles: Mapping[str, str]) -> dict[str, Any] | None:
    """The judgment that stands. An edit that came out as a verification is shown as one."""
    if row is None:
        return None
    return {
        "action": row.decision,
        "decision": row.decision,
        "key": row.key,
        "title": titles.get(row.key, title_of(row.key)) if row.key else None,
        "sequence": row.sequence,
    }


def saved(items: Sequence[Saved], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Judgments as stored."""
    return [
        {
            "sequence": item.sequence,
            "display": item.display,
            "decision": item.decision,
            "key": item.key,
            "title": titles.get(item.key, title_of(item.key)) if item.key else None,
        }
        for item in items
    ]


def progress(tasks: Sequence[TaskProgress]) -> list[dict[str, Any]]:
    """How far each task is, and how many of its displays are decided in which way."""
    return [
        {"task": t.task, "displays": t.displays, "decided": t.decided, "decisions": dict(t.decisions)}
        for t in tasks
    ]


def candidates(
    found: list[Candidate], *, with_images: bool = True, shown: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Answers of a search; `shown` are keys of the entity that the worker is shown already."""
    return [
        {
            "key": one.key,
            "title": one.title,
            "description": one.description,
            "shown": one.key in shown,
            "image": images.address(one.image) if with_images else None,
            "image_by": one.image_credit if with_images and one.image else None,
        }
        for one in found
    ]
