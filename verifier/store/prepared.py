"""Statements that run with every request: prepared once for a database, then run on its driver itself.

What SQLAlchemy does anew each time a statement is run (finding its text, the types of parameters, a
result of its own) is always the same for these, and takes ten times as long as the database does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import Dialect, Insert, Select
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

_HELD: Final = "driver"
_Change = Callable[[Any], Any] | None
Rows = list[tuple[Any, ...]]


class Prepared:
    """A statement whose parameters are single values.

    It sees what was flushed in its session and flushes nothing itself; its rows are plain tuples.
    """

    def __init__(
        self, statement: Select[*tuple[Any, ...]] | Insert, columns: Sequence[str] | None = None
    ) -> None:
        """`columns`: those that an insert is given, each in every row."""
        self._statement, self._columns = statement, columns
        self._made: dict[str, _Made] = {}

    def rows(self, session: Session, **values: Any) -> Rows:
        """What a query finds.

        Raises:
            DBAPIError: what the database says is wrong, as SQLAlchemy would say it.
        """
        dialect, driver = _held(session)
        made = self._of(dialect)
        try:
            cursor = driver.execute(made.text, made.given(values))
            return made.changed(cursor.description, cursor.fetchall())
        except _errors(dialect) as error:
            raise _wrapped(error, dialect) from error

    def one(self, session: Session, **values: Any) -> tuple[Any, ...] | None:
        """The first row that a query finds."""
        found = self.rows(session, **values)
        return found[0] if found else None

    def run(self, session: Session, **values: Any) -> None:
        """Run what gives no rows."""
        dialect, driver = _held(session)
        made = self._of(dialect)
        try:
            driver.execute(made.text, made.given(values))
        except _errors(dialect) as error:
            raise _wrapped(error, dialect) from error

    def _of(self, dialect: Dialect) -> _Made:
        name = f"{dialect.name}+{dialect.driver}"
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = _Made(self._statement, self._columns, dialect)
        return made


class _Made:
    """A statement in the words of one database."""

    def __init__(
        self, statement: Select[*tuple[Any, ...]] | Insert, columns: Sequence[str] | None, dialect: Dialect
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
        self.text = str(compiled)
        self._dialect = dialect
        self._fixed = {name: value for name, value in compiled.params.items() if value is not None}
        self._order: list[str] | None = compiled.positiontup
        self._binding: dict[str, _Change] = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect)
            for bind, name in compiled.bind_names.items()
        }
        self._types = (
            [] if isinstance(statement, Insert) else [one.type for one in statement.selected_columns]
        )
        self._changes: list[tuple[int, Callable[[Any], Any]]] | None = None

    def given(self, values: dict[str, Any]) -> Any:
        """The parameters as the driver takes them."""
        values = self._fixed | values
        for name, change in self._binding.items():
            if change is not None:
                values[name] = change(values[name])
        return values if self._order is None else [values[name] for name in self._order]

    def changed(self, description: Sequence[Any], rows: Rows) -> Rows:
        """The rows with Python's values, where the driver gives others."""
        if self._changes is None:
            # Some drivers give a type different values, as its column says: known with the first result.
            found = (
                one.dialect_impl(self._dialect).result_processor(self._dialect, column[1])
                for one, column in zip(self._types, description, strict=True)
            )
            self._changes = [(place, change) for place, change in enumerate(found) if change is not None]
        if not self._changes:
            return rows
        made = []
        for row in rows:
            values = list(row)
            for place, change in self._changes:
                values[place] = change(values[place])
            made.append(tuple(values))
        return made


def plainly(connection: Connection, text: str) -> None:
    """Run a text without parameters on the driver of a connection.

    Raises:
        DBAPIError: as above.
    """
    driver: Any = connection.connection.driver_connection
    try:
        driver.execute(text)
    except _errors(connection.dialect) as error:
        raise _wrapped(error, connection.dialect) from error


def _held(session: Session) -> tuple[Dialect, Any]:
    """The dialect and driver of the session's transaction; to ask it for them each time takes long."""
    transaction = session.get_transaction()
    held = session.info.get(_HELD)
    if held is None or held[0] is not transaction:
        connection = session.connection()
        driver = connection.connection.driver_connection
        held = session.info[_HELD] = session.get_transaction(), connection.dialect, driver
    return held[1], held[2]


def _errors(dialect: Dialect) -> Any:
    """What the driver raises."""
    module: Any = dialect.dbapi
    return module.Error


def _wrapped(error: Any, dialect: Dialect) -> BaseException:
    """The driver's error as SQLAlchemy would raise it, which callers know; it never holds parameters."""
    found: BaseException = DBAPIError.instance(
        None, None, error, _errors(dialect), hide_parameters=True, dialect=dialect
    )
    return found
