"""Finds the files that ship with the program: in the installed wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parent


def folder(name: Literal["hit_templates", "configs"]) -> Path:
    """The folder `name` as it ships.

    Raises:
        FileNotFoundError: the program was installed without its data.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"{name} is not part of this installation")
