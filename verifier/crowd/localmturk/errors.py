"""What the local MTurk refuses, in the form in which MTurk does."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that MTurk refuses.

    Attributes:
        code: what stands in TurkErrorCode after "AWS.MechanicalTurk.".
        kind: the error's type on the wire.
        status: of HTTP.
    """

    def __init__(self, code: str, message: str, *, kind: str = "RequestError", status: int = 400) -> None:
        super().__init__(message)
        self.code, self.kind, self.status = code, kind, status

    @property
    def body(self) -> dict[str, str]:
        """The answer."""
        return {
            "__type": self.kind,
            "Message": str(self),
            "TurkErrorCode": f"AWS.MechanicalTurk.{self.code}",
        }


def missing(what: str, identifier: str) -> Refused:
    """Something that does not exist."""
    return Refused(f"{what}DoesNotExist", f"{what} {identifier} does not exist.")


def invalid(message: str) -> Refused:
    """A parameter that has the right form and a value that cannot be."""
    return Refused("InvalidParameterValue", message)
