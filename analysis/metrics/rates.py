"""Rates over annotations: verified, edited, removed, never judged."""

from __future__ import annotations

from analysis.engine.counts import Counts
from analysis.measured import View
from analysis.metrics.registry import Metric, ratio, register

_CLUSTERS = ("document", "segment", "annotation", "worker", "two-way")


def judged(view: View) -> Counts:
    """Each judgment's share of its annotation's verify, edit, remove and of the annotation itself."""
    votes = view.votes
    return Counts.of_votes(
        votes, verify=votes["verify"], edit=votes["edit"], remove=votes["remove"], judged=votes["weight"]
    )


def shown(view: View) -> Counts:
    """Annotations that were shown, and those of them that nobody judged."""
    annotations = view.annotations
    annotations = annotations[annotations["shown"].to_numpy()]
    return Counts.of(
        document=annotations["document_code"],
        segment=annotations["segment"],
        unit=annotations.index,
        quantities={"unjudged": ~annotations["judged"], "shown": 1},
    )


def _rate(decision: str, title: str, better: str) -> Metric:
    return register(
        Metric(
            name=f"{title.lower().replace(' ', '_')}",
            title=title,
            formula=f"sum over judged annotations of the share of their judgments that {decision}, over the"
            " number judged",
            range=(0.0, 1.0),
            better=better,  # type: ignore[arg-type]  # one of the three words below
            undefined="no annotation of this source was judged by anyone who counts",
            clusters=_CLUSTERS,
            reference="docs/definitions.md section 2",
            family="rates",
            per="source",
            count=judged,
            value=ratio(decision, "judged"),
            size="judged",
        )
    )


_rate("verify", "Verification rate", "higher")
_rate("edit", "Edit rate", "lower")
_rate("remove", "Removal rate", "lower")
register(
    Metric(
        name="unjudged_rate",
        title="Unjudged rate",
        formula="annotations that were shown and never judged by anyone who counts, over those shown",
        range=(0.0, 1.0),
        better="none",
        undefined="no annotation of this source was shown",
        clusters=("document", "segment", "annotation"),
        reference="docs/definitions.md section 2",
        family="rates",
        per="source",
        count=shown,
        value=ratio("unjudged", "shown"),
        size="shown",
    )
)


def every_shown(view: View) -> Counts:
    """Judgments of annotations, and a row for each that was shown and never judged."""
    annotations = view.annotations
    missed = annotations[(annotations["shown"] & ~annotations["judged"]).to_numpy(bool)]
    silent = Counts.of(
        document=missed["document_code"],
        segment=missed["segment"],
        unit=missed.index,
        quantities={"shown": 1, "most": 1},
    )
    told = judged(view)
    quantities = {"verify": told.quantities["verify"], "most": told.quantities["verify"]}
    quantities["shown"] = told.quantities["judged"]
    return Counts.concat(
        [Counts(told.document, told.segment, told.unit, told.worker, told.n, quantities), silent]
    )


for _end, _quantity in (("wrong", "verify"), ("right", "most")):
    register(
        Metric(
            name=f"verification_rate_if_{_end}",
            title=f"Verification rate if all unjudged are {_end}",
            formula=f"verification rate over all annotations shown, those never judged taken as {_end}",
            range=(0.0, 1.0),
            better="higher",
            undefined="no annotation of this source was shown",
            clusters=("document", "segment", "annotation", "two-way"),
            reference="docs/definitions.md section 2",
            family="rates",
            per="source",
            count=every_shown,
            value=ratio(_quantity, "shown"),
            size="shown",
        )
    )
