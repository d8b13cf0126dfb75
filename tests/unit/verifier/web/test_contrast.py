"""Colours of the pages can be told from what they stand on, in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
STATIC = ROOT / "verifier" / "web" / "static"
TEXT, OTHER = 4.5, 3.0
WORKER = {
    "ink": ("paper", "sheet", "good-paper", "under"),
    "soft": ("paper", "sheet", "under"),
    "accent": ("paper", "sheet"),
    "on-accent": ("accent",),
    "fill-ink": ("fill",),
    "warn": ("warn-paper",),
}
LINES = {
    "edge": ("paper", "sheet"),
    "line": ("sheet", "fill"),
    **dict.fromkeys(("line-1", "line-2", "line-3"), ("sheet",)),
    "fill-edge": ("paper", "sheet", "fill"),
    "accent": ("warn-paper",),
}
RESEARCHER = {
    "ink": ("paper", "sheet", "mark", "mark-deep", "under"),
    "soft": ("paper", "sheet", "under"),
    "accent": ("paper", "sheet"),
    "sheet": ("accent",),
    "notice-ink": ("notice",),
}
CRITERIA = """
1.1.1 1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.3.1 1.3.2 1.3.3 1.3.4 1.3.5 1.4.1 1.4.2 1.4.3 1.4.4 1.4.5 1.4.10
1.4.11 1.4.12 1.4.13 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.4.11
2.5.1 2.5.2 2.5.3 2.5.4 2.5.7 2.5.8 3.1.1 3.1.2 3.2.1 3.2.2 3.2.3 3.2.4 3.2.6 3.3.1 3.3.2 3.3.3 3.3.4
3.3.7 3.3.8 4.1.2 4.1.3
"""


def schemes(name: str) -> list[dict[str, str]]:
    """The colours of a style sheet by name: light, then dark."""
    roots = re.findall(r":root \{(.*?)\}", (STATIC / name).read_text(encoding="utf-8"), re.DOTALL)[:2]
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", root)) for root in roots)
    return [light, light | dark]


def contrast(one: str, other: str) -> float:
    """As WCAG defines it, from 1 to 21."""
    upper, lower = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (upper + 0.05) / (lower + 0.05)


def _luminance(colour: str) -> float:
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("sheet", "pairs", "least"),
    [("page.css", WORKER, TEXT), ("page.css", LINES, OTHER), ("admin/admin.css", RESEARCHER, TEXT)],
)
def test_colours_can_be_told_from_what_they_stand_on(
    sheet: str, pairs: dict[str, tuple[str, ...]], least: float
) -> None:
    pale = [
        (shade, one, other)
        for shade, colours in zip(("light", "dark"), schemes(sheet), strict=True)
        for one, others in pairs.items()
        for other in others
        if contrast(colours[one], colours[other]) < least
    ]
    assert pale == []


def test_contrast_is_that_of_the_definition() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_every_criterion_has_its_verdict() -> None:
    """The 55 of WCAG 2.2 on levels A and AA, each once."""
    told = (ROOT / "docs" / "explanation" / "accessibility.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d[\d., ]*?) [a-z][^|]*\| (?:met|n/a)", told, re.MULTILINE)
    assert sorted(one for row in rows for one in row.split(", ")) == sorted(CRITERIA.split())
    assert len(CRITERIA.split()) == 55
