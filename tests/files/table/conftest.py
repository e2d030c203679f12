import pyarrow as pa
import pytest

from whether.files.table import guess_column, read_table


@pytest.fixture
def read_csv(tmp_path):
    """Function from text (or bytes) to the columns and notes that are read from it."""

    def read(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        table, notes = read_table(path)
        return {name: guess_column(name, table[name]) for name in table.column_names}, notes

    return read


@pytest.fixture
def column():
    """Function from cells to a column."""

    def make(cells, name="x", kind=None):
        return guess_column(name, pa.chunked_array([pa.array(cells, type=kind)]))

    return make
