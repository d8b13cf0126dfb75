"""Every figure at its final sizes: texts apart, values those of the frames, redrawn from files."""

import re

import pytest

import analysis
from analysis.errors import InputError
from analysis.output import analyze
from analysis.report import campaign_figures, differences, gallery, style, waterfalls
from analysis.report.gallery import FIGURES, NAMES, draw
from tests.support.figure_frames import numbers
from tests.support.figure_texts import boxes, cut_off, meeting
from tests.support.small_study import write_csv

WIDE = numbers(tuple(f"dataset-{place}" for place in range(8)), ("GT", "Alpha", "Beta"))
LONG = numbers(("a-data-set-with-a-long-name",), ("GT", *(f"an-entity-linker-{place}" for place in range(9))))
SMALL = numbers()


@pytest.mark.parametrize(
    ("shown", "width"),
    [
        pytest.param(WIDE, style.TWO_COLUMNS, id="3 sources x 8 datasets, two columns"),
        pytest.param(WIDE, style.ONE_COLUMN, id="3 sources x 8 datasets, one column"),
        pytest.param(LONG, style.TWO_COLUMNS, id="10 sources x 1, two columns"),
        pytest.param(LONG, style.ONE_COLUMN, id="10 sources x 1, one column", marks=pytest.mark.prove),
    ],
)
@pytest.mark.parametrize("draws", FIGURES, ids=NAMES)
def test_no_two_texts_meet_and_none_is_cut_off(draws, shown, width):
    with style.style(width):
        sketch = draws(shown, width)
        if sketch is None:
            assert (draws, shown) == (waterfalls.waterfall_by_dataset, LONG)
            return
        found = boxes(sketch.figure)
    assert len(found) > 5
    assert not meeting(found)
    assert not cut_off(sketch.figure, found)


def test_the_waterfall_ends_where_posthoc_precision_is():
    with style.style():
        panels = waterfalls.waterfall(SMALL, 7.0).figure.axes
    for axes, source in zip(panels, ("Alpha", "Beta"), strict=True):
        rows = SMALL.records("waterfall", dataset="*", source=source)
        marks = sorted(line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1)
        assert marks == sorted([rows[0]["reached"], rows[-1]["reached"]])
        widths = sorted(bar.get_width() for bar in axes.patches)
        assert widths == pytest.approx(sorted(row["change"] for row in rows if row["change"] is not None))


def test_the_parts_of_a_bar_add_up_to_posthoc_precision():
    with style.style():
        axes = waterfalls.waterfall_by_dataset(SMALL, 7.0).figure.axes[0]
    first = [bars[0] for bars in axes.containers[:7]]
    end = SMALL.records("waterfall", dataset="news", source="Alpha")[-1]["reached"]
    assert sum(bar.get_width() for bar in first) == pytest.approx(end, abs=1e-12)


def test_differences_and_their_intervals_are_those_of_the_frame():
    with style.style():
        axes = differences.differences(SMALL, 7.0).figure.axes[1]
    rows = SMALL.records("comparisons", metric="posthoc_recall")
    marks = sorted(line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1)
    ends = sorted(
        tuple(line.get_xdata())
        for line in axes.lines
        if len(line.get_xdata()) == 2 and line.get_marker() == "None"
    )
    assert marks == sorted(row["estimate"] for row in rows)
    assert [end for end in ends if end[0] != end[1]] == sorted((row["low"], row["high"]) for row in rows)


@pytest.mark.parametrize(
    ("draws", "frame", "column"),
    [
        (campaign_figures.reliability, "reliability", "verified"),
        (campaign_figures.spending, "spending", "verification_rate"),
    ],
)
def test_curves_are_the_column_of_their_frame(draws, frame, column):
    with style.style():
        axes = draws(SMALL, 7.0).figure.axes[0]
    source = {"reliability": "Alpha", "spending": "GT"}[frame]
    wanted = [row[column] for row in SMALL.records(frame, source=source)]
    assert wanted in [list(line.get_ydata()) for line in axes.lines]


def test_times_and_controls_mark_the_medians_and_the_shares():
    with style.style():
        timed = campaign_figures.times(SMALL, 7.0).figure.axes[0]
        right = campaign_figures.controls(SMALL, 7.0).figure.axes[0]
    marks = [
        [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1] for axes in (timed, right)
    ]
    assert marks == [
        [row["median"] for row in SMALL.records("times")],
        [r["share"] for r in SMALL.records("controls")],
    ]


def test_pdf_is_drawn_for_one_and_two_columns_with_its_letters_in_it(monkeypatch):
    monkeypatch.setattr(gallery, "FIGURES", (waterfalls.waterfall, differences.differences))
    for drawing in draw(numbers(("news",), ("GT", "Alpha")), pdf=True):
        for width, pdf in ((style.TWO_COLUMNS, drawing.pdf), (style.ONE_COLUMN, drawing.column)):
            box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", pdf)
            assert float(box.group(1)) == pytest.approx(72 * width, abs=0.01)
            # Every font of the file, embedded as TrueType.
            assert pdf.count(b"/FontDescriptor ") > 0
            assert pdf.count(b"/FontFile2") == pdf.count(b"/Type /FontDescriptor")


def test_the_same_frames_give_the_same_pdf():
    with style.style():
        first, again = (waterfalls.waterfall(SMALL, 7.0).print() for _ in range(2))
    assert first == again


def test_names_that_begin_alike_stay_apart_when_shortened():
    assert len({style.label(f"an-entity-linker-number-{place}", 12) for place in range(9)}) == 9


def test_a_figure_is_drawn_again_from_the_files_of_an_output_alone(tmp_path):
    write_csv(tmp_path / "j.csv", documents=2)
    results = analyze(tmp_path / "j.csv", tmp_path / "out", replicates=0, figures="none")
    drawn = [analysis.figure(each, "before_and_after") for each in (results, tmp_path / "out")]
    values = [[line.get_xdata().tolist() for line in figure.axes[0].lines] for figure in drawn]
    assert values[0] == values[1]
    with pytest.raises(InputError, match="no such figure"):
        analysis.figure(results, "pie")
