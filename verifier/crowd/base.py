"""What a crowd platform is to us: one small interface whose capabilities are declared, never guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, Literal, Protocol

from analysis.errors import StateError

# The fact that says in which environment the study was published.
ENVIRONMENT: Final = "environment"


class Capability(StrEnum):
    """Something that a platform may be able to do for us."""

    PUBLISH = "publish"
    COUNT = "count places"
    EXTEND = "extend"
    CLOSE = "close"
    LIST_SUBMISSIONS = "list submissions"
    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_RETURN = "request return"
    BONUS = "bonus"
    EXCLUDE = "exclude"
    NOTIFY = "notify"
    DELETE = "delete"
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


Outcome = Literal["working", "preview", "nothing_left", "already_done", "excluded"]


@dataclass(frozen=True)
class Arrived:
    """What an arrival came to, and the token of the assignment where there is one."""

    token: str | None
    outcome: Outcome


@dataclass(frozen=True)
class Finish:
    """How a worker tells the platform that he is done.

    Attributes:
        code: the completion code to copy.
        redirect_url: where to send the worker; None if the code is all there is.
        fields: what a form sends there by POST; empty: to follow the address is enough.
    """

    code: str
    redirect_url: str | None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Handed:
    """What was handed in, as `finish` may need it.

    Attributes:
        code: the completion code.
        participant: the platform's id of the worker; None unless the adapter needs it.
        platform_assignment: the platform's id of the participation, if it has one.
        environment: where the study was published; empty if it was not.
        outcome: "completed", or "failed check" if the controls were.
        key: what a platform's codes for its outcomes are derived from.
    """

    code: str
    participant: str | None = None
    platform_assignment: str | None = None
    environment: str = ""
    outcome: str = "completed"
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Submission:
    """What the platform says was handed in for a place.

    Attributes:
        participant: the platform's id of the worker; for the vault alone.
        platform_assignment: the platform's id of the participation.
        status: submitted, approved or rejected.
    """

    participant: str = field(repr=False)
    platform_assignment: str = field(repr=False)
    status: str


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


@dataclass(frozen=True)
class Bonus:
    """One bonus, as the platform is asked for it.

    Attributes:
        token: names it, the same however often it is asked for.
        participant: the platform's id of the worker.
        platform_assignment: the platform's id of the participation it is for.
        amount: what the worker gets; the platform's fee comes on top.
        currency: of the amount.
        reason: in words; the worker reads it. No two bonuses for a participation have both alike.
    """

    token: str
    participant: str = field(repr=False)
    platform_assignment: str = field(repr=False)
    amount: Decimal
    currency: str
    reason: str


@dataclass(frozen=True)
class Rejecting:
    """What a platform asks of a rejection.

    Attributes:
        shortest, longest: characters of the feedback that the worker reads.
        categories: one of which must be named; empty: none is asked for.
        never_for: what the platform takes for no ground, in the words of the review's queue.
        final: a rejection cannot be taken back.
    """

    shortest: int
    longest: int
    categories: tuple[str, ...] = ()
    never_for: frozenset[str] = frozenset()
    final: bool = False


class Adapter(Protocol):
    """Translates between us and one platform. Ledger, budget and decisions are the core's."""

    name: str
    capabilities: frozenset[Capability]
    rejecting: Rejecting | None

    def parse_arrival(self, args: Mapping[str, str]) -> Arrival:
        """Who came, from the query parameters of the entry link.

        Raises:
            InputError: the parameters do not name a participant as this platform does.
        """

    def finish(self, handed: Handed) -> Finish:
        """How the worker tells the platform what he handed in."""

    def leave(self, outcome: str, key: str, environment: str, participant: str = "", /) -> Finish | None:
        """How who has nothing to hand in tells the platform so; None if it need not be told.

        Args:
            outcome: "no consent" or "nothing left".
            key: as in `Handed`.
            environment: where the study is published; empty if it is not.
            participant: the platform's id of who leaves; empty unless the adapter needs it and it is known.
        """

    @property
    def partners(self) -> tuple[str, ...]:
        """The sites that may show our pages in a frame and that our forms may be sent to."""

    @property
    def needs_participant(self) -> bool:
        """Whether `finish` needs the platform's id of the worker."""

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """What one place that pays `reward` costs."""


class PlaceGoneError(StateError):
    """The platform no longer has a place: somebody deleted it there."""

    code = "place-gone"


class NotHandedInError(StateError):
    """The platform has nothing that was handed in under this id."""

    code = "not-handed-in"


class UnknownOutcomeError(StateError):
    """Whether the platform did what it was asked cannot be known, and to ask again might do it twice."""

    code = "unknown-outcome"


class Requester(Protocol):
    """Our account at a platform that publishes places for us. Each call may be made again without harm.

    Every method raises StateError if the platform refuses, or cannot be reached for long. One whose
    capability the adapter does not declare is never called.
    """

    def balance(self) -> Decimal:
        """What the account may still spend."""

    def prepare(self) -> None:
        """Make ready what places have in common."""

    def create(self, token: str) -> str:
        """Make the place that `token` names, or find it if it was made before; the platform's id of it."""

    def existing(self) -> Mapping[str, str]:
        """Token -> platform's id, of all places that the platform lists."""

    def extend(self, platform_place: str, until: datetime) -> None:
        """Let a place be taken until a time.

        Raises:
            PlaceGoneError: there is no such place any more.
        """

    def close(self, platform_place: str) -> bool:
        """Let nobody take a place any more; whether nobody is at work in it, and nothing was handed in.

        Raises:
            PlaceGoneError: there is no such place any more.
        """

    def submissions(self, platform_place: str) -> Sequence[Submission]:
        """All that was handed in for a place.

        Raises:
            PlaceGoneError: there is no such place any more.
        """

    def approve(self, platform_assignment: str) -> None:
        """Pay for what was handed in; nothing happens if that is done already.

        Raises:
            NotHandedInError: it was not handed in on the platform.
        """

    def took_part(self, participant: str) -> None:
        """Keep a worker from taking another place."""

    def exclude(self, participant: str) -> None:
        """Keep a worker from every study of this account; he is told nothing."""

    def reject(self, platform_assignment: str, category: str, feedback: str, /) -> None:
        """Pay nothing for what was handed in; nothing happens if that is done already.

        Raises:
            NotHandedInError: it was not handed in on the platform.
        """

    def override(self, platform_assignment: str, feedback: str) -> None:
        """Approve after all what was rejected; nothing happens if that is done already."""

    def request_return(self, platform_assignment: str, reason: str, /) -> None:
        """Ask the worker to give back what he handed in."""

    def send_bonus(self, bonus: Bonus) -> None:
        """Pay a bonus. Asked for again with its token within a day, it is paid once.

        Raises:
            UnknownOutcomeError: it may have been paid, and to ask again might pay it twice.
        """

    def bonus_sent(self, bonus: Bonus) -> bool | None:
        """Whether a bonus that was asked for was paid; None if the platform cannot say."""

    def notify(self, participants: Sequence[str], subject: str, text: str) -> int:
        """Send a message to workers; how many it could not reach."""

    def delete(self, platform_place: str) -> bool:
        """Take away a place of which everything is decided; False if the platform says that it is not.

        Raises:
            PlaceGoneError: there is no such place any more.
        """


_BY_HAND: Final = (
    "Nothing has to be published there: places are made as people come. Hand out the address that posthoc"
    " serve prints, or write a link for each participant: posthoc links STUDY"
)


def require(adapter: Adapter, capability: Capability) -> None:
    """Refuse, before anything is done, what the platform cannot do.

    Raises:
        StateError: the platform lacks the capability.
    """
    if capability not in adapter.capabilities:
        by_hand = Capability.PUBLISH not in adapter.capabilities
        able = ", ".join(sorted(adapter.capabilities))
        raise StateError(
            f"the platform {adapter.name} cannot {capability}",
            where="study.yaml: platform.kind",
            expected="" if by_hand else f"what it can do: {able}",
            remedy=_BY_HAND if by_hand else "",
        )
