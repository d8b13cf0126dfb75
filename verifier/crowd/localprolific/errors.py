"""What the local Prolific refuses, in the form in which Prolific does."""

from __future__ import annotations

from typing import Any, Final

_TITLES: Final = {
    400: "Bad request",
    401: "Authentication failed",
    404: "Not found",
    405: "Method not allowed",
    429: "Too many requests",
    500: "Server error",
}


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that Prolific refuses.

    Attributes:
        status: of HTTP.
        detail: what is wrong: in words, or by field.
    """

    def __init__(self, status: int, detail: str | dict[str, Any]) -> None:
        super().__init__(str(detail))
        self.status, self.detail = status, detail

    @property
    def body(self) -> dict[str, Any]:
        """The answer. Assumed: the number of the error, which the documentation does not list."""
        return {
            "error": {
                "status": self.status,
                "error_code": 140000 + self.status,
                "title": _TITLES.get(self.status, "Error"),
                "detail": self.detail,
                "additional_information": "/api/v1/errors/",
                "traceback": None,
                "interactive": False,
            }
        }


def missing(what: str, identifier: str) -> Refused:
    """Something that does not exist."""
    return Refused(404, f"{what} with the id: {identifier} doesn't exist")
