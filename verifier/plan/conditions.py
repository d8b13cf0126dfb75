"""Under which conditions a worker judges: the page's options, and the arm of each of his tasks.

Both are put down when tasks are drawn, so that what study.yaml says later changes nothing for who has begun,
and the record tells how each judgment came about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from analysis.schema import DECOY
from verifier.plan import chance
from verifier.store.judging import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.config import PagesSection

# The arm in which links are shown at once, in a study that compares.
SHOWN: Final = "shown"
_WHOLE: Final = 2**63


def options(pages: PagesSection) -> dict[str, Any]:
    """The options of the pages that bear on judgments, by their names in study.yaml."""
    return {
        "require_open": pages.require_open,
        "verify_after_seconds": float(pages.verify_after_seconds),
        "order": pages.order,
        "hidden_links_share": float(pages.hidden_links_share),
        "comments": pages.comments,
        "missing_mentions": pages.missing_mentions,
        "images": pages.images,
    }


def with_decoys(pages: PagesSection, decoys: Sequence[bool], seed: int, *name: str | int) -> list[str | None]:
    """The arm of each task of an assignment, of which some are decoys; the others' are drawn by lot."""
    rest = iter(arms(pages, len(decoys) - sum(decoys), seed, *name))
    found = [DECOY if decoy else next(rest) for decoy in decoys]
    # Where some are decoys, the links of all others are shown as they are: that is an arm too.
    return [arm or SHOWN for arm in found] if any(decoys) else found


def arms(pages: PagesSection, tasks: int, seed: int, *name: str | int) -> list[str | None]:
    """The arm of each task of an assignment, by lot; controls are among them like any other.

    Every assignment holds the share asked for, but for less than one task, which the lot gives or takes. So
    the arms are compared within workers.
    """
    share = pages.hidden_links_share
    if not share:
        return [None] * tasks
    whole, rest = divmod(share * tasks, 1)
    hidden = int(whole) + (chance.number(seed, "arm", *name) < rest * _WHOLE)
    order = chance.shuffled(range(tasks), seed, "arms", *name)
    chosen = set(order[:hidden])
    return [HIDDEN if place in chosen else SHOWN for place in range(tasks)]
