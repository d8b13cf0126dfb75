"""The operations that are implemented, by method and path, and the call that each of them is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from verifier.crowd.localprolific.errors import Refused
from verifier.crowd.localprolific.state import State

ROOT: Final = "/api/v1/"
M = TypeVar("M", bound=BaseModel)


class Body(BaseModel):
    """What a request holds. Assumed: what is not documented is refused, so that a slip shows."""

    model_config = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True)
class Call:
    """One request, inside the transaction that answers it.

    Attributes:
        state: of the platform.
        now: the platform's time.
        path: as asked for.
        query: its parameters.
        body: what the request holds, as JSON.
        id: what the path names.
        origin: where the platform answers, for links.
        lag: what is younger than this many seconds is not in lists yet.
        short: lists give fewer than they were asked for.
        empty: lists have an empty last page.
    """

    state: State
    now: float
    path: str
    query: Mapping[str, str]
    body: Any = field(repr=False)
    id: str = ""
    origin: str = ""
    lag: float = 0.0
    short: bool = False
    empty: bool = False

    def told(self, model: type[M]) -> M:
        """The request's body, checked.

        Raises:
            Refused: it is not what the operation takes, by field.
        """
        try:
            return model.model_validate(self.body)
        except ValidationError as error:
            detail: dict[str, list[str]] = {}
            for fault in error.errors():
                name = ".".join(map(str, fault["loc"])) or "non_field_errors"
                detail.setdefault(name, []).append(fault["msg"])
            raise Refused(400, detail) from None


@dataclass(frozen=True)
class Answer:
    """What an operation comes to."""

    status: int
    body: Any


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Operation:
    """One operation: its name, as the documentation has it, and what answers it."""

    name: str
    method: str
    path: re.Pattern[str]
    handler: Handler


OPERATIONS: Final[dict[str, Operation]] = {}


def operation(name: str, method: str, path: str) -> Callable[[Handler], Handler]:
    """Register what answers an operation; `{id}` in its path stands for an id."""

    def register(handler: Handler) -> Handler:
        pattern = re.compile(re.escape(path).replace(r"\{id\}", r"(?P<id>[A-Za-z0-9_-]{1,64})"))
        OPERATIONS[name] = Operation(name, method, pattern, handler)
        return handler

    return register


def find(method: str, path: str) -> tuple[Operation, str]:
    """The operation of a request, and what its path names.

    Raises:
        Refused: there is none.
    """
    if not path.startswith(ROOT):
        raise Refused(404, "There is nothing here.")
    other = False
    for known in OPERATIONS.values():
        if found := known.path.fullmatch(path.removeprefix(ROOT)):
            if known.method == method:
                return known, found.groupdict().get("id", "")
            other = True
    if other:
        raise Refused(
            405, f"Method {method} is not allowed here, or the local Prolific does not implement it."
        )
    raise Refused(404, "The local Prolific does not implement this, or there is no such path.")
