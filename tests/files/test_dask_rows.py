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
    return frame.assign(relapse=cohort.y.astype(int), years=cohort.time)


@pytest.fixture(scope="module")
def files(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohort")
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "all.parquet", 500)
    return folder


@pytest.fixture(scope="module")
def in_memory(frame):
    return build().fit(frame[["age", "dose", "score", "level"]], frame["relapse"], time=frame["years"])


def build():
    return wh.MixtureCureClassifier("lognormal", shrinkage=10.0)


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


def test_workers_give_the_fit_of_all_rows_and_so_they_do_when_one_is_lost(client, files, in_memory):
    rows = wh.ParquetRows(files, event="relapse", time="years", client=client)
    np.testing.assert_allclose(build().fit_rows(rows).model_.coefficients, in_memory.model_.coefficients, rtol=1e-8)
    mortal = KillsOnce(client)
    rows = wh.ParquetRows(files, event="relapse", time="years", client=mortal)
    np.testing.assert_allclose(build().fit_rows(rows).model_.coefficients, in_memory.model_.coefficients, rtol=1e-8)
    assert mortal.killed is not None


def test_a_dask_frame_is_read_where_it_is(client, frame, in_memory):
    dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are an extra")
    rows = wh.DaskRows(dd.from_pandas(frame, npartitions=3), event="relapse", time="years", client=client)
    np.testing.assert_allclose(build().fit_rows(rows).model_.coefficients, in_memory.model_.coefficients, rtol=1e-8)


def test_a_frame_of_another_kind_is_refused(client, frame):
    with pytest.raises(wh.ArgumentError, match="Dask data frame"):
        wh.DaskRows(frame, event="relapse", client=client)
