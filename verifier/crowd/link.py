"""Plain links: a participant id comes in with the link, a completion code or a redirect goes out."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from analysis.errors import InputError
from verifier.config import LinkPlatform
from verifier.crowd import codes
from verifier.crowd.base import Arrival, Capability, Cost, Finish, Handed, Rejecting

MAX_PARTICIPANT: Final = 200
PREVIEW: Final = "preview"


class LinkAdapter:
    """A platform that is only a link: places are made as people arrive, a person pays from a list.

    It can do nothing by itself (no call, so no capability): the researcher hands out the link and pays.
    """

    name = "link"
    capabilities: frozenset[Capability] = frozenset({Capability.COST})
    rejecting: Rejecting | None = None

    def __init__(self, config: LinkPlatform) -> None:
        self._parameter = config.parameter
        self._urls = {
            codes.COMPLETED: config.complete_url,
            codes.FAILED_CHECK: config.failed_check_url or config.complete_url,
            codes.NO_CONSENT: config.no_consent_url,
            codes.NOTHING_LEFT: config.nothing_left_url,
        }
        self._codes = {
            codes.COMPLETED: config.complete_code,
            codes.FAILED_CHECK: config.failed_check_code or config.complete_code,
            codes.NO_CONSENT: config.no_consent_code,
            codes.NOTHING_LEFT: config.nothing_left_code,
        }

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
        return any("{participant}" in (address or "") for address in self._urls.values())

    @property
    def partners(self) -> tuple[str, ...]:
        """None: the pages are in no frame."""
        return ()

    def finish(self, handed: Handed) -> Finish:
        """The panel's code for the outcome or one of his own, and the address for the outcome, filled in."""
        code = self._codes[handed.outcome] or handed.code
        return Finish(code, self._address(handed.outcome, code, handed.participant or ""))

    def leave(self, outcome: str, key: str, environment: str, participant: str = "") -> Finish | None:  # noqa: ARG002 - who comes by a link is told apart by it alone
        """The panel's code and address for it, where study.yaml names any."""
        code = self._codes[outcome] or ""
        address = self._address(outcome, code, participant)
        return Finish(code, address) if code or address else None

    def _address(self, outcome: str, code: str, participant: str) -> str | None:
        address = self._urls[outcome]
        if address is None:
            return None
        filled = address.replace("{code}", quote(code, safe=""))
        return filled.replace("{participant}", quote(participant, safe=""))

    def cost(self, reward: Decimal, currency: str) -> Cost:
        """The pay alone: a link charges no fee."""
        return Cost(reward, Decimal("0.00"), currency)
