"""A copy of a study to rehearse on: its texts and plan, none of its people, nothing that leads to money."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from analysis.errors import StateError
from verifier.config import PLATFORMS
from verifier.founding import CONFIG_FILE, DATABASE_VARIABLE
from verifier.secrets import Secrets, write_secrets
from verifier.store import crowd, facts
from verifier.store.copying import copy_plan
from verifier.store.engine import Store
from verifier.study import Study

if TYPE_CHECKING:
    from verifier.rehearse.platforms import Local

FOLDER: Final = "rehearsals"
_DATABASE: Final = "study.db"
_PORTS: Final = range(12_000, 32_000)
_TRIES: Final = 1_000


def make(study: Study, platform: str, now: datetime) -> Path:
    """Copy a study into a new folder of its rehearsals; the folder. study.yaml comes last: `configure`."""
    folder = _new_folder(study.path / FOLDER, f"{now:%Y%m%d-%H%M%S}-{platform}")
    write_secrets(folder, Secrets.random())
    if (texts := study.path / "templates").is_dir():
        shutil.copytree(texts, folder / "templates")
    store = Store(f"sqlite:///{(folder / _DATABASE).absolute()}")
    try:
        store.upgrade()
        with study.read() as source, store.write() as target:
            copy_plan(source, target)
            facts.put(target, "nonce", secrets.token_urlsafe(16))
            facts.put(target, crowd.REHEARSAL, "1")
            crowd.mark_simulated(target)
    finally:
        store.close()
    return folder


def configure(study: Study, folder: Path, local: Local, public_url: str) -> None:
    """Write the copy's study.yaml: the study's, with the local platform and the local task server."""
    told: dict[str, Any] = study.config.model_dump(mode="json", exclude_unset=True)
    told["database"] = f"sqlite:///{_DATABASE}"
    files = {name: _from(folder, study.file(getattr(study.config.kb, name))) for name in ("file", "cache")}
    told["kb"] = {**told.get("kb", {}), **files}
    if study.config.controls.file is not None:
        told["controls"]["file"] = _from(folder, study.file(study.config.controls.file))
    same = study.config.platform.kind == local.kind
    platform = told.get("platform", {}) if same else {}
    told["platform"] = {**platform, "kind": local.kind, **local.settings}
    told["server"] = {"public_url": public_url}
    told.setdefault("budget", {}).setdefault("cap", None)
    if told["budget"]["cap"] is None:
        told["budget"]["cap"] = str(local.balance)
    if local.kind not in PLATFORMS:
        raise StateError("no such platform", got=local.kind)
    text = yaml.safe_dump(told, sort_keys=False, allow_unicode=True)
    (folder / CONFIG_FILE).write_text(
        f"# A rehearsal: made from {CONFIG_FILE} of the study.\n{text}", "utf-8"
    )


@contextmanager
def apart() -> Iterator[None]:
    """Keep the environment from leading a copy to the study's own database."""
    kept = os.environ.pop(DATABASE_VARIABLE, None)
    try:
        yield
    finally:
        if kept is not None:
            os.environ[DATABASE_VARIABLE] = kept


def free_port() -> int:
    """A port of this machine that nobody listens on, nor will by chance before we do.

    It lies below those that the system gives to whoever asks for none, as every connection does.

    Raises:
        StateError: there is none.
    """
    for port in random.SystemRandom().sample(_PORTS, _TRIES):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise StateError("no port is free on this machine", got=f"{_TRIES} of them tried")


def _new_folder(parent: Path, name: str) -> Path:
    parent.mkdir(exist_ok=True)
    for number in range(1, 100):
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise StateError("no folder can be made for the rehearsal", where=str(parent))


def _from(folder: Path, path: Path) -> str:
    """A path as seen from a folder."""
    return os.path.relpath(path.absolute(), folder.absolute())
