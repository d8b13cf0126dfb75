"""How many examples a property is tried on: a few, always the same, in `make test`; many in `make prove`."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, settings

# As pytest's option --hypothesis-profile has them; the first is the one in use where it is not given.
SAME: Final = "same"
MANY: Final = "many"
_TIMES: Final = {SAME: 1, MANY: 10}
# Neither the clock of a busy machine nor chance decides whether a test passes.
_CALM: Final = (HealthCheck.too_slow, HealthCheck.differing_executors)


def register() -> None:
    """Make the profiles known, and take the first."""
    settings.register_profile(SAME, deadline=None, suppress_health_check=_CALM, derandomize=True)
    settings.register_profile(MANY, deadline=None, suppress_health_check=_CALM, database=None)
    settings.load_profile(SAME)


def examples(few: int) -> settings:
    """So many examples, or as many times more as the profile in use asks for."""
    return settings(max_examples=few * _TIMES.get(settings.get_current_profile_name(), 1))
