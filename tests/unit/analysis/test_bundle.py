"""Writing and reading bundles."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from analysis import bundle
from analysis.errors import InputError, StateError
from analysis.load import load
from analysis.schema import SCHEMA_VERSION, TABLES
from tests.support.random_studies import frame


@pytest.fixture
def written(tmp_path):
    """A bundle of a small study."""
    study = load(frame(1, rows=20))
    return bundle.write(study.tables, {"origin": "judgments", "seed": 7}, tmp_path / "bundle")


def test_what_is_written_is_read(written):
    study, again = load(frame(1, rows=20)), bundle.read(written)
    assert again.manifest["seed"] == 7
    for name in TABLES:
        pd.testing.assert_frame_equal(study[name], again[name])


def test_same_tables_in_any_order_give_the_same_bytes(written, tmp_path):
    study = load(frame(1, rows=20))
    shuffled = {name: table.iloc[::-1] for name, table in study.tables.items()}
    bundle.write(shuffled, {"origin": "judgments", "seed": 7}, tmp_path / "again")
    for file in written.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_a_changed_table_is_noticed(written):
    path = written / "judgments.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(
        InputError, match=r"judgments\.parquet: the table is not the one the manifest describes"
    ):
        bundle.read(written)


def test_every_missing_table_is_named(written):
    for name in ("sources", "segments"):
        (written / f"{name}.parquet").unlink()
    with pytest.raises(InputError) as caught:
        bundle.read(written)
    assert [problem.where.rsplit("/", 1)[1] for problem in caught.value] == [
        "sources.parquet",
        "segments.parquet",
    ]


def test_a_newer_schema_is_refused(written):
    manifest = json.loads((written / "manifest.json").read_text())
    (written / "manifest.json").write_text(json.dumps(manifest | {"schema_version": SCHEMA_VERSION + 1}))
    with pytest.raises(InputError, match="newer version of posthoc"):
        bundle.read(written)


def test_missing_columns_nulls_repeated_keys_and_dangling_ids_are_refused(tmp_path):
    tables = dict(load(frame(1, rows=20)).tables)
    for name, bad, message in (
        ("sources", tables["sources"].drop(columns="role"), "sources: role: column missing"),
        ("documents", tables["documents"].assign(language=None), "empty values"),
        ("tasks", pd.concat([tables["tasks"]] * 2), "two rows with one key"),
        ("credits", tables["credits"].assign(annotation=10**6), "annotations does not hold"),
    ):
        with pytest.raises(InputError, match=message):
            bundle.write({**tables, name: bad}, {}, tmp_path / "bad")
    assert not list(tmp_path.iterdir())


def test_a_foreign_folder_is_not_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StateError, match="not a bundle of ours"):
        bundle.write({}, {}, tmp_path)


def test_a_folder_without_manifest_is_no_bundle(tmp_path):
    with pytest.raises(InputError, match="not a bundle"):
        bundle.read(tmp_path)
