"""The JSON that pages get: what a worker sees, in the browser's units, and nothing that tells more."""

from __future__ import annotations

from typing import Any

from verifier.kb.local import Candidate
from verifier.kb.names import address_of, title_of
from verifier.store.models import CardRow, JudgmentRow
from verifier.store.work import Saved, TaskProgress, TaskView


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


def task(view: TaskView, titles: dict[str, str]) -> dict[str, Any]:
    """A task: its text and displays. `titles` names the entities of edits."""
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
                "card": card(shown.key, shown.card),
                "judgment": judgment(shown.judgment, titles),
            }
            for shown in view.displays
        ],
    }


def card(key: str, row: CardRow | None) -> dict[str, Any]:
    """What is shown about an entity; from its key alone where nothing else is known."""
    return {
        "key": key,
        "title": (row.title if row else None) or title_of(key),
        "description": row.description if row else None,
        "extract": row.extract if row else None,
        "url": (row.url if row else None) or address_of(key),
        "image": row.image if row else None,
    }


def judgment(row: JudgmentRow | None, titles: dict[str, str]) -> dict[str, Any] | None:
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


def saved(items: list[Saved], titles: dict[str, str]) -> list[dict[str, Any]]:
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


def progress(tasks: list[TaskProgress]) -> list[dict[str, int]]:
    """How far each task is."""
    return [{"task": t.task, "displays": t.displays, "decided": t.decided} for t in tasks]


def candidates(found: list[Candidate]) -> list[dict[str, Any]]:
    """Answers of a search."""
    return [{"key": c.key, "title": c.title, "description": c.description} for c in found]
