"""The report: numbers are those of the table, names cannot run, nothing leaves the file, gaps are said."""

import base64
import hashlib
import html
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from analysis.audit import LACKING, NOT_VERIFIED
from analysis.report import words
from analysis.report.audit_list import strongest_first
from analysis.report.html import SECTIONS, report
from analysis.report.sections import command, warnings
from analysis.settings import Settings
from tests.support.metric_rows import metrics, row
from tests.support.report_parts import TEXT, parts

DATA = re.compile(r'<data value="([^"]*)" data-cell="([^"]*)">([^<]*)</data>')
VOID = {"meta", "path", "use", "br", "rect", "input"}


class Balance(HTMLParser):
    """Notes tags that are closed in the wrong order."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002, D102 - the parser's own interface
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):  # noqa: D102 - the same
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


@pytest.fixture(scope="module")
def page():
    return report(parts())


def test_every_number_of_the_text_is_a_cell_of_the_table(page):
    """Value, cell and written form agree, for each of the several hundred numbers."""
    table = {(r["policy"], r["dataset"], r["source"], r["metric"]): r for r in metrics().to_dict("records")}
    found = DATA.findall(page)
    for value, cell, text in found:
        *key, column = html.unescape(cell).split("|")
        row = table[tuple(key)]
        wanted = words.digits(row["low"], row["high"])
        written = words.size(row[column]) if column == "n" else words.number(row[column], wanted)
        assert (float(value), text) == (row[column], written)
    assert len(found) > 300


def test_the_headlines_speak_of_everything(page):
    answers = page.split('<ul class="answers">')[1].split("</ul>")[0]
    assert {html.unescape(cell).split("|")[1] for _, cell, _ in DATA.findall(answers)} == {"*"}


def test_tags_are_closed_in_order(page):
    balance = Balance()
    balance.feed(page)
    assert (balance.wrong, balance.open) == ([], [])


def test_nothing_is_fetched_and_nothing_can_run(page):
    assert "default-src 'none'" in page
    assert not re.search(r"<(iframe|img|link|object|embed|form)\b", page)
    # Entities are links, which nothing asks for before somebody clicks.
    assert not re.search(r'src=|(?<!<a )href="(?!#)', page)
    assert not re.search(r"\son\w+=", page)


def test_the_one_script_is_the_one_whose_hash_the_page_allows(page):
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashed = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == page.count("<script") == 1
    assert f"script-src 'sha256-{hashed}'" in page


def test_the_audit_list_has_text_links_and_votes(page):
    listed = page.split('<tbody id="list">')[1].split("</tbody>")[0]
    assert (
        '<a href="https://en.wikipedia.org/wiki/Sydney" rel="noopener noreferrer">w:en:Sydney</a>' in listed
    )
    assert "1 verify, 2 edit, 0 remove" in listed


def test_the_strongest_findings_of_the_audit_list_come_first():
    """By the share that speaks for the finding, then by how many judgments; then as they stood."""
    votes = [(LACKING, 2, 3), (NOT_VERIFIED, 1, 3), (LACKING, 1, 1), (NOT_VERIFIED, 0, 4), (LACKING, 4, 6)]
    frame = pd.DataFrame(votes, columns=["finding", "verify", "judgments"])
    found = strongest_first(frame)
    assert found["place"].tolist() == [3, 2, 4, 0, 1]
    assert found["share"].round(3).tolist() == [1, 1, 0.667, 0.667, 0.667]


def test_the_command_says_every_option_that_the_report_was_made_with():
    settings = Settings(
        columns={"decision": "My verdict"},
        values={"decision": {"wrong link": "edit"}},
        by=("given_type",),
        margin=0.02,
        figures="none",
    )
    assert command(settings).removeprefix("posthoc analyze INPUT --out OUT ") == (
        "--policy recommended --replicates 1000 --seed 0 --margin 0.02 --column 'decision=My verdict'"
        " --value 'decision:edit=wrong link' --by given_type --types TYPES --figures none"
    )


def test_every_section_is_there_once(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {anchor for anchor, _ in SECTIONS} <= set(ids)


def test_the_report_says_when_no_person_judged(page):
    assert "Simulated: no person made these judgments" in page
    assert "Simulated:" not in report(parts(simulated=False, drawn=False))


def test_texts_and_names_are_shown_not_run():
    name = '<img src=x onerror=alert(1)>"&$%_{}שלום🙂'
    page = report(parts((name,), ("GT", "<script>alert(2)</script>"), drawn=False))
    assert page.count("<script") == 1
    assert "alert(2)" not in page.split("<script>")[1]
    assert "<img" not in page
    assert html.escape("<b>") in page
    assert TEXT[22:28] == "Sydney"
    assert "<mark>Sydney</mark>" in page


def test_undefined_numbers_say_why_and_no_cell_is_empty():
    frame = pd.DataFrame(
        [row("d", s, m, None) for s in ("GT", "A") for m in ("verification_rate", "posthoc_recall")]
    )
    page = report(parts(("d",), ("GT", "A"), frame=frame, drawn=False))
    assert "How often people verified A is undefined: nobody&#39;s judgments are counted." in page.replace(
        "&#x27;", "&#39;"
    )
    assert not re.search(r"<t[dh][^>]*></t[dh]>", page)
    assert not re.search(
        r"\bnan\b|\bNone\b|\bNaN\b", re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", page, flags=re.DOTALL)
    )


def test_a_ground_truth_alone_is_said_to_miss_nothing_by_definition():
    assert "GT is the only source, so it misses nothing by definition" in report(
        parts(("d",), ("GT",), drawn=False)
    )


def test_the_same_parts_give_the_same_bytes():
    first, again = (report(parts(drawn=False)) for _ in range(2))
    assert first == again


def test_the_command_that_computes_it_again_is_printed(page):
    assert "posthoc analyze INPUT --out OUT --policy recommended --replicates 1000 --seed 0" in page


def test_the_file_stays_small():
    datasets = tuple(f"dataset-{i}" for i in range(8))
    assert len(report(parts(datasets)).encode()) < 5_000_000


def test_warnings_about_single_numbers_are_gathered_under_what_they_say():
    said = (
        "The judgments were made by a simulated crowd.",
        "Fewer than 8 workers: they are taken as fixed: coverage_A in news, *.",
        "Fewer than 8 workers: they are taken as fixed: edit_rate in news/GT, */GT.",
    )
    assert warnings(said, ["coverage_A", "edit_rate"]) == {
        said[0]: [],
        "Fewer than 8 workers: they are taken as fixed: some numbers": [
            "coverage_A in news, all datasets.",
            "edit_rate in news/GT, all datasets/GT.",
        ],
    }
