"""Metrics of a bundle that need not fit into memory: counted block by block, the same numbers to the bit.

Counts are whole numbers of rows that lie inside one document. So those of blocks of documents, one after
another, are those of the study; what is summed, resampled and left out comes after, and a metric at a time.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis import memory
from analysis.blocks import ROWS, Blocks, Part, cut
from analysis.cells import Settings
from analysis.cluster import cluster
from analysis.counted import COUNTED, ELSEWHERE
from analysis.engine.counts import Codes, Counts
from analysis.errors import InputError, PosthocError, Problem
from analysis.evaluate import Noted, check, chosen_of, finely, framed, parts_of, rows_of
from analysis.measured import Measured
from analysis.metrics.registry import Metric, get
from analysis.outcomes import measure, ran_of, segments_of, sources_of
from analysis.policy import Policy
from analysis.schema import ALL
from analysis.study import Study
from analysis.voices import gate_of
from analysis.warned import alone, schemes_of, warnings_of

# A metric whose intervals know of workers is this many times as much work as another.
_BY_WORKERS: Final = 3
# Columns of what is stored before the quantities: document, worker, n.
_BEFORE: Final = 3


@dataclass(frozen=True)
class Job:
    """What is to be counted of every block.

    Attributes:
        policy: the choices.
        metrics: names, or metrics that have none in the registry.
        units: segments or units will be asked for. If not, and unless segments have weights, rows of one
            document, worker and n are added: a fraction of the memory.
        folder: for the counts.
    """

    policy: Policy
    metrics: Sequence[str | Metric]
    units: bool
    folder: Path


@dataclass(frozen=True)
class Block:
    """What was counted of one block; the counts themselves lie in files.

    Attributes:
        quantities: (place of the first metric that counts so, place of the source) -> names of quantities.
        workers: pseudonyms, by their codes.
        left_out: why -> number of judgments that do not enter.
        schemes: source -> how many of its links name their entity in each scheme.
        judgments: number of judgments that enter.
        heard: number of judgments that are heard.
        anonymous: some of them have no worker.
        problems: what is wrong with the tables; then there is nothing else.
    """

    quantities: Mapping[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    workers: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    schemes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    judgments: int = 0
    heard: int = 0
    anonymous: bool = False
    problems: tuple[Problem, ...] = ()


def evaluate_bundle(
    path: Path,
    metrics: Sequence[str | Metric] | None,
    by: Sequence[str],
    settings: Settings,
    *,
    gt: str | None = None,
    jobs: int = 1,
    dask: str | None = None,
    size: int = ROWS,
) -> pd.DataFrame:
    """What `evaluate` gives for a bundle, which is never held.

    Args:
        path: of the bundle.
        metrics: those asked for; None: all that make sense.
        by: dataset and source, or one of them.
        settings: how intervals are made.
        gt: name of the source that is the ground truth; None: what the bundle says.
        jobs: processes that work at the same time.
        dask: address of a Dask scheduler, whose workers count instead.
        size: annotations and judgments of a block.

    Raises:
        InputError: the bundle cannot be read; what is wrong is listed, of the first block in which it is. Or
            nobody answers at the address.
        ConfigError: the workers of the cluster do not see the folder for temporary files.
    """
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-blocks-") as name,
        _pool(jobs) if dask is None else cluster(dask, Path(name)) as (pool, width),
    ):
        # They start, and import what they need, while the bundle is cut.
        waiting = [] if pool is None else [pool.submit(_ready) for _ in range(width)]
        blocks = cut(path, Path(name), gt, size)
        for each in waiting:
            each.result()
        hollow = _hollow(blocks, settings.policy)
        chosen = chosen_of(hollow, metrics)
        check(chosen, by, settings)
        job = Job(settings.policy, [_sendable(each) for each in chosen], finely(settings, chosen), Path(name))
        found = list(_each_counted(blocks, job, pool, width))
        measured = _filled(hollow, found)
        stored = Stored.of(measured, blocks, found, job)
        light = replace(measured, study=_light(measured.study))
        shares = [[_sendable(each) for each in share] for share in _shares(chosen, width)]
        asked = [(light, stored, share, settings, parts_of(measured, by)) for share in shares]
        run = map if pool is None else pool.map
        done = list(run(_rows, *zip(*asked, strict=True)))
    rows = [row for some, _ in done for row in some]
    return framed(measured, chosen, by, rows, [note for _, notes in done for note in notes])


@contextmanager
def _pool(jobs: int) -> Iterator[tuple[Executor | None, int]]:
    """Processes of this machine, and how many."""
    if jobs == 1:
        yield None, 1
        return
    # Started afresh: a process that is split off while threads run may wait for ever.
    afresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=afresh, initializer=memory.keep) as pool:
        yield pool, jobs


def _ready() -> None:
    """Whoever can run this has started."""


def _sendable(metric: Metric) -> str | Metric:
    """The name of a metric of ours: its functions need not travel to another process."""
    try:
        found = get(metric.name)
    except InputError:
        return metric
    # Those of a family are made whenever they are asked for.
    made = found is not get(metric.name) and replace(found, value=metric.value) == metric
    return metric.name if found is metric or made else metric


def _distinct(metrics: Iterable[str | Metric]) -> Iterator[tuple[int, Metric]]:
    """The first of the metrics that are counted alike, with its place."""
    seen = set()
    for place, each in enumerate(metrics):
        metric = get(each) if isinstance(each, str) else each
        if (metric.count, metric.per) not in seen:
            seen.add((metric.count, metric.per))
            yield place, metric


def _shares(chosen: Sequence[Metric], jobs: int) -> list[list[Metric]]:
    """The metrics in as many shares of about equal work; those that are counted alike stay together."""
    alike: dict[Any, list[Metric]] = {}
    for metric in chosen:
        alike.setdefault((metric.count, metric.per), []).append(metric)

    def work(group: Sequence[Metric]) -> int:
        return sum(_BY_WORKERS if "two-way" in metric.clusters else 1 for metric in group)

    shares: list[list[Metric]] = [[] for _ in range(min(jobs, len(alike)))]
    for group in sorted(alike.values(), key=work, reverse=True):
        min(shares, key=work).extend(group)
    return shares


def _rows(
    measured: Measured,
    stored: Stored,
    metrics: Sequence[str | Metric],
    settings: Settings,
    parts: Sequence[str],
) -> tuple[list[dict[str, Any]], list[Noted]]:
    """The rows of some metrics, from what was counted."""
    measured = replace(measured, memo={ELSEWHERE: True, COUNTED: stored.opened()})
    chosen = [get(each) if isinstance(each, str) else each for each in metrics]
    return rows_of(measured, chosen, settings, parts, units=stored.job.units)


def _each_counted(blocks: Blocks, job: Job, pool: Executor | None, jobs: int) -> Iterator[Block]:
    """What was counted of each block, in their order."""
    if pool is None:
        yield from (_checked(count(part, job)) for part in blocks.parts())
        return
    waiting: deque[Future[Block]] = deque()
    try:
        for part in blocks.parts():
            waiting.append(pool.submit(count, part, job))
            if len(waiting) > 2 * jobs:
                yield _checked(waiting.popleft().result())
        while waiting:
            yield _checked(waiting.popleft().result())
    finally:
        for each in waiting:
            each.cancel()


def _checked(block: Block) -> Block:
    if block.problems:
        raise InputError.of(block.problems)
    return block


def count(part: Part, job: Job) -> Block:
    """Count one block; what is wrong is told and not raised, since errors do not travel."""
    try:
        study = part.read()
        measured = measure(study, job.policy)
    except PosthocError as error:
        return Block(problems=error.problems)
    merged = measured.weight is None and not job.units
    quantities = {}
    for place, metric in _distinct(job.metrics):
        for number, source in enumerate(measured.sources if metric.per == "source" else ("",)):
            counts = metric.count(measured.view(ALL, source or None))
            counts = counts.merged() if merged else counts
            _save(counts, job.folder / _file(place, number, part.block))
            quantities[place, number] = tuple(counts.quantities)
    # What is remembered holds the study and is held by it: else it would stay until somebody collects it.
    measured.memo.clear()
    study.memo.clear()
    return Block(
        quantities,
        measured.workers,
        _left_out(measured),
        schemes_of(measured.annotations, measured.sources),
        measured.judgments,
        measured.heard,
        measured.anonymous,
    )


def _file(place: int, source: int, block: int) -> str:
    return f"counts-{place}-{source}-{block}.npy"


def _save(counts: Counts, file: Path) -> None:
    columns = [counts.document, counts.worker, counts.n, *counts.quantities.values()]
    if not counts.few:
        columns += [counts.segment, counts.unit]
    table = np.stack(columns)
    small = np.iinfo(np.int32)
    if table.size == 0 or (table.max() <= small.max and table.min() >= small.min):
        table = table.astype(np.int32)
    np.save(file, table)


def _left_out(measured: Measured) -> dict[str, int]:
    """Judgments that do not enter: assignments are told of from the whole study."""
    _, assignments = gate_of(measured.study["assignments"], measured.policy.gate)
    return {why: number for why, number in measured.left_out.items() if why not in assignments}


@dataclass(frozen=True)
class Stored:
    """Where the counts of blocks lie, and what their codes are in the whole study.

    Attributes:
        job: by which they were counted.
        sources: names.
        quantities: of each block, as `Block.quantities`.
        document: the first document of each block.
        segment: the first segment of each block.
        worker: code of each block's workers; last -1, for nobody.
        merged: rows of one document, worker and n were added.
    """

    job: Job
    sources: tuple[str, ...]
    quantities: Sequence[Mapping[tuple[int, int], tuple[str, ...]]]
    document: Codes
    segment: Codes
    worker: Sequence[Codes]
    merged: bool

    @classmethod
    def of(cls, measured: Measured, blocks: Blocks, found: Sequence[Block], job: Job) -> Stored:
        """Of the blocks of a study."""
        workers = pd.Index(measured.workers)
        return cls(
            job,
            measured.sources,
            [block.quantities for block in found],
            blocks.first[:-1],
            np.searchsorted(measured.segments["document_code"].to_numpy(), blocks.first[:-1]),
            [np.append(workers.get_indexer(pd.Index(block.workers)), -1) for block in found],
            measured.weight is None and not job.units,
        )

    def opened(self) -> _Opened:
        """The counts, as `counts_of` asks for them."""
        return _Opened(self)

    def read(self, place: int, source: int) -> Counts:
        """The counts of the whole study."""
        blocks = range(len(self.quantities))
        tables = [np.load(self.job.folder / _file(place, source, block), mmap_mode="r") for block in blocks]
        size = np.array([table.shape[1] for table in tables], dtype=np.int64)

        def column(number: int) -> Codes:
            return np.concatenate([table[number] for table in tables]).astype(np.int64)

        names = self.quantities[0][place, source]
        worker = [known[table[1]] for known, table in zip(self.worker, tables, strict=True)]
        segment = unit = np.full(int(size.sum()), -1, dtype=np.int64)
        if not self.merged:
            segment, unit = column(_BEFORE + len(names)), column(_BEFORE + len(names) + 1)
            segment = np.where(segment < 0, -1, segment + np.repeat(self.segment, size))
        # Blocks follow one another in the order of documents. Units are told apart within a document alone.
        return Counts(
            column(0) + np.repeat(self.document, size),
            segment,
            unit,
            np.concatenate(worker),
            column(2),
            {name: column(_BEFORE + number) for number, name in enumerate(names)},
            few=self.merged,
        )


class _Opened(Mapping[tuple[Any, str, bool], Counts]):
    """Counts by function, source and whether rows are merged; read anew whenever they are asked for."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._places = {
            (metric.count, metric.per == "source"): place for place, metric in _distinct(stored.job.metrics)
        }
        self._sources = {name: number for number, name in enumerate(stored.sources)} | {"": 0}

    def __getitem__(self, key: tuple[Any, str, bool]) -> Counts:
        counted, source, merged = key
        if merged != self._stored.merged:
            raise KeyError(key)
        return self._stored.read(self._places[counted, bool(source)], self._sources[source])

    def __iter__(self) -> Iterator[tuple[Any, str, bool]]:
        for each, by_source in self._places:
            for name in self._stored.sources if by_source else ("",):
                yield each, name, self._stored.merged

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _hollow(blocks: Blocks, policy: Policy) -> Measured:
    """The study without its rows."""
    study = blocks.study
    documents = study["documents"][["dataset", "document", "evaluation_start", "evaluation_end"]]
    sources = sources_of(study)
    nothing = pd.DataFrame()
    return Measured(
        study=study,
        policy=policy,
        sources=sources,
        documents=documents,
        ran=ran_of(study, documents, sources),
        workers=blocks.workers,
        segments=segments_of(study, documents),
        annotations=nothing,
        votes=nothing,
        items=nothing,
        support=np.empty((0, len(sources)), dtype=bool),
        item_votes=nothing,
    )


def _light(study: Study) -> Study:
    """What is looked at once everything is counted."""
    kept = ("sources", "judgments", "control_answers")
    return replace(study, tables={name: study[name] for name in kept}, memo={})


def _filled(hollow: Measured, found: Sequence[Block]) -> Measured:
    """The study with what its blocks say beside their counts."""
    study = hollow.study
    _, left_out = gate_of(study["assignments"], hollow.policy.gate)
    beside: Counter[str] = Counter()
    schemes: dict[str, Counter[str]] = {}
    for block in found:
        beside.update(block.left_out)
        for source, given in block.schemes.items():
            schemes.setdefault(source, Counter()).update(given)
    anonymous = any(block.anonymous for block in found)
    heard = sum(block.heard for block in found)
    told = warnings_of(study, hollow.policy, schemes, heard, anonymous=anonymous)
    return replace(
        hollow,
        left_out={**left_out, **dict(sorted(beside.items()))},
        judgments=sum(block.judgments for block in found),
        heard=heard,
        anonymous=anonymous,
        warnings=(*told, *alone(hollow.documents, hollow.ran, study.ground_truth)),
    )
