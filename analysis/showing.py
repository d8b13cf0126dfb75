"""Results as a person who types their name sees them: a few lines of text, or a small table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from analysis.report.numbers import Numbers
from analysis.report.words import count, dataset_name, interval, is_missing, number, plural, size

if TYPE_CHECKING:
    from analysis.results import Results

_SHOWN: Final = (
    ("verified", "verification_rate"),
    ("recall", "posthoc_recall"),
    ("F1", "posthoc_f1"),
    ("exact precision", "pre_precision_exact"),
)
# n: the judged annotations, which the first of them are a share of.
_TITLES: Final = ("n", *(title for title, _ in _SHOWN))
_LONGEST: Final = 30


def as_text(results: Results) -> str:
    """The study in a line, the headline numbers of each source under the first policy, where the rest is."""
    return "\n".join([_head(results), *_lines(results), *_tail(results)])


def headline(results: Results) -> str:
    """The same for a terminal, where the rest is in files."""
    return "\n".join([_head(results), *_lines(results), f"Over {_over(results)}, with intervals."])


def _lines(results: Results) -> list[str]:
    table = [("", *_TITLES), *_rows(results)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
    return [line.rstrip() for line in lines]


def as_html(results: Results) -> str:
    """The same as HTML; every name is escaped."""
    head = "".join(f"<th>{html.escape(title)}</th>" for title in ("", *_TITLES))
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(results)
    )
    said = "".join(f"<p>{html.escape(line)}</p>" for line in _tail(results))
    return (
        f"<p>{html.escape(_head(results))}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{said}"
    )


def _head(results: Results) -> str:
    study = results.study
    datasets = study.datasets
    made = sum(each.judgments for each in results.measured[:1])
    simulated = " (simulated: no person judged)" if study.simulated else ""
    return (
        f"Results{simulated}: {plural(len(datasets), 'dataset')}, "
        f"{plural(len(study['documents']), 'document')}, "
        f"{plural(made, 'judgment')} counted, {count(len(results.metrics))} numbers; "
        f"policy {', '.join(policy.name for policy in results.policies)}"
    )


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    numbers = Numbers.of(results.metrics, results.policies[0].name, results.study.ground_truth)
    for source in numbers.sources:
        rows = (numbers.get(numbers.overall, source, metric) for _, metric in _SHOWN)
        cells = (
            "-"
            if row is None or is_missing(row["estimate"])
            else f"{number(row['estimate'])} {interval(row['low'], row['high'])}".strip()
            for row in rows
        )
        judged = numbers.get(numbers.overall, source, "verification_rate")
        name = source if len(source) <= _LONGEST else f"{source[: _LONGEST - 1]}…"
        yield (" ".join(name.split()), size(judged["n"] if judged else None), *cells)


def _tail(results: Results) -> Iterator[str]:
    yield (
        f"Over {_over(results)}, with intervals. All numbers: .metrics, .comparisons, .coverage, .agreement"
    )
    if results.warnings:
        yield f"{plural(len(results.warnings), 'warning')}: .warnings"


def _over(results: Results) -> str:
    """What the numbers of the table are over."""
    return dataset_name(Numbers.of(results.metrics, results.policies[0].name, None).overall)
