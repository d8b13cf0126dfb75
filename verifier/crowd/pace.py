"""Where a running study is going: how fast work comes in, and when the last of it would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from verifier.store.progress import Person

# The pace is that of the last hour; where too few handed in then, that of the whole time.
_WINDOW: Final = timedelta(hours=1)
_ENOUGH: Final = 5
_LONGEST: Final = 3650.0


@dataclass(frozen=True)
class Pace:
    """How fast it goes.

    Attributes:
        hourly: assignments handed in an hour.
        over: the time over which that was counted, in hours.
        last: when the last was handed in.
        days: until the last place is handed in, if it goes on like this; None if that cannot be told.
    """

    hourly: float
    over: float
    last: datetime
    days: float | None


def pace_of(people: Sequence[Person], needed: int, now: datetime) -> Pace | None:
    """The pace of a study that needs so many places more; None while nothing was handed in."""
    times = sorted(one.submitted for one in people if one.state == "submitted" and one.submitted)
    if not times:
        return None
    recent = [time for time in times if now - time <= _WINDOW]
    whole = max(now - min(one.claimed for one in people), timedelta(minutes=1))
    if len(recent) >= _ENOUGH:
        count, over = len(recent), min(_WINDOW, whole)
    else:
        count, over = len(times), whole
    hours = over.total_seconds() / 3600
    hourly = count / hours
    at_work = sum(one.state == "claimed" for one in people)
    days = (needed + at_work) / hourly / 24
    return Pace(hourly, hours, times[-1], days if days <= _LONGEST else None)
