"""The one family of errors: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# What is shown of a value in a message.
_LONGEST: Final = 80


def plain(value: object) -> str:
    """A value as people write it, for a message: text bare, all else as JSON; cut where it is long.

    Text is in quotes where it is empty, begins or ends with white space, or cannot be printed.
    """
    if isinstance(value, str) and value and value.isprintable() and value == value.strip():
        text = value
    elif isinstance(value, bytes):
        text = " ".join(f"{byte:02x}" for byte in value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except (ValueError, RecursionError):
            # It holds itself, or a number of thousands of digits.
            text = f"a {type(value).__name__} that cannot be written out"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


@dataclass(frozen=True)
class Problem:
    """One thing wrong in what a user gave us, said so that he can mend it.

    Attributes:
        what: what is wrong, a clause ("span outside the text").
        where: where it is: `file:line`, a config key, a column, an id.
        got: what was found there, if that helps.
        expected: what is allowed.
        remedy: what to do next.
    """

    what: str
    where: str = ""
    got: str = ""
    expected: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        """One line: place, fault, found, allowed, remedy."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        if self.got:
            head += f"; got {self.got}"
        if self.expected:
            head += f"; expected {self.expected}"
        return f"{head}. {self.remedy}" if self.remedy else head


class PosthocError(Exception):
    """Base of every error we raise on purpose; the command line prints it and exits with `exit_status`.

    Carries one or more `Problem`s: readers collect every bad row before they raise.
    """

    code = "error"
    exit_status = 1

    def __init__(
        self,
        what: str | Problem,
        *,
        where: str = "",
        got: str = "",
        expected: str = "",
        remedy: str = "",
        others: Iterable[Problem] = (),
    ) -> None:
        first = what if isinstance(what, Problem) else Problem(what, where, got, expected, remedy)
        self.problems: tuple[Problem, ...] = (first, *others)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> PosthocError:
        """The error that lists all of `problems` (at least one)."""
        return cls(problems[0], others=problems[1:])

    def __iter__(self) -> Iterator[Problem]:
        """The problems, in the order found."""
        return iter(self.problems)


class InputError(PosthocError):
    """A file, table or value a user gave cannot be used as it is."""

    code = "input"


class ConfigError(PosthocError):
    """A study's configuration is wrong."""

    code = "config"


class StateError(PosthocError):
    """The study is not in a state in which this can be done."""

    code = "state"


class UndefinedError(PosthocError):
    """A number that was asked for is not defined for these data or this plan."""

    code = "undefined"


class MissingExtraError(PosthocError):
    """An optional package is needed; the message names the exact install line."""

    code = "missing-extra"
