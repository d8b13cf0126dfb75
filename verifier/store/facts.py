"""Facts about the study as a whole, by name: name, seed, nonce, order, schema, origin, plan_sha256."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from verifier.store.models import StudyFact

# A random text by which nobody who knows the seed can tell in which order an assignment shows its tasks.
ORDER: Final = "order"
_NAMED: Final = select(StudyFact.name, StudyFact.value).where(
    StudyFact.name.in_(bindparam("names", expanding=True))
)


def get(session: Session, name: str) -> str:
    """The fact `name`; the empty string if it was never put down."""
    row = session.get(StudyFact, name)
    return row.value if row else ""


def several(session: Session, *names: str) -> list[str]:
    """The facts of these names, in their order, as `get` gives them, in one look."""
    rows = session.connection().execute(_NAMED, {"names": names})
    found = {row.name: row.value for row in rows}
    return [found.get(name, "") for name in names]


def put(session: Session, name: str, value: str) -> None:
    """Put down the fact `name`, in place of what stood there."""
    session.merge(StudyFact(name=name, value=value))
