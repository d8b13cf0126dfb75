"""Lists a study's controls for the researcher to look through, in the form in which controls can be given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from analysis.errors import StateError
from verifier import targets
from verifier.store import plans
from verifier.study import Study


def write_controls(study: Study, target: Path) -> int:
    """Write every control as a line of posthoc JSONL with `expected`, whole or not at all; says how many.

    Beside what `controls.file` reads, each line has the part of the text that is shown and each annotation
    its mention and the entity's title.

    Raises:
        StateError: there are no controls.
        InputError: the file exists: it may be one that was looked through and changed.
    """
    with study.read() as session:
        displays = plans.control_displays(session)
    if not displays:
        raise StateError("there are no controls", remedy="Set place.controls, and run: posthoc plan STUDY")
    lines = [_line(list(group)) for _, group in groupby(displays, key=lambda display: display.task)]
    with targets.new_file(target) as file:
        file.writelines(lines)
    return len(lines)


def _line(displays: Sequence[plans.ControlDisplay]) -> str:
    first = displays[0]
    row = {
        "id": first.document,
        "dataset": first.dataset,
        "shown": first.text[first.segment.start : first.segment.end],
        "annotations": [_annotation(display) for display in displays],
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _annotation(display: plans.ControlDisplay) -> dict[str, Any]:
    row: dict[str, Any] = {
        "start": display.start,
        "end": display.end,
        "mention": display.text[display.start : display.end],
        "entity": display.key,
        "title": display.title,
        "expected": display.expected,
    }
    answer = {"acceptable": display.acceptable, "difficulty": display.difficulty, "use": display.use}
    return row | {name: value for name, value in answer.items() if value}
