"""The tables: each declared once, written as LaTeX (booktabs), Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from analysis.report.facts import Facts
from analysis.report.numbers import Numbers, Row
from analysis.report.text import UNDEFINED, Text, as_latex, as_markdown, cell
from analysis.report.words import count, dataset_name, interval, is_missing, number, size

_SCORES: Final = (
    ("Verification rate", "verification_rate"),
    ("Posthoc precision", "posthoc_precision"),
    ("Posthoc recall", "posthoc_recall"),
    ("Posthoc F1", "posthoc_f1"),
    ("Exact precision", "pre_precision_exact"),
    ("Exact recall", "pre_recall_exact"),
    ("Exact F1", "pre_f1_exact"),
)
_COVERAGE: Final = (
    ("Items", "union_size"),
    *((letter, f"coverage_{letter}") for letter in ("A", "B", "C", "D", "E", "E0", "E1")),
)


@dataclass(frozen=True)
class Table:
    """A finished table.

    Attributes:
        name: of its file, without the ending.
        title: what it shows.
        note: how to read it.
        head: the column names.
        rows: the cells.
        words: how many of the first columns hold words (flush left), the rest hold numbers.
    """

    name: str
    title: str
    note: str
    head: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    words: int

    def markdown(self) -> str:
        """The table in Markdown, its title above and its note below."""
        marks = [":---" if place < self.words else "---:" for place in range(len(self.head))]
        lines = [[as_markdown((name,)) for name in self.head], marks]
        lines += [[as_markdown(text) for text in row] for row in self.rows]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"**{as_markdown((self.title,))}**\n\n{body}\n\n{as_markdown((self.note,))}\n"

    def latex(self) -> str:
        """A table environment; needs the package booktabs."""
        columns = "l" * self.words + "r" * (len(self.head) - self.words)
        head = " & ".join(as_latex((name,)) for name in self.head)
        rows = "\n".join(f"    {' & '.join(map(as_latex, row))} \\\\" for row in self.rows)
        return (
            "\\begin{table}\n  \\centering\n"
            f"  \\caption{{{as_latex((self.title,))}. {as_latex((self.note,))}}}\n"
            f"  \\label{{tab:{self.name}}}\n"
            f"  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n    {head} \\\\\n    \\midrule\n"
            f"{rows}\n    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
        )


WORKERS_SHOWN: Final = 200

# Names of every table there may be.
TABLES: Final = (
    "counts",
    "rates",
    "scores",
    "differences",
    "ranks",
    "control",
    "coverage",
    "i_of_n",
    "agreement",
    "workers",
    "policies",
    "waterfall",
    "control_results",
    "corrected",
    "sensitivity",
)


def counts_table(facts: Facts) -> Table:
    """What was imported, shown and judged, and what became of it: four counts that are not the same."""
    rows = tuple(
        (
            (dataset_name(line.dataset),),
            (line.source,),
            *(
                (count(amount),)
                for amount in (line.documents, line.imported, line.shown, line.judged, line.judgments)
            ),
            *((size(amount),) for amount in (line.verified, line.edited, line.removed)),
        )
        for line in facts.lines
    )
    return Table(
        "counts",
        "Annotations imported, shown and judged, and their outcomes",
        "An annotation with several judgments counts as the share of them that agree, so outcomes need not "
        "be whole numbers. Judgments: those that speak for the annotations of the source under the policy; "
        "one on what several sources found stands in the row of each, so the rows do not add up.",
        (
            "Dataset",
            "Source",
            "Documents",
            "Imported",
            "Shown",
            "Judged",
            "Judgments",
            "Verified",
            "Edited",
            "Removed",
        ),
        rows,
        2,
    )


def scores_table(numbers: Numbers) -> Table:
    """The headline scores with their intervals; two that are the same by the policy stand there once."""
    columns = _distinct(numbers)
    once = (
        "Posthoc precision is the verification rate under this policy. "
        if len(columns) < len(_SCORES)
        else "Posthoc precision finds hits by a weak match here, the verification rate does not. "
    )
    return _per_source(
        numbers,
        "scores",
        "Scores by dataset and source, with intervals",
        f"n: judged annotations. {once}Exact scores compare with the ground truth: same span and same "
        "entity.",
        columns,
    )


def _distinct(numbers: Numbers) -> tuple[tuple[str, str], ...]:
    """The scores, without posthoc precision where it is the verification rate in every row."""
    twice = all(
        _said(numbers.get(group, source, "verification_rate"))
        == _said(numbers.get(group, source, "posthoc_precision"))
        for group in numbers.groups
        for source in numbers.sources
    )
    return tuple((head, name) for head, name in _SCORES if not (twice and name == "posthoc_precision"))


def _said(row: Row | None) -> tuple[object, ...]:
    return () if row is None else (row["estimate"], row["low"], row["high"])


def rates_table(numbers: Numbers) -> Table:
    """Shares of the decisions."""
    return _per_source(
        numbers,
        "rates",
        "Decisions by dataset and source, with intervals",
        "Verify, edit and removal rates are shares of the n judged annotations; the unjudged rate is a share "
        "of those shown.",
        (
            ("Verified", "verification_rate"),
            ("Edited", "edit_rate"),
            ("Removed", "removal_rate"),
            ("Unjudged", "unjudged_rate"),
        ),
    )


def coverage_table(numbers: Numbers) -> Table:
    """The verified items against the ground truth."""
    return _per_dataset(
        numbers,
        "coverage",
        "Verified items compared with the ground truth, with intervals",
        "A: same span and entity. B: same span, another entity. C: overlapping span, same entity. "
        "D: overlapping span, another entity. E: nothing there; of these E0 overlap a mention "
        "that the ground truth leaves without a link, E1 do not. Items: the sum of their verified shares. "
        "Where all is judged, A is what the ground truth has of the union: its recall, said another way.",
        _COVERAGE,
    )


def i_of_n_table(numbers: Numbers) -> Table:
    """How many workers verified what every source produced."""
    names = numbers.i_of_n()
    columns = tuple((name.removeprefix("verified_").replace("_", " "), name) for name in names)
    return _per_dataset(
        numbers,
        "i_of_n",
        "How many workers verified the items that every source produced, with intervals",
        "Only items that every source produced and that as many different workers judged, n of them: the "
        "easiest items.",
        columns,
        n=True,
    )


def agreement_table(numbers: Numbers) -> Table:
    """Agreement between workers about the same item."""
    return _per_dataset(
        numbers,
        "agreement",
        "Agreement between workers about the same item, with intervals",
        "Over the n items that at least two workers judged. Alpha compares with what the decisions' "
        "frequencies give by chance: where nearly all is verified it can be low although people agree.",
        (
            ("Observed agreement, three decisions", "observed_agreement"),
            ("Alpha, three decisions", "alpha_nominal"),
            ("Observed agreement, verified or not", "observed_agreement_verified"),
            ("Alpha, verified or not", "alpha_nominal_verified"),
        ),
        n=True,
    )


def workers_table(workers: pd.DataFrame) -> Table:
    """The workers, those with most judgments first."""
    rows = workers.sort_values(["judgments", "worker"], ascending=[False, True], kind="stable").head(
        WORKERS_SHOWN
    )
    more = (
        f" The {WORKERS_SHOWN} with most judgments; all stand in workers.csv."
        if len(workers) > len(rows)
        else ""
    )
    return Table(
        "workers",
        "Workers",
        f"Assignments taken, and those that count. Rates are shares of judgments, with intervals.{more}",
        ("Worker", "Assignments", "Counted", "Judgments", "Verified", "Controls right", "Median seconds"),
        tuple(_worker(row) for row in rows.to_dict("records")),
        1,
    )


def _worker(row: dict[Any, Any]) -> tuple[Text, ...]:
    amounts = ((count(row[name]),) for name in ("assignments", "counted", "judgments"))
    seconds = "not known" if is_missing(row["median_seconds"]) else f"{row['median_seconds']:.1f}"
    controls = _rate(row, "control_rate", "no controls")
    return (
        (str(row["worker"]) or "not named",),
        *amounts,
        _rate(row, "verify_rate", "no judgments"),
        controls,
        (seconds,),
    )


def _rate(row: dict[Any, Any], name: str, otherwise: str) -> Text:
    if is_missing(row[name]):
        return (otherwise,)
    return (f"{number(row[name])} {interval(row[f'{name}_low'], row[f'{name}_high'])}",)


def policies_table(side_by_side: Sequence[Numbers]) -> Table:
    """The headline scores under each policy."""
    rows = tuple(
        (
            (numbers.policy,),
            (source,),
            *(_score(numbers, numbers.overall, source, name) for _, name in _SCORES),
        )
        for numbers in side_by_side
        for source in numbers.sources
    )
    return Table(
        "policies",
        "Scores under each policy, over everything",
        "The same judgments, counted by different rules.",
        ("Policy", "Source", *(title for title, _ in _SCORES)),
        rows,
        2,
    )


def all_tables(facts: Facts, side_by_side: Sequence[Numbers], workers: pd.DataFrame) -> list[Table]:
    """Every table that has rows and columns; the first policy's, and one of all where there are several."""
    numbers = side_by_side[0]
    tables = [
        counts_table(facts),
        rates_table(numbers),
        # Of a ground truth alone, recall and coverage are 1 because nothing else was shown.
        *([] if numbers.alone else [scores_table(numbers), coverage_table(numbers)]),
        i_of_n_table(numbers),
        agreement_table(numbers),
        workers_table(workers),
    ]
    if len(side_by_side) > 1:
        tables.append(policies_table(side_by_side))
    return [noted(table) for table in tables if table.rows and len(table.head) > table.words]


def noted(table: Table) -> Table:
    """A reason why numbers are undefined stands once, below the table, and a dash in their cells."""
    said = [str(part[0]) for row in table.rows for part in row if len(part) == 1]
    reasons = list(dict.fromkeys(text for text in said if text.startswith(UNDEFINED)))
    if not reasons:
        return table
    marks = {reasons[0]: "\u2013"} if len(reasons) == 1 else {}
    marks = marks or {reason: f"\u2013 ({place})" for place, reason in enumerate(reasons, 1)}
    rows = tuple(
        tuple((marks[str(part[0])],) if len(part) == 1 and str(part[0]) in marks else part for part in row)
        for row in table.rows
    )
    notes = " ".join(f"{mark}: {reason}." for reason, mark in marks.items())
    return replace(table, rows=rows, note=f"{table.note} {notes}".strip())


def _per_source(
    numbers: Numbers, name: str, title: str, note: str, columns: Sequence[tuple[str, str]]
) -> Table:
    rows = tuple(
        (
            (dataset_name(group),),
            (source,),
            _n(numbers, group, source, columns),
            *(_score(numbers, group, source, metric) for _, metric in columns),
        )
        for group in numbers.groups
        for source in numbers.sources
    )
    return Table(name, title, note, ("Dataset", "Source", "n", *(head for head, _ in columns)), rows, 2)


def _n(numbers: Numbers, group: str, source: str, columns: Sequence[tuple[str, str]]) -> Text:
    """The n of the first column."""
    row = numbers.get(group, source, columns[0][1]) if columns else None
    return (size(row["n"] if row else None),)


def _per_dataset(
    numbers: Numbers,
    name: str,
    title: str,
    note: str,
    columns: Sequence[tuple[str, str]],
    *,
    n: bool = False,
) -> Table:
    rows = tuple(
        (
            (dataset_name(group),),
            *([_n(numbers, group, "", columns)] if n else []),
            *(cell(numbers.get(group, "", metric)) for _, metric in columns),
        )
        for group in numbers.groups
    )
    heads = (*(["n"] if n and columns else []), *(head for head, _ in columns))
    return Table(name, title, note, ("Dataset", *heads), rows, 1)


def _score(numbers: Numbers, group: str, source: str, metric: str) -> Text:
    """A score; the ground truth is not matched with itself."""
    if source == numbers.ground_truth and metric.startswith("pre_"):
        return ("the reference",)
    return cell(numbers.get(group, source, metric))
