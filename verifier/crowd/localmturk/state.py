"""What a local MTurk keeps: HITs, assignments, qualifications, tokens, messages; and how it names things."""

from __future__ import annotations

import secrets
import string
from typing import Final

from verifier.crowd.localbase import state
from verifier.crowd.localbase.state import packed

__all__ = ["State", "identifier", "packed"]

_LETTERS: Final = string.ascii_uppercase + string.digits
_ID_LENGTH: Final = 30
_TABLES: Final = """
create table if not exists hit_type (
    number integer primary key, id text unique not null, terms text unique not null, reward integer not null
) strict;
create table if not exists hit (
    number integer primary key, id text unique not null, type text not null references hit_type (id),
    created real not null, expires real not null, most integer not null, fee integer not null,
    question text not null, annotation text, reviewing integer not null default 0,
    disposed integer not null default 0, held integer not null default 0, ended integer not null default 0
) strict;
create index if not exists hit_expires on hit (expires) where ended = 0;
create index if not exists hit_held on hit (held) where held > 0;
create table if not exists assignment (
    number integer primary key, id text not null, hit text not null references hit (id), worker text not null,
    status text not null, accepted real not null, deadline real not null, submitted real, automatic real,
    approved real, rejected real, feedback text, answer text
) strict;
create index if not exists assignment_id on assignment (id);
create index if not exists assignment_hit on assignment (hit, status);
create index if not exists assignment_deadline on assignment (deadline) where status = 'Accepted';
create index if not exists assignment_automatic on assignment (automatic) where status = 'Submitted';
create table if not exists bonus (
    number integer primary key, assignment text not null, hit text not null, worker text not null,
    amount integer not null, reason text not null, at real not null
) strict;
create table if not exists token (
    operation text not null, token text not null, result text not null, at real not null,
    primary key (operation, token)
) strict;
create table if not exists qualification_type (
    number integer primary key, id text unique not null, created real not null, terms text not null
) strict;
create table if not exists qualification (
    number integer primary key, type text not null, worker text not null, value integer not null,
    at real not null, status text not null, unique (type, worker)
) strict;
create table if not exists worker (id text primary key, profile text not null) strict;
create table if not exists message (
    number integer primary key, worker text not null, subject text not null, text text not null,
    at real not null
) strict;
"""


class State(state.State):
    """An open state file of a local MTurk."""

    tables = _TABLES

    @property
    def held(self) -> int:
        """Cents put aside for work that was asked for and is not decided."""
        return int(self.one("select coalesce(sum(held), 0) as sum from hit where held > 0")["sum"])


def identifier(first: str = "3") -> str:
    """A new id in MTurk's form; nobody can guess it."""
    return first + "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH - len(first)))
