"""A Dask cluster as the place where blocks are counted. It only carries: what is summed is summed here."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from analysis.errors import ConfigError, InputError, MissingExtraError, plain

_ADDRESS: Final = re.compile(r"(?:tcp|tls)://\[?(?P<host>[^/\]]+)\]?:(?P<port>\d{1,5})", re.ASCII)
_SECONDS: Final = 10.0
# How long a cluster may be without any worker: one that starts anew takes a moment.
_DESERTED: Final = 30.0
_LOOK: Final = 1.0


@contextmanager
def cluster(address: str, folder: Path) -> Iterator[tuple[Executor, int]]:
    """The cluster as an executor, and how many blocks it counts at the same time.

    Args:
        address: of its scheduler, like tcp://10.0.0.1:8786.
        folder: of the blocks, which every worker must see under this name.

    Raises:
        MissingExtraError: the package distributed is not installed.
        ConfigError: no address; or a worker does not see the folder.
        InputError: no scheduler answers at the address, or there is no worker, or they go while they count.
    """
    try:
        import dask  # noqa: PLC0415 - only who asks for a cluster needs it
        import distributed  # noqa: PLC0415 - the same
    except ImportError as error:
        raise MissingExtraError(
            "a cluster needs distributed", remedy='pip install "posthoc[dask]"'
        ) from error
    _answers(address)
    there: Any = distributed
    # Tables that are small beside a block may be large beside what Dask expects.
    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}),
        there.Client(address, timeout=_SECONDS, set_as_default=False) as client,
    ):
        pool = client.get_executor(pure=False, retries=0)
        gone = (CancelledError, there.scheduler.KilledWorker, there.comm.CommClosedError)
        try:
            width = _threads(client, address, folder)
            with _watched(client, pool):
                yield pool, width
        except gone as error:
            raise InputError(
                "the cluster went away while it counted",
                where=address,
                got=str(error)[:120],
                remedy="See that scheduler and workers run, and begin again.",
            ) from error


@contextmanager
def _watched(client: Any, pool: Executor) -> Iterator[None]:
    """Give up what is asked of a cluster that has no worker any more: Dask itself would wait for one."""
    over = threading.Event()

    def watch() -> None:
        alone = 0.0
        while not over.wait(_LOOK):
            try:
                alone = 0.0 if client.nthreads() else alone + _LOOK
            except (OSError, ValueError):
                return  # without a scheduler Dask gives up by itself
            if alone >= _DESERTED:
                pool.shutdown(wait=False)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _answers(address: str) -> None:
    """Look whether a scheduler is there before Dask does, which goes on trying and reports at length."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        expected = "the address of a scheduler, like tcp://10.0.0.1:8786"
        raise ConfigError("not an address", where="dask", got=plain(address), expected=expected)
    try:
        socket.create_connection((found["host"], int(found["port"])), timeout=_SECONDS).close()
        # In a thread of its own: there may be a loop in this one already.
        with ThreadPoolExecutor(1) as apart:
            who = apart.submit(asyncio.run, _who(address)).result()
        said = "" if who == "Scheduler" else f"a {who}"
    except (OSError, OverflowError, TypeError, ValueError) as error:
        said = str(error)[:120] or "silence"
    if said:
        raise InputError(
            "no Dask scheduler answers",
            where=address,
            got=said,
            remedy="Start `dask scheduler`, and `dask worker` on each machine.",
        )


async def _who(address: str) -> Any:
    """What is at an address by its own word."""
    import distributed  # noqa: PLC0415 - only who asks for a cluster needs it

    there: Any = distributed

    async def asked() -> Any:
        arguments = there.Security().get_connection_args("client")
        line = await there.comm.core.connect(address, timeout=_SECONDS, **arguments)
        try:
            return await there.core.send_recv(line, op="identity", reply=True)
        finally:
            line.abort()

    said = await asyncio.wait_for(asked(), 2 * _SECONDS)
    return said.get("type") if isinstance(said, dict) else said


def _threads(client: Any, address: str, folder: Path) -> int:
    """How many threads the workers have, all of which see the folder."""
    threads = client.nthreads()
    if not threads:
        raise InputError(
            "the cluster has no worker", where=address, remedy="Start `dask worker` on each machine."
        )
    seen = client.run(_sees, str(folder))
    if blind := sorted(worker for worker, there in seen.items() if not there):
        raise ConfigError(
            "workers of the cluster do not see the folder of the blocks",
            where=str(folder),
            got=", ".join(blind),
            expected="a folder that all machines share under one name",
            remedy="Set TMPDIR to such a folder.",
        )
    return sum(int(each) for each in threads.values())


def _sees(folder: str) -> bool:
    return Path(folder).is_dir()
