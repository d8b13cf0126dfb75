"""Figures of the campaign: time a judgment takes, controls, rates against money, confidence against truth."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.ticker import MaxNLocator

from analysis.report import style
from analysis.report.drawing import Sketch
from analysis.report.numbers import Numbers, Row
from analysis.report.pieces import WIDTH, Rows, dot, few_ticks, panels, share_axis
from analysis.report.words import count, dataset_name, number, percent, plural
from analysis.schema import ALL

_BINS: Final = 10


def reliability(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """What people verified of each bin of a source's confidence, a panel a source."""
    found = {source: rows for source in numbers.sources if (rows := _bins(numbers, source))}
    if not found:
        return None
    looks = style.series_style(numbers.sources, numbers.ground_truth)
    across = max(2, min(3, len(found)))
    made = panels(width, [2.2] * len(found), across=across)
    for axes, (source, rows) in zip(made.axes, found.items(), strict=True):
        colour, marker = looks[source]
        axes.plot([0, 1], [0, 1], ":", color=style.MUTED, lw=0.9)
        for row in rows:
            if row["low"] is not None and row["high"] is not None:
                axes.plot([row["confidence"]] * 2, [row["low"], row["high"]], "-", color=colour, lw=1.2)
        ends = ([row[name] for row in rows] for name in ("confidence", "verified"))
        axes.plot(*ends, marker=marker, color=colour, lw=0.7, ms=4.5)
        axes.set_title(style.label(source))
        axes.set(
            xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="confidence of the source", ylabel="share verified"
        )
        few_ticks(axes, 4)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.grid()
        axes.set_axisbelow(True)
    said = [
        f"{source}: "
        + ", ".join(f"{number(row['verified'], 2)} at {number(row['confidence'], 2)}" for row in rows)
        for source, rows in found.items()
    ]
    return Sketch(
        made.figure,
        "reliability",
        "Confidence of the sources, and what people verified",
        "Each mark is a bin of a tenth of confidence, with its interval. On the dotted line a source's "
        "confidence is the "
        "share that people verify.",
        f"Share verified by confidence over {dataset_name(numbers.overall)}. {'; '.join(said)}.",
    )


def _bins(numbers: Numbers, source: str) -> list[Row]:
    """The bins of a source, least confidence first."""
    rows = numbers.records("reliability", dataset=numbers.overall, source=source)
    known = [row for row in rows if row["verified"] is not None and row["confidence"] is not None]
    return sorted(known, key=lambda row: float(row["confidence"]))


def times(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """Seconds a judgment took, by dataset and decision."""
    rows = {(str(row["dataset"]), str(row["decision"])): row for row in numbers.records("times")}
    if not rows:
        return None
    places = Rows.of(list(rows))
    figure = style.new_figure(width, places.inches)
    axes = figure.subplots()
    colour, marker = style.SERIES[1]
    for place, row in rows.items():
        height = places.places[place]
        axes.plot([row["p10"], row["p90"]], [height, height], "-", color=colour, lw=0.8)
        axes.plot(
            [row["p25"], row["p75"]], [height, height], "-", color=colour, lw=3.2, solid_capstyle="butt"
        )
        axes.plot(row["median"], height, marker, color=colour, mfc=style.PAPER, ms=5, zorder=3)
    places.dress(axes)
    axes.set_xlim(0, None)
    axes.set_xlabel("active seconds a judgment")
    few_ticks(axes)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    said = [
        f"{decision} on {dataset_name(dataset)} {row['median']:.1f} (middle half {row['p25']:.1f} to "
        f"{row['p75']:.1f})"
        for (dataset, decision), row in rows.items()
    ]
    return Sketch(
        figure,
        "times",
        "How long a judgment took",
        "Circle: the median. Thick line: the middle half of the judgments. Thin line: without the "
        "fastest and the "
        "slowest tenth.",
        f"Median seconds. {'; '.join(said)}.",
    )


def controls(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """What people made of the controls, by their right answer; and how many workers got how many right."""
    rows = {_control(row): row for row in numbers.records("controls")}
    if not rows:
        return None
    rates = [row["control_rate"] for row in numbers.records("workers") if row["control_rate"] is not None]
    places = Rows.of(list(rows))
    made = panels(width, [max(1.9, places.inches)] * (2 if rates else 1), across=2)
    axes = made.axes[0]
    for place, row in rows.items():
        as_row = {"estimate": row["share"], "low": row["low"], "high": row["high"]}
        dot(axes, as_row, places.places[place], *style.SERIES[1])
    places.dress(axes)
    share_axis(axes, "share right", min(float(row["low"]) for row in rows.values()))
    if rates:
        other = made.axes[1]
        amounts = [0] * _BINS
        for rate in rates:
            amounts[min(_BINS - 1, int(float(rate) * _BINS + 1e-9))] += 1
        look: dict[str, Any] = {"align": "edge", "color": style.MUTED, "edgecolor": style.PAPER}
        other.bar([place / _BINS for place in range(_BINS)], amounts, 1 / _BINS, **look)
        other.set(xlim=(0, 1), xlabel="share right, by worker", ylabel="workers")
        few_ticks(other)
        other.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    said = [
        f"{group}, {name}: {percent(row['share'])} of {count(row['n'])} right"
        for (group, name), row in rows.items()
    ]
    return Sketch(
        made.figure,
        "controls",
        "What people made of the controls",
        "Links whose right answer is known, by that answer and their difficulty, with intervals over "
        "judgments; and the "
        "workers by the share of their controls that is right.",
        f"Controls. {'; '.join(said)}. {plural(len(rates), 'worker')} answered controls.",
    )


def _control(row: Row) -> tuple[str, str]:
    difficulty = row["difficulty"] or "all"
    return f"right answer: {row['expected']}", "all" if difficulty == ALL else str(difficulty)


def spending(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """The verification rate of each source as it stood when so much money was spent."""
    found = {
        source: rows for source in numbers.sources if (rows := numbers.records("spending", source=source))
    }
    if not found:
        return None
    figure = style.new_figure(width, 2.6)
    axes = figure.subplots()
    looks = style.series_style(numbers.sources, numbers.ground_truth)
    for source, rows in found.items():
        colour, marker = looks[source]
        values = ([row[name] for row in rows] for name in ("spent", "verification_rate"))
        axes.plot(
            *values, "-", color=colour, lw=1.3, marker=marker, ms=4, markevery=[-1], label=style.label(source)
        )
    currency = next(iter(found.values()))[0]["currency"]
    axes.set_xlim(0, None)
    axes.set_xlabel(f"money spent so far ({style.label(str(currency))})")
    axes.set_ylabel("verification rate so far")
    few_ticks(axes)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.grid()
    axes.set_axisbelow(True)
    across = 2 if style.is_narrow(width) else 4
    figure.legend(loc="outside upper left", ncols=across)
    said = [
        f"{source} {number(rows[0]['verification_rate'])} after {rows[0]['spent']:,.2f} {currency}, "
        f"{number(rows[-1]['verification_rate'])} after {rows[-1]['spent']:,.2f}"
        for source, rows in found.items()
    ]
    return Sketch(
        figure,
        "spending",
        "The rates as money was spent",
        "What people had verified of each source's judged annotations, over everything, when so much had "
        "been spent on "
        "work handed in. Looking while spending and stopping when one likes the number biases it.",
        f"Verification rate against money. {'; '.join(said)}.",
    )
