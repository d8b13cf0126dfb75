"""A bonus on Prolific: set up, then paid by a single call, since that call pays each time it is made."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from analysis.errors import StateError
from verifier.crowd.base import Bonus, UnknownOutcomeError
from verifier.crowd.pacing import BusyError, Pacer
from verifier.crowd.prolific_client import ProlificClient, ThrottledError

_CENTS: Final = Decimal(100)


def send(client: ProlificClient, pacer: Pacer, bonus: Bonus) -> None:
    """Pay a bonus.

    Raises:
        UnknownOutcomeError: the answer to the call that pays is lost, and Prolific does not show the bonus.
        StateError: it was not paid: Prolific refuses, or is too busy to be asked.
    """
    try:
        before = _shown(client, pacer, bonus)
        batch = _set_up(client, pacer, bonus)
    except BusyError as error:
        raise _not_paid() from error
    try:
        _pay_once(client, pacer, batch)
    except ThrottledError as error:
        raise _not_paid() from error
    except BusyError:
        if not _shows_one_more(client, pacer, bonus, before):
            raise UnknownOutcomeError(
                "whether Prolific paid the bonus is not known",
                remedy="Look at the submission on Prolific's site, and put on record what you find there.",
            ) from None


def _set_up(client: ProlificClient, pacer: Pacer, bonus: Bonus) -> str:
    """Set the bonus up, which pays nothing however often it is done; Prolific's id of it."""
    path = f"submissions/{bonus.platform_assignment}/"
    study = pacer.call(lambda: client.get(path))["study_id"]
    body = {"study_id": study, "csv_bonuses": f"{bonus.platform_assignment},{bonus.amount:.2f}"}
    return str(pacer.call(lambda: client.post("submissions/bonus-payments/", body))["id"])


def _pay_once(client: ProlificClient, pacer: Pacer, batch: str) -> None:
    """The call that pays; made again only where Prolific refused to look at it."""
    for attempt in range(pacer.attempts):
        try:
            client.post(f"bulk-bonus-payments/{batch}/pay/", {})
        except ThrottledError:
            if attempt + 1 == pacer.attempts:
                raise
            pacer.sleep(min(pacer.first * 2**attempt, pacer.longest))
        else:
            return


def _shown(client: ProlificClient, pacer: Pacer, bonus: Bonus) -> int:
    """How many bonuses of this amount Prolific shows for the submission."""
    told = pacer.call(lambda: client.get(f"submissions/{bonus.platform_assignment}/"))
    return sum(round(paid) == int(bonus.amount * _CENTS) for paid in told.get("bonus_payments") or [])


def _shows_one_more(client: ProlificClient, pacer: Pacer, bonus: Bonus, before: int) -> bool:
    """Whether the bonus is seen to be paid; not to see it proves nothing, since Prolific pays later."""
    try:
        return _shown(client, pacer, bonus) > before
    except BusyError:
        return False


def _not_paid() -> StateError:
    return StateError(
        "Prolific is busy, and the bonus was not paid", remedy="Run the same command again later."
    )
