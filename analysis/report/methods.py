"""The methods paragraph: what was chosen and with what it was computed, in sentences that can be pasted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from analysis.evaluate import DERIVED
from analysis.policy import Policy
from analysis.report.facts import Facts
from analysis.report.references import REFERENCES
from analysis.report.text import as_latex
from analysis.report.words import count, level, listing, plural
from analysis.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

# (choice, value) -> what it means, as a clause after "Under the policy, ".
CHOSEN: Final[Mapping[tuple[str, str], str]] = {
    ("pooling", "own"): "an annotation is judged by those who saw it from its own source",
    (
        "pooling",
        "item",
    ): "all judgments of the same span with the same entity speak for it, whichever source they were made on",
    ("resolution", "share"): "its value is the share of its judgments that verify",
    ("resolution", "majority"): "it counts as verified if more than half of its judgments verify",
    ("resolution", "first"): "its first judgment decides",
    ("resolution", "unanimous"): "it counts as verified if all its judgments verify",
    ("union_edits", "no"): "entities that workers put in place of others do not enter the union",
    ("union_edits", "yes"): "entities that workers put in place of others enter the union",
    ("scope", "all"): "all judged items enter the union",
    (
        "scope",
        "shared",
    ): "only segments in which every source has annotations, all judged, enter recall, F1 and coverage",
    ("recall_union", "distinct"): "recall counts distinct items",
    ("recall_union", "groups"): "recall counts groups of overlapping mentions",
    ("recall_union", "thinned"): "recall counts a thinned union without overlaps",
    (
        "recall_union",
        "greedy",
    ): "recall is taken over the size of a greedy union without overlaps, and may exceed 1",
    ("hits", "own"): "a source's hits are its own verified annotations",
    ("hits", "weak"): "a source's hits are found by a weak match with the union",
    ("matching", "one_to_one"): "before judging, annotations are paired with the ground truth one to one",
    ("matching", "many_to_one"): "before judging, several annotations may match one of the ground truth",
    ("gate", "assignment"): "an assignment counts if it was submitted and its controls were passed",
    ("gate", "worker"): "a worker's assignments count if the worker passed the controls",
    ("gate", "none"): "every submitted assignment counts, whatever its controls",
    ("use", "all"): "all counted judgments enter",
    ("use", "first_k"): "the first judgments of each task enter, as many as were planned",
}


# How evaluation says what clustering by workers adds, at the end of a method's name.
_RATIO: Final = r", SE ([\d.]+) x by documents"


def in_words(policy: Policy) -> list[str]:
    """What each choice of a policy means."""
    return [CHOSEN.get(choice, "=".join(choice)) for choice in policy.choices.items()]


def methods(
    facts: Facts,
    policy: Policy,
    metrics: pd.DataFrame,
    settings: Settings,
    *,
    version: str,
    cited: Sequence[tuple[str, str]] = (),
    cite: Callable[[str], str] = str,
) -> str:
    """The paragraph for one policy.

    Args:
        facts: of the study.
        policy: the choices.
        metrics: frame of metrics.csv.
        settings: of the analysis.
        version: of this program.
        cited: (what was done, key of its reference).
        cite: how a key is written.
    """
    # What rests on controls, experts or recapture has methods of its own, named below.
    rows = metrics[(metrics["policy"] == policy.name) & ~metrics["metric"].isin(DERIVED)].dropna(
        subset=["low"]
    )
    named = rows["method"].str.replace(_RATIO, "", regex=True)
    ways = list(dict.fromkeys(map(str, named[named != ""])))
    ratios = rows["method"].str.extract(_RATIO)[0].dropna().astype(float)
    targets = list(dict.fromkeys(map(str, rows["target"].dropna())))
    levels = list(dict.fromkeys(level(value) for value in rows["level"].dropna()))
    documents = sum(size for _, size in facts.datasets.values())
    where = f"{plural(documents, 'document')} of {plural(len(facts.datasets), 'dataset')}"
    sources = f"{plural(len(facts.sources), 'source')} ({listing(list(facts.sources))})"
    parts = [
        f"The links of {sources} in {where} were shown to people, who verified, edited or removed each.",
        f"Numbers follow the policy {policy.name}: {'; '.join(in_words(policy))}.",
    ]
    if ways:
        parts.append(
            f"Intervals are at the level {listing(levels)} ({'; '.join(ways)}); "
            f"their targets: {'; '.join(targets)}. They are not adjusted for being many."
        )
    if len(ratios):
        parts.append(
            f"By documents and workers, standard errors are {ratios.min():.2f} to {ratios.max():.2f} times "
            f"those by documents alone."
        )
    resampled = (
        f"Bootstrap intervals beside them: {count(settings.replicates)} replicates, seed {settings.seed}."
    )
    parts.append(
        f"{resampled if settings.replicates else 'No bootstrap.'} Computed with posthoc "
        f"{version}{_cited(['posthoc'], cite)}."
    )
    if cited:
        used = "; ".join(f"{what}{_cited([key], cite)}" for what, key in cited)
        parts.append(f"Methods used: {used}.")
    return " ".join(parts)


def _cited(keys: Sequence[str], cite: Callable[[str], str]) -> str:
    written = [cite(key) for key in keys]
    return "".join(f" {each}" for each in written if each)


def as_reader(key: str) -> str:
    """A reference in running text."""
    return f"({REFERENCES[key].said})" if key in REFERENCES else ""


def as_latex_key(key: str) -> str:
    """A mark that stays whole when specials are escaped, until `pasted_latex` makes a citation of it."""
    return f"\x02{key}\x03"


def pasted_latex(paragraph: str) -> str:
    """The paragraph as LaTeX, with its citations."""
    return as_latex((paragraph,)).replace("\x02", "\\cite{").replace("\x03", "}")
