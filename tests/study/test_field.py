"""The field study: cohorts put back in time by one rule, what is measured, and what is said to be missing."""

import numpy as np
import pytest

from whether.study.availability import keep_runnable
from whether.study.cell import execute
from whether.study.errors import RunError
from whether.study.lineup import Entry
from whether.study.overview import make_overviews, make_ranked_tables
from whether.study.plan import STUDIES, Cell, Options, plan_cells
from whether.study.runner import run_cells
from whether.study.samples import draw_sample
from whether.study.score_tables import make_records
from whether.study.store import ResultStore
from whether.study.survset_cohorts import (
    HIDDEN_SHARE,
    SURVSET_WORLDS,
    choose_horizon,
    choose_stagger,
    has_survset,
    load_cohort,
    split_survset,
)

FIELD = STUDIES["field"]
SMALL = Options(n=250, n_fresh=300)
# Its tables were written with an earlier NumPy.
pytestmark = pytest.mark.filterwarnings("ignore:numpy.core:DeprecationWarning")
needs_cohorts = pytest.mark.skipif(not has_survset(), reason="the package SurvSet is not installed")


def cell(method, learner="linear", world="baseline", seed=0):
    return Cell("field", world, Entry(method, learner), seed, SMALL)


def test_the_horizon_is_the_last_time_with_enough_known_and_enough_followed():
    time, event = np.arange(1.0, 11.0), np.zeros(10, dtype=bool)
    # Half of them may be lost before it.
    assert choose_horizon(event, time) == 6.0
    # Where nobody is lost a fifth has to be left.
    event[:] = True
    assert choose_horizon(event, time) == 9.0


def test_the_stagger_hides_the_wanted_share_of_events_and_is_no_longer_than_the_horizon(global_random_seed):
    time = np.random.default_rng(global_random_seed).exponential(size=400)
    event = np.ones(400, dtype=bool)
    stagger = choose_stagger(event, time, 3.0)
    assert np.minimum(time[time <= 3.0] / stagger, 1).mean() == pytest.approx(HIDDEN_SHARE)
    assert choose_stagger(event, np.full(400, 2.0), 3.0) == 3.0


def test_a_cell_measures_the_level_its_interval_the_labels_and_the_processor():
    found = execute(cell("FUMC-F"))
    assert found.error == ""
    scores = found.details["scores"]
    assert scores["population"]["level_error"] == abs(scores["population"]["mean_risk_error"])
    assert scores["interval"]["held"] in (0.0, 1.0)
    assert 0 < scores["interval"]["width"] < 1
    assert 0 < scores["labels"]["log_loss"] < np.log(2)
    assert scores["fit"]["seconds"] > 0


def test_a_peer_has_no_interval_and_no_propensity():
    found = execute(cell("LogisticRegression", "scikit-learn"))
    assert found.error == ""
    assert "interval" not in found.details["scores"]
    assert not [name for name in found.scores if name.startswith("propensity")]
    assert found.scores["auc"] == pytest.approx(execute(cell("LR")).scores["auc"], abs=0.01)


def test_what_is_not_installed_is_left_out_and_said(monkeypatch):
    cells = plan_cells(FIELD, quick=True)
    monkeypatch.setattr("whether.study.availability.has_survset", lambda: False)
    monkeypatch.setattr("whether.study.peers.rows.is_installed", lambda module: module != "pycox")
    kept, lines = keep_runnable(cells)
    assert not [one for one in kept if one.world in SURVSET_WORLDS or one.entry.learner == "pycox"]
    assert {line.split()[0] for line in lines} == {"SurvSet", "pycox"}
    assert all("left out (pip install 'whether[peers]')" in line for line in lines)
    with pytest.raises(RunError, match=r"Nothing can be run. SurvSet is not installed"):
        keep_runnable([cell("LR", world="uis")])


def test_a_run_goes_on_where_it_stopped_and_the_tables_have_ranks(tmp_path):
    cells = [cell(*names, world=world) for names in (("LR",), ("LogisticRegression", "scikit-learn"), ("SARPU-F",))
             for world in ("baseline", "two-humps")]  # fmt: skip
    path = tmp_path / "field.sqlite"
    assert run_cells(cells[:2], path, jobs=1).done == 2
    summary = run_cells(cells, path, jobs=1)
    assert (summary.stored, summary.done) == (2, 4)
    with ResultStore(path) as store:
        rows = store.rows()
    sizes, overview = make_overviews(FIELD, rows)
    assert sizes.rows[0][:4] == ("Baseline", "", "200", "4")
    assert overview.title == "field: simulated worlds"
    lines = {line[0]: dict(zip(overview.header, line, strict=True)) for line in overview.rows}
    assert set(lines) == {"LR", "LogisticRegression", "SARPU-F"}
    assert lines["LogisticRegression"]["seconds"] == "1"
    assert lines["LogisticRegression"]["held"] == ""
    tables = make_ranked_tables(FIELD, make_records(FIELD, rows), rows)
    ranks = next(line for line in tables[0].rows if line[0] == "mean rank, simulated worlds")
    assert sum(map(float, ranks[2:])) == pytest.approx(6.0, abs=0.2)


@needs_cohorts
@pytest.mark.parametrize("name", ["follic", "vlbw", "grace"])
def test_a_cohort_is_ended_at_its_horizon_and_some_events_are_hidden(name):
    table = load_cohort(name)
    assert not set(table) & set(SURVSET_WORLDS[name].later)
    horizon = choose_horizon(table["event"].to_numpy(), table["time"].to_numpy())
    split = split_survset(SURVSET_WORLDS[name], 0)
    assert np.isfinite(split.X).all()
    assert split.then.time[split.then.entered].max() <= horizon
    assert 0.25 < split.then.hidden_share < 0.6
    assert 0 < split.learned_share < 1


@needs_cohorts
def test_a_replicate_of_a_cohort_is_the_same_each_time_and_another_one_is_not():
    draw_sample.cache_clear()
    first = draw_sample("field", "whas500", 0, Options())
    draw_sample.cache_clear()
    np.testing.assert_array_equal(first.X, draw_sample("field", "whas500", 0, Options()).X)
    assert first.X.shape != draw_sample("field", "whas500", 1, Options()).X.shape
    assert first.targets[0].weight.shape == first.targets[0].positive.shape
