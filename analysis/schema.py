"""The bundle: its tables, their columns and types. The only thing that the two halves share.

Conventions: integers are ids within the bundle; `worker` is a pseudonym; spans are half-open code points;
times are aware UTC; money is decimal text in major units; decisions are words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Type = Literal["string", "int", "float", "bool", "time"]

SCHEMA_VERSION: Final = 4


@dataclass(frozen=True)
class Column:
    """A column: its name, type, whether it may be null, and the version of the schema that it came with."""

    name: str
    type: Type = "string"
    null: bool = False
    since: int = 1


@dataclass(frozen=True)
class Table:
    """A table of the bundle, its columns in order, and the columns that identify (and sort) its rows.

    Attributes:
        name: of its file.
        columns: in order.
        key: what identifies and sorts its rows.
        since: the version of the schema that it came with; bundles before that do not hold it.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    since: int = 1

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return [column.name for column in self.columns]


def _table(name: str, key: str, spec: str, since: int = 1) -> Table:
    """A table from `spec`: words `name`, `name:type`, a `?` where null is allowed, `@2` since when."""
    columns = []
    for word in spec.split():
        described, _, version = word.partition("@")
        label, _, kind = described.removesuffix("?").partition(":")
        null = described.endswith("?")
        columns.append(Column(label, kind or "string", null, int(version or since)))  # type: ignore[arg-type]
    return Table(name, tuple(columns), tuple(key.split()), since)


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
        _table(
            "cards", "card", "card key title? description? extract? fetched:time? image?@4 image_credit?@4"
        ),
        _table("control_answers", "display", "display:int expected acceptable? difficulty? use"),
        _table(
            "assignments",
            "assignment",
            "assignment:int worker platform? origin state counted:bool? reason? claimed:time? submitted:time?"
            " active_seconds:float? reward? fee? bonus? currency? options?@2"
            " consent?@3",
        ),
        _table(
            "judgments",
            "assignment display sequence",
            "assignment:int display:int decision key? raw? seconds:float? opened:bool? sequence:int"
            " current:bool role arm?@2",
        ),
        _table(
            "namings",
            "assignment display",
            "assignment:int display:int key raw seconds:float made:time?",
            since=2,
        ),
        _table("comments", "assignment display", "assignment:int display:int text? made:time?", since=2),
        _table(
            "missing_mentions",
            "assignment dataset document start end",
            "assignment:int dataset document start:int end:int mention? made:time?",
            since=2,
        ),
    )
}

# "All datasets", where the name of one could stand.
ALL: Final = "*"

ROLES: Final = ("ground_truth", "model")
TASK_KINDS: Final = ("real", "control")
ORIGINS: Final = ("live", "sandbox", "simulated")
JUDGE_ROLES: Final = ("worker", "expert")
# The state of an expert's assignment, which is in no count of the crowd's work.
EXPERT: Final = "expert"
CONTROL_USES: Final = ("gate", "measure", "decoy")
# The arm of a task in which one link was put wrong, and the use of that link's known answer.
DECOY: Final = "decoy"

# Why an annotation was not shown: written in `annotations.reason`.
NOT_SHOWN: Final = (
    "nil",  # the source says the entity is not in the knowledge base
    "unmapped",  # an entity was given, its key is not known
    "no_link",  # the source gave no link
    "not_an_entity",  # a quantity, a date, a label that is no entity
    "outside_evaluation",  # not wholly inside the document's evaluation span
    "duplicate",  # the same source, span and key once more
    "crosses_segments",  # cut by a boundary: added after the grid was frozen, or by the published splitter
    "not_sampled",  # its segment was not drawn by the sampling plan
    "not_planned",  # imported after the last plan
)
