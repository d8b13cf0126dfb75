"""report.html: one file for a reader who knows nothing of the tool; no network, one script of its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from analysis.lock import read_lock
from analysis.policy import CHOICES
from analysis.report import audit_list, sections, words
from analysis.report.drawing import Drawing, inline
from analysis.report.examples import examples
from analysis.report.facts import Facts
from analysis.report.gallery import NAMES
from analysis.report.headlines import headlines
from analysis.report.methods import as_latex_key, as_reader, methods, pasted_latex
from analysis.report.numbers import Numbers
from analysis.report.references import bibliography, cited
from analysis.report.tables import TABLES, Table
from analysis.report.text import Text, as_html, as_markdown
from analysis.results import Results

SECTIONS: Final = (
    ("short", "In short"),
    ("studied", "What was studied"),
    ("rates", "What people decided"),
    ("scores", "Before and after"),
    ("compared", "Sources compared"),
    ("coverage", "What the ground truth lacks"),
    ("agreement", "Agreement"),
    ("workers", "Workers and controls"),
    ("resting", "What it hangs on"),
    ("audit", "What to look at"),
    ("methods", "Methods"),
    ("recompute", "Computing it again"),
)

IDEA: Final = (
    "An entity linker marks names in a text and says which entity each one means. Linkers are usually scored "
    "by how far they agree with a ground truth, which itself has errors and allows one answer where several "
    "are right. Here people were shown the links of every source, the ground truth's among them and unnamed, "
    "and verified each, edited it to another entity, or removed it. Every number below that is not called "
    "exact follows from what they decided."
)

TERMS: Final = (
    ("source", "who made the links: the ground truth or a model."),
    ("annotation", "one link by one source: a span of a text and an entity."),
    ("item", "a distinct span with an entity, whichever sources made it."),
    ("verify, edit, remove", "what a person decides on a link shown: right, another entity, no link there."),
    ("verification rate", "the share of a source's judged annotations that people verified."),
    (
        "posthoc precision",
        "the verification rate, unless the policy finds hits by a weak match with all that was verified.",
    ),
    ("posthoc recall", "of all items that people verified, from any source, the share that the source has."),
    ("posthoc F1", "the harmonic mean of posthoc precision and recall."),
    (
        "exact precision, recall, F1",
        "the same scores by matching with the ground truth, without people.",
    ),
    (
        "interval",
        "where the number may lie for others like these, at the level stated.",
    ),
    ("n", "how many annotations or items the number rests on."),
    (
        "control",
        "a link whose right answer is known, shown to see whether a worker takes care.",
    ),
)


@dataclass(frozen=True)
class Parts:
    """What the report is put together from."""

    results: Results
    facts: Facts
    numbers: Numbers
    tables: Sequence[Table]
    drawings: Sequence[Drawing]
    input_hash: str
    version: str


def report(parts: Parts) -> str:
    """The report as one HTML document."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters.update(text=_text, svg=_svg, count=words.count)
    environment.tests["worded"] = _is_worded
    folder = files("analysis.report") / "templates"
    template = environment.from_string((folder / "report.html.j2").read_text(encoding="utf-8"))
    css = (folder / "report.css").read_text(encoding="utf-8")
    script = (folder / "report.js").read_text(encoding="utf-8")
    # The page may run what has this hash, and nothing else.
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return template.render(
        css=Markup(css),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - the same
        script_hash=hashed,
        sections=SECTIONS,
        idea=IDEA,
        terms=TERMS,
        choices=[(name, choice.question) for name, choice in CHOICES.items()],
        tables={**dict.fromkeys(TABLES), **{table.name: table for table in parts.tables}},
        figures={**dict.fromkeys(NAMES), **{drawing.name: drawing for drawing in parts.drawings}},
        facts=parts.facts,
        version=parts.version,
        input_hash=parts.input_hash,
        **_sentences(parts),
    )


def _sentences(parts: Parts) -> dict[str, object]:
    """What the report says in words."""
    results, facts, numbers = parts.results, parts.facts, parts.numbers
    settings = results.settings
    return {
        "title": sections.title(facts),
        "subtitle": sections.subtitle(facts),
        "simulated": results.study.simulated,
        "answers": headlines(numbers),
        "scope_note": sections.scope_note(numbers),
        "warnings": sections.warnings(results.warnings, results.metrics["metric"].unique()),
        "figures_of_study": sections.in_figures(facts),
        "people": sections.people(facts),
        "money": sections.money(facts),
        "workers_note": sections.workers_note(results.workers),
        "audit_note": sections.audit_note(results.audit, numbers.policy, facts.ground_truth),
        "audit": audit_list.entries(results.study, results.audit, numbers.policy),
        "printed": audit_list.PRINTED,
        "examples": examples(results.measured[0]) if results.measured and not numbers.alone else [],
        "alone": numbers.alone,
        "policies": results.policies,
        "methods": _paragraphs(parts, as_reader),
        "bibtex": bibliography(results, parts.version),
        "departures_note": sections.departures_note(read_lock(results.study), results.departures),
        "departures": results.departures,
        "command": sections.command(settings),
    }


def _paragraphs(parts: Parts, cite: Callable[[str], str]) -> list[str]:
    """The methods paragraph of each policy."""
    results = parts.results
    used = cited(results)
    return [
        methods(
            parts.facts,
            policy,
            results.metrics,
            results.settings,
            version=parts.version,
            cited=used,
            cite=cite,
        )
        for policy in results.policies
    ]


def to_paste(parts: Parts) -> dict[str, str]:
    """What goes into a paper, by the name of its file: the methods and their bibliography."""
    reader = "\n\n".join(as_markdown((paragraph,)) for paragraph in _paragraphs(parts, as_reader))
    latex = "\n\n".join(pasted_latex(paragraph) for paragraph in _paragraphs(parts, as_latex_key))
    return {
        "methods.md": f"{reader}\n",
        "methods.tex": f"{latex}\n",
        "references.bib": bibliography(parts.results, parts.version),
    }


def _text(text: Text) -> Markup:
    return Markup(as_html(text))  # noqa: S704 - as_html escapes every word


def _svg(drawing: Drawing) -> Markup:
    return Markup(inline(drawing))  # noqa: S704 - our own drawing, whose texts are paths


def _is_worded(text: Text) -> bool:
    """Whether a cell says why there is no number."""
    return len(text) == 1 and isinstance(text[0], str) and any(character.isalpha() for character in text[0])
