"""The three decisions a worker can make on a display, and how they follow from what was chosen."""

from __future__ import annotations

from typing import Final, Literal

Decision = Literal["verify", "edit", "remove"]

VERIFY: Final = "verify"
EDIT: Final = "edit"
REMOVE: Final = "remove"
DECISIONS: Final[tuple[Decision, ...]] = (VERIFY, EDIT, REMOVE)


def derive(action: Decision, shown: str | None, chosen: str | None) -> Decision:
    """The decision that `action` amounts to.

    An edit to the entity that was shown is a verification; everything else is what was done.

    Args:
        action: what the worker did.
        shown: key of the entity that was shown, after redirects.
        chosen: key of the entity chosen in an edit, after redirects; None if not known.
    """
    return VERIFY if action == EDIT and chosen is not None and chosen == shown else action
