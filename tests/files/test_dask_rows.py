"""Rows on the workers of a cluster: two processes, one of which is killed in the middle."""

import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whether as wh

pytest.importorskip("distributed", reason="Dask is an extra")
pytestmark = [
    # Dask warns of a worker that is gone, which is what is tested here.
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore:.*:ResourceWarning"),
]

N = 4000


@pytest.fixture(scope="module")
def frame():
    cohort = wh.simulate("partially-dependent", n=N, seed=2)
    frame = pd.DataFrame(cohort.X, columns=["age", "dose", "score", "level"])
    return frame.assign(relapse=cohort.y.astype(int), years=cohort.time, followed=cohort.follow_up)


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohort")
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "all.parquet", 500)
    return folder


FEATURES = ["age", "dose", "score", "level"]
METHODS = {"time": wh.MixtureCureClassifier, "follow_up": wh.FollowUpCureClassifier}
CLOCKS = {"time": "years", "follow_up": "followed"}
KNOWN = {"event": "relapse", "time": "years", "features": FEATURES}


@pytest.fixture(scope="module")
def in_memory(frame):
    return {
        clock: build(clock).fit(frame[FEATURES], frame["relapse"], **{clock: frame[CLOCKS[clock]]}) for clock in METHODS
    }


def build(clock="time"):
    return METHODS[clock]("lognormal", shrinkage=10.0)


def assert_same(one, other):
    np.testing.assert_allclose(one.model_.coefficients, other.model_.coefficients, rtol=1e-8)


class KillsOnce:
    """A client that kills one of its workers when it is asked for the fifth time."""

    def __init__(self, client):
        self._client, self._asked = client, 0
        self.killed = None

    def map(self, *arguments, **settings):
        self._asked += 1
        if self._asked == 5:
            self.killed = next(iter(self._client.run(os.getpid).values()))
            os.kill(self.killed, signal.SIGKILL)
        return self._client.map(*arguments, **settings)


@pytest.mark.parametrize("clock", METHODS)
def test_workers_give_the_fit_of_all_rows_and_so_they_do_when_one_is_lost(clock, client, files, in_memory):
    known = {"event": "relapse", clock: CLOCKS[clock], "features": FEATURES}
    rows = wh.ParquetRows(files, client=client, **known)
    assert_same(build(clock).fit_rows(rows), in_memory[clock])
    mortal = KillsOnce(client)
    rows = wh.ParquetRows(files, client=mortal, **known)
    assert_same(build(clock).fit_rows(rows), in_memory[clock])
    assert mortal.killed is not None


def test_workers_may_run_in_another_folder(client, files, in_memory, tmp_path, monkeypatch):
    monkeypatch.chdir(files.parent)
    homes = client.run(os.getcwd)
    client.run(os.chdir, tmp_path)
    rows = wh.ParquetRows(f"{files.name}/*.parquet", **KNOWN, client=client)
    assert_same(build().fit_rows(rows), in_memory["time"])
    for worker, home in homes.items():
        client.run(os.chdir, home, workers=[worker])


def test_a_file_that_workers_cannot_see_is_named(client, files, tmp_path):
    hidden = tmp_path / "hidden.parquet"
    hidden.write_bytes((files / "all.parquet").read_bytes())
    rows = wh.ParquetRows(hidden, **KNOWN, client=client)
    hidden.unlink()
    with pytest.raises(wh.DataError, match=r"cannot read .*hidden\.parquet.* under the same paths"):
        build().fit_rows(rows)


@pytest.mark.parametrize(("workers", "message"), [(0, "has no workers"), (None, "No Dask scheduler answers")])
def test_the_program_says_what_a_cluster_lacks(workers, message, files, tmp_path, monkeypatch):
    import distributed
    from typer.testing import CliRunner

    from whether.cli.app import app

    monkeypatch.setattr("whether.cli.blocks.PATIENCE", 1)
    about = ["--event", "relapse", "--time", "years", "--drop", "followed", "-o", str(tmp_path / "model.whether")]
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster:
        address = cluster.scheduler_address if workers == 0 else "nowhere"
        result = CliRunner().invoke(app, ["fit", str(files), *about, "--dask", address])
    assert result.exit_code == 2
    assert message in result.output


def test_a_dask_frame_is_read_where_it_is(client, frame, in_memory):
    dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are an extra")
    rows = wh.DaskRows(dd.from_pandas(frame, npartitions=3), **KNOWN, client=client)
    assert_same(build().fit_rows(rows), in_memory["time"])


def test_a_frame_of_another_kind_is_refused(client, frame):
    with pytest.raises(wh.ArgumentError, match="Dask data frame"):
        wh.DaskRows(frame, event="relapse", client=client)
