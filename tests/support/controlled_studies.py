"""Studies with controls, judged by a crowd that accepts what is shown more often than it should."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.frames import conform_all
from analysis.study import Study


def study(seed=1, bias=0.3, **more):
    """A study and its true rate: see `study_of_links`."""
    made, right = study_of_links(seed, bias, **more)
    return made, float(right.mean())


def study_of_links(
    seed=1, bias=0.3, *, use="measure", accuracy=0.95, controls=30, documents=40, harder=0.0, apart=0.0
):
    """A study, and which links are right. People verify wrong links with probability `bias`; 80 % are right.

    Each worker judges a document of 15 links and three controls: right, wrong entity, no entity.

    Args:
        seed: of everything.
        bias: P(verify | wrong).
        use: of the controls, gate or measure.
        accuracy: P(verify | right).
        controls: number of distinct ones, a third of them right.
        documents: and workers.
        harder: how much more often real errors are verified than planted ones.
        apart: correlation of two of a worker's judgments of wrong links; workers' own bias is a beta number.
    """
    r = np.random.default_rng(seed)
    displays, tasks, credits_, judgments, answers, annotations = [], [], [], [], [], []
    links = []
    own = np.full(documents, bias)
    if apart:
        own = r.beta(bias * (1 / apart - 1), (1 - bias) * (1 / apart - 1), documents)

    def judge(worker: int, display: int, *, right: bool, wrong: str, more: float = 0.0) -> None:
        verified = r.random() < (accuracy if right else own[worker] + more)
        decision = "verify" if verified else wrong
        judgments.append((worker, display, decision, None, None, 3.0, False, len(judgments), True, "worker"))

    # Controls come first, then links: task i is control i or document i - controls.
    for control in range(controls):
        kind = ("verify", "edit", "remove")[control % 3]
        tasks.append((control, "control", 0, None, 1))
        displays.append((control, control, 0, 2 * control, 2 * control + 1, "w:en:Q", None))
        answers.append((control, kind, None, None, use))
    for document in range(documents):
        task = controls + document
        tasks.append((task, "real", document, "GT", 1))
        for place in range(15):
            annotation = document * 15 + place
            display = controls + annotation
            right = r.random() < 0.8
            links.append(right)
            annotations.append(
                (
                    *(annotation, "d", f"t{document}", "GT", 4 * place, 4 * place + 3, None),
                    *(f"w:en:E{place}", f"E{place}", "link", None, True, None),
                )
            )
            displays.append((display, task, place, 4 * place, 4 * place + 3, f"w:en:E{place}", None))
            credits_.append((display, annotation))
            judge(document, display, right=right, wrong="edit" if place % 2 else "remove", more=harder)
        for kind in range(3):
            control = 3 * int(r.integers(0, controls // 3)) + kind
            judge(document, control, right=kind == 0, wrong=("edit", "edit", "remove")[kind])
    names = {
        "documents": "dataset document language text text_sha256 evaluation_start evaluation_end",
        "sources": "source role version",
        "source_documents": "dataset document source ran n",
        "annotations": "annotation dataset document source start end mention key raw kind confidence shown"
        " reason",
        "segments": "segment dataset document start end weight",
        "tasks": "task kind segment source k",
        "displays": "display task ordinal start end key card",
        "credits": "display annotation",
        "control_answers": "display expected acceptable difficulty use",
        "judgments": "assignment display decision key raw seconds opened sequence current role",
    }
    rows = {
        "documents": [("d", f"t{n}", "en", None, "", 0, 60) for n in range(documents)],
        "sources": [("GT", "ground_truth", None)],
        "source_documents": [("d", f"t{n}", "GT", True, 15) for n in range(documents)],
        "annotations": annotations,
        "segments": [(n, "d", f"t{n}", 0, 60, 1.0) for n in range(documents)],
        "tasks": tasks,
        "displays": displays,
        "credits": credits_,
        "control_answers": answers,
        "judgments": judgments,
    }
    tables = {name: pd.DataFrame(rows[name], columns=names[name].split()) for name in names}
    # A worker who saw one control twice has one voice on it.
    tables["judgments"] = tables["judgments"].drop_duplicates(["assignment", "display"], keep="last")
    tables["assignments"] = pd.DataFrame(
        {
            "assignment": range(documents),
            "worker": [f"w{n}" for n in range(documents)],
            "origin": "live",
            "state": "submitted",
            "counted": pd.array([True] * documents, dtype="boolean"),
            **dict.fromkeys(["platform", "reason", "claimed", "submitted", "active_seconds"]),
            **dict.fromkeys(["reward", "fee", "bonus", "currency"]),
        }
    )
    return Study(conform_all(tables), {"schema_version": 1}), np.array(links)
