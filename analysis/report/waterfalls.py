"""From exact precision to posthoc precision, by class and outcome: the steps, and bars by dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.report import style
from analysis.report.drawing import Sketch
from analysis.report.numbers import Numbers, Row
from analysis.report.pieces import WIDTH, Rows, few_ticks, label_part, panels, share_axis
from analysis.report.words import dataset_name, number, signed
from analysis.waterfall import END, GAINED, JUDGED, LOST, START, WEAK

_NOTHING: Final = 5e-5
_ROW: Final = 0.185
_LABELLED: Final = 0.42
_CLASSES: Final = ("B", "C", "D", "E0", "E1", "other")
_LOST: Final = "exact, not verified"


def waterfall(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """The steps of each model over everything."""
    found = {
        source: steps for source in numbers.models if (steps := _steps(numbers, numbers.overall, source))
    }
    if not found:
        return None
    names = names_of(list(found.values()))
    ends = {
        source: [float(step["reached"]) for step in steps if step["reached"] is not None]
        for source, steps in found.items()
    }
    # One inch is the same change in every panel; where the scale begins differs.
    room = max(0.02, *(max(reached) - min(reached) for reached in ends.values()))
    made = panels(width, [0.62 + _ROW * len(names)] * len(found), across=min(3, len(found)), share=True)
    for place, (axes, (source, steps)) in enumerate(zip(made.axes, found.items(), strict=True)):
        _draw(axes, steps, names)
        axes.set_title(style.label(source))
        low = min(ends[source])
        axes.set_xlim(low - 0.12 * room, low + (1.55 if made.columns > 1 else 1.3) * room)
        few_ticks(axes, 4)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0, labelleft=place % made.columns == 0)
    made.figure.supxlabel("precision (scales do not begin at 0)", size="medium")
    said = [f"{source}: {_told(steps)}" for source, steps in found.items()]
    return Sketch(
        made.figure,
        "waterfall",
        "From exact precision to posthoc precision",
        "Top: the share of a model's links that are exactly in the ground truth. Then what people took "
        "away (exact "
        "links that they edited or removed) and what they added (links that are not exact and that they "
        "verified), by "
        "how these stand to the ground truth (B to E1 as below). Bottom: what people verified in all.",
        f"Steps of precision over {dataset_name(numbers.overall)}. {'; '.join(said)}.",
    )


def _steps(numbers: Numbers, group: str, source: str) -> list[Row]:
    """The rows of waterfall.csv, in order; none where some precision is undefined."""
    rows = numbers.records("waterfall", dataset=group, source=source)
    return rows if rows and rows[-1]["step"] == END else []


def name_of(row: Row) -> str:
    """What a step is called in a figure or a table."""
    step, letter, outcome = row["step"], row["letter"], row["outcome"]
    if step == LOST:
        return f"exact, {outcome}"
    if step == GAINED:
        return f"{letter}, verified" if letter != "none" else "other, verified"
    return str(step)


def names_of(found: Sequence[Sequence[Row]]) -> list[str]:
    """Names of the steps that move something in some model, in order."""
    moving: dict[str, bool] = {}
    for steps in found:
        for row in steps:
            moves = row["change"] is None or abs(row["change"]) > _NOTHING
            moving[name_of(row)] = moving.get(name_of(row), False) or moves
    names = [name for name, moves in moving.items() if moves]
    # The end stands last, whatever model has a step that the first one lacks.
    return [*(name for name in names if name != END), END]


def _draw(axes: Axes, steps: Sequence[Row], names: Sequence[str]) -> None:
    level = 0.0
    for row in steps:
        if (name := name_of(row)) not in names:
            continue
        height, reached = names.index(name), float(row["reached"])
        if row["step"] in (START, END):
            face = style.PAPER if row["step"] == START else style.INK
            axes.plot(reached, height, "D", color=style.INK, mfc=face, mew=1.1, ms=5, zorder=3)
            _say(axes, reached, height, number(reached), bold=True)
        else:
            fill, _, hatch = style.PARTS[_part(row)]
            look: dict[str, Any] = {"color": fill, "hatch": hatch, "edgecolor": style.PAPER, "lw": 0.4}
            axes.barh(height, reached - level, 0.66, level, **look)
            if abs(row["change"]) > _NOTHING:
                _say(axes, max(level, reached), height, signed(row["change"]))
        if height < len(names) - 1:
            axes.plot([reached, reached], [height, height + 1], "-", color=style.MUTED, lw=0.5, zorder=0)
        level = reached
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), list(names))


def _part(row: Row) -> str:
    """The part of `style.PARTS` that a step looks like."""
    if row["step"] == LOST:
        return str(row["outcome"])
    if row["step"] == GAINED and row["letter"] in _CLASSES:
        return str(row["letter"])
    return "unjudged" if row["step"] == JUDGED else "other"


def _say(axes: Axes, at: float, height: float, text: str, *, bold: bool = False) -> None:
    weight = "bold" if bold else "normal"
    away = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "ha": "left", "size": 7}
    axes.annotate(text, (at, height), fontweight=weight, **away)  # type: ignore[arg-type]  # a dict of mixed values


def _told(steps: Sequence[Row]) -> str:
    parts = []
    for row in steps:
        if row["step"] in (START, END):
            parts.append(f"{row['step']} {number(row['reached'])}")
        elif abs(row["change"]) > _NOTHING:
            parts.append(f"{name_of(row)} {signed(row['change'])}")
    return ", ".join(parts)


@dataclass(frozen=True)
class _Bar:
    """One model on one dataset: what posthoc precision is made of, and what exact precision lost."""

    exact: float
    kept: float
    lost: float
    gained: tuple[float, ...]
    posthoc: float


def waterfall_by_dataset(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """What posthoc precision is made of, a bar a dataset and model."""
    found = {
        (group, source): _bar(steps)
        for group in numbers.groups
        for source in numbers.models
        if (steps := _steps(numbers, group, source))
    }
    if len({group for group, _ in found}) < 2:  # noqa: PLR2004 - one dataset stands in the other figure
        return None
    rows = Rows.of(list(found))
    above = 0.55 if style.is_narrow(width) else 0.4
    figure = style.new_figure(width, rows.inches + above)
    axes = figure.subplots()
    used = [any(bar.gained[place] > _NOTHING for bar in found.values()) for place in range(len(_CLASSES))]
    for place, bar in found.items():
        _one_bar(axes, bar, rows.places[place], width)
    rows.dress(axes)
    share_axis(axes, "share of the judged links of the model", 0.0)
    figure.legend(handles=_legend(used), loc="outside upper left", ncols=3 if style.is_narrow(width) else 5)
    said = [
        f"{source} on {dataset_name(group)}: exact {number(bar.exact)}, exact and verified "
        f"{number(bar.kept)}, "
        + ", ".join(
            f"{name} {number(share)}"
            for name, share in zip(_CLASSES, bar.gained, strict=True)
            if share > _NOTHING
        )
        + f", posthoc {number(bar.posthoc)}"
        for (group, source), bar in found.items()
    ]
    return Sketch(
        figure,
        "waterfall_by_dataset",
        "What posthoc precision is made of, by dataset",
        "Each bar ends at posthoc precision. A: exactly in the ground truth, and verified; B to E1: not "
        "exactly in it, "
        "and verified. The thin bar above: exact links that people did not verify. Hollow mark: exact "
        "precision of all "
        "links.",
        f"Parts of posthoc precision. {'; '.join(said)}.",
    )


def _bar(steps: Sequence[Row]) -> _Bar:
    judged = next(float(row["reached"]) for row in steps if row["step"] == JUDGED)
    lost = -sum(float(row["change"]) for row in steps if row["step"] == LOST)
    gained = dict.fromkeys(_CLASSES, 0.0)
    for row in steps:
        if row["step"] in (GAINED, WEAK):
            gained[row["letter"] if row["letter"] in _CLASSES else "other"] += float(row["change"])
    return _Bar(
        float(steps[0]["reached"]), judged - lost, lost, tuple(gained.values()), float(steps[-1]["reached"])
    )


def _one_bar(axes: Axes, bar: _Bar, height: float, width: float) -> None:
    start = 0.0
    for part, extent in zip(("A", *_CLASSES), (bar.kept, *bar.gained), strict=True):
        fill, _, hatch = style.PARTS[part]
        look: dict[str, Any] = {"color": fill, "hatch": hatch, "edgecolor": style.PAPER, "lw": 0.4}
        axes.barh(height + 0.12, extent, 0.6, start, **look)
        if extent * width >= _LABELLED:
            label_part(axes, part, start, extent, height + 0.12)
        start += extent
    axes.barh(height - 0.32, bar.lost, 0.16, bar.kept, color=style.PARTS["removed"][0], lw=0)
    axes.plot(bar.exact, height - 0.32, "D", color=style.INK, mfc=style.PAPER, mew=1.0, ms=3.6, zorder=4)


def _legend(used: Sequence[bool]) -> list[Any]:
    parts = ["A", *(name for name, is_used in zip(_CLASSES, used, strict=True) if is_used)]
    handles: list[Any] = [
        Patch(facecolor=style.PARTS[part][0], hatch=style.PARTS[part][2], edgecolor=style.PAPER, label=part)
        for part in parts
    ]
    handles.append(Patch(facecolor=style.PARTS["removed"][0], label=_LOST))
    hollow: dict[str, Any] = {"mfc": style.PAPER, "marker": "D", "ls": "none", "ms": 4}
    handles.append(Line2D([], [], color=style.INK, label="exact precision", **hollow))
    return handles
