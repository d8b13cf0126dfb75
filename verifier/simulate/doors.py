"""How a simulated worker comes to the task server, and how he hands in or gives back: by a plain link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from verifier.simulate.client import TaskServer


class Door(Protocol):
    """One worker at a platform."""

    def enter(self, server: TaskServer) -> str | None:
        """Find work and go to it; the token of the assignment, or None if there is none for him."""

    def hand_in(self, server: TaskServer, token: str) -> None:
        """Hand in here, then on the platform as the last page says."""

    def give_back(self, server: TaskServer, token: str) -> None:
        """Return the work."""

    def close(self) -> None:
        """Go home."""


@dataclass
class LinkDoor:
    """A worker who was given a link."""

    told: Mapping[str, str]

    def enter(self, server: TaskServer) -> str | None:
        """Open the link."""
        return server.enter(self.told)

    def hand_in(self, server: TaskServer, token: str) -> None:
        """Hand in; a code is all there is."""
        server.submit(token)

    def give_back(self, server: TaskServer, token: str) -> None:
        """Press the button that gives it back."""
        server.give_back(token)

    def close(self) -> None:
        """There is nothing to let go of."""
