"""Pages of lists: ten unless asked, a token to go on from, and an empty last page where one is full."""

from __future__ import annotations

import base64
import binascii
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final

from verifier.crowd.localmturk.errors import invalid
from verifier.crowd.localmturk.operations import Call

_DEFAULT: Final = 10
_DIGITS: Final = 18


def after(call: Call) -> int:
    """The number of the row that the page before ended with; 0 on the first page."""
    token = call.get("NextToken")
    if token is None:
        return 0
    try:
        told = base64.urlsafe_b64decode(token.encode()).decode()
    except (binascii.Error, ValueError):
        raise invalid("The NextToken is not one of ours.") from None
    name, _, number = told.partition(":")
    if name != call.operation or not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        raise invalid("The NextToken is not one of this operation.")
    return int(number)


def page(
    call: Call, rows: Callable[[int, int], Sequence[sqlite3.Row]]
) -> tuple[Sequence[sqlite3.Row], dict[str, Any]]:
    """The rows of a page, and NumResults and NextToken for it.

    A full page always names a next one, which may be empty: so does MTurk.

    Args:
        call: a list operation.
        rows: gives the rows after a number, so many at most; each has its `number`.
    """
    size = call.get("MaxResults", _DEFAULT)
    first = after(call)
    # A short page is no last page: it goes on all the same.
    limit = max(1, size // 2) if call.short else size
    found = rows(first, limit)
    more: dict[str, Any] = {"NumResults": len(found)}
    if len(found) == limit:
        token = f"{call.operation}:{found[-1]['number']}"
        more["NextToken"] = base64.urlsafe_b64encode(token.encode()).decode()
    return found, more
