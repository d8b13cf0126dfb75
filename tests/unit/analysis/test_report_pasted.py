"""What goes into a paper: tables that LaTeX takes, a methods paragraph with its citations, a bibliography."""

import re
import shutil
import subprocess

import pytest

from analysis.report import words
from analysis.report.audit_list import page_of, snippet
from analysis.report.html import to_paste
from analysis.report.methods import pasted_latex
from analysis.report.references import REFERENCES
from analysis.report.words import digits
from tests.support.report_parts import parts

PARTS = parts(("50 % & co_1", "#wiki"), ("GT", "A_{b}^2~\\x", "$שלום🙂"), drawn=False)
PASTED = to_paste(PARTS)


def entries(bibtex):
    """Key -> fields, by a small reader of BibTeX that takes nothing but whole entries."""
    out = {}
    while bibtex := bibtex.strip():
        head = re.match(r"@(\w+)\{([\w-]+),", bibtex)
        depth, place = 1, head.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(bibtex[place], 0)
            place += 1
        body, bibtex = bibtex[head.end() : place - 1], bibtex[place:]
        out[head[2]] = dict(re.findall(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}", body))
    return out


def test_the_bibliography_has_what_the_methods_cite_and_nothing_else():
    found = entries(PASTED["references.bib"])
    assert set(found) == set(re.findall(r"\\cite\{(\w+)\}", PASTED["methods.tex"]))
    assert all({"author", "title"} <= set(fields) for fields in found.values())


@pytest.mark.parametrize("key", REFERENCES)
def test_every_reference_is_whole(key):
    fields = entries(REFERENCES[key].bibtex(key))[key]
    assert fields["year"] in REFERENCES[key].said
    assert fields["author"].split(",")[0] in REFERENCES[key].said


def unescaped(text):
    """Characters that LaTeX would act on, outside its commands and braces."""
    bare = re.sub(r"\\label\{\S+\}|\\[a-zA-Z]+|\\[&%$#_{}\\]", "", text)
    return set(bare) & set("%$#_^")


def balanced(text):
    depth = 0
    for mark in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("table", PARTS.tables, ids=lambda table: table.name)
def test_a_table_is_latex_with_as_many_cells_in_each_row(table):
    latex = table.latex()
    assert not unescaped(latex)
    assert balanced(latex)
    rows = latex.split("\\midrule\n")[1].split("    \\bottomrule")[0].strip().split("\n")
    assert {len(re.split(r"(?<!\\)&", row)) for row in rows} == {len(table.head)}


def test_the_steps_of_the_waterfall_table_are_those_of_the_frame():
    numbers = PARTS.numbers
    table = next(table for table in PARTS.tables if table.name == "waterfall")
    for row in table.rows:
        group = "*" if row[0][0] == "all datasets" else row[0][0]
        steps = numbers.records("waterfall", dataset=group, source=row[1][0])
        wanted = [words.number(steps[0]["reached"])]
        wanted += [words.signed(step["change"]) for step in steps[1:-1]]
        assert [cell[0] for cell in row[2:]] == [*wanted, words.number(steps[-1]["reached"])]


def test_the_controls_table_is_the_frame():
    table = next(table for table in PARTS.tables if table.name == "control_results")
    rows = PARTS.numbers.records("controls")
    assert [[cell[0] for cell in row[2:4]] for row in table.rows] == [
        [str(r["n"]), str(r["right"])] for r in rows
    ]


def test_the_methods_are_latex():
    assert not unescaped(re.sub(r"\\cite\{\w+\}", "", PASTED["methods.tex"]))
    assert balanced(PASTED["methods.tex"])


def test_names_cannot_make_citations():
    assert pasted_latex("\\cite{x} 100 %") == "\\textbackslash{}cite\\{x\\} 100 \\%"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no TeX here")
def test_tables_and_methods_compile(tmp_path):
    tables = "\n".join(table.latex() for table in parts(drawn=False).tables)
    head = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}\\begin{document}"
    body = to_paste(parts(drawn=False))["methods.tex"]
    (tmp_path / "a.tex").write_text(f"{head}{body}{tables}\\end{{document}}", encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:]


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(0.871, 0.914, 3), (0.82, 0.96, 2), (0.012, 0.016, 4), (None, 0.5, 3), (0.5, 0.5, 3), (280.0, 320.0, 0)],
)
def test_decimals_follow_the_width_of_the_interval(low, high, wanted):
    assert digits(low, high) == wanted


@pytest.mark.parametrize(
    ("key", "page"),
    [
        ("wd:Q42", "https://www.wikidata.org/wiki/Q42"),
        ('w:de:A "b" <c>', "https://de.wikipedia.org/wiki/A_%22b%22_%3Cc%3E"),
        ("w:en.evil.org/:x", ""),
        ("id:javascript:alert(1)", ""),
        ("NIL", ""),
    ],
)
def test_only_known_places_are_linked(key, page):
    assert page_of(key) == page


def test_a_span_without_its_text_says_where_it_is():
    assert snippet(None, 3, 9).mention == "characters 3 to 9"
    assert snippet("a Moon", 2, 6).mention == "Moon"
