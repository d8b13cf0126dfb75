"""Agreement for any table of labels: every coefficient from sums over units, with intervals and warnings."""

from __future__ import annotations

from analysis.agreement.found import Agreement
from analysis.agreement.measure import agreement
from analysis.agreement.span_measure import span_agreement
from analysis.agreement.truth import Truth, infer

__all__ = ["Agreement", "Truth", "agreement", "infer", "span_agreement"]
