"""Rows that come in blocks are fitted as the same rows in memory are."""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whether as wh
from whether.blocks import LocalBlocks, add_parts
from whether.learners import population

N = 3000


@pytest.fixture(scope="module")
def drawn():
    return wh.simulate("partially-dependent", n=N, seed=3)


@pytest.fixture
def small_parts(monkeypatch):
    """Let drafts be parts of a small cohort, as they are of a large one."""
    from whether.learners.linear import linear_learner

    monkeypatch.setattr(population, "DRAFT_ROWS", 300)
    monkeypatch.setattr(population, "LARGER_ROWS", 600)
    monkeypatch.setattr(population, "DRAFT_LABELED", 100)
    for name in ("DRAFT_ROWS", "LARGER_ROWS", "DRAFT_LABELED"):
        monkeypatch.setattr(linear_learner, name, getattr(population, name))


METHODS = {
    "times": (wh.MixtureCureClassifier, ("time",)),
    "follow-up": (wh.FollowUpCureClassifier, ("follow_up",)),
    "bins": (lambda: wh.DiscreteTimeCureClassifier(n_bins=4, shrinkage=3.0), ("time",)),
    "promotion": (wh.PromotionTimeClassifier, ("time",)),
    "everybody": (wh.AFTClassifier, ("time",)),
    "named": (lambda: wh.SARPUClassifier([2, 3]), ()),
    "labels": (wh.LabelClassifier, ()),
    "constant": (lambda: wh.ElkanNotoClassifier(label_frequency=0.5), ()),
    "risk": (lambda: wh.UnbiasedPUClassifier(label_frequency=0.6), ()),
    "sandwich": (lambda: wh.MixtureCureClassifier("weibull", covariance="sandwich"), ("time",)),
    "share": (lambda: wh.MixtureCureClassifier("lognormal", prevalence=0.5, prevalence_error=0.02), ("time",)),
}


def assert_same(one, other, rtol=1e-8):
    np.testing.assert_allclose(other.model_.coefficients, one.model_.coefficients, rtol=rtol, atol=1e-10)
    tables = [model.summary().to_frame().standard_error for model in (one, other)]
    np.testing.assert_allclose(tables[1], tables[0], rtol=1e-6)
    assert other.n_people_ == one.n_people_
    assert other.n_events_ == one.n_events_


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", METHODS)
def test_blocks_give_the_fit_of_all_rows(method, drawn, small_parts):
    build, needs = METHODS[method]
    known = {name: getattr(drawn, name) for name in needs}
    rows = wh.ArrayRows(drawn.X, drawn.y, block_rows=701, **known)
    assert_same(build().fit(drawn.X, drawn.y, **known), build().fit_rows(rows))


def test_processes_give_the_fit_of_one(drawn, small_parts, tmp_path, monkeypatch):
    frame = pd.DataFrame(drawn.X).add_prefix("x").assign(seen=drawn.y, years=drawn.time)
    frame = pd.concat([frame] * 4, ignore_index=True)  # as many numbers as processes are started for
    frame.to_parquet(tmp_path / "all.parquet", row_group_size=500)
    features = list(frame.columns[: drawn.X.shape[1]])
    fits = []
    for kept in (2**29, 0):
        monkeypatch.setattr("whether.files.rows.parquet_rows.KEPT_BYTES", kept)
        monkeypatch.setattr("whether.files.rows.parquet_rows.n_processes", lambda n_numbers: 2)
        rows = wh.ParquetRows(tmp_path, event="seen", time="years", features=features)
        assert (rows.blocks()._in_processes is None) == (kept > 0)
        fits.append(wh.MixtureCureClassifier().fit_rows(rows))
    assert_same(*fits)


def _refuse(block):
    raise wh.DataError(f"row {block} is torn")


def test_an_error_in_a_process_is_raised_as_it_is():
    from whether.learners.parallel import in_processes

    blocks = LocalBlocks(range(40), lambda place: [place], partial(in_processes, n_numbers=10**6))
    assert blocks.total(abs) == sum(range(40))
    with pytest.raises(wh.DataError, match=r"^row \d+ is torn$"):
        blocks.total(_refuse)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("world", ["deaths-by-risk", "late-entry", "visits", "never-after"])
def test_records_are_read_from_blocks(world, small_parts):
    cohort = wh.simulate(world, n=N, seed=1)
    names = ("time", "time_lower", "entry_time", "known_negative", "competing")
    known = {name: value for name in names if (value := getattr(cohort, name, None)) is not None}
    build = lambda: wh.MixtureCureClassifier("lognormal", shrinkage=10.0)  # noqa: E731
    rows = wh.ArrayRows(cohort.X, cohort.y, block_rows=640, **known)
    assert_same(build().fit(cohort.X, cohort.y, **known), build().fit_rows(rows))


def test_weights_count_as_repeated_rows(drawn, small_parts):
    weight = np.random.default_rng(0).integers(0, 4, N).astype(float)
    known = {"time": drawn.time, "sample_weight": weight}
    build = lambda: wh.MixtureCureClassifier("lognormal", shrinkage=10.0, covariance="sandwich")  # noqa: E731
    rows = wh.ArrayRows(drawn.X, drawn.y, block_rows=512, **known)
    assert_same(build().fit(drawn.X, drawn.y, **known), build().fit_rows(rows))


def test_maximum_likelihood_is_reached_from_blocks(drawn, small_parts):
    build = lambda: wh.MixtureCureClassifier("lognormal", penalty=None)  # noqa: E731
    whole = build().fit(drawn.X, drawn.y, time=drawn.time)
    blocks = build().fit_rows(wh.ArrayRows(drawn.X, drawn.y, time=drawn.time, block_rows=999))
    assert blocks.loglik_ == pytest.approx(whole.loglik_, abs=1e-7)
    assert_same(whole, blocks, rtol=1e-5)


def test_one_block_or_many_is_the_same(drawn):
    models = [
        wh.LabelClassifier().fit_rows(wh.ArrayRows(drawn.X, drawn.y, block_rows=size)) for size in (N, 1000, 1, N + 5)
    ]
    for model in models[1:]:
        assert_same(models[0], model)


@pytest.fixture
def table(drawn):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(drawn.X, columns=["age", "dose", "score", "level"])
    frame["site"] = rng.choice(["north", "south", "east"], N, p=[0.5, 0.3, 0.2])
    frame.loc[rng.random(N) < 0.1, "dose"] = np.nan
    frame["relapse"], frame["years"] = np.where(drawn.y == 1, "yes", "no"), drawn.time
    frame["patient"] = np.arange(N)
    return frame


@pytest.fixture
def files(table, tmp_path):
    for number in range(3):
        part = pa.Table.from_pandas(table.iloc[1000 * number : 1000 * (number + 1)], preserve_index=False)
        pq.write_table(part, tmp_path / f"{number}.parquet", 400)
    return tmp_path


ROLES = {"event": "relapse", "time": "years", "id": ["patient"]}


def test_parquet_files_are_read_as_the_table_is(table, files, small_parts):
    cohort = wh.read_cohort(table, **ROLES)
    rows = wh.ParquetRows(files / "*.parquet", **ROLES)
    assert rows.names == tuple(cohort.X.columns)
    assert {type(found) for found in rows.findings} == {type(found) for found in cohort.findings}
    build = lambda: wh.MixtureCureClassifier("lognormal", shrinkage=10.0)  # noqa: E731
    whole, blocks = build().fit(cohort.X, cohort.y, time=cohort.time), build().fit_rows(rows)
    assert_same(whole, blocks)
    assert wh.predict_parquet(blocks, rows.encoder, files, files / "risks.table", id=("patient",)) == N
    written = pq.read_table(files / "risks.table").to_pandas()
    assert written["patient"].tolist() == table["patient"].tolist()
    np.testing.assert_allclose(written["risk"], whole.predict_proba(cohort.X)[:, 1], rtol=1e-7)


def test_a_folder_a_file_and_a_list_are_named_alike(files):
    names = [files, files / "*.parquet", [files / f"{i}.parquet" for i in range(3)]]
    assert {wh.ParquetRows(name, **ROLES).n_rows for name in names} == {N}


@pytest.mark.parametrize(
    ("paths", "message"),
    [("nothing/*.parquet", "no Parquet file"), (__file__, "cannot be read as Parquet"), ([], "No file")],
)
def test_what_is_no_parquet_file_is_refused(paths, message):
    with pytest.raises(wh.DataError, match=message):
        wh.ParquetRows(paths, event="relapse")


def test_a_bad_value_is_found_where_it_is(table, files):
    spoiled = table.iloc[2000:].copy()
    spoiled.iloc[700, spoiled.columns.get_loc("years")] = -1.0
    pq.write_table(pa.Table.from_pandas(spoiled, preserve_index=False), files / "2.parquet", 400)
    with pytest.raises(wh.DataError, match="not above zero"):
        wh.LabelClassifier().fit_rows(wh.ParquetRows(files, **ROLES))


def test_other_columns_in_one_file_are_refused(table, files):
    pq.write_table(pa.Table.from_pandas(table.drop(columns="dose")), files / "3.parquet")
    with pytest.raises(wh.DataError, match=r"other columns.*dose"):
        wh.ParquetRows(files, **ROLES)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (wh.LabelClassifier(learner="neural"), "learner='linear' or 'boosted', got learner='neural'"),
        (wh.SARPUClassifier([0], learner="boosted", prevalence=0.5, prevalence_error=0.1), "known share of positives"),
        (wh.UnbiasedPUClassifier(nonnegative=True), "nonnegative"),
        (wh.MixtureCureClassifier(), "time=None"),
    ],
)
def test_what_cannot_be_learned_from_blocks_is_refused(model, message, drawn):
    with pytest.raises(ValueError, match=message):
        model.fit_rows(wh.ArrayRows(drawn.X, drawn.y))


def test_trees_without_a_cluster_are_those_of_all_rows_in_memory(drawn):
    """Blocks are joined: the same people in another order, so other draws of rows for the trees."""
    rows = wh.ArrayRows(drawn.X, drawn.y, time=drawn.time, block_rows=700)
    blocks = wh.MixtureCureClassifier("lognormal", learner="boosted", random_state=0).fit_rows(rows)
    memory = wh.MixtureCureClassifier("lognormal", learner="boosted", random_state=0)
    memory.fit(drawn.X, drawn.y, time=drawn.time)
    assert blocks.model_.result.n_steps == memory.model_.result.n_steps
    assert np.corrcoef(blocks.decision_function(drawn.X), memory.decision_function(drawn.X))[0, 1] > 0.98


def test_a_baseline_that_is_open_is_no_sum_over_people(drawn):
    with pytest.raises(wh.ArgumentError, match="no sum over people"):
        wh.CoxCureClassifier().fit_rows(wh.ArrayRows(drawn.X, drawn.y, time=drawn.time))


def test_a_distribution_that_is_open_is_named_where_rows_come_in_blocks(drawn):
    with pytest.raises(wh.ArgumentError, match="with distribution='open' looks at people one by one"):
        wh.MixtureCureClassifier("open").fit_rows(wh.ArrayRows(drawn.X, drawn.y, time=drawn.time))


def test_arrays_in_memory_belong_to_fit(drawn):
    with pytest.raises(wh.ArgumentError, match="use fit"):
        wh.LabelClassifier().fit_rows(drawn.X)


@pytest.mark.parametrize(("column", "message"), [(np.ones(N), "constant"), (None, "identical")])
def test_columns_that_say_nothing_are_refused(column, message, drawn):
    X = np.column_stack([drawn.X, drawn.X[:, 0] if column is None else column])
    with pytest.raises(wh.DataError, match=message):
        wh.LabelClassifier().fit_rows(wh.ArrayRows(X, drawn.y, block_rows=800))


def test_reading_goes_ahead_by_one_block():
    read = []
    blocks = LocalBlocks(range(5), lambda place: [read.append(place) or place])
    assert blocks.map(lambda block: (block, 1.0)).total(lambda pair: pair) == (10, 5.0)
    assert read == list(range(5))
    assert add_parts((1, np.arange(2)), (2, np.ones(2)))[0] == 3


def test_an_error_while_reading_is_raised(drawn):
    def read(place):
        yield 1
        raise wh.DataError("row 7 is torn")

    with pytest.raises(wh.DataError, match="torn"):
        LocalBlocks([0], read).total(lambda block: block)


def test_the_first_blocks_stay_in_memory_as_long_as_there_is_room(monkeypatch):
    monkeypatch.setattr("whether.blocks.KEPT_BYTES", 35)
    read = []

    def read_two(place):
        read.append(place)
        yield from (2 * place, 2 * place + 1)

    blocks = LocalBlocks(range(4), read_two).keep(lambda block: 8)  # each place has 16 bytes
    assert [list(blocks.each(lambda block: block)) for _ in range(3)] == [list(range(8))] * 3
    assert read == [0, 1, 2, 3, 2, 3, 2, 3]


def test_a_place_that_was_not_read_to_its_end_is_not_kept():
    read = []

    def read_two(place):
        read.append(place)
        yield from (0, 1)

    blocks = LocalBlocks([0], lambda place: read_two(place)).keep(lambda block: 8)
    next(reading := blocks.each(lambda block: block))
    reading.close()
    assert list(blocks.each(lambda block: block)) == [0, 1]


@pytest.mark.parametrize("kept", [0, 60_000, 10**9])
def test_a_fit_does_not_depend_on_how_many_blocks_stay_in_memory(kept, drawn, monkeypatch):
    rows = wh.ArrayRows(drawn.X, drawn.y, follow_up=drawn.follow_up, block_rows=300)
    expected = wh.FollowUpCureClassifier().fit_rows(rows).model_.coefficients
    monkeypatch.setattr("whether.blocks.KEPT_BYTES", kept)
    found = wh.FollowUpCureClassifier().fit_rows(rows).model_.coefficients
    np.testing.assert_array_equal(found, expected)


def test_the_program_reads_files_in_blocks(table, files, tmp_path):
    from typer.testing import CliRunner

    from whether.cli.app import app

    about = ["--event", "relapse", "--time", "years", "--id", "patient", "--method", "AFTMC-F", "--json"]
    told = {}
    for name, extra in (("whole", []), ("blocks", ["--in-blocks"])):
        output = tmp_path / f"{name}.whether"
        result = CliRunner().invoke(app, ["fit", str(files / "*.parquet"), *about, *extra, "-o", str(output)])
        assert result.exit_code == 0, result.output
        told[name] = wh.load_model(output).predict(table)["risk"]
    np.testing.assert_allclose(told["blocks"], told["whole"], rtol=1e-6)
    refused = CliRunner().invoke(
        app, ["fit", str(files), *about, "--in-blocks", "--group", "site", "-o", "model.whether"]
    )
    assert refused.exit_code == 2
