"""A corpus with everything verified, cut into segments, and what is left of it when a sample is judged."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

import numpy as np
import pandas as pd

from analysis.load import load
from analysis.study import Study
from tests.support.elevant_documents import ground_truth, predictions
from tests.support.judged_studies import JUDGMENTS
from verifier.plan.split import Whole

WORKERS = 40


@cache
def segmented(corpus: str, *systems: str) -> Study:
    """Ground truth and systems, every link inside the evaluation spans verified, in segments of the plan's.

    A segment's links of one source are judged by one of forty workers.
    """
    truth = ground_truth(corpus)
    every = {"GT": truth, **{name: predictions(corpus, name) for name in systems}}
    mentions: dict[str, list] = {document.name: [] for document in truth}
    for documents in every.values():
        for document in documents:
            mentions[document.name] += [annotation.span for annotation in document.annotations]
    starts = {d.name: [s.start for s in Whole().split(d.text, mentions[d.name])] for d in truth}
    evaluation = {document.name: document.evaluation for document in truth}
    judgments, annotations = [], []
    for number, (source, documents) in enumerate(every.items()):
        for document in documents:
            for annotation in document.annotations:
                entity, name = annotation.entity, document.name
                if not annotation.span.within(evaluation[name]) or entity.kind not in ("link", "nil"):
                    continue
                place = (corpus, name, source, *annotation.span, entity.key)
                annotations.append(place)
                segment = bisect_right(starts[name], annotation.span.start)
                worker = f"w{(17 * number + 7 * int(name) + segment) % WORKERS}"
                if entity.kind == "link":
                    judgments.append((*place, worker, "verify", "", f"s{segment}"))
    return load(
        pd.DataFrame(judgments, columns=[*JUDGMENTS, "segment"]),
        annotations=pd.DataFrame(annotations, columns=JUDGMENTS[:6]),
    )


def sampled(study: Study, weight: np.ndarray, **plan: object) -> Study:
    """The study as it would be had only segments with a weight been drawn.

    Args:
        study: where everything is judged.
        weight: of each segment; 0: not drawn.
        plan: what its manifest says of the sampling.
    """
    tables = dict(study.tables)
    drawn = tables["segments"]["segment"].to_numpy()[weight > 0]
    tables["segments"] = tables["segments"].assign(weight=np.asarray(weight, dtype=float))
    return _without(Study(tables, study.manifest, study.notes), tables["tasks"]["segment"].isin(drawn), plan)


def sampled_tasks(study: Study, drawn: np.ndarray, **plan: object) -> Study:
    """The study as it would be had only some of its tasks (a segment with one source) been drawn."""
    return _without(study, pd.Series(drawn), plan)


def _without(study: Study, drawn: pd.Series, plan: dict[str, object]) -> Study:
    """Only drawn tasks are shown and judged."""
    tables = dict(study.tables)
    tasks = tables["tasks"] = tables["tasks"][drawn.to_numpy()]
    displays = tables["displays"] = tables["displays"][tables["displays"]["task"].isin(tasks["task"])]
    for name in ("credits", "judgments"):
        tables[name] = tables[name][tables[name]["display"].isin(displays["display"])]
    annotations = tables["annotations"]
    shown = annotations["annotation"].isin(tables["credits"]["annotation"])
    lost = annotations["shown"] & ~shown
    reason = annotations["reason"].mask(lost, "not_sampled")
    tables["annotations"] = annotations.assign(shown=shown, reason=reason)
    made = load(tables)
    return Study(made.tables, {**study.manifest, "sampling": plan}, study.notes)


def drawn_segments(study: Study, share: float, seed: int) -> np.ndarray:
    """Weights of a simple sample of segments."""
    count = len(study["segments"])
    wanted = round(share * count)
    weight = np.zeros(count)
    weight[np.random.default_rng(seed).choice(count, wanted, replace=False)] = count / wanted
    return weight
