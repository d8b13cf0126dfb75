"""Pages of lists: twenty unless asked, by number, with a link to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from verifier.crowd.localprolific.errors import Refused
from verifier.crowd.localprolific.operations import Call

_DEFAULT: Final = 20
_MOST: Final = 1000


def page(call: Call, items: Sequence[Any], shown: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """One page of a list: results, links and the count of all."""
    number, size = _number(call, "page", 1), min(_number(call, "page_size", _DEFAULT), _MOST)
    first = (number - 1) * size
    if call.short and size > 1:
        # Half a page, and a link that goes on where it ends.
        size = size // 2 if size % 2 == 0 else 1
        number = first // size + 1
    results = [shown(item) for item in items[first : first + size]]
    left = len(items) > first + size or (call.empty and bool(results))
    return {
        "results": results,
        "_links": {
            "self": _link(call, number, size),
            "next": _link(call, number + 1, size) if left else {"href": None, "title": "Next"},
            "previous": {"href": None, "title": "Previous"},
            "last": _link(call, max(1, -(-len(items) // size)), size),
        },
        "meta": {"count": len(items)},
    }


def _number(call: Call, name: str, default: int) -> int:
    told = call.query.get(name, str(default))
    if not (told.isascii() and told.isdecimal() and 0 < len(told) <= 9 and int(told) > 0):  # noqa: PLR2004 - digits of a number
        raise Refused(400, {name: ["A valid integer is required."]})
    return int(told)


def _link(call: Call, number: int, size: int) -> dict[str, str]:
    query = urlencode({**call.query, "page": str(number), "page_size": str(size)})
    return {"href": f"{call.origin}{call.path}?{query}", "title": "Page"}
