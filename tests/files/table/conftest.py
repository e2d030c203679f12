import pyarrow as pa
import pytest

from whether.files.table import open_table
from whether.files.table.columns import guess_column


@pytest.fixture
def read_csv(tmp_path):
    """Function from text (or bytes) to the columns and findings that are read from it."""

    def read(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        opened = open_table(path)
        table = opened.read()
        return {name: guess_column(name, table[name]) for name in table.column_names}, opened.findings

    return read


@pytest.fixture
def column():
    """Function from cells to a column."""

    def make(cells, name="x", kind=None):
        return guess_column(name, pa.chunked_array([pa.array(cells, type=kind)]))

    return make
