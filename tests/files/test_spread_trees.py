"""Trees grown by the workers of a cluster together: two processes, one of which is lost."""

import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.files.rows.dask_rows import DaskBlocks

pytest.importorskip("distributed", reason="Dask is an extra")
pytestmark = [
    # Dask warns of a worker that is gone, which is what is tested here.
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore:.*:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
]

N = 4000


@pytest.fixture(scope="module")
def curved():
    return wh.simulate("nonlinear-both", n=N, seed=2), wh.simulate("nonlinear-both", n=10_000, seed=3)


@pytest.fixture(scope="module")
def files(curved, tmp_path_factory):
    cohort, folder = curved[0], tmp_path_factory.mktemp("cohort")
    frame = pd.DataFrame(cohort.X, columns=list("abcd")).assign(relapse=cohort.y.astype(int), years=cohort.time)
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "all.parquet", 500)
    return folder


def test_two_workers_grow_trees_as_good_as_those_in_memory(client, curved, files, tmp_path):
    cohort, fresh = curved
    rows = wh.ParquetRows(files, event="relapse", time="years", client=client)
    spread = wh.MixtureCureClassifier(learner="boosted", random_state=0).fit_rows(rows)
    memory = wh.MixtureCureClassifier(learner="boosted", random_state=0).fit(cohort.X, cohort.y, time=cohort.time)
    table = pd.DataFrame(fresh.X, columns=list("abcd"))
    risks = [spread.predict_proba(table)[:, 1], memory.predict_proba(fresh.X)[:, 1]]
    aucs = [roc_auc_score(fresh.positive, risk) for risk in risks]
    assert abs(aucs[0] - aucs[1]) < 0.005
    # The scale, which everybody shares, moves by sums over both workers.
    scales = [model.model_.predict(fresh.X)[1][1] for model in (spread, memory)]
    np.testing.assert_allclose(*scales, atol=0.05)
    wh.save_model(spread, tmp_path / "model.whether")
    opened = wh.load_model(tmp_path / "model.whether").model
    np.testing.assert_allclose(opened.predict_proba(table)[:, 1], risks[0], atol=1e-12)


def _sum_of_all(blocks, team):
    """Each member sums its numbers; the first attempt loses a worker before the sum is known."""
    numbers, marker = [number for number, _ in blocks], blocks[0][1]
    if team.rank == 1 and not os.path.exists(marker):
        with open(marker, "w"):
            os.kill(os.getpid(), signal.SIGKILL)
    return float(team.total(np.array([sum(numbers)], dtype=float))[0]), team.size


def test_a_team_that_loses_a_member_starts_again(client, tmp_path):
    marker = str(tmp_path / "lost")
    blocks = DaskBlocks.of(client, [(number, marker) for number in range(10)])
    results = blocks.at_once(_sum_of_all)
    assert os.path.exists(marker)
    assert {total for total, _ in results} == {45.0}
