"""Platforms on this machine to rehearse on: started as processes, asked for their statement, their clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import httpx

from analysis.errors import InputError, StateError
from verifier.config import StudyConfig
from verifier.crowd.localprolific.state import FEE_PERCENT
from verifier.rehearse.doors import MTurkDoor, ProlificDoor
from verifier.simulate import serving
from verifier.simulate.doors import Door

_PROLIFIC_DONE: Final = ("AWAITING REVIEW", "APPROVED", "REJECTED")
BALANCE: Final = Decimal("1000000.00")
_SECONDS: Final = 30.0
# Who may take part is not asked in a rehearsal: nobody there has lived or worked anywhere.
_ANYBODY: Final[dict[str, Any]] = {"min_approved_percent": None, "min_approved_hits": None, "countries": []}
_ENDPOINT: Final = re.compile(r"Requesters: endpoint_url=(\S+)")
_SITE: Final = re.compile(r"Workers: (\S+)")
_API: Final = re.compile(r"Researchers: api_url=(\S+)")
_PARTICIPANTS: Final = re.compile(r"Participants: (\S+)")


@dataclass(frozen=True)
class Payment:
    """A line of the platform's statement.

    Attributes:
        kind: reward or bonus.
        subject: the platform's id of the participation.
        amount, fee: what was taken.
    """

    kind: str
    subject: str = field(repr=False)
    amount: Decimal
    fee: Decimal


@dataclass(frozen=True)
class Told:
    """The platform's statement of account.

    Attributes:
        places: the platform's id of each place that was made; places of one study share it.
        payments: every payment.
        held: put aside for what may still have to be paid.
        handed_in: participations that were handed in, whatever came of them.
    """

    places: tuple[str, ...]
    payments: tuple[Payment, ...]
    held: Decimal
    handed_in: int


@dataclass(frozen=True)
class Local:
    """A platform on this machine.

    Attributes:
        kind: link, mturk or prolific.
        settings: what study.yaml's `platform` says about where it is.
        balance: what the account starts with.
        door: how a simulated worker comes to a task server and leaves it; None: by the study's link.
        site: where people find work; empty if the task server itself is where.
        told: asks for the statement; None if the platform keeps no account.
        advance: puts its clock forward by seconds.
    """

    kind: str
    settings: dict[str, Any]
    balance: Decimal
    door: Callable[[str], Door] | None = None
    site: str = ""
    told: Callable[[], Told] | None = None
    advance: Callable[[float], None] = lambda _seconds: None


def kinds() -> list[str]:
    """The platforms that can be rehearsed on."""
    return sorted(_KINDS)


def check(kind: str) -> None:
    """Refuse a platform that cannot be rehearsed on.

    Raises:
        InputError: there is no such platform.
    """
    if kind not in _KINDS:
        raise InputError("no such platform", where="--platform", got=kind, expected=" or ".join(kinds()))


@contextmanager
def started(kind: str, folder: Path, config: StudyConfig) -> Iterator[Local]:
    """A platform of this kind, with nothing on it, for a study; its process ends with the rehearsal.

    Raises:
        InputError: there is no such platform.
    """
    check(kind)
    with _KINDS[kind](folder, config) as local:
        yield local


@contextmanager
def _link(_folder: Path, _config: StudyConfig) -> Iterator[Local]:
    yield Local("link", {}, BALANCE)


@contextmanager
def _mturk(folder: Path, _config: StudyConfig) -> Iterator[Local]:
    state = str(folder / "platform.db")
    process = serving.command("platform", "mturk", "--port", "0", "--state", state, "--balance", f"{BALANCE}")
    try:
        endpoint, site = serving.heard(process, _ENDPOINT, _SITE)
        yield Local(
            "mturk",
            {"endpoint_url": endpoint, "worker_url": site, **_ANYBODY},
            BALANCE,
            lambda worker: MTurkDoor(site, worker),
            site,
            lambda: mturk_told(ask(f"{endpoint}/_local/statement")),
            lambda seconds: tell(f"{endpoint}/_local/clock", {"advance": seconds}),
        )
    finally:
        serving.stop(process)


@contextmanager
def _prolific(folder: Path, config: StudyConfig) -> Iterator[Local]:
    """With the fee and currency of the study, so that nothing need be changed in it."""
    percent = getattr(config.platform, "fee_percent", FEE_PERCENT)
    process = serving.command(
        *("platform", "prolific", "--port", "0", "--state", str(folder / "platform.db")),
        *("--balance", f"{BALANCE}", "--fee", f"{percent}", "--currency", config.place.currency),
    )
    try:
        api, site = serving.heard(process, _API, _PARTICIPANTS)
        yield Local(
            "prolific",
            {"api_url": api, "worker_url": site, "workspace": None, "project": None},
            BALANCE,
            lambda worker: ProlificDoor(site, worker),
            site,
            lambda: prolific_told(ask(f"{api}/_local/statement")),
            lambda seconds: tell(f"{api}/_local/clock", {"advance": seconds}),
        )
    finally:
        serving.stop(process)


def ask(url: str) -> Any:
    """What a local platform answers."""
    try:
        return httpx.get(url, timeout=_SECONDS, trust_env=False).raise_for_status().json()
    except httpx.HTTPError as error:
        raise StateError("the local platform does not answer", got=type(error).__name__) from None


def tell(url: str, wish: Any) -> None:
    """Ask a local platform for something."""
    try:
        httpx.post(url, json=wish, timeout=_SECONDS, trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        raise StateError("the local platform does not answer", got=type(error).__name__) from None


def mturk_told(statement: dict[str, Any]) -> Told:
    """The statement of a local MTurk."""
    return Told(
        tuple(hit["id"] for hit in statement["hits"]),
        tuple(
            Payment(line["kind"], line["subject"], _money(line["amount"]), _money(line["fee"]))
            for line in statement["payments"]
        ),
        _money(statement["held"]),
        sum(row["status"] in ("Submitted", "Approved", "Rejected") for row in statement["assignments"]),
    )


def prolific_told(statement: dict[str, Any]) -> Told:
    """The statement of a local Prolific."""
    return Told(
        tuple(
            study["id"]
            for study in statement["studies"]
            if study["status"] != "UNPUBLISHED"
            for _ in range(study["total_available_places"])
        ),
        tuple(
            Payment(line["kind"], line["subject"], _money(line["amount"]), _money(line["fee"]))
            for line in statement["payments"]
        ),
        _money(statement["held"]),
        sum(row["status"] in _PROLIFIC_DONE for row in statement["submissions"]),
    )


def _money(cents: int) -> Decimal:
    return Decimal(cents) / 100


_KINDS: Final[dict[str, Callable[[Path, StudyConfig], Any]]] = {
    "link": _link,
    "mturk": _mturk,
    "prolific": _prolific,
}
