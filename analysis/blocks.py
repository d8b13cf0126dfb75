"""A bundle cut into blocks of documents: each is small enough to be held, and counted as if it were a study.

The big tables are read a few rows at a time and written to a file a block and table, in their order. So what
is held at once hangs on the size of a block and not on that of the study, but for a few bytes a row to know
where each belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pandas as pd

from analysis import bundle
from analysis.engine.counts import Codes
from analysis.errors import ConfigError
from analysis.frames import conform, conform_all, empty
from analysis.schema import TABLES
from analysis.skill import weights
from analysis.study import Around, Study
from analysis.voices import workers_of

# Rows of annotations and judgments in a block: about a gigabyte while it is counted. What a block costs
# whatever it holds is a third of the work at a quarter of them, and at twice as many nothing is gained.
ROWS: Final = 1_000_000
_MOST: Final = 400  # blocks, whose files are open at once
_BATCH: Final = 1 << 18
# Columns that no count looks at: a block goes without them.
_UNREAD: Final[Mapping[str, tuple[str, ...]]] = {
    "documents": ("text",),
    "annotations": ("mention",),
    "displays": ("card",),
    "judgments": ("raw", "seconds", "opened"),
}
_WHOLE: Final = ("documents", "sources", "source_documents", "segments", "assignments", "control_answers")
_ASSIGNMENTS: Final = "assignments.arrow"
_SPREAD: Final = ("annotations", "tasks", "displays", "credits", "judgments", "missing_mentions")


@dataclass(frozen=True)
class Part:
    """What another process needs to read one block.

    Attributes:
        folder: of the blocks' files.
        block: number of the block.
        tables: its rows of the tables that are small.
        failed: assignments of the study that were submitted and do not count: gates look at them.
        manifest: of the bundle.
        around: what stands around the block.
    """

    folder: Path
    block: int
    tables: Mapping[str, pd.DataFrame]
    failed: pd.DataFrame
    manifest: Mapping[str, Any]
    around: Around

    def read(self) -> Study:
        """The study that the block is.

        Raises:
            InputError: its tables do not hold what the schema says.
        """
        tables = {**self.tables}
        for name in _SPREAD:
            tables[name] = _stored(self.folder / f"{name}-{self.block}.arrow", name)
        for name, columns in _UNREAD.items():
            tables[name] = tables[name].assign(**dict.fromkeys(columns))
        answers = tables["control_answers"]
        tables["control_answers"] = answers[answers["display"].isin(tables["displays"]["display"])]
        judged = pd.concat([tables[name]["assignment"] for name in ("judgments", "missing_mentions")])
        tables["assignments"] = self._assignments(judged.unique())
        return Study(conform_all(tables), self.manifest, (), self.around)

    def _assignments(self, judged: Codes) -> pd.DataFrame:
        """The assignments behind some judgments, and what else of the same workers failed."""
        pa, _ = bundle.arrow()
        with pa.memory_map(str(self.folder / _ASSIGNMENTS)) as file:
            every = pa.ipc.open_stream(file).read_all()
            rows = np.isin(_ids(every, "assignment"), judged)
            here: pd.DataFrame = every.filter(rows).to_pandas()
        failed = self.failed
        beside = failed["worker"].isin(here["worker"]) & ~failed["assignment"].isin(judged)
        return pd.concat([here, failed[beside & (failed["worker"] != "")]]) if beside.any() else here


@dataclass(frozen=True)
class Blocks:
    """A bundle, cut.

    Attributes:
        folder: of the blocks' files.
        study: the tables that are small; of judgments at most one row, of the other big ones none.
        first: (blocks + 1,) the documents of block i are first[i] to first[i + 1] - 1.
        workers: of the whole study.
        around: of every block.
    """

    folder: Path
    study: Study
    first: Codes
    workers: tuple[str, ...]
    around: Around

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self.first) - 1

    def parts(self) -> Iterator[Part]:
        """The blocks, in the order of their documents."""
        documents, every = self.study["documents"], self.study["assignments"]
        failed = every[(every["state"] == "submitted") & ~every["counted"].fillna(value=True).astype(bool)]
        tables = {name: self.study[name] for name in ("sources", "control_answers")}
        code = {name: code_of(self.study[name], documents) for name in ("source_documents", "segments")}
        for block, (low, high) in enumerate(zip(self.first, self.first[1:], strict=False)):
            mine = {name: self.study[name][(each >= low) & (each < high)] for name, each in code.items()}
            mine["documents"] = documents.iloc[low:high]
            yield Part(self.folder, block, {**tables, **mine}, failed, self.study.manifest, self.around)


def rows(path: Path) -> int:
    """Annotations and judgments of a bundle, by what its manifest says."""
    tables = bundle.read_manifest_of(path).get("tables")
    entries = tables if isinstance(tables, Mapping) else {}
    found = [entries.get(name) for name in ("annotations", "judgments")]
    return sum(int(entry.get("rows", 0)) for entry in found if isinstance(entry, Mapping))


def cut(path: Path, folder: Path, gt: str | None = None, size: int = ROWS) -> Blocks:
    """Cut a bundle into blocks of about so many rows; a document is never cut.

    Args:
        path: the bundle.
        folder: for the blocks; empty, and to be deleted by the caller.
        gt: name of the source that is the ground truth; None: what the bundle says.
        size: annotations and judgments of a block.

    Raises:
        InputError: as `bundle.read`; what lies in a block is checked when it is read.
    """
    from analysis.load import with_ground_truth  # noqa: PLC0415 - it imports the readers of CSV

    manifest, there = bundle.checked(path)
    files = {name: path / f"{name}.parquet" for name in there}
    tables = {name: conform(TABLES[name], _whole(files[name], _UNREAD.get(name, ()))) for name in _WHOLE}
    first = _cuts(tables, rows(path), size)
    spread = _Spreading(folder, files, tables, first)
    spread.all()
    _store(tables["assignments"], folder / _ASSIGNMENTS)
    nothing = {name: empty(table) for name, table in TABLES.items()}
    study = Study({**nothing, **tables, "judgments": spread.one}, manifest)
    study = study if gt is None else with_ground_truth(study, gt)
    weighted = bool((study["segments"]["weight"] != 1.0).any())
    around = Around(_by_dataset(study), weighted, _skill(study, spread.controls))
    return Blocks(folder, study, first, workers_of(study["assignments"]), around)


def _whole(file: Path, unread: tuple[str, ...]) -> pd.DataFrame:
    frame = bundle.read_table(file, leave_out=unread)
    return frame.assign(**dict.fromkeys(unread)) if unread else frame


def _cuts(tables: Mapping[str, pd.DataFrame], total: int, size: int) -> Codes:
    """The first document of each block, and behind the last one."""
    documents, ran = tables["documents"], tables["source_documents"]
    code = np.maximum(code_of(ran, documents), 0)
    count = np.bincount(code, weights=ran["n"].to_numpy(float), minlength=len(documents))
    blocks = max(1, min(_MOST, -(-total // max(size, 1))))
    before = np.cumsum(count) - count
    place = np.floor(before * blocks / max(count.sum(), 1.0))
    starts = np.flatnonzero(np.diff(place, prepend=0.0))
    return np.concatenate([[0], starts, [len(documents)]]).astype(np.int64)


def code_of(frame: pd.DataFrame, documents: pd.DataFrame) -> Codes:
    """Document of each row; -1 where there is none of that name."""
    return _Documents(documents).of(frame["dataset"], frame["document"])


class _Documents:
    """Documents by dataset and name, found by codes of the two, so that names are hashed once."""

    def __init__(self, documents: pd.DataFrame) -> None:
        self._datasets = pd.Index(documents["dataset"].unique())
        self._names = pd.Index(documents["document"].unique())
        pairs = self._pairs(
            self._datasets.get_indexer(pd.Index(documents["dataset"])),
            self._names.get_indexer(pd.Index(documents["document"])),
        )
        self._known = pd.Index(pairs)

    def _pairs(self, dataset: Codes, name: Codes) -> Codes:
        pair = dataset.astype(np.int64) * (len(self._names) + 1) + name
        return np.where((dataset < 0) | (name < 0), -1, pair)

    def of(self, dataset: pd.Series, name: pd.Series) -> Codes:
        """The code of each; -1: unknown."""
        codes = []
        for values, known in ((dataset, self._datasets), (name, self._names)):
            place, found = pd.factorize(values)
            codes.append(np.append(known.get_indexer(pd.Index(found)), -1)[place])
        found_pairs = self._known.get_indexer(pd.Index(self._pairs(*codes)))
        return np.asarray(found_pairs, dtype=np.int64)


class _Places:
    """The block of each id of a table. What is not known lies in block 0, where it is missed and told of."""

    def __init__(self, ids: Codes, block: Codes) -> None:
        self._dense = len(ids) == 0 or (ids.min() >= 0 and ids.max() < 4 * len(ids) + 1024)
        small = block.astype(np.int16)
        if self._dense:
            self._table = np.zeros(int(ids.max(initial=-1)) + 1, dtype=np.int16)
            self._table[ids] = small
        else:
            order = np.argsort(ids, kind="stable")
            self._ids, self._table = ids[order], small[order]

    def of(self, ids: Codes) -> Codes:
        """The block of each id."""
        if not len(self._table):
            return np.zeros(len(ids), dtype=np.int64)
        if self._dense:
            known = (ids >= 0) & (ids < len(self._table))
            return np.where(known, self._table[np.where(known, ids, 0)], 0).astype(np.int64)
        place = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[place] == ids, self._table[place], 0).astype(np.int64)


class _Spreading:
    """The rows of the big tables on their way into the files of blocks."""

    def __init__(
        self, folder: Path, files: Mapping[str, Path], tables: Mapping[str, pd.DataFrame], first: Codes
    ) -> None:
        self._folder, self._files, self._first = folder, files, first
        self._documents = _Documents(tables["documents"])
        self._answered = tables["control_answers"]["display"]
        segments = tables["segments"]
        self._segment = _Places(
            segments["segment"].to_numpy(np.int64), self._block(code_of(segments, tables["documents"]))
        )
        self.one = empty(TABLES["judgments"])
        self.controls = self.one

    def _block(self, document: Codes) -> Codes:
        return np.maximum(np.searchsorted(self._first, document, side="right") - 1, 0)

    def all(self) -> None:
        """Write every big table, two at a time: reading and packing need no interpreter."""
        with ThreadPoolExecutor(1) as beside:
            annotations = beside.submit(self._table, "annotations", self._by_document)
            if "missing_mentions" in self._files:
                self._table("missing_mentions", self._by_document)
            tasks = self._table("tasks", lambda batch: self._segment.of(_ids(batch, "segment")), keep="task")
            displays = self._table("displays", lambda batch: tasks.of(_ids(batch, "task")), keep="display")
            annotations.result()
            shown = beside.submit(self._table, "credits", lambda batch: displays.of(_ids(batch, "display")))
            self._table("judgments", lambda batch: displays.of(_ids(batch, "display")))
            shown.result()

    def _by_document(self, batch: Any) -> Codes:
        names = (batch.column(name).to_pandas() for name in ("dataset", "document"))
        return self._block(self._documents.of(*names))

    def _table(self, name: str, block_of: Callable[[Any], Codes], keep: str = "") -> _Places:
        """Spread one table; returns where the ids in its column `keep` are."""
        pa, pq = bundle.arrow()
        ids, blocks = [], []
        source = pq.ParquetFile(self._files[name])
        columns = [one for one in source.schema_arrow.names if one not in _UNREAD.get(name, ())]
        schema = pa.schema([source.schema_arrow.field(one) for one in columns])
        with _Writers(self._folder, name, len(self._first) - 1, schema) as writers:
            for batch in source.iter_batches(_BATCH, columns=columns):
                block = block_of(batch)
                writers.write(batch, block)
                if keep:
                    ids.append(_ids(batch, keep))
                    blocks.append(block.astype(np.int16))
                if name == "judgments":
                    self._look(batch)
        none = np.empty(0, dtype=np.int64)
        return _Places(np.concatenate([none, *ids]), np.concatenate([none, *blocks]))

    def _look(self, batch: Any) -> None:
        """Keep one judgment, and those of controls whose answer is known."""
        mask = np.isin(_ids(batch, "display"), self._answered.to_numpy())
        if len(self.one) and not mask.any():
            return
        mine = np.flatnonzero(mask)
        frame = batch.take(np.append(mine, 0)).to_pandas().assign(**dict.fromkeys(_UNREAD["judgments"]))
        if not len(self.one):
            self.one = conform(TABLES["judgments"], frame.iloc[-1:])
        if len(mine):
            found = conform(TABLES["judgments"], frame.iloc[:-1])
            self.controls = pd.concat([self.controls, found]) if len(self.controls) else found


class _Writers:
    """An open file a block for the rows of one table."""

    def __init__(self, folder: Path, name: str, blocks: int, schema: Any) -> None:
        pa, _ = bundle.arrow()
        options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        self._all = [
            pa.ipc.new_stream(str(folder / f"{name}-{block}.arrow"), schema, options=options)
            for block in range(blocks)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._all:
            writer.close()

    def write(self, batch: Any, block: Codes) -> None:
        """Each row into the file of its block; their order stays."""
        if not len(block):
            return
        if (block[1:] < block[:-1]).any():
            order = np.argsort(block.astype(np.int16), kind="stable")
            batch, block = batch.take(order), block[order]
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        for low, high in zip(starts, [*starts[1:], len(block)], strict=True):
            self._all[block[low]].write_batch(batch.slice(low, high - low))


def _ids(batch: Any, name: str) -> Codes:
    return np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=np.int64)


def _stored(file: Path, table: str) -> pd.DataFrame:
    if not file.exists():
        return empty(TABLES[table])
    pa, _ = bundle.arrow()
    with pa.ipc.open_stream(str(file)) as reader:
        frame = reader.read_all().to_pandas()
    if not isinstance(frame, pd.DataFrame):
        raise TypeError("pyarrow gave no frame")
    return frame


def _store(frame: pd.DataFrame, file: Path) -> None:
    pa, _ = bundle.arrow()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(str(file), table.schema) as writer:
        writer.write_table(table)


def _by_dataset(study: Study) -> dict[str, frozenset[str]]:
    """The sources that ran in each dataset."""
    ran = study["source_documents"]
    pairs = ran.loc[ran["ran"], ["dataset", "source"]].drop_duplicates()
    names = study["documents"]["dataset"].unique()
    return {str(name): frozenset(pairs.loc[pairs["dataset"] == name, "source"]) for name in names}


def _skill(study: Study, judgments: pd.DataFrame) -> dict[str, int] | None:
    """The weight of each worker, from the judgments of controls."""
    workers = workers_of(study["assignments"])
    try:
        found = weights(Study({**study.tables, "judgments": judgments}, study.manifest), workers)
    except ConfigError:
        return None
    return dict(zip((*workers, ""), found.tolist(), strict=True))
