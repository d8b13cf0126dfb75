"""The report's sentences that hold no metric: title, people, money, workers, the audit list, the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from analysis.given_types import GROUPING as GIVEN
from analysis.lock import Lock
from analysis.report.audit_list import SHOWN
from analysis.report.facts import Facts
from analysis.report.numbers import Numbers
from analysis.report.words import (
    ALL_DATASETS,
    count,
    dataset_name,
    listing,
    number,
    percent,
    plural,
)
from analysis.settings import Settings

if TYPE_CHECKING:
    import pandas as pd


def title(facts: Facts) -> str:
    """What the study is called."""
    return f"Verification report: {facts.name or listing(list(facts.datasets))}"


def subtitle(facts: Facts) -> str:
    """What it compares."""
    models = [source for source in facts.sources if source != facts.ground_truth]
    truth = f"the ground truth {facts.ground_truth}" if facts.ground_truth else ""
    compared = listing([*([truth] if truth else []), *map(_versioned(facts), models)])
    return f"The links of {compared}, as people judged them."


def _versioned(facts: Facts) -> Any:
    def name(source: str) -> str:
        version = facts.sources.get(source)
        return f"{source} ({version})" if version else source

    return name


def scope_note(numbers: Numbers) -> str:
    """What the headline answers speak of."""
    note = f"Over {dataset_name(numbers.overall)}, by the policy {numbers.policy}."
    if len(numbers.sources) > 1:
        note += " Intervals that overlap do not make two sources equal: see Sources compared."
    return note


def in_figures(facts: Facts) -> list[tuple[str, str]]:
    """The size of the study."""
    return [
        ("datasets", count(len(facts.datasets))),
        ("documents", count(sum(size for _, size in facts.datasets.values()))),
        ("sources", count(len(facts.sources))),
        ("workers", count(facts.workers)),
        ("assignments", count(facts.assignments)),
        ("judgments", count(facts.judgments)),
        ("judgments counted", count(facts.judgments_used)),
    ]


def people(facts: Facts) -> str:
    """Who took part and whose work counts."""
    if not facts.assignments:
        return "Nobody has judged anything: every number that needs judgments is undefined."
    verb = "counts" if facts.assignments_counted == 1 else "count"
    if facts.workers:
        took = f"{plural(facts.workers, 'worker')} took {plural(facts.assignments, 'assignment')}"
        counted = (
            f"{count(facts.assignments_counted)} of these, by {plural(facts.workers_counted, 'worker')},"
        )
    else:
        took = f"Workers who are not named took {plural(facts.assignments, 'assignment')}"
        counted = f"{count(facts.assignments_counted)} of these"
    return (
        f"{took}; {counted} {verb}. They made {plural(facts.judgments, 'judgment')} on the links under study "
        f"(controls apart), of which {count(facts.judgments_used)} enter the numbers below."
    )


def money(facts: Facts) -> str:
    """What was paid, by currency; empty if nothing is known."""
    said = [
        f"{pay + fees + bonuses:,.2f} {currency} (pay {pay:,.2f}, fees {fees:,.2f}, bonuses {bonuses:,.2f})"
        for currency, (pay, fees, bonuses) in facts.money.items()
    ]
    return f"What was handed in costs {listing(said)}." if said else ""


def workers_note(workers: pd.DataFrame) -> str:
    """The workers in one sentence or two."""
    if workers.empty:
        return "No worker is known."
    parts = [f"The median worker made {number(float(workers['judgments'].median()), 1)} judgments."]
    seconds = workers["median_seconds"].dropna()
    if len(seconds):
        parts.append(f"The median of their median times is {float(seconds.median()):.1f} seconds a judgment.")
    controls = int(workers["controls"].sum())
    if controls:
        rates = (workers["control_rate"].astype(float) * workers["controls"]).sum() / controls
        parts.append(f"Of {count(controls)} control judgments {percent(rates)} were right.")
    else:
        parts.append("No controls were shown.")
    return " ".join([*parts, "One row a worker stands in workers.csv."])


def warnings(said: Sequence[str], metrics: Iterable[str]) -> dict[str, list[str]]:
    """Each warning with the numbers it is about; those about the whole study stand alone."""
    known = set(metrics)
    out: dict[str, list[str]] = {}
    for warning in said:
        what, _, where = warning.rpartition(": ")
        if where.split(",")[0].split(" ")[0] in known:
            # The star of metrics.csv: people read that as a footnote.
            out.setdefault(f"{what}: some numbers", []).append(re.sub(r"\*(?=[/,.])", ALL_DATASETS, where))
        else:
            out.setdefault(warning, [])
    return out


def audit_note(audit: pd.DataFrame, policy: str, ground_truth: str | None) -> str:
    """What the list holds, and how much of it is printed."""
    if ground_truth is None:
        return "There is no ground truth to look at."
    rows = audit[audit["policy"] == policy]
    if rows.empty:
        return (
            "Nothing stands out: more than half of their judgments verify each judged link of "
            f"{ground_truth}, and no link that {ground_truth} lacks has more than half of its own. "
            "Single edits and removals stand in the rates above."
        )
    amounts = rows["finding"].value_counts().sort_index()
    said = listing([f"{count(amount)} {finding}" for finding, amount in amounts.items()])
    shown = "All" if len(rows) <= SHOWN else f"The first {count(SHOWN)}"
    return (
        f"Links of {ground_truth} that at most half of their judgments verify, and links that more than half "
        f"verify and {ground_truth} lacks: {said}. {shown} follow, the strongest first: by the share of "
        "judgments that speak for the finding, then by how many there are. The whole list, by document, "
        "stands in audit.csv."
    )


def departures_note(lock: Lock | None, departures: Sequence[str]) -> str:
    """Whether the analysis was fixed before anybody could see the data, and whether it was kept to."""
    if lock is None:
        return (
            "The analysis was not locked before the first judgment: nobody can tell what was chosen after "
            "seeing data."
        )
    kept = f"{plural(len(departures), 'departure')} from it:" if departures else "Nothing departs from it."
    return f"The analysis was locked at {lock.at} (sha256 {lock.sha256}). {kept}"


def command(settings: Settings) -> str:
    """The command that gives the same folder again."""
    words = ["posthoc", "analyze", "INPUT", "--out", "OUT"]
    for policy in settings.policies:
        words += ["--policy", policy]
    for choice, value in sorted(settings.overrides.items()):
        words += ["--set", f"{choice}={value}"]
    for option, wanted in (
        ("--interval", settings.interval),
        ("--level", settings.level),
        ("--cluster", settings.cluster),
        ("--gt", settings.gt),
        ("--replicates", settings.replicates),
        ("--seed", settings.seed),
        ("--margin", settings.margin),
    ):
        if wanted is not None:
            words += [option, f"{wanted:g}" if isinstance(wanted, float) else str(wanted)]
    words += _own_names(settings)
    for grouping in settings.by:
        words += ["--by", grouping]
    if GIVEN in settings.by:
        words += ["--types", "TYPES"]
    if settings.figures != "svg":
        words += ["--figures", settings.figures]
    return shlex.join(words)


def _own_names(settings: Settings) -> Iterator[str]:
    """What says that columns and values have other names."""
    for ours, theirs in sorted(settings.columns.items()):
        yield from ("--column", f"{ours}={theirs}")
    for column, said in sorted(settings.values.items()):  # noqa: PD011 - a field, no frame
        for theirs, ours in sorted(said.items()):
            yield from ("--value", f"{column}:{ours}={theirs}")
