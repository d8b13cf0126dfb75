"""Every figure there is: drawn for the output folder, or one of them for whoever wants to change it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from analysis.errors import InputError, plain
from analysis.folder import read_manifest
from analysis.report import campaign_figures, differences, figures, style, waterfalls
from analysis.report.drawing import Drawing, Sketch
from analysis.report.numbers import Numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.results import Results

FIGURES: Final[tuple[Callable[[Numbers, float], Sketch | None], ...]] = (
    figures.verification_rate,
    figures.outcome_shares,
    waterfalls.waterfall,
    waterfalls.waterfall_by_dataset,
    figures.before_and_after,
    differences.differences,
    figures.coverage,
    figures.i_of_n,
    campaign_figures.reliability,
    campaign_figures.times,
    campaign_figures.controls,
    campaign_figures.spending,
)
# Names of the figures, in the same order.
NAMES: Final = tuple(figure.__name__ for figure in FIGURES)
# Frames that figures and tables are made from, beside metrics and agreement; each is NAME.csv of the output.
FRAMES: Final = (
    "waterfall",
    "comparisons",
    "reliability",
    "workers",
    "times",
    "controls",
    "spending",
    "sensitivity",
)
# Columns of these frames that hold words, though they may look like numbers.
_WORDS: Final = (
    *(
        "policy",
        "dataset",
        "source",
        "other",
        "metric",
        "kind",
        "step",
        "letter",
        "outcome",
        "meaning",
        "bin",
    ),
    *(
        "worker",
        "reasons",
        "decision",
        "expected",
        "difficulty",
        "currency",
        "coefficient",
        "method",
        "target",
    ),
    *("reason", "warning", "verdict", "setting", "what"),
)


def draw(numbers: Numbers, *, pdf: bool = False) -> list[Drawing]:
    """Every figure that the numbers allow, in order; with PDF at the width of two columns and of one."""
    with style.style():
        drawn = [
            sketch.write(pdf=pdf) for figure in FIGURES if (sketch := figure(numbers, style.TWO_COLUMNS))
        ]
    if not pdf:
        return drawn
    with style.style(style.ONE_COLUMN):
        narrow = {
            sketch.name: sketch.print() for figure in FIGURES if (sketch := figure(numbers, style.ONE_COLUMN))
        }
    return [drawing.with_column(narrow[drawing.name]) for drawing in drawn]


def numbers_of(results: Results, policy: str) -> Numbers:
    """What the figures and sentences of one policy are made from."""
    frames = {name: getattr(results, name) for name in FRAMES}
    return Numbers.of(results.metrics, policy, results.study.ground_truth, results.agreement, frames)


def figure(
    results: Results | str | Path, name: str, *, policy: str | None = None, width: float = style.TWO_COLUMNS
) -> Figure:
    """One figure of the report as a matplotlib figure, to be changed and saved as one likes.

    Args:
        results: what was computed, or the output folder of `analyze`: its CSV files are enough.
        name: of the figure, as its file is called.
        policy: None: the first.
        width: inches; below 5.2 panels stand under one another.

    Raises:
        InputError: no such figure or policy, or these numbers do not allow it.
    """
    if name not in NAMES:
        raise InputError("no such figure", got=plain(name), expected=", ".join(NAMES))
    numbers = _read(Path(results), policy) if isinstance(results, str | Path) else _held(results, policy)
    with style.style(width):
        sketch = FIGURES[NAMES.index(name)](numbers, width)
    if sketch is None:
        raise InputError(
            "this figure has nothing to show", got=plain(name), expected="numbers it is drawn from"
        )
    return sketch.figure


def _held(results: Results, policy: str | None) -> Numbers:
    return numbers_of(results, _known(policy, [each.name for each in results.policies]))


def _known(policy: str | None, names: list[str]) -> str:
    if policy is None:
        return names[0]
    if policy not in names:
        raise InputError("no such policy in these results", got=plain(policy), expected=", ".join(names))
    return policy


def _read(folder: Path, policy: str | None) -> Numbers:
    """The frames of an output folder, as they were when they were written."""
    manifest = read_manifest(folder, "an output folder", "analyze")
    names = list(manifest.get("policies") or {})
    wanted = _known(policy, list(manifest.get("settings", {}).get("policies", names)) or names)
    frames = {name: _frame(folder / f"{name}.csv") for name in ("metrics", "agreement", *FRAMES)}
    metrics, agreement = frames.pop("metrics"), frames.pop("agreement")
    truth = manifest.get("ground_truth")
    return Numbers.of(metrics, wanted, truth if isinstance(truth, str) else None, agreement, frames)


def _frame(file: Path) -> pd.DataFrame:
    if not file.is_file():
        raise InputError("a file of the output is missing", where=str(file))
    words = dict.fromkeys(_WORDS, "str")
    return pd.read_csv(file, dtype=words, keep_default_na=False, na_values=[""])
