"""Tables hold every number once, in LaTeX and Markdown that print any name."""

import re

from analysis.report.numbers import Numbers
from analysis.report.tables import TABLES, all_tables, policies_table, scores_table
from tests.support.metric_rows import metrics
from tests.support.report_parts import facts, workers

NUMBERS = Numbers.of(metrics(), "recommended", "GT")


def test_every_table_has_a_known_name_and_square_rows():
    tables = all_tables(facts(("news", "wiki"), ("GT", "Alpha")), [NUMBERS, NUMBERS], workers())
    assert {table.name for table in tables} <= set(TABLES)
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)


def test_markdown_lines_have_the_same_number_of_cells():
    lines = [line for line in scores_table(NUMBERS).markdown().splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert len(lines) == 2 + 3 * 3


def test_latex_rows_have_the_columns_of_the_head():
    table = scores_table(NUMBERS)
    body = table.latex().split("\\midrule")[1].split("\\bottomrule")[0]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines() if "&" in line} == {
        len(table.head) - 1
    }


def test_latex_prints_names_with_specials():
    frame = metrics(("a_b & 50 %",), ("GT", "{x}^2 #1 ~ \\end{tabular}"))
    text = scores_table(Numbers.of(frame, "recommended", "GT")).latex()
    assert r"a\_b \& 50 \%" in text
    assert text.count("\\end{tabular}") == 1


def test_the_ground_truth_is_not_matched_with_itself():
    row = scores_table(NUMBERS).rows[0]
    assert row[-1] == ("the reference",)


def test_policies_stand_under_one_another():
    other = Numbers.of(metrics().assign(policy="paper"), "paper", "GT")
    table = policies_table([NUMBERS, other])
    assert [row[0][0] for row in table.rows] == ["recommended"] * 3 + ["paper"] * 3
