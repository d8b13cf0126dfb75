"""Faults on demand of the local MTurk's operations."""

from __future__ import annotations

from verifier.crowd.localbase import faults
from verifier.crowd.localbase.faults import LAG_SECONDS, Fault, Kind
from verifier.crowd.localmturk.model import model

__all__ = ["LAG_SECONDS", "Fault", "Faults", "Kind"]


class Faults(faults.Faults):
    """The faults that are asked for."""

    def __init__(self) -> None:
        super().__init__(lambda: model().operations)
