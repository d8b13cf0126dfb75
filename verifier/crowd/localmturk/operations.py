"""The operations that are implemented, by name, and the call that each of them is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.state import State, identifier


@dataclass(frozen=True)
class Call:
    """One request, inside the transaction that answers it.

    Attributes:
        operation: its name.
        request: its parameters, checked against the model; those given as null are left out.
        state: of the platform.
        now: the platform's time.
        number: of the request, as MTurk's answers name it.
        lag: what is younger than this many seconds is not in lists yet.
        short: lists give fewer than they were asked for.
    """

    operation: str
    request: dict[str, Any]
    state: State
    now: float
    number: str
    lag: float = 0.0
    short: bool = False

    def __getitem__(self, name: str) -> Any:
        """A parameter that the model requires."""
        return self.request[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A parameter that may be missing."""
        return self.request.get(name, default)

    @property
    def visible(self) -> float:
        """Lists show what was made up to this time."""
        return self.now - self.lag

    def once(self, code: str, message: str) -> None:
        """Refuse a UniqueRequestToken that was used already, naming what was made with it."""
        if (token := self.get("UniqueRequestToken")) is None:
            return
        query = "select result from token where operation = ? and token = ?"
        if (row := self.state.first(query, self.operation, token)) is not None:
            raise Refused(code, message.format(row["result"]))

    def remember(self, result: str) -> None:
        """Keep what was made with the request's UniqueRequestToken."""
        if (token := self.get("UniqueRequestToken")) is not None:
            self.state.run("insert into token values (?, ?, ?, ?)", self.operation, token, result, self.now)


Handler = Callable[[Call], dict[str, Any]]
HANDLERS: Final[dict[str, Handler]] = {}


def operation(name: str) -> Callable[[Handler], Handler]:
    """Register what answers the operation `name`."""

    def register(handler: Handler) -> Handler:
        HANDLERS[name] = handler
        return handler

    return register


def request_number() -> str:
    """A new number for a request."""
    return identifier("R")
