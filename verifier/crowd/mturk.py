"""MTurk as its workers come: from a frame on its site, and back by a form. No call is made here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from verifier import fees
from verifier.config import MTurkPlatform
from verifier.crowd.base import Arrival, Capability, Cost, Finish, Handed, Rejecting
from verifier.crowd.sited import Hosted, unknown

PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
_SITES: Final = {"sandbox": "https://workersandbox.mturk.com", "production": "https://www.mturk.com"}
_SUBMIT: Final = "/mturk/externalSubmit"
_ID: Final = re.compile(r"[A-Z0-9]{1,64}")
_WORKER: Final = re.compile(r"A[A-Z0-9]{0,63}")


class MTurkAdapter(Hosted):
    """MTurk: places are HITs that are published before anybody comes."""

    name = "mturk"
    capabilities: frozenset[Capability] = frozenset(
        {
            Capability.PUBLISH,
            Capability.EXTEND,
            Capability.CLOSE,
            Capability.LIST_SUBMISSIONS,
            Capability.APPROVE,
            Capability.REJECT,
            Capability.BONUS,
            Capability.EXCLUDE,
            Capability.NOTIFY,
            Capability.DELETE,
            Capability.BALANCE,
            Capability.COST,
        }
    )

    rejecting: Rejecting | None = Rejecting(shortest=20, longest=1024)

    def __init__(self, config: MTurkPlatform) -> None:
        self._in_frame = config.question == "external"
        super().__init__({"local": config.worker_url.rstrip("/"), **_SITES})

    def parse_arrival(self, args: Mapping[str, str]) -> Arrival:
        """Who came, by assignmentId, hitId and workerId.

        Raises:
            InputError: one of them is missing or has not MTurk's form.
        """
        assignment = args.get("assignmentId", "")
        if assignment == PREVIEW or args.get("preview"):
            return Arrival("", preview=True)
        hit, worker = args.get("hitId", ""), args.get("workerId", "")
        if not (_ID.fullmatch(assignment) and _ID.fullmatch(hit) and _WORKER.fullmatch(worker)):
            remedy = "Open the task on MTurk and accept it there."
            raise unknown("assignmentId, hitId, workerId", "MTurk", remedy)
        return Arrival(worker, hit, assignment)

    def finish(self, handed: Handed) -> Finish:
        """A form to the site of the study's environment, never to one that the entry link names.

        Out of the frame, the worker takes the code there himself.
        """
        site = self.sites.get(handed.environment) if self._in_frame else None
        if site is None or handed.platform_assignment is None:
            return Finish(handed.code, None)
        fields = {"assignmentId": handed.platform_assignment, "completion_code": handed.code}
        return Finish(handed.code, f"{site}{_SUBMIT}", fields)

    def leave(self, outcome: str, key: str, environment: str, _participant: str = "") -> Finish | None:
        """Nothing need be told: the pages say all."""

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """The pay and MTurk's fee: 20 %, at least a cent."""
        return Cost(reward, fees.fee(self.name, reward), currency)
