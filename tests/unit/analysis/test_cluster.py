"""Counting on a Dask cluster, here one of two threads in this process."""

import socket

import pandas as pd
import pytest

from analysis import bundle
from analysis.cluster import cluster
from analysis.errors import ConfigError, InputError
from analysis.evaluate import evaluate
from analysis.load import load
from tests.support.random_studies import frame

METRICS = ["verification_rate", "posthoc_f1", "pre_f1_exact"]


@pytest.fixture(scope="module")
def running():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    ) as started:
        yield started


@pytest.fixture
def address(running):
    return running.scheduler_address


def test_a_cluster_gives_the_same_bits(address, tmp_path):
    study = load(frame(seed=5, rows=60, datasets=2, documents=3))
    bundle.write(study.tables, study.manifest, tmp_path / "b")
    got = evaluate(tmp_path / "b", METRICS, replicates=40, dask=address)
    pd.testing.assert_frame_equal(got, evaluate(study, METRICS, replicates=40), check_exact=True)


def test_workers_that_do_not_see_the_folder_are_named(address, tmp_path):
    """Blocks lie in a folder that all machines share; where one does not, nothing is counted."""
    with pytest.raises(ConfigError, match="TMPDIR"), cluster(address, tmp_path / "elsewhere"):
        pass


def test_an_address_at_which_nobody_answers_is_told_at_once(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="dask scheduler"), cluster("tcp://127.0.0.1:9", tmp_path):
        pass


def test_what_listens_and_is_no_scheduler_is_not_waited_for(tmp_path, monkeypatch):
    """It takes the connection and says nothing."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("analysis.cluster._SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(InputError, match="no Dask scheduler answers"), cluster(address, tmp_path):
            pass


def test_a_cluster_that_loses_its_workers_is_given_up(running, tmp_path, monkeypatch):
    """Dask would wait for others for ever."""
    monkeypatch.setattr("analysis.cluster._DESERTED", 0.2)
    monkeypatch.setattr("analysis.cluster._LOOK", 0.1)

    def count():
        with cluster(running.scheduler_address, tmp_path) as (pool, _):
            running.scale(0)
            running.sync(running._correct_state)
            pool.submit(len, "").result(timeout=20)

    with pytest.raises(InputError, match="went away while it counted"):
        count()
    running.scale(1)
    running.sync(running._correct_state)


@pytest.mark.parametrize("wrong", ["local", "127.0.0.1:8786", "tcp://host", "http://host:80"])
def test_what_is_no_address_is_refused(wrong, tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(ConfigError, match="not an address"), cluster(wrong, tmp_path):
        pass
