"""The redirects in force: the newest dated snapshot, chains already followed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from analysis.errors import StateError
from verifier.store.models import Redirect, RedirectSnapshot


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
    newest = snapshot(session)
    found = session.get(Redirect, (newest.id, key)) if newest else None
    return found.target if found else key


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
