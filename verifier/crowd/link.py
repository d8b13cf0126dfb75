"""Plain links: a participant id comes in with the link, a completion code or a redirect goes out."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from analysis.errors import InputError
from verifier.config import LinkPlatform
from verifier.crowd.base import Arrival, Capability, Cost, Finish, Handed

MAX_PARTICIPANT: Final = 200
PREVIEW: Final = "preview"


class LinkAdapter:
    """A platform that is only a link: places are made as people arrive, a person pays from a list.

    It can do nothing by itself (no call, so no capability): the researcher hands out the link and pays.
    """

    name = "link"
    capabilities: frozenset[Capability] = frozenset({Capability.COST})

    def __init__(self, config: LinkPlatform) -> None:
        self._parameter = config.participant_parameter
        self._complete_url = config.complete_url

    def parse_arrival(self, args: Mapping[str, str]) -> Arrival:
        """Who came: the participant parameter, as it is but for surrounding blanks.

        Raises:
            InputError: the parameter is missing, too long, or holds control characters.
        """
        if args.get(PREVIEW):
            return Arrival("", preview=True)
        participant = unicodedata.normalize("NFC", args.get(self._parameter, "")).strip()
        expected = f"?{self._parameter}=YOUR-ID at the end of the address"
        if not participant:
            raise InputError(
                "the link does not say who you are",
                where=self._parameter,
                expected=expected,
                remedy="Open the link exactly as you were given it.",
            )
        if len(participant) > MAX_PARTICIPANT or any(unicodedata.category(c)[0] == "C" for c in participant):
            # The value is not repeated: it may be somebody's id.
            raise InputError(
                "the participant id cannot be used",
                where=self._parameter,
                expected=f"at most {MAX_PARTICIPANT} characters, none of them invisible",
            )
        return Arrival(participant)

    @property
    def needs_participant(self) -> bool:
        """Only a return address with `{participant}` in it needs the id."""
        return "{participant}" in (self._complete_url or "")

    @property
    def partners(self) -> tuple[str, ...]:
        """None: the pages are in no frame."""
        return ()

    def finish(self, handed: Handed) -> Finish:
        """The code, and the researcher's return address with code and participant filled in."""
        if self._complete_url is None:
            return Finish(handed.code, None)
        address = self._complete_url.replace("{code}", quote(handed.code, safe=""))
        filled = address.replace("{participant}", quote(handed.participant or "", safe=""))
        return Finish(handed.code, filled)

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """The pay alone: a link charges no fee."""
        return Cost(reward, Decimal("0.00"), currency)
