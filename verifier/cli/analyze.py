"""Mounts the commands of the analysis (analyze, verify-bundle, score); a study is exported for them first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from analysis.cli import register as register_analysis

ORDER = 80


def register(app: typer.Typer) -> None:
    """Add the commands."""
    register_analysis(app, _resolve)


@contextmanager
def _resolve(path: Path) -> Iterator[Path]:
    """The bundle of a study folder, or the path as it is."""
    from verifier.exporting import bundle_of

    with bundle_of(path) as found:
        yield found
