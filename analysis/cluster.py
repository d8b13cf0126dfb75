"""A Dask cluster as the place where blocks are counted. It only carries: what is summed is summed here."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from analysis.errors import ConfigError, InputError, MissingExtraError, plain

_ADDRESS: Final = re.compile(r"(?:tcp|tls)://\[?(?P<host>[^/\]]+)\]?:(?P<port>\d{1,5})", re.ASCII)
_SECONDS: Final = 10.0


@contextmanager
def cluster(address: str, folder: Path) -> Iterator[tuple[Executor, int]]:
    """The cluster as an executor, and how many blocks it counts at the same time.

    Args:
        address: of its scheduler, like tcp://10.0.0.1:8786.
        folder: of the blocks, which every worker must see under this name.

    Raises:
        MissingExtraError: the package distributed is not installed.
        ConfigError: no address; or a worker does not see the folder.
        InputError: nobody answers at the address, or there is no worker.
    """
    try:
        import dask  # noqa: PLC0415 - only who asks for a cluster needs it
        import distributed  # noqa: PLC0415 - the same
    except ImportError as error:
        raise MissingExtraError(
            "a cluster needs distributed", remedy='pip install "posthoc[dask]"'
        ) from error
    _answers(address)
    connected: Any = distributed.Client
    # Tables that are small beside a block may be large beside what Dask expects.
    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}),
        connected(address, timeout=_SECONDS, set_as_default=False) as client,
    ):
        yield client.get_executor(pure=False, retries=0), _threads(client, address, folder)


def _answers(address: str) -> None:
    """Look whether somebody listens before Dask does, which goes on trying and reports at length."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        expected = "the address of a scheduler, like tcp://10.0.0.1:8786"
        raise ConfigError("not an address", where="dask", got=plain(address), expected=expected)
    try:
        socket.create_connection((found["host"], int(found["port"])), timeout=_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            "no Dask scheduler answers",
            where=address,
            got=str(error)[:120],
            remedy="Start `dask scheduler`, and `dask worker` on each machine.",
        ) from error


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
