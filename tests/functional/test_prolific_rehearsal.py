"""A rehearsal on the local Prolific: ends with equal accounts, and no id of the platform leaves the vault."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.functional.test_rehearsal import dashboard, run
from verifier.exporting import write_bundle, write_judgments
from verifier.rehearse import running
from verifier.study import Study

WORKERS = 12


@pytest.fixture(scope="module")
def done(tmp_path_factory, tiny_blank):
    """One rehearsal, whose analysis is left out: that of the local MTurk has it."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("rehearsed") / "tiny"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("budget: {cap: '60.00'}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running._Campaign, "_analyze", lambda _self: Path("report.html"))
        return run(folder, "prolific", workers=WORKERS)


def test_it_ends_with_equal_accounts_and_everybody_paid(done):
    assert done.account.equal
    assert done.account.hosted
    assert done.outcomes["submitted"] >= done.approved > 0
    assert done.collected["matched"] == done.outcomes["submitted"]
    assert done.account.held == (0, 0)
    assert done.bonuses > 0


def test_no_platform_id_stands_in_exports_account_or_dashboard(done, tmp_path):
    with sqlite3.connect(done.folder / "platform.db") as state:
        rows = state.execute("select id, participant, study from submission").fetchall()
    state.close()
    secret = {told.encode() for row in rows for told in row}
    assert len(secret) > 2 * done.approved
    with Study.open(done.folder) as copy:
        write_bundle(copy, tmp_path / "bundle")
        write_judgments(copy, tmp_path / "judgments.csv", tmp_path / "annotations.csv")
    for path in [*(path for path in tmp_path.rglob("*") if path.is_file()), done.folder / "account.csv"]:
        content = path.read_bytes()
        assert not [told for told in secret if told in content], path.name
    pages = b"".join(dashboard(done.folder))
    assert not [told for told in secret if told in pages]
