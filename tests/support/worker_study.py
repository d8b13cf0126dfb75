"""A small planned study for tests of the worker's pages: ordinary, nested, hostile texts, and one control."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import select

from tests.support import tiny
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.kb.build import build
from verifier.plan import planning
from verifier.store import work
from verifier.store.models import AssignmentTask, DisplayRow, JudgmentRow
from verifier.study import Study

CONTROLS = "\x01\x07\x1b[31m\x0b\x7f\u2028\ufeff"
BEFORE = f"\u202eevil\u202c {CONTROLS} <script>alert(1)</script> </script> é\u0301 👩🏽‍🚀 "
LONG = "x" * 10_000
TEXTS = {
    "plain": "Angela Merkel flew from Paris to Rome and on to Texas before she saw the Seine again.",
    "more": "In Austin nobody had heard that Apple was to open a shop between the Tiber and München.",
    "nested": "The Paris, Texas film festival 🙂 was opened in Austin by Angela Merkel.",
    "hostile": f"{BEFORE}Paris&amp;<b>Rome</b> {LONG} שלום Texas and the river Tiber near the old town wall.",
}
# Mention and entity; every source says the same but for what OTHERS has.
SAME = {
    "plain": {"Angela Merkel": "Q567", "Paris": "Q90", "Rome": "Q220", "Texas": "Q1439", "Seine": "Q1471"},
    "more": {"Austin": "Q16559", "Apple": "Q312", "Tiber": "Q13712", "München": "Q1726"},
    "nested": {"Paris, Texas": "Q830149", "Texas": "Q1439", "Paris": "Q830149", "Austin": "Q16559"},
    "hostile": {"Paris": "Q90", "Rome": "Q220", LONG: "Q312", "Texas": "Q1439", "Tiber": "Q13712"},
}
OTHERS = {"Sigma-Linker": {"more": {"Austin": "Q460100", "Apple": "Q89"}, "plain": {"Rome": "Q231160"}}}
SOURCES = ("GT", "Sigma-Linker")
CONFIG = """\
study: {name: pages, seed: 11}
datasets: {pages: {language: en}}
sources: {GT: {role: ground_truth}, Sigma-Linker: {version: "1"}}
plan: {k: 40, repeat_share: 0}
place: {tasks: 4, controls: 1, minutes: 5, pay: "1.00"}
controls: {answers_per_task: 2}
"""


def make(folder: Path, config: str = CONFIG, database: str | None = None) -> Path:
    """Make the study in `folder`, planned, and with its knowledge base."""
    Study.create(folder, "link", database=database).close()
    address = f"database: {database!r}\n" if database else ""
    (folder / "study.yaml").write_text(config + address, encoding="utf-8")
    with Study.open(folder) as study:
        for source in SOURCES:
            path = folder / f"{source}.jsonl"
            path.write_text(_lines(source), encoding="utf-8")
            import_files(study, Request((path,), "pages", source), now=clock.now())
        build(tiny.write_kb(folder / "kb.tsv"), study.file(study.config.kb.file))
        planning.plan(study, now=clock.now())
    return folder


def _lines(source: str) -> str:
    rows = []
    for name, text in TEXTS.items():
        marks = SAME[name] | OTHERS.get(source, {}).get(name, {})
        found = [
            {"start": text.index(mention), "end": text.index(mention) + len(mention), "entity": entity}
            for mention, entity in marks.items()
        ]
        rows.append(json.dumps({"id": name, "text": text, "annotations": found}) + "\n")
    return "".join(rows)


def judgments(study: Study, token: str) -> list[tuple[str, int, str, str | None]]:
    """Display, sequence, decision and key of the stored judgments of an assignment, by sequence."""
    with study.read() as session:
        assignment = work.assignment_by_token(session, token)
        names = {
            display: f"{task}.{ordinal}"
            for task, ordinal, display in session.execute(
                select(AssignmentTask.ordinal, DisplayRow.ordinal, DisplayRow.id)
                .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
                .where(AssignmentTask.assignment_id == assignment.id)
            )
        }
        rows = session.scalars(
            select(JudgmentRow)
            .where(JudgmentRow.assignment_id == assignment.id)
            .order_by(JudgmentRow.sequence, JudgmentRow.id)
        )
        return [(names[row.display_id], row.sequence, row.decision, row.key) for row in rows]
