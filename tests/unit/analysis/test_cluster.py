"""Counting on a Dask cluster, here one of two threads in this process."""

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
def address():
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
        yield started.scheduler_address


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


@pytest.mark.parametrize("wrong", ["local", "127.0.0.1:8786", "tcp://host", "http://host:80"])
def test_what_is_no_address_is_refused(wrong, tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(ConfigError, match="not an address"), cluster(wrong, tmp_path):
        pass
