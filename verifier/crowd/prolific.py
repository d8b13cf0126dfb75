"""Prolific as its participants come: by a link that names them, and back by a code. No call is made here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from verifier import fees
from verifier.config import ProlificPlatform
from verifier.crowd import codes
from verifier.crowd.base import Arrival, Capability, Cost, Finish, Handed, Rejecting
from verifier.crowd.sited import Hosted, unknown

PARAMETERS: Final = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
SITE: Final = "https://app.prolific.com"
CATEGORIES: Final = (
    "BAD_CODE",
    "FAILED_CHECK",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "NO_DATA",
    "OTHER",
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "UNSUPP_DEVICE",
)
_ID: Final = re.compile(r"[0-9a-f]{24}")
_COMPLETE: Final = "/submissions/complete?cc="


class ProlificAdapter(Hosted):
    """Prolific: the places of one of its studies are a number that grows.

    What its rules take for no ground of a rejection: an answer that is not the one of a control. A wrong link
    looks like a right one to an honest eye, so it is no attention check in Prolific's sense; nor is speed.
    """

    name = "prolific"
    capabilities: frozenset[Capability] = frozenset(
        {
            Capability.PUBLISH,
            Capability.COUNT,
            Capability.EXTEND,
            Capability.CLOSE,
            Capability.LIST_SUBMISSIONS,
            Capability.APPROVE,
            Capability.REJECT,
            Capability.REQUEST_RETURN,
            Capability.BONUS,
            Capability.EXCLUDE,
            Capability.BALANCE,
            Capability.COST,
        }
    )
    rejecting: Rejecting | None = Rejecting(
        shortest=100, longest=5000, categories=CATEGORIES, never_for=frozenset({"failed control"}), final=True
    )

    def __init__(self, config: ProlificPlatform) -> None:
        self._percent = config.fee_percent
        super().__init__({"local": config.worker_url.rstrip("/"), "production": SITE})

    def parse_arrival(self, args: Mapping[str, str]) -> Arrival:
        """Who came, by PROLIFIC_PID, STUDY_ID and SESSION_ID.

        Raises:
            InputError: one of them is missing or has not Prolific's form.
        """
        if args.get("preview"):
            return Arrival("", preview=True)
        participant, study, submission = (args.get(name, "") for name in PARAMETERS)
        if not all(_ID.fullmatch(told) for told in (participant, study, submission)):
            remedy = "Open the study on Prolific and start it there."
            raise unknown(", ".join(PARAMETERS), "Prolific", remedy)
        return Arrival(participant, study, submission)

    def finish(self, handed: Handed) -> Finish:
        """The code of the outcome, and the address at which Prolific takes it."""
        return self._told(handed.outcome, handed.key, handed.environment)

    def leave(self, outcome: str, key: str, environment: str, _participant: str = "") -> Finish | None:
        """The code by which Prolific asks for the place back; nothing where no study is out."""
        return self._told(outcome, key, environment) if environment in self.sites else None

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """The pay and the fee that study.yaml names."""
        return Cost(reward, fees.fee(self.name, reward, self._percent), currency)

    def _told(self, outcome: str, key: str, environment: str) -> Finish:
        told, site = codes.code(key, outcome), self.sites.get(environment)
        return Finish(told, site and f"{site}{_COMPLETE}{told}")
