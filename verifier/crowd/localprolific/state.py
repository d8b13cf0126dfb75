"""What a local Prolific keeps: studies, submissions, participant groups, bonuses; and how it names things."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from verifier.crowd.localbase import state
from verifier.crowd.localbase.state import packed

__all__ = ["FEE_PERCENT", "PROJECT", "WORKSPACE", "State", "identifier", "packed", "written"]

WORKSPACE: Final = "5c0ffee000000000000000a1"
PROJECT: Final = "5c0ffee000000000000000b1"
FEE_PERCENT: Final = Decimal("42.8")
_MILLION: Final = 1_000_000
_TABLES: Final = """
create table if not exists terms (
    id integer primary key check (id = 1), fee integer not null, currency text not null
) strict;
create table if not exists study (
    number integer primary key, id text unique not null, created real not null, status text not null,
    stopped integer not null default 0, published real, places integer not null, reward integer not null,
    fee integer not null, settings text not null
) strict;
create table if not exists submission (
    number integer primary key, id text unique not null, study text not null references study (id),
    participant text not null, status text not null, started real not null, deadline real not null,
    completed real, code text, return_requested real, reason text, category text
) strict;
create index if not exists submission_study on submission (study, status);
create index if not exists submission_deadline on submission (deadline) where status = 'ACTIVE';
create index if not exists submission_waiting on submission (completed) where status = 'AWAITING REVIEW';
create table if not exists participant_group (
    number integer primary key, id text unique not null, name text not null, description text,
    created real not null
) strict;
create table if not exists member (
    number integer primary key, grp text not null, participant text not null, at real not null,
    unique (grp, participant)
) strict;
create table if not exists batch (
    number integer primary key, id text unique not null, study text not null, lines text not null
) strict;
create table if not exists bonus (
    number integer primary key, submission text not null, amount integer not null, at real not null
) strict;
create table if not exists message (
    number integer primary key, participant text not null, text text not null, at real not null
) strict;
"""
_HELD: Final = """
select coalesce(sum((reward + fee) * case
    when stopped then (select count(*) from submission
        where submission.study = study.id and submission.status in ('ACTIVE', 'AWAITING REVIEW'))
    else max(0, places - (select count(*) from submission
        where submission.study = study.id and submission.status = 'APPROVED'))
    end), 0) as sum
from study where status != 'UNPUBLISHED'
"""


class State(state.State):
    """An open state file of a local Prolific.

    Args:
        path: of the SQLite file; None: in memory.
        balance: in cents, when the file is made.
        fee_percent: what Prolific takes, in percent of what is paid, when the file is made.
        currency: of the account, when the file is made.
    """

    tables = _TABLES

    def __init__(
        self,
        path: Path | None,
        balance: int,
        fee_percent: Decimal = FEE_PERCENT,
        currency: str = "USD",
    ) -> None:
        super().__init__(path, balance)
        fee = int(fee_percent * _MILLION / 100)
        self.run("insert or ignore into terms values (1, ?, ?)", fee, currency)

    @property
    def currency(self) -> str:
        """Of the account."""
        return str(self.one("select currency from terms")["currency"])

    @property
    def held(self) -> int:
        """Cents put aside for places that may still have to be paid."""
        return int(self.one(_HELD)["sum"])

    def fee(self, amount: int) -> int:
        """The fee on a payment. Assumed: taken on each by itself, a part of a cent counting as one."""
        return -(-amount * int(self.one("select fee from terms")["fee"]) // _MILLION)


def identifier() -> str:
    """A new id in Prolific's form; nobody can guess it."""
    return secrets.token_hex(12)


def written(at: float | None) -> str | None:
    """A time as Prolific writes it."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
