"""Reading and writing the study bundle: a folder of Parquet tables and a manifest with their hashes."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from analysis.errors import InputError, MissingExtraError, Problem
from analysis.folder import MANIFEST, Kind, read_manifest, sha256, written_whole
from analysis.frames import conform_all
from analysis.schema import SCHEMA_VERSION, TABLES, Table
from analysis.study import Study

BUNDLE: Final = Kind("a bundle", "tables", lambda tables: (f"{name}.parquet" for name in tables))


def software_version() -> str:
    """The version of posthoc that is installed; of a bare source tree it is not known."""
    try:
        return importlib.metadata.version("posthoc")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"


def arrow() -> tuple[Any, Any]:
    """The package pyarrow and its Parquet, which only bundles need.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - only bundles need it
        import pyarrow.parquet as pq  # noqa: PLC0415 - the same
    except ImportError as error:
        raise MissingExtraError("bundles need pyarrow", remedy="pip install pyarrow") from error
    return pa, pq


def write(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], folder: Path) -> Path:
    """Write a bundle, whole or not at all; the same tables and manifest give the same bytes.

    Args:
        tables: frames by table name; tables left out are written empty, rows are sorted by key.
        manifest: what is to stand there besides `schema_version`, `software_version` and `tables`.
        folder: the bundle; an old bundle there is replaced, anything else refused.

    Returns:
        The folder.

    Raises:
        InputError: a table does not hold what the schema says.
        StateError: `folder` holds something that is not a bundle.
    """
    frames = conform_all(tables)
    with written_whole(Path(folder), BUNDLE) as draft:
        entries = {}
        for name, table in TABLES.items():
            path = draft / f"{name}.parquet"
            _write_parquet(table, frames[name], path)
            entries[name] = {"rows": len(frames[name]), "sha256": sha256(path)}
        whole = {
            "software_version": software_version(),
            **manifest,
            "schema_version": SCHEMA_VERSION,
            "tables": entries,
        }
        text = json.dumps(whole, ensure_ascii=False, indent=2, sort_keys=True, default=str)
        (draft / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return Path(folder)


def read(path: Path) -> Study:
    """The study in a bundle, checked against its manifest and the schema.

    Raises:
        InputError: no bundle, a newer schema, or tables missing, changed or wrong; all are listed.
    """
    manifest, there = checked(Path(path))
    frames = {name: read_table(Path(path) / f"{name}.parquet") for name in there}
    return Study(conform_all(frames), manifest)


def checked(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The manifest of a bundle whose files are those that it lists, and the names of its tables.

    Raises:
        InputError: no bundle, a newer schema, or tables missing or changed; all are listed.
    """
    manifest = read_manifest_of(path)
    entries = manifest.get("tables")
    if not isinstance(entries, dict):
        raise InputError("no list of tables", where=str(path / MANIFEST), expected="a key 'tables'")
    there = [
        name for name, table in TABLES.items() if table.since <= manifest["schema_version"] or name in entries
    ]
    faults = [_check_file(path / f"{name}.parquet", entries.get(name)) for name in there]
    if problems := [fault for fault in faults if fault]:
        raise InputError.of(problems)
    return manifest, there


def read_manifest_of(path: Path) -> dict[str, Any]:
    """The manifest of a bundle.

    Raises:
        InputError: it is no bundle, or of a newer schema.
    """
    file = path / MANIFEST
    manifest = read_manifest(path, BUNDLE.name, "`posthoc export`")
    version = manifest.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(
            "no schema version", where=str(file), expected="a key 'schema_version' with a number"
        )
    if version > SCHEMA_VERSION:
        raise InputError(
            "written by a newer version of posthoc",
            where=str(file),
            got=f"schema {version}",
            expected=f"schema {SCHEMA_VERSION} at most",
            remedy="Install a newer posthoc to read it.",
        )
    return manifest


def _check_file(file: Path, entry: Any) -> Problem | None:
    if not file.is_file():
        return Problem("table missing", str(file), remedy="Export the bundle again.")
    wanted = entry.get("sha256") if isinstance(entry, dict) else None
    got = sha256(file)
    if got != wanted:
        return Problem(
            "the table is not the one the manifest describes",
            str(file),
            got=f"sha256 {got}",
            expected=f"sha256 {wanted}",
            remedy="Export the bundle again; never edit its files.",
        )
    return None


def _write_parquet(table: Table, frame: pd.DataFrame, path: Path) -> None:
    pa, pq = arrow()
    types = {
        "string": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([pa.field(c.name, types[c.type], nullable=c.null) for c in table.columns])
    whole = pa.Table.from_pandas(frame, schema=schema, preserve_index=False).replace_schema_metadata(None)
    pq.write_table(whole, path, compression="zstd", store_schema=False)


def read_table(path: Path, leave_out: Iterable[str] = ()) -> pd.DataFrame:
    """A table of a bundle, without some of its columns.

    Raises:
        InputError: it is no Parquet table.
    """
    pa, pq = arrow()
    try:
        columns = None
        if left := set(leave_out):
            columns = [name for name in pq.read_schema(path).names if name not in left]
        frame = pq.read_table(path, columns=columns).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise InputError("not a Parquet table", where=str(path), got=str(error)[:120]) from error
    if not isinstance(frame, pd.DataFrame):
        raise TypeError("pyarrow gave no frame")
    return frame
