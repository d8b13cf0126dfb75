"""`verify-bundle`: compute an output folder again with its own settings, and compare the bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from analysis.errors import InputError
from analysis.folder import MANIFEST, read_manifest
from analysis.output import OUTPUT, OUTPUT_VERSION, analyze, input_hash
from analysis.settings import Settings


@dataclass(frozen=True)
class Verdict:
    """How a folder compares with what its input gives now.

    Attributes:
        same: files equal to the byte.
        different: (file, what is wrong with it).
        notes: what may explain the differences.
    """

    same: tuple[str, ...]
    different: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def verify(
    source: str | Path,
    out: str | Path,
    annotations: str | Path | None = None,
    texts: str | Path | None = None,
    *,
    types: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """Compute `out` again from `source` with the settings it keeps, and compare every file.

    Args:
        source: a bundle folder or a judgments CSV.
        out: the output folder.
        annotations: file of all imported annotations, if one was given then.
        texts: if they were put back then.
        types: of entities, if they were given then.
        progress: is told what happens next.

    Raises:
        InputError: `out` is no output folder of ours.
        PosthocError: the input cannot be analysed.
    """
    out = Path(out)
    manifest = _read_manifest(out)
    settings = Settings.from_json(manifest.get("settings"), f"{out / MANIFEST}: settings")
    with tempfile.TemporaryDirectory() as scratch:
        again = Path(scratch) / "out"
        wanted = {each.name: getattr(settings, each.name) for each in fields(settings)}
        analyze(source, again, annotations=annotations, texts=texts, types=types, progress=progress, **wanted)
        now = _read_manifest(again)
        return _compare(out, again, _notes(manifest, now, input_hash(source, annotations, types)))


def _read_manifest(out: Path) -> Mapping[str, Any]:
    manifest = read_manifest(out, OUTPUT.name, "analyze")
    version = manifest.get("output_version")
    if version != OUTPUT_VERSION:
        raise InputError(
            "not a manifest of an output folder of this version",
            where=str(out / MANIFEST),
            got=f"output_version {version}",
            expected=str(OUTPUT_VERSION),
        )
    return manifest


def _notes(old: Mapping[str, Any], now: Mapping[str, Any], source_hash: str) -> tuple[str, ...]:
    notes = []
    if old.get("input_sha256") != source_hash:
        notes.append("the folder was made from another input than the one given")
    before, after = old.get("software"), now["software"]
    if isinstance(before, dict) and before != after:
        changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
        versions = (f"{name} {before.get(name)}, here {after.get(name)}" for name in changed)
        notes.append(f"made with other software: {'; '.join(versions)}")
    return tuple(notes)


def _compare(out: Path, again: Path, notes: tuple[str, ...]) -> Verdict:
    old, new = _files(out), _files(again)
    same, different = [], []
    for name in sorted(old | new):
        if name not in old:
            different.append((name, "missing"))
        elif name not in new:
            different.append((name, "not part of the output"))
        elif (out / name).read_bytes() != (again / name).read_bytes():
            different.append((name, _where(out / name, again / name)))
        else:
            same.append(name)
    return Verdict(tuple(same), tuple(different), notes)


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _where(old: Path, new: Path) -> str:
    """The first line that differs."""
    lines = zip(old.read_bytes().splitlines(), new.read_bytes().splitlines(), strict=False)
    number = next((number for number, (one, other) in enumerate(lines, 1) if one != other), None)
    return "shorter or longer" if number is None else f"differs from line {number}"
