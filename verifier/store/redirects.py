"""The redirects in force: the newest dated snapshot, chains already followed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import and_, bindparam, func, insert, select
from sqlalchemy.orm import Session

from analysis.errors import StateError
from analysis.keys import LINK
from verifier.store.models import AnnotationRow, Redirect, RedirectSnapshot, SourceRow
from verifier.store.prepared import Prepared

_NEWEST: Final = select(func.max(RedirectSnapshot.id)).scalar_subquery()
_TARGET: Final = Prepared(
    select(Redirect.target).where(Redirect.snapshot_id == _NEWEST, Redirect.key == bindparam("key"))
)


def snapshot(session: Session) -> RedirectSnapshot | None:
    """The snapshot in force; None if redirects were never given."""
    return session.scalars(select(RedirectSnapshot).order_by(RedirectSnapshot.id.desc()).limit(1)).first()


def current(session: Session) -> dict[str, str]:
    """Every redirect in force, key to target."""
    newest = snapshot(session)
    if newest is None:
        return {}
    rows = session.execute(select(Redirect.key, Redirect.target).where(Redirect.snapshot_id == newest.id))
    return dict(rows.all())


def resolve(session: Session, key: str) -> str:
    """The key that `key` leads to under the redirects in force."""
    found = _TARGET.one(session, key=key)
    return str(found[0]) if found else key


def resolved(session: Session, keys: Collection[str]) -> dict[str, str]:
    """Where each of the keys leads under the redirects in force; itself, where to no other."""
    newest = snapshot(session)
    if newest is None:
        return {key: key for key in keys}
    query = select(Redirect.key, Redirect.target).where(
        Redirect.snapshot_id == newest.id, Redirect.key.in_(sorted(keys))
    )
    targets = dict(session.execute(query).all())
    return {key: targets.get(key, key) for key in keys}


def effect(session: Session) -> dict[str, tuple[int, int]]:
    """By source, how many of its links the redirects in force lead elsewhere, and how many it has."""
    newest = snapshot(session)
    if newest is None:
        return {}
    join = and_(Redirect.key == AnnotationRow.key, Redirect.snapshot_id == newest.id)
    query = (
        select(SourceRow.name, func.count(Redirect.key), func.count(AnnotationRow.id))
        .join(AnnotationRow, AnnotationRow.source_id == SourceRow.id)
        .outerjoin(Redirect, join)
        .where(AnnotationRow.kind == LINK)
        .group_by(SourceRow.name)
        .order_by(SourceRow.name)
    )
    return {name: (changed, links) for name, changed, links in session.execute(query)}


def commonest(session: Session, count: int) -> list[tuple[str, str, int]]:
    """The redirects in force that change most links: key, target and how many."""
    newest = snapshot(session)
    if newest is None:
        return []
    times = func.count(AnnotationRow.id)
    query = (
        select(Redirect.key, Redirect.target, times)
        .join(AnnotationRow, AnnotationRow.key == Redirect.key)
        .where(Redirect.snapshot_id == newest.id, AnnotationRow.kind == LINK)
        .group_by(Redirect.key, Redirect.target)
        .order_by(times.desc(), Redirect.key)
        .limit(count)
    )
    return [(key, target, number) for key, target, number in session.execute(query)]


def take(session: Session, file: str, sha256: str, targets: Mapping[str, str], now: datetime) -> bool:
    """Put a snapshot in force; False if the one in force has the same bytes.

    Raises:
        StateError: the bytes are those of an older snapshot, which a newer one has replaced.
    """
    known = session.scalars(select(RedirectSnapshot).where(RedirectSnapshot.sha256 == sha256)).first()
    newest = snapshot(session)
    if known is not None:
        if newest is not None and known.id == newest.id:
            return False
        raise StateError(
            "these redirects were in force before and have been replaced",
            where=file,
            got=f"the snapshot of {known.taken:%Y-%m-%d %H:%M} UTC",
            remedy="Add a comment line (# ...) to the file if they are to be in force again.",
        )
    taken = RedirectSnapshot(file=file, sha256=sha256, taken=now)
    session.add(taken)
    session.flush()
    rows = [
        {"snapshot_id": taken.id, "key": key, "target": target} for key, target in sorted(targets.items())
    ]
    if rows:
        session.execute(insert(Redirect), rows)
    return True
