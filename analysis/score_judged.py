"""Scoring a linker that was never shown, on the judgments of a study: ranges, and what to judge next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.documents import Document
from analysis.engine.counts import Codes, Counts
from analysis.engine.jackknife import FEW_WORKERS, limits, spread
from analysis.engine.tally import ALL_DATASETS, Tally, Value
from analysis.errors import InputError, Problem, plain
from analysis.keys import LINK
from analysis.measured import Measured
from analysis.metrics.posthoc import harmonic
from analysis.metrics.registry import ratio
from analysis.outcomes import measure, within
from analysis.study import Study

TO_JUDGE: Final = ("dataset", "document", "start", "end", "mention", "key", "sources")
_NOBODY: Final = -1


@dataclass(frozen=True)
class Judged:
    """New sources on old judgments.

    Attributes:
        records: one a source; see `score_judged`.
        to_judge: what no judgment speaks for: dataset, document, start, end, mention, key, sources; those
            that most of the new sources have come first.
    """

    records: list[dict[str, Any]]
    to_judge: pd.DataFrame


def score_judged(
    study: Study, predictions: Mapping[str, Iterable[Document]], *, level: float = 0.95
) -> Judged:
    """Posthoc precision, recall and F1 of sources that the study never showed, as ranges.

    A link is judged if the identical item (document, span, entity) was; its value is the share of the item's
    judgments that verify. What is not judged may be all wrong or all right: the ends of the range. A right
    one would enter the union too. Values and union are those of the policy `recommended`. Documents are
    joined by name; entity keys have to be written as in the study, after its redirects.

    Args:
        study: with its judgments.
        predictions: name of a source -> its documents.
        level: of the intervals.

    Returns:
        Records with source, documents, predicted (distinct links inside the evaluation spans), judged,
        unjudged, unjudged_share; precision_judged with `_low` and `_high`, of judged links alone, which are
        the ones that other sources have too; precision, recall and f1, each with `_if_wrong`, `_if_right`,
        `_low` and `_high`: the lower limit of the one and the upper of the other; cost and currency of
        judging the rest once at the price of the study's judgments; level; reason; warnings.

    Raises:
        InputError: a text differs, a document is there twice, or none is in the study.
    """
    measured = measure(study)
    places = _places(measured)
    price, currency = _price(study)
    records, missing = [], []
    for source, documents in predictions.items():
        links, ran, warnings = _links(measured, source, list(documents), places)
        item = _items(measured, links)
        links = links.assign(item=item, segment=within(links, measured.segments))
        if measured.weight is not None:
            drawn = np.append(measured.weight > 0, False)[links["segment"].to_numpy()]
            warnings.append(f"{source}: {int((~drawn).sum())} links lie where nothing was drawn; not counted")
            links, item = links[drawn], item[drawn]
        unjudged = links[item < 0]
        missing.append(unjudged.assign(source=source))
        record = {"source": source, **_scores(measured, links, ran, level)}
        record |= {
            "cost": None if price is None else round(price * len(unjudged), 2),
            "currency": currency,
            "level": level,
            "warnings": warnings,
        }
        records.append(record)
    return Judged(records, _to_judge(measured, pd.concat(missing)))


def _places(measured: Measured) -> dict[str, int]:
    """Code of each document by name.

    Raises:
        InputError: two datasets have a document of that name.
    """
    names = measured.documents["document"].astype(str).tolist()
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError(
            "documents of several datasets have one name",
            where="--judged",
            got=", ".join(sorted(twice)[:5]),
            expected="each name once",
            remedy="Export the datasets apart, and score on one at a time.",
        )
    return {name: code for code, name in enumerate(names)}


def _links(
    measured: Measured, source: str, documents: list[Document], places: Mapping[str, int]
) -> tuple[pd.DataFrame, Codes, list[str]]:
    """A source's distinct links inside the evaluation spans, the documents it ran on, and warnings."""
    texts = measured.study["documents"]["text"]
    known = {
        place: text for place, text in enumerate(_ordered(measured, texts)) if isinstance(text, str) and text
    }
    problems, rows, seen, strange = [], [], set(), 0
    spans = measured.documents[["evaluation_start", "evaluation_end"]].to_numpy(np.int64)
    for document in documents:
        place = places.get(document.name)
        if place is None:
            strange += 1
            continue
        where = f"{source}: {document.name}"
        if place in seen:
            problems.append(Problem("two documents of one name", where, expected="each document once"))
        if document.text and known.get(place, document.text) != document.text:
            problems.append(Problem("the text is not that of the study", where, expected="the same text"))
        seen.add(place)
        start, end = spans[place]
        rows += [
            (place, *annotation.span, annotation.entity.key)
            for annotation in document.annotations
            if annotation.entity.kind == LINK
            and annotation.span.start >= start
            and annotation.span.end <= end
        ]
    if problems:
        raise InputError.of(problems)
    if not seen:
        raise InputError(
            "no document of the predictions is in the study",
            where=source,
            got=", ".join(plain(document.name) for document in documents[:5]) or "no document",
            expected=", ".join(map(repr, list(places)[:5])),
        )
    frame = pd.DataFrame(rows, columns=["document_code", "start", "end", "key"]).drop_duplicates()
    return frame.reset_index(drop=True), np.array(sorted(seen)), _warnings(source, strange, places, seen)


def _ordered(measured: Measured, texts: pd.Series) -> list[Any]:
    """Texts in the order of document codes."""
    documents = measured.study["documents"]
    by_name = dict(zip(zip(documents["dataset"], documents["document"], strict=True), texts, strict=True))
    names = zip(measured.documents["dataset"], measured.documents["document"], strict=True)
    return [by_name[name] for name in names]


def _warnings(source: str, strange: int, places: Mapping[str, int], seen: set[int]) -> list[str]:
    out = []
    if strange:
        out.append(f"{source}: {strange} documents are not in the study; not counted")
    if missing := len(places) - len(seen):
        out.append(f"{source}: {missing} of {len(places)} documents of the study are not in its file")
    return out


def _items(measured: Measured, links: pd.DataFrame) -> Codes:
    """The judged item that is identical to each link; -1 where there is none."""
    items = measured.items
    names = ["document_code", "start", "end", "key"]
    known = items.loc[items["judged"].to_numpy(bool), names].reset_index(names="item")
    both = links.astype({"key": "str"}).merge(known.astype({"key": "str"}), how="left", on=names)
    return both["item"].fillna(_NOBODY).to_numpy(np.int64)


def _scores(measured: Measured, links: pd.DataFrame, ran: Codes, level: float) -> dict[str, Any]:
    judged = links["item"].to_numpy() >= 0
    record: dict[str, Any] = {
        "documents": len(ran),
        "predicted": len(links),
        "judged": int(judged.sum()),
        "unjudged": int((~judged).sum()),
        "unjudged_share": float((~judged).mean()) if len(links) else None,
    }
    tally = Tally(_counts(measured, links, ran), measured.bounds, measured.weight)
    reasons = []
    for name, value, size in _FORMULAS:
        estimate, low, high = _estimate(measured, tally, value, size, level)
        record |= {name: estimate, f"{name}_low": low, f"{name}_high": high}
        if estimate is None:
            reasons.append(f"{name}: {_UNDEFINED[name.split('_')[0]]}")
    for name in ("precision", "recall", "f1"):
        record[f"{name}_low"] = record.pop(f"{name}_if_wrong_low")
        record[f"{name}_high"] = record.pop(f"{name}_if_right_high")
        del record[f"{name}_if_wrong_high"], record[f"{name}_if_right_low"]
    return record | {"reason": "; ".join(reasons)}


def _counts(measured: Measured, links: pd.DataFrame, ran: Codes) -> Counts:
    """Judgments of the union's and the source's items, and a row for each link that nobody judged."""
    mine = np.zeros(len(measured.items), dtype=bool)
    mine[links.loc[links["item"] >= 0, "item"].to_numpy()] = True
    votes = measured.item_votes
    votes = votes[np.isin(votes["document_code"].to_numpy(), ran)]
    own = mine[votes["item"].to_numpy()].astype(np.int64)
    told = Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=votes["item"],
        worker=votes["worker"],
        n=votes["n"],
        quantities={
            "union": votes["verify"],
            "found": votes["verify"] * own,
            "judged": own,
            "predicted": own,
            "most": votes["verify"] * own,
            "largest": votes["verify"],
        },
    )
    rest = links[links["item"] < 0]
    silent = Counts.of(
        document=rest["document_code"],
        segment=rest["segment"],
        unit=np.arange(len(rest)) + len(measured.items),
        quantities={"predicted": 1, "most": 1, "largest": 1},
    )
    return Counts.concat([told, silent])


def _f1(found: str, union: str) -> Value:
    def value(sums: Mapping[str, Any]) -> Any:
        named = {"hit": sums[found], "judged": sums["predicted"], "found": sums[found], "union": sums[union]}
        return harmonic(named)

    return value


_FORMULAS: Final[tuple[tuple[str, Value, str], ...]] = (
    ("precision_judged", ratio("found", "judged"), "judged"),
    ("precision_if_wrong", ratio("found", "predicted"), "predicted"),
    ("precision_if_right", ratio("most", "predicted"), "predicted"),
    ("recall_if_wrong", ratio("found", "union"), "union"),
    ("recall_if_right", ratio("most", "largest"), "largest"),
    ("f1_if_wrong", _f1("found", "union"), "predicted"),
    ("f1_if_right", _f1("most", "largest"), "predicted"),
)
_UNDEFINED: Final = {
    "precision": "the source made no link that counts here",
    "recall": "nothing was verified in its documents",
    "f1": "it made no link, or nothing was verified",
}


def _estimate(
    measured: Measured, tally: Tally, value: Value, size: str, level: float
) -> tuple[float | None, float | None, float | None]:
    cut = tally.cut(ALL_DATASETS)
    two_way = not measured.anonymous and cut.n_workers >= FEW_WORKERS
    found = spread(cut, value, size, "two-way" if two_way else "document")
    if np.isnan(found.estimate):
        return None, None, None
    got = limits(found, level, (0.0, 1.0), 0.0)
    return (found.estimate, *got[:2]) if got else (found.estimate, None, None)


def _price(study: Study) -> tuple[float | None, str]:
    """What a judgment of this study cost, pay and fee, where that is known in one currency."""
    paid = study["assignments"]
    paid = paid[(paid["state"] == "submitted") & paid["reward"].notna()]
    currencies = paid["currency"].dropna().unique()
    made = study["judgments"]
    count = int((made["current"].astype(bool) & made["assignment"].isin(paid["assignment"])).sum())
    if len(currencies) != 1 or not count:
        return None, ""
    total = sum(float(one) for name in ("reward", "fee") for one in paid[name].dropna())
    return total / count, str(currencies[0])


def _to_judge(measured: Measured, missing: pd.DataFrame) -> pd.DataFrame:
    names = ["document_code", "start", "end", "key"]
    table = missing.groupby(names, as_index=False).agg(
        sources=("source", lambda sources: "|".join(sorted(sources))), many=("source", "size")
    )
    table = table.sort_values(["many", *names], ascending=[False, *[True] * len(names)], ignore_index=True)
    texts = _ordered(measured, measured.study["documents"]["text"])
    place = table["document_code"].to_numpy(np.int64)
    for name in ("dataset", "document"):
        table[name] = measured.documents[name].to_numpy()[place]
    table["mention"] = [
        texts[code][start:end] if isinstance(texts[code], str) else ""
        for code, start, end in zip(place, table["start"], table["end"], strict=True)
    ]
    return table[list(TO_JUDGE)]
