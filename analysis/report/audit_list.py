"""The audit list as people read it: each finding with its text, the links at that place, and the votes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np

from analysis.audit import NOT_VERIFIED
from analysis.decisions import EDIT
from analysis.report.words import count, is_missing
from analysis.study import Study

if TYPE_CHECKING:
    import pandas as pd

# What the page holds; the whole list stands in audit.csv.
SHOWN: Final = 1500
# What paper holds of it.
PRINTED: Final = 60
_CONTEXT: Final = 45
_WIKIPEDIA: Final = re.compile(r"w:([a-z][a-z-]{1,11}):(.+)", re.DOTALL)
_WIKIDATA: Final = re.compile(r"wd:(Q[0-9]+)")
_PLACE: Final = ("dataset", "document", "start", "end")


@dataclass(frozen=True)
class Link:
    """An entity as it is shown: what it is called, and its page where it has one."""

    name: str
    url: str


@dataclass(frozen=True)
class Snippet:
    """A span with the words around it."""

    before: str
    mention: str
    after: str


@dataclass(frozen=True)
class Entry:
    """A finding.

    Attributes:
        dataset: name.
        document: name.
        snippet: the text.
        link: what was judged.
        finding: what is said of it.
        sources: who made the link.
        here: other links of the ground truth that touch the span, each with its words if its span is another.
        edited: what people put in its place, and how many did.
        votes: verify, edit, remove.
        place: where it stands by document, of those on the page.
        divided: where it stands with those first on which people are most divided.
    """

    dataset: str
    document: str
    snippet: Snippet
    link: Link
    finding: str
    sources: str
    here: tuple[tuple[Link, str], ...]
    edited: tuple[tuple[Link, int], ...]
    votes: tuple[str, str, str]
    place: int
    divided: int


class Names:
    """What entities are called, by the cards that people saw."""

    def __init__(self, study: Study) -> None:
        cards = study["cards"].dropna(subset=["title"])
        self._titles = dict(zip(cards["key"], cards["title"], strict=True))

    def link(self, key: object) -> Link:
        """The entity of a key."""
        if is_missing(key):
            return Link("no link", "")
        text = str(key)
        title = self._titles.get(text)
        # A number says nothing to a reader; a title stands in its own key already.
        name = f"{title} ({text})" if title and title not in text else text
        return Link(name, page_of(text))


def page_of(key: str) -> str:
    """The address of an entity's page; empty where it has none. Nothing asks for it but a click."""
    if found := _WIKIDATA.fullmatch(key):
        return f"https://www.wikidata.org/wiki/{found[1]}"
    if found := _WIKIPEDIA.fullmatch(key):
        return f"https://{found[1]}.wikipedia.org/wiki/{quote(found[2].replace(' ', '_'))}"
    return ""


def entries(study: Study, audit: pd.DataFrame, policy: str) -> list[Entry]:
    """The findings of a policy that most speaks for, as many as the page holds, the strongest first.

    The strongest is the one for which the largest share of its judgments speaks: against the ground truth's
    link, or for the link that it lacks. Of equal shares the one of more judgments comes first.
    """
    if audit.empty:
        return []
    found = strongest_first(audit[audit["policy"] == policy]).head(SHOWN)
    ranked = found.assign(
        place=found["place"].rank().astype("int64") - 1,
        divided=np.argsort(np.lexsort((found["place"], -found["judgments"], found["share"]))),
    )
    rows = ranked.to_dict("records")
    texts, names = texts_of(study), Names(study)
    edits, truth = _edits(study, rows), _truth(study)
    return [_entry(row, texts, names, edits, truth) for row in rows]


def strongest_first(audit: pd.DataFrame) -> pd.DataFrame:
    """Findings by the share of judgments that speak for each, then by their number; both are kept.

    Returns:
        The findings with `share`, and `place`: where they stood.
    """
    judgments = audit["judgments"].to_numpy(dtype=float)
    verify = audit["verify"].to_numpy(dtype=float)
    share = np.where(audit["finding"] == NOT_VERIFIED, judgments - verify, verify) / judgments
    place = np.arange(len(audit))
    order = np.lexsort((place, -judgments, -share))
    return audit.assign(share=share, place=place).iloc[order]


def texts_of(study: Study) -> dict[tuple[str, str], object]:
    """The text of each document, as far as they are known."""
    documents = study["documents"]
    keys = zip(documents["dataset"], documents["document"], strict=True)
    return dict(zip(keys, documents["text"], strict=True))


def _entry(
    row: Mapping[Any, Any],
    texts: Mapping[tuple[str, str], object],
    names: Names,
    edits: Mapping[tuple[Any, ...], Counter[str]],
    truth: Mapping[tuple[str, str], Sequence[tuple[int, int, str]]],
) -> Entry:
    start, end, key = row["start"], row["end"], row["key"]
    document = (row["dataset"], row["document"])
    text = texts.get(document)
    others = [
        (names.link(other), "" if (begin, stop) == (start, end) else snippet(text, begin, stop).mention)
        for begin, stop, other in truth.get(document, ())
        if begin < end and start < stop and (begin, stop, other) != (start, end, key)
    ]
    made = edits.get((*document, start, end, _text(key)), Counter())
    told = sorted(made.items(), key=lambda pair: (-pair[1], pair[0]))
    return Entry(
        dataset=str(row["dataset"]),
        document=str(row["document"]),
        snippet=snippet(text, start, end, row["mention"]),
        link=names.link(key),
        finding=str(row["finding"]),
        sources=str(row["sources"]).replace("|", ", "),
        here=tuple(dict.fromkeys(others)),
        edited=tuple(
            (names.link(target) if target else Link("not known", ""), amount) for target, amount in told
        ),
        votes=(count(row["verify"]), count(row["edit"]), count(row["remove"])),
        place=row["place"],
        divided=row["divided"],
    )


def _text(key: object) -> str:
    return "" if is_missing(key) else str(key)


def _edits(study: Study, rows: Sequence[Mapping[Any, Any]]) -> dict[tuple[Any, ...], Counter[str]]:
    """(dataset, document, start, end, key) -> target -> number, of judgments that count."""
    assignments = study["assignments"]
    counted = assignments.loc[assignments["counted"].fillna(value=False).astype(bool), "assignment"]
    made = study["judgments"]
    made = made[made["current"].astype(bool) & (made["role"] == "worker") & (made["decision"] == EDIT)]
    made = made.loc[made["assignment"].isin(counted), ["assignment", "display", "key"]]
    made = made.rename(columns={"key": "target"}).merge(study["credits"], on="display")
    annotations = study["annotations"][["annotation", *_PLACE, "key"]]
    made = made.merge(annotations, on="annotation").drop_duplicates(["assignment", "display", *_PLACE, "key"])
    wanted = {(*(row[name] for name in _PLACE), _text(row["key"])) for row in rows}
    out: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for row in made.to_dict("records"):
        place = (*(row[name] for name in _PLACE), _text(row["key"]))
        if place in wanted:
            out[place][_text(row["target"])] += 1
    return out


def _truth(study: Study) -> dict[tuple[str, str], list[tuple[int, int, str]]]:
    """(dataset, document) -> the ground truth's links: start, end, key."""
    annotations = study["annotations"]
    links = annotations[(annotations["source"] == study.ground_truth) & annotations["key"].notna()]
    out: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    columns = (links[name].tolist() for name in (*_PLACE, "key"))
    for dataset, document, start, end, key in zip(*columns, strict=True):
        out[dataset, document].append((start, end, key))
    return out


def snippet(text: object, start: int, end: int, mention: object = None) -> Snippet:
    """A span in its text; without a text, its mention or its place."""
    if isinstance(text, str) and text[start:end]:
        return Snippet(_before(text[:start]), text[start:end], _after(text[end:]))
    known = "" if is_missing(mention) else str(mention)
    return Snippet("", known or f"characters {start} to {end}", "")


def _before(text: str) -> str:
    """The last words of `text`."""
    if len(text) <= _CONTEXT:
        return text
    cut = text[-_CONTEXT:]
    return f"… {cut.split(' ', 1)[-1]}"


def _after(text: str) -> str:
    """The first words of `text`."""
    if len(text) <= _CONTEXT:
        return text
    return f"{text[:_CONTEXT].rsplit(' ', 1)[0]} …"
