"""Looks a study over: its folder, its secrets, its database; each finding is in order or says what to do."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import PosthocError
from verifier.founding import leftovers
from verifier.needed import check_files
from verifier.secrets import FILE as SECRETS_FILE
from verifier.store import facts
from verifier.store.check import CHECKS
from verifier.study import Study


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what ought to be so.
        ok: whether it is.
        faults: what is amiss.
        remedy: what to do about it.
    """

    name: str
    ok: bool
    faults: tuple[str, ...] = ()
    remedy: str = ""


def examine(path: Path) -> Iterator[Finding]:
    """Every finding about the study in the folder `path`, one by one."""
    opens = "study.yaml, secrets and the database's revision are right"
    try:
        study = Study.open(path)
    except PosthocError as error:
        yield Finding(opens, ok=False, faults=tuple(map(str, error)), remedy="Mend this first.")
        return
    with study:
        yield Finding(opens, ok=True)
        yield _closed(path / SECRETS_FILE)
        yield _whole(path)
        yield _named(study)
        yield _built(study)
        yield _writable(study)
        yield _same_study(study)
        for check in CHECKS:
            with study.read() as session:
                yield _finding(check.name, check.faults(session), check.remedy)


def _finding(name: str, faults: list[str], remedy: str) -> Finding:
    return Finding(name, ok=not faults, faults=tuple(faults), remedy=remedy if faults else "")


def _closed(path: Path) -> Finding:
    """Whether nobody but the owner can read the secrets; the environment may hold them in place of a file."""
    faults = []
    if path.exists() and (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077:
        faults.append(f"{path} can be read by others (mode {mode:04o})")
    return _finding("secrets.env is its owner's alone", faults, f"Run: chmod 600 {path}")


def _named(study: Study) -> Finding:
    name = "what study.yaml names is there: texts for workers, given controls"
    try:
        check_files(study.path, study.config)
    except PosthocError as error:
        return _finding(name, list(map(str, error)), "Mend these before workers come.")
    return _finding(name, [], "")


def _writable(study: Study) -> Finding:
    """Whether work can be stored; a study that is only read is in order, but nobody can work in it."""
    faults = [f"{study.store.shown_url} can be read, not written"] if study.store.read_only else []
    return _finding("the study can be written", faults, "To work in it, give yourself the right to write.")


def _whole(path: Path) -> Finding:
    """Whether nothing lies about that was broken off half-way."""
    beside = [*leftovers(path), *leftovers(path.absolute().parent)]
    return _finding(
        "nothing that was broken off lies about", [str(left) for left in beside], "Remove it: it is no study."
    )


def _built(study: Study) -> Finding:
    if study.config.kb.kind == "wikipedia":
        return _answers(study)
    try:
        study.kb().close()
    except PosthocError as error:
        return _finding("the knowledge base is built", list(map(str, error)), "")
    return _finding("the knowledge base is built", [], "")


def _answers(study: Study) -> Finding:
    name = "the knowledge base answers"
    try:
        with closing(study.shelf()) as shelf:
            shelf.check()
    except PosthocError as error:
        return _finding(name, list(map(str, error)), "Workers can decide without it, by the links on cards.")
    return _finding(name, [], "")


def _same_study(study: Study) -> Finding:
    """Whether configuration and database are of one study; before it is planned its name is free."""
    with study.read() as session:
        name = facts.get(session, "name")
        planned = facts.get(session, "plan_sha256")
    faults = []
    if planned and name != study.config.study.name:
        faults.append(f"study.yaml is of {study.config.study.name}, the database of {name}")
    return _finding(
        "study.yaml and the database are of one study",
        faults,
        "Put back in study.yaml what the database says.",
    )
