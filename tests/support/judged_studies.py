"""Small studies from a few lines: judgments as rows of the judgments CSV, and real corpora all verified."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pandas as pd

from analysis.load import load
from analysis.measured import Measured
from analysis.outcomes import measure
from tests.support.elevant_documents import ground_truth, predictions

JUDGMENTS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "new_entity"]


def measured(rows: Iterable[str], policy: str = "recommended", *, imported: Iterable[str] = ()) -> Measured:
    """A study of dataset `d` measured under a policy.

    Args:
        rows: `document source start-end entity worker decision` words; `-` for no worker and no decision;
            `edit=Entity` is an edit to that entity.
        policy: name.
        imported: `document source start-end entity` words of annotations that were not shown.
    """
    return _measured(tuple(rows), policy, tuple(imported))


@cache
def _measured(rows: tuple[str, ...], policy: str, imported: tuple[str, ...]) -> Measured:
    made = pd.DataFrame([_row(row) for row in rows], columns=JUDGMENTS)
    extra = [_row(f"{row} - -") for row in imported]
    if not extra:
        return measure(load(made), policy)
    annotations = pd.concat([made, pd.DataFrame(extra, columns=JUDGMENTS)])[JUDGMENTS[:6]].drop_duplicates()
    return measure(load(made, annotations=annotations), policy)


def _row(words: str) -> tuple[object, ...]:
    document, source, span, entity, worker, decision = words.split()
    start, end = map(int, span.split("-"))
    decision, _, target = decision.strip("-").partition("=")
    return ("d", document, source, start, end, entity, worker.strip("-"), decision, target)


def all_verified(corpus: str, *systems: str) -> Measured:
    """A real corpus: ground truth and some systems, every link inside the evaluation spans verified."""
    truth = ground_truth(corpus)
    evaluation = {document.name: document.evaluation for document in truth}
    judgments, annotations = [], []
    for source, documents in {"GT": truth, **{name: predictions(corpus, name) for name in systems}}.items():
        for document in documents:
            for annotation in document.annotations:
                if not annotation.span.within(evaluation[document.name]):
                    continue
                entity = annotation.entity
                place = (corpus, document.name, source, *annotation.span)
                if entity.kind == "link":
                    judgments.append((*place, entity.key, f"worker of {source}", "verify", ""))
                if entity.kind in ("link", "nil"):
                    annotations.append((*place, entity.key))
    return measure(
        load(
            pd.DataFrame(judgments, columns=JUDGMENTS),
            annotations=pd.DataFrame(annotations, columns=JUDGMENTS[:6]),
        )
    )
