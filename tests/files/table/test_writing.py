import numpy as np
import pyarrow as pa
import pytest

from whether.files.table import TableError, open_table, write_table
from whether.validate import ArgumentError


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_numbers_come_back_to_the_last_bit(tmp_path, suffix):
    values = np.random.default_rng(0).random(1000) ** 20
    write_table(pa.table({"risk": values}), tmp_path / f"r.{suffix}")
    back = open_table(tmp_path / f"r.{suffix}").read()["risk"]
    np.testing.assert_array_equal(back.cast(pa.float64()).to_numpy(), values)


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="must end in"):
        write_table(pa.table({"a": [1]}), tmp_path / "r.xlsx")


TEXT = {
    "text": pa.string(),
    "large text": pa.large_string(),
    "text apart": pa.string_view(),
    "different values apart": pa.dictionary(pa.int32(), pa.string()),
}


@pytest.mark.parametrize("kind", TEXT)
def test_text_is_written_and_guarded_however_it_is_stored(tmp_path, kind):
    ids = pa.array(["a", "b", None]).cast(TEXT[kind])
    write_table(pa.table({"id": ids, "risk": [0.1, 0.2, 0.3]}), tmp_path / "r.csv")
    assert open_table(tmp_path / "r.csv").read()["id"].to_pylist() == ["a", "b", ""]
    with pytest.raises(TableError, match="row 2"):
        write_table(pa.table({"id": pa.array(["a", "=1"]).cast(TEXT[kind])}), tmp_path / "s.csv")


@pytest.mark.parametrize("cells", [[[1]], [{"a": 1}], [b"x"]])
def test_what_csv_cannot_have_is_refused(tmp_path, cells):
    with pytest.raises(TableError, match="which CSV cannot have"):
        write_table(pa.table({"id": cells}), tmp_path / "r.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cell", ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_not_written_to_csv(tmp_path, cell):
    with pytest.raises(TableError, match="row 2"):
        write_table(pa.table({"id": ["a", cell]}), tmp_path / "r.csv")
    assert list(tmp_path.iterdir()) == []
    write_table(pa.table({"id": ["a", cell]}), tmp_path / "r.parquet")
    assert open_table(tmp_path / "r.parquet").read()["id"].to_pylist() == ["a", cell]
