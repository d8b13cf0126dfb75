"""The bundle: its tables, their columns and types. The only thing that the two halves share.

Conventions: integers are ids within the bundle; `worker` is a pseudonym; spans are half-open code points;
times are aware UTC; money is decimal text in major units; decisions are words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Type = Literal["string", "int", "float", "bool", "time"]

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class Column:
    """A column: its name, type, and whether it may be null."""

    name: str
    type: Type = "string"
    null: bool = False


@dataclass(frozen=True)
class Table:
    """A table of the bundle, its columns in order, and the columns that identify (and sort) its rows."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return [column.name for column in self.columns]


def _table(name: str, key: str, spec: str) -> Table:
    """A table from `spec`: words `name`, `name:type`, a `?` at the end where null is allowed."""
    columns = []
    for word in spec.split():
        label, _, kind = word.removesuffix("?").partition(":")
        columns.append(Column(label, kind or "string", word.endswith("?")))  # type: ignore[arg-type]
    return Table(name, tuple(columns), tuple(key.split()))


TABLES: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        _table(
            "documents",
            "dataset document",
            "dataset document language text? text_sha256 evaluation_start:int evaluation_end:int",
        ),
        _table("sources", "source", "source role version?"),
        _table("source_documents", "dataset document source", "dataset document source ran:bool n:int"),
        _table(
            "annotations",
            "annotation",
            "annotation:int dataset document source start:int end:int mention? key? raw? kind"
            " confidence:float? shown:bool reason?",
        ),
        _table("segments", "segment", "segment:int dataset document start:int end:int weight:float"),
        _table("tasks", "task", "task:int kind segment:int source? k:int"),
        _table("displays", "display", "display:int task:int ordinal:int start:int end:int key? card?"),
        _table("credits", "display annotation", "display:int annotation:int"),
        _table("cards", "card", "card key title? description? extract? fetched:time?"),
        _table("control_answers", "display", "display:int expected acceptable? difficulty? use"),
        _table(
            "assignments",
            "assignment",
            "assignment:int worker platform? origin state counted:bool? reason? claimed:time? submitted:time?"
            " active_seconds:float? reward? fee? bonus? currency?",
        ),
        _table(
            "judgments",
            "assignment display sequence",
            "assignment:int display:int decision key? raw? seconds:float? opened:bool? sequence:int"
            " current:bool role",
        ),
    )
}

# "All datasets", where the name of one could stand.
ALL: Final = "*"

ROLES: Final = ("ground_truth", "model")
TASK_KINDS: Final = ("real", "control")
ORIGINS: Final = ("live", "sandbox", "simulated")
JUDGE_ROLES: Final = ("worker", "expert")
CONTROL_USES: Final = ("gate", "measure")

# Why an annotation was not shown: written in `annotations.reason`.
NOT_SHOWN: Final = (
    "nil",  # the source says the entity is not in the knowledge base
    "unmapped",  # an entity was given, its key is not known
    "no_link",  # the source gave no link
    "not_an_entity",  # a quantity, a date, a label that is no entity
    "outside_evaluation",  # not wholly inside the document's evaluation span
    "duplicate",  # the same source, span and key once more
    "crosses_segments",  # added after the grid was frozen, cut by a boundary of it
    "not_sampled",  # its segment was not drawn by the sampling plan
    "not_planned",  # imported after the last plan
)
