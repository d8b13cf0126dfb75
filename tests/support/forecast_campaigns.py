"""Campaigns on a planned study whose judgments are alike as a forecast assumes, as the analysis sees them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from analysis.evaluate import evaluate
from analysis.frames import conform
from analysis.load import load
from analysis.schema import TABLES
from analysis.study import Study
from verifier.plan.design import Design
from verifier.plan.layout import Items, Layout, Way, lay_out

RATES = ("verification_rate", "posthoc_recall")
# The rate of these very texts.
HERE = "verification_rate, --cluster worker"
AGREEMENT = ("observed_agreement_verified", "alpha_nominal_verified")


def latent(design: Design) -> dict[str, float]:
    """Shares of a normal latent value that give the verdicts' own shares: by document, worker, item."""
    cut = float(special.ndtri(design.rate))

    def share(alike: float) -> float:
        def beyond(rho: float) -> float:
            both = stats.multivariate_normal.cdf([cut, cut], cov=[[1, rho], [rho, 1]])
            return float(both) - design.rate**2 - alike * design.variance

        return float(optimize.brentq(beyond, 0, 0.999))

    document = share(design.document)
    return {
        "document": document,
        "worker": share(design.worker),
        "item": share(design.document + design.annotation) - document,
    }


def judged(layout: Layout, design: Design, shares: dict[str, float], random: np.random.Generator) -> Any:
    """Whether each judgment verifies."""
    codes = {"document": layout.document, "worker": layout.worker, "item": layout.item}
    total = np.sqrt(1 - sum(shares.values())) * random.standard_normal(len(layout.item))
    for name, code in codes.items():
        total += np.sqrt(shares[name]) * random.standard_normal(int(code.max()) + 1)[code]
    return total < special.ndtri(design.rate)


def items_of(tables: dict[str, pd.DataFrame]) -> tuple[Items, pd.DataFrame]:
    """The annotations shown by a bundle as codes, and for each item a display of it."""
    shown = tables["annotations"].query("shown").merge(tables["credits"], on="annotation")
    shown = shown.merge(tables["displays"][["display", "task"]], on="display")
    shown = shown.merge(tables["tasks"][["task", "segment"]], on="task").drop_duplicates("annotation")
    document = tables["documents"].reset_index(names="code").set_index(["dataset", "document"])["code"]
    sources = list(tables["sources"]["source"])
    place = pd.MultiIndex.from_frame(shown[["dataset", "document"]])
    code = document.loc[place].to_numpy()
    item = shown.groupby(["dataset", "document", "start", "end", "key"]).ngroup().to_numpy()
    ran = np.zeros((len(sources), len(document)), bool)
    for row in tables["source_documents"].query("ran").itertuples():
        ran[sources.index(row.source), document[row.dataset, row.document]] = True
    items = Items(
        dataset=np.zeros(len(shown), np.int64),
        document=code,
        segment=pd.factorize(shown["segment"])[0],
        source=np.array([sources.index(name) for name in shown["source"]]),
        item=item,
        weight=np.ones(len(shown)),
        ran=ran,
    )
    return items, shown.assign(item=item).drop_duplicates("item").set_index("item")["display"]


class Campaigns:
    """A planned study without judgments, and campaigns on it in which every task is judged as planned."""

    def __init__(self, tables: dict[str, pd.DataFrame], way: Way, design: Design) -> None:
        self.items, self._display = items_of(tables)
        self._loaded, self._way, self._design = load(tables), way, design
        self._shares = latent(design)

    def study(self, seed: int) -> Study:
        """The study after one campaign."""
        layout = lay_out(self.items, replace(self._way, seed=seed))
        verified = judged(layout, self._design, self._shares, np.random.default_rng([seed, 1]))
        # The layout deals with tasks; a worker who meets an item twice has one voice.
        made = pd.DataFrame({"assignment": layout.worker + 1, "item": layout.item, "verified": verified})
        made = made.drop_duplicates(["assignment", "item"]).reset_index(drop=True)
        judgments = pd.DataFrame(
            {
                "assignment": made["assignment"],
                "display": self._display.loc[made["item"]].to_numpy(),
                "decision": np.where(made["verified"], "verify", "remove"),
                "key": None,
                "raw": None,
                "seconds": 1.0,
                "opened": False,
                "sequence": np.arange(1, len(made) + 1),
                "current": True,
                "role": "worker",
            }
        )
        workers = np.arange(1, layout.workers + 1)
        people = {"assignment": workers, "worker": [f"w{number}" for number in workers], "counted": True}
        people |= {"origin": "simulated", "state": "submitted"}
        columns = TABLES["assignments"].names
        assignments = pd.DataFrame(people).reindex(columns=columns).astype({"counted": object})
        new = {"judgments": judgments, "assignments": assignments}
        checked = {name: conform(TABLES[name], frame) for name, frame in new.items()}
        return Study({**self._loaded.tables, **checked})

    def rows(self, seed: int) -> pd.DataFrame:
        """Estimates and half-widths of one campaign."""
        study = self.study(seed)
        found = evaluate(study, [*RATES, *AGREEMENT], by=["source"], replicates=0)
        here = evaluate(study, [RATES[0]], by=["source"], replicates=0, cluster="worker")
        found = pd.concat([found, here.assign(metric=HERE)])
        return found.assign(half=(found["high"] - found["low"]) / 2)[["source", "metric", "estimate", "half"]]
