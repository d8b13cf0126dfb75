"""Tables, migrations and queries: the only place that knows SQL. What others hold of it is a session."""

from sqlalchemy.orm import Session

__all__ = ["Session"]
