"""The sample study from files to report: what `posthoc demo` does, step by step, each told to a listener."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from analysis.errors import InputError
from verifier import clock
from verifier.study import Study

if TYPE_CHECKING:
    from verifier.plan.report import PlanReport

DATASET: Final = "news"
CORPUS: Final = {"GT": "gt.jsonl", "Alpha": "alpha-linker.jsonl", "Beta": "beta-linker.jsonl"}
TRUTH: Final = "corpus/truth.jsonl"
SEED: Final = 7
# Whoever drops out or fails the controls leaves work to others: so many more than places may come.
SPARE: Final = 2
_MARK: Final = ".posthoc-demo"


class Listener(Protocol):
    """Who is told how the demo goes."""

    def step(self, title: str, command: str) -> None:
        """A step begins; `command` is what does the same by hand."""

    def detail(self, text: str) -> None:
        """What the step came to."""

    def working(self, done: int, total: int) -> None:
        """How much of the work the crowd has done."""


@dataclass(frozen=True)
class Done:
    """What the demo left behind."""

    study: Path
    report: Path


def run(folder: Path, tell: Listener) -> Done:
    """Run the sample study in `folder`, new, empty, or of an earlier demo (which is replaced).

    Raises:
        InputError: the folder holds something else.
    """
    _make_room(folder)
    tell.step("A study folder", f"posthoc init {folder} --template demo")
    with Study.create(folder, "demo", name="demo") as study:
        (folder / _MARK).write_text("Made by posthoc demo; the next one replaces it.\n", encoding="utf-8")
        tell.detail(f"configuration, secrets and database in {folder}")
        _import(study, tell)
        _build_kb(study, tell)
        planned = _plan(study, tell)
        _simulate(study, planned, tell)
        _review(study, tell)
    return Done(folder, _analyze(folder, tell))


def _make_room(folder: Path) -> None:
    if (folder / _MARK).is_file():
        shutil.rmtree(folder)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "the folder holds something else than an earlier demo",
            where=str(folder),
            remedy="Name another one with --out.",
        )


def _import(study: Study, tell: Listener) -> None:
    from verifier.corpus.importing import Request, import_files  # noqa: PLC0415 - one step's own

    for source, name in CORPUS.items():
        file = study.path / "corpus" / name
        tell.step(
            f"Import {source}",
            f"posthoc import {study.path} {file} --dataset {DATASET} --source {source}",
        )
        report = import_files(study, Request((file,), DATASET, source), now=clock.now())
        for found in report.files:
            tell.detail(f"{found.documents} documents, {found.annotations} annotations")


def _build_kb(study: Study, tell: Listener) -> None:
    from verifier.kb.build import build  # noqa: PLC0415 - one step's own

    table = study.path / "kb.tsv"
    tell.step("Build the knowledge base", f"posthoc kb build {study.path} {table}")
    report = build(table, study.file(study.config.kb.file))
    tell.detail(f"{report.entities} entities with {report.names} names")


def _plan(study: Study, tell: Listener) -> PlanReport:
    from verifier.plan.planning import plan  # noqa: PLC0415 - one step's own

    tell.step("Plan", f"posthoc plan {study.path}")
    report = plan(study, now=clock.now())
    cost = report.budget
    tell.detail(f"{report.added.tasks} tasks and {report.controls['tasks']} controls")
    tell.detail(f"{report.open_places} places, {cost.total} {cost.currency}")
    return report


def _simulate(study: Study, planned: PlanReport, tell: Listener) -> None:
    from verifier.plan import draw  # noqa: PLC0415 - one step's own
    from verifier.simulate import campaign, habits  # noqa: PLC0415 - one step's own
    from verifier.simulate.serving import served  # noqa: PLC0415 - one step's own

    places = planned.open_places
    truth = study.path / TRUTH
    tell.step("Serve", f"posthoc serve {study.path}")
    with served(study.path) as url:
        tell.detail(f"the task server listens at {url}")
        workers = SPARE * places
        tell.step(
            "A simulated crowd works, over HTTP",
            f"posthoc simulate {study.path} --workers {workers} --seed {SEED} --truth {truth} --url {url}",
        )
        asked = campaign.Campaign(workers, SEED, habits.CROWDS["mixed"], str(truth), url=url)
        done = campaign.simulate(
            study,
            asked,
            lambda _came, _judgments: tell.working(places - draw.open_places(study), places),
        )
    people = ", ".join(f"{n} {outcome}" for outcome, n in sorted(done.outcomes.items()))
    tell.detail(f"{people}; {done.judgments} judgments")


def _review(study: Study, tell: Listener) -> None:
    from verifier.crowd import review  # noqa: PLC0415 - one step's own

    # Whom to pay stands there by platform id: the folder that version control ignores.
    payments = study.path / "exports" / "payments.csv"
    payments.parent.mkdir(exist_ok=True)
    tell.step(
        "Review: approve what was handed in",
        f"posthoc review {study.path} --live --confirm demo --out {payments}",
    )
    decided = review.decide(study, confirm="demo", now=clock.now(), out=payments)
    flagged = sum(entry.proposal == "approve_flag" for entry in decided.waiting)
    tell.detail(
        f"{len(decided.waiting)} approved, {flagged} of them flagged; {decided.amount} {decided.currency}"
    )


def _analyze(folder: Path, tell: Listener) -> Path:
    from analysis.output import analyze  # noqa: PLC0415 - one step's own
    from analysis.showing import headline  # noqa: PLC0415 - the same
    from verifier.exporting import bundle_of  # noqa: PLC0415 - one step's own

    out = folder / "report"
    tell.step("Analyze", f"posthoc analyze {folder} --out {out}")
    with bundle_of(folder) as bundle:
        results = analyze(bundle, out)
    for line in headline(results).splitlines():
        tell.detail(line)
    return out / "report.html"
