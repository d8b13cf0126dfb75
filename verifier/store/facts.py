"""Facts about the study as a whole, by name: name, seed, nonce, schema, origin, plan_sha256."""

from __future__ import annotations

from sqlalchemy.orm import Session

from verifier.store.models import StudyFact


def get(session: Session, name: str) -> str:
    """The fact `name`; the empty string if it was never put down."""
    row = session.get(StudyFact, name)
    return row.value if row else ""


def put(session: Session, name: str, value: str) -> None:
    """Put down the fact `name`, in place of what stood there."""
    session.merge(StudyFact(name=name, value=value))
