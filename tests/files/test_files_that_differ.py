"""Files of one table may hold a column in different ways, or rows that stand for nobody: the fit is that in memory."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import whether as wh
from whether.cli.app import app

N = 1500
ROLES = {"event": "relapse", "time": "years", "id": ["patient"]}


@pytest.fixture(scope="module")
def table():
    drawn = wh.simulate("partially-dependent", n=N, seed=3)
    frame = pd.DataFrame(drawn.X, columns=["age", "dose", "score", "level"]).assign(age=np.round(10 * drawn.X[:, 0]))
    rng = np.random.default_rng(5)
    frame["site"], frame["code"] = rng.choice(["north", "south"], N), rng.choice([1, 2, 3], N)
    frame.loc[N // 3 : 2 * N // 3 - 1, "dose"] = np.nan  # of a whole file
    return frame.assign(relapse=drawn.y, years=drawn.time, patient=np.arange(N))


def build():
    return wh.MixtureCureClassifier("lognormal", shrinkage=10.0)


def write(parts, folder):
    for number, part in enumerate(parts):
        held = part if isinstance(part, pa.Table) else pa.Table.from_pandas(part, preserve_index=False)
        pq.write_table(held, folder / f"{number}.parquet", 200)


def with_column(part, name, values):
    held = pa.Table.from_pandas(part, preserve_index=False)
    return held.set_column(held.column_names.index(name), name, values)


# What is done to the second of three files.
DIFFERENCES = {
    "columns in another order": lambda part: part[list(part.columns[::-1])],
    "whole numbers": lambda part: part.assign(age=part.age.astype("int32")),
    "single precision": lambda part: part.assign(age=part.age.astype("float32")),
    "numbers as text": lambda part: part.assign(age=part.age.map(repr)),
    "labels that are true or false": lambda part: part.assign(relapse=part.relapse.astype(bool)),
    "text in a dictionary": lambda part: part.assign(site=part.site.astype("category")),
    "codes as text": lambda part: part.assign(code=part.code.astype(str)),
    "codes with a decimal point": lambda part: part.assign(code=part.code.astype(float)),
    "a column of nulls": lambda part: with_column(part, "dose", pa.nulls(len(part))),
    "long text": lambda part: with_column(part, "site", pa.array(part.site, type=pa.large_string())),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("difference", DIFFERENCES)
def test_a_file_that_holds_a_column_in_another_way_is_read_alike(difference, table, tmp_path):
    parts = np.split(np.arange(N), 3)
    files = [table.iloc[rows] for rows in parts]
    files[1] = DIFFERENCES[difference](files[1])
    write([*files, table.iloc[:0]], tmp_path)
    roles = {**ROLES, "categorical": ["code"]}
    cohort, rows = wh.read_cohort(table, **roles), wh.ParquetRows(tmp_path, **roles)
    assert rows.names == tuple(cohort.X.columns)
    whole, blocks = build().fit(cohort.X, cohort.y, time=cohort.time), build().fit_rows(rows)
    np.testing.assert_allclose(blocks.model_.coefficients, whole.model_.coefficients, rtol=1e-8, atol=1e-10)
    assert wh.predict_parquet(blocks, rows.encoder, tmp_path, tmp_path / "risks.table", id=("patient",)) == N
    risks = pq.read_table(tmp_path / "risks.table")["risk"]
    np.testing.assert_allclose(risks, whole.predict_proba(cohort.X)[:, 1], rtol=1e-7)


@pytest.mark.parametrize("weight", [0.0, 0.01])
def test_the_rows_of_a_block_may_stand_for_nobody_or_few(weight, table):
    X, weights = table[["age", "score", "level"]].to_numpy(), np.ones(N)
    weights[: N // 3] = weight  # the first block too
    known = {"time": table.years.to_numpy(), "sample_weight": weights}
    whole = build().fit(X, table.relapse, **known)
    blocks = build().fit_rows(wh.ArrayRows(X, table.relapse.to_numpy(), block_rows=N // 3, **known))
    np.testing.assert_allclose(blocks.model_.coefficients, whole.model_.coefficients, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("weight", "message"), [(0.0, "zero for everybody"), (1e-3, "too few to learn from")])
def test_weights_of_all_blocks_are_judged_together(weight, message, table):
    rows = wh.ArrayRows(
        table[["age", "score"]].to_numpy(), table.relapse.to_numpy(), sample_weight=np.full(N, weight), block_rows=400
    )
    with pytest.raises(wh.DataError, match=message):
        wh.LabelClassifier().fit_rows(rows)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_left_as_they_were(order, table):
    X = np.array(table[["age", "score", "level"]], order=order)
    before = X.copy()
    build().fit_rows(wh.ArrayRows(X, table.relapse.to_numpy(), time=table.years.to_numpy(), block_rows=400))
    np.testing.assert_array_equal(X, before)


def test_files_may_be_named_one_after_the_other(table, tmp_path):
    write([table.iloc[:500], table.iloc[500:]], tmp_path)
    names = [str(tmp_path / f"{number}.parquet") for number in range(2)]
    about = ["--event", "relapse", "--time", "years", "--id", "patient", "--method", "AFTMC-F"]
    risks = []
    for place, told in enumerate(([*names, "--in-blocks"], names, [str(tmp_path / "*.parquet")])):
        output = str(tmp_path / f"{place}.whether")
        result = CliRunner().invoke(app, ["fit", *told, *about, "-o", output])
        assert result.exit_code == 0, result.output
        risks.append(wh.load_model(output).predict(table)["risk"])
    np.testing.assert_allclose(risks[0], risks[1], rtol=1e-6)
    np.testing.assert_array_equal(risks[1], risks[2])
    refused = CliRunner().invoke(app, ["fit", *names, *about, "-o", names[1]])
    assert refused.exit_code == 2
    assert "is read" in refused.output
