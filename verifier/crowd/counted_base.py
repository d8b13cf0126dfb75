"""What a platform is to us whose places are a number of one study there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from verifier.crowd.base import Capability, Requester
from verifier.crowd.platforms import adapter_of
from verifier.store import counted

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import Place
    from verifier.study import Study


@dataclass(frozen=True)
class Standing:
    """How a study stands on the platform: its status, its places, and how many of them are taken up."""

    status: str
    total: int
    taken: int


@dataclass(frozen=True)
class Listed:
    """A submission as the platform lists it.

    Attributes:
        participant: the platform's id of the worker; for the vault alone.
        id: the platform's id of the submission.
        status: working, submitted, approved, rejected, returned or timed out.
        code: the completion code that was entered.
        asked_back: the participant was asked to return it.
    """

    participant: str = field(repr=False)
    id: str = field(repr=False)
    status: str
    code: str = ""
    asked_back: bool = False


class CountedRequester(Requester, Protocol):
    """Our account at such a platform; what it calls a place elsewhere is a whole study here."""

    def standing(self, study: str) -> Standing:
        """How a study stands.

        Raises:
            PlaceGoneError: there is no such study any more.
        """

    def is_out(self, standing: Standing) -> bool:
        """Whether people can, or could, take its places: whether they may cost something."""

    def set_places(self, study: str, total: int) -> None:
        """Have a study out with so many places in all; nothing happens if it is.

        Raises:
            PlaceGoneError: there is no such study any more.
        """

    def listed(self, study: str) -> list[Listed]:
        """All submissions of a study.

        Raises:
            PlaceGoneError: there is no such study any more.
        """

    def working(self, study: str) -> set[str]:
        """The submissions of a study that are being worked on."""

    def submission(self, identifier: str) -> Listed | None:
        """One submission; None if the platform has none of this id."""

    def all_took_part(self, participants: Sequence[str]) -> None:
        """Keep workers from taking another place."""

    def approve_all(self, study: str, identifiers: Sequence[str]) -> set[str]:
        """Approve many; those that are known to be approved now."""


def is_counted(study: Study) -> bool:
    """Whether a study's platform counts its places."""
    return Capability.COUNT in adapter_of(study.config).capabilities


def freed(session: Session, study: Study, place: Place) -> str:
    """The state of a place whose work was rejected, or given back after it was handed in.

    Where places are counted, the platform lets another person in for it until the study is stopped.
    """
    if not is_counted(study) or counted.is_over(session, place.platform_place or ""):
        return "closed"
    return "open"
