"""The README's marked blocks: files to write, commands to run, help that must be the program's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"<!-- test: (\w+) ?([^\n]*?) ?-->\n```\w*\n(.*?)\n```", re.DOTALL)


class Block(NamedTuple):
    """A marked block: what is done with it, with which name, and what it holds."""

    kind: str
    name: str
    content: str


def blocks() -> list[Block]:
    return [Block(*match.groups()) for match in BLOCK.finditer(README.read_text(encoding="utf-8"))]
