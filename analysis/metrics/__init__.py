"""The metrics: each a short declaration of counts and a formula; importing the modules registers them."""

from __future__ import annotations

import importlib
from typing import Final

# The order in which metrics are listed and computed.
MODULES: Final = (
    "rates",
    "coverage",
    "calibration",
    "union_size",
    "posthoc",
    "pre_annotation",
    "missed",
    "i_of_n",
    "agreement",
    "decoys",
)


def load_all() -> None:
    """Import every module that declares metrics."""
    for name in MODULES:
        importlib.import_module(f"analysis.metrics.{name}")
