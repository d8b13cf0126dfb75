"""The agreement of a table of labels as one HTML page: no network, no script."""

from __future__ import annotations

from typing import Final

from analysis.agreement.found import Agreement
from analysis.agreement.text import NOT_CORRECTNESS, as_rows, declared, left_out
from analysis.report import words

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; --muted: #5d6673; --line: #d9dde3; }
@media (prefers-color-scheme: dark) { :root { --muted: #a8b0bc; --line: #3a424e; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .75rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
.words { text-align: left; }
.wide { overflow-x: auto; }
.note { color: var(--muted); }
.warning { border-left: 4px solid #d55e00; padding-left: .75rem; }
</style>
<h1>{{ title }}</h1>
<p>{{ units }} {{ "documents done by" if found.of_spans else "units with labels of" }}
two workers or more, {{ workers }} workers.</p>
{% for warning in found.warnings %}<p class="warning">{{ warning }}</p>
{% endfor %}
<h2>Coefficients</h2>
<div class="wide" tabindex="0" role="region" aria-label="Coefficients"><table>
<tr><th scope="col">Coefficient</th><th scope="col">Estimate</th><th scope="col">{{ level }} interval</th>
<th scope="col" class="words">Read as</th><th scope="col" class="words">Formula</th></tr>
{% for row in rows %}<tr><td>{{ row.title }}</td><td>{{ row.estimate }}</td><td>{{ row.interval }}</td>
<td class="words">{{ row.band }}</td><td class="words note">{{ row.formula }}</td></tr>
{% endfor %}</table></div>
<p class="note">{{ methods }}. {{ remark }}</p>
{% if table %}<h2>{{ table_title }}</h2>
<div class="wide" tabindex="0" role="region" aria-label="{{ table_title }}"><table>
<tr><td></td>{% for name in found.table.categories %}<th scope="col">{{ name }}</th>
{% endfor %}</tr>
{% for name, cells in table %}<tr><th scope="row">{{ name }}</th>
{% for cell in cells %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</table></div>{% endif %}
<p>{% for size, often in found.overlap.items() %}{{ often }} units with {{ size }} labels
{{- "" if loop.last else ", " }}{% endfor %}.</p>
{% if categories %}<h2>Categories</h2>
<div class="wide" tabindex="0" role="region" aria-label="Categories"><table>
<tr><th scope="col">Category</th><th scope="col">Labels</th><th scope="col">Share</th>
<th scope="col">Specific agreement</th><th scope="col">Kappa against all others</th></tr>
{% for row in categories %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</table></div>{% endif %}
{% if pairs %}<h2>Every two workers</h2>
<div class="wide" tabindex="0" role="region" aria-label="Every two workers"><table>
<tr><th scope="col">Workers</th><th scope="col">F1 exact</th><th scope="col">F1 overlap</th>
<th scope="col">Spans</th>
<th scope="col">Same</th><th scope="col">Label differs</th><th scope="col">Boundary differs</th></tr>
{% for row in pairs %}<tr><td>{{ row.workers | join(" and ") }}</td><td>{{ number(row.f1_exact) }}</td>
<td>{{ number(row.f1_overlap) }}</td><td>{{ row.spans }}</td><td>{{ row.same_span_and_label }}</td>
<td>{{ row.label_differs }}</td><td>{{ row.boundary_differs }}</td></tr>
{% endfor %}</table></div>{% endif %}
{% if members %}<h2>Workers</h2>
<div class="wide" tabindex="0" role="region" aria-label="Workers"><table>
<tr><th scope="col">Worker</th><th scope="col">Labels</th><th scope="col">Agreement with the rest</th>
<th scope="col">{{ level }} interval</th><th scope="col">Alpha without the worker</th>
<th scope="col" class="words">Less than the others</th></tr>
{% for row in members %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</table></div>{% endif %}
{% if found.units %}<h2>Units that disagree most</h2>
<table>
<tr><th scope="col">Unit</th><th scope="col">Agreement</th><th scope="col" class="words">Labels</th></tr>
{% for row in found.units %}<tr><td>{{ row.unit }}</td><td>{{ number(row.agreement) }}</td><td class="words">
{%- for name, often in row.labels.items() %}{{ often }} &times; {{ name }}
{{- "" if loop.last else ", " }}{% endfor %}</td></tr>
{% endfor %}</table>{% endif %}
{% if reasons %}<h2>Not computed</h2>
<ul>{% for record in reasons %}<li>{{ record.coefficient }}: {{ record.reason }}</li>
{% endfor %}</ul>{% endif %}
</html>
"""


def _cells(names: list[str], rows: list[list[float]]) -> list[tuple[str, list[str]]]:
    return [(name, [words.size(cell) for cell in row]) for name, row in zip(names, rows, strict=False)]


def page(found: Agreement, title: str) -> str:
    """The page."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - numbers alone need no pages

    first = found.records[0]
    rows = as_rows(found)
    for row in rows:
        row["formula"] = declared(row["record"]).formula
    methods = dict.fromkeys(row["record"]["method"] for row in rows if row["record"]["method"])
    joint = found.table.get("kind") == "joint"
    names, cells = found.table.get("categories", []), found.table.get("rows", [])
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    html: str = environment.from_string(_PAGE).render(
        title=title,
        found=found,
        units=words.count(first["n_units"]),
        workers=words.count(first["n_workers"]),
        level=words.level(first["level"]),
        rows=rows,
        methods="; ".join(methods) or "No intervals",
        remark=NOT_CORRECTNESS,
        table_title="Joint table of the two workers" if joint else "Coincidences",
        table=[] if found.of_spans else _cells(names, cells),
        categories=[
            (
                row["category"],
                words.count(row["labels"]),
                *(words.number(row[key]) for key in ("share", "specific_agreement", "kappa")),
            )
            for row in found.categories
        ],
        pairs=cells if found.of_spans else [],
        members=[]
        if found.of_spans
        else [
            (
                row["worker"],
                words.count(row["labels"]),
                words.number(row["agreement_with_rest"]),
                words.interval(row["agreement_low"], row["agreement_high"]),
                words.number(row["alpha_without"]),
                "yes" if row["flagged"] else "",
            )
            for row in found.workers
        ],
        reasons=left_out(found),
        number=words.number,
    )
    return html
