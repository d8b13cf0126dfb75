"""What a crowd platform is to us: one small interface whose capabilities are declared, never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from analysis.errors import StateError


class Capability(StrEnum):
    """Something that a platform may be able to do for us."""

    PUBLISH = "publish"
    EXTEND = "extend"
    CLOSE = "close"
    LIST_SUBMISSIONS = "list submissions"
    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_RETURN = "request return"
    BONUS = "bonus"
    EXCLUDE = "exclude"
    BALANCE = "balance"
    COST = "cost"


@dataclass(frozen=True)
class Arrival:
    """Who came, as the platform's query parameters say.

    Attributes:
        participant: the platform's id of the person; empty in a preview. It goes to the vault and nowhere
            else.
        platform_place: the platform's id of the place; None if the platform has none.
        platform_assignment: the platform's id of this participation; None if the platform has none.
        preview: the person only looks; nothing may be written.
    """

    participant: str
    platform_place: str | None = None
    platform_assignment: str | None = None
    preview: bool = False

    def __repr__(self) -> str:
        """Without any platform id, so that none can reach a log or a traceback."""
        return f"Arrival(preview={self.preview})"


@dataclass(frozen=True)
class Finish:
    """How a worker tells the platform that he is done.

    Attributes:
        code: the completion code to copy.
        redirect_url: where to send the worker; None if the code is all there is.
    """

    code: str
    redirect_url: str | None


@dataclass(frozen=True)
class Cost:
    """What one place costs: the pay and the platform's fee on it."""

    reward: Decimal
    fee: Decimal
    currency: str

    @property
    def total(self) -> Decimal:
        """Pay and fee."""
        return self.reward + self.fee


class Adapter(Protocol):
    """Translates between us and one platform. Ledger, budget and decisions are the core's."""

    name: str
    capabilities: frozenset[Capability]

    def parse_arrival(self, args: Mapping[str, str]) -> Arrival:
        """Who came, from the query parameters of the entry link.

        Raises:
            InputError: the parameters do not name a participant as this platform does.
        """

    def finish(self, code: str, participant: str | None) -> Finish:
        """How the worker hands `code` back; `participant` is given if `needs_participant`."""

    @property
    def needs_participant(self) -> bool:
        """Whether `finish` needs the platform's id of the worker."""

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """What one place that pays `reward` costs."""


def require(adapter: Adapter, capability: Capability) -> None:
    """Refuse, before anything is done, what the platform cannot do.

    Raises:
        StateError: the platform lacks the capability.
    """
    if capability not in adapter.capabilities:
        able = ", ".join(sorted(adapter.capabilities)) or "nothing by itself"
        raise StateError(
            f"the platform {adapter.name!r} cannot {capability}",
            where="study.yaml: platform.kind",
            expected=f"what it can do: {able}",
        )
