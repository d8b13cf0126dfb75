"""What majority adds to the rates of sources, so that a report that uses it can print it."""

from __future__ import annotations

from analysis.evaluate import evaluate
from analysis.measured import Measured
from analysis.outcomes import measure


def majority_notes(measured: Measured) -> list[str]:
    """Under majority: each source's verification rate less what it is as a mean of shares, over everything.

    Shares have the same expectation however often an item was judged; a majority errs less often the more
    judgments it has. So where sources differ here, they would come out different even if they were equal.
    """
    if measured.policy.resolution != "majority" or not measured.judgments:
        return []
    plain = measure(measured.study, measured.policy.override({"resolution": "share"}))
    rates = [
        evaluate(each, ["verification_rate"], by=["source"], replicates=0, interval="jackknife")
        for each in (measured, plain)
    ]
    shift = (rates[0].set_index("source")["estimate"] - rates[1].set_index("source")["estimate"]).dropna()
    if len(shift) < 1:
        return []
    said = ", ".join(f"{source} {value:+.4f}" for source, value in shift.items())
    apart = shift.max() - shift.min()
    note = (
        f"Majority moves verification rates against mean shares by {said}; {apart:.4f} of a difference"
        " between sources may be made by it alone."
    )
    return [note]
