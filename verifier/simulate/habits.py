"""The habits of a simulated crowd: how its workers decide, search, hurry and drop out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from analysis.errors import InputError
from verifier.plan import chance

Manner = Literal["honest", "verify-all", "edit-all"]


@dataclass(frozen=True)
class Habits:
    """How a crowd behaves. Every number but the times is a probability.

    Attributes:
        manner: of the workers who are no spammers. `honest` looks at what is shown; `verify-all` and
            `edit-all` do the same thing whatever is shown.
        accuracy_right: a right link, looked at, is verified.
        accuracy_wrong: a wrong link, looked at, is mended rightly (edited to the truth, or removed).
        bias: verification bias: what is shown is accepted without a look.
        alias: an edit is sought by the mention, through the knowledge base's search; the others paste an
            address.
        spammers: share of workers who verify everything, at once.
        dropouts: share of workers who stop half-way: half of them return the work, half just leave.
        seconds: median time of a decision, in seconds (log-normal).
    """

    manner: Manner = "honest"
    accuracy_right: float = 0.97
    accuracy_wrong: float = 0.9
    bias: float = 0.05
    alias: float = 0.7
    spammers: float = 0.05
    dropouts: float = 0.08
    seconds: float = 8.0

    def __post_init__(self) -> None:
        """Refuse what is no probability."""
        for name in ("accuracy_right", "accuracy_wrong", "bias", "alias", "spammers", "dropouts"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise InputError(
                    "not a probability", where=name, got=str(value), expected="a number from 0 to 1"
                )


_RIGHT: Final = Habits(accuracy_right=1, accuracy_wrong=1, bias=0, alias=0.5, spammers=0, dropouts=0)

CROWDS: Final[dict[str, Habits]] = {
    "mixed": Habits(),
    "right": _RIGHT,
    "verify-all": replace(_RIGHT, manner="verify-all"),
    "edit-all": replace(_RIGHT, manner="edit-all"),
    "alias": replace(_RIGHT, alias=1),
}


def crowd(
    name: str,
    *,
    accuracy: float | None = None,
    bias: float | None = None,
    spammers: float | None = None,
    dropouts: float | None = None,
) -> Habits:
    """A named crowd with some of its habits changed; `accuracy` sets that on right and on wrong links.

    Raises:
        InputError: there is no such crowd, or a number is no probability.
    """
    if name not in CROWDS:
        raise InputError("no such crowd", where="--crowd", got=name, expected=", ".join(CROWDS))
    changes: dict[str, Any] = {
        "accuracy_right": accuracy,
        "accuracy_wrong": accuracy,
        "bias": bias,
        "spammers": spammers,
        "dropouts": dropouts,
    }
    return replace(CROWDS[name], **{key: value for key, value in changes.items() if value is not None})


class Chance:
    """Chance that depends on what it is about, never on when it is asked.

    Every draw is a hash of (seed, worker number, what it is about), so what a worker does is the same
    whatever the timing of threads, servers and other workers.
    """

    def __init__(self, seed: int, worker: int) -> None:
        self._seed = seed
        self._worker = worker

    def uniform(self, *about: object) -> float:
        """A number in [0, 1): 53 bits of the hash."""
        number = chance.number(self._seed, "simulated worker", self._worker, *map(str, about))
        return (number >> 10) * 2.0**-53

    def happens(self, probability: float, *about: object) -> bool:
        """Whether something of this probability happens; never at 0, always at 1."""
        return self.uniform(*about) < probability
