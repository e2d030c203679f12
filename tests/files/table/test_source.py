import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from whether.files.table import TableError, open_table
from whether.files.table.delimited import SEPARATORS
from whether.files.table.findings import FileRead, OneColumn, Unnamed

TABLE = pa.table({"age": [40.0, 50.0, 60.0], "stage": ["I", "II", "I"]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_separator_of_a_text_table_is_found(read_csv, separator, end):
    columns, findings = read_csv(end.join(separator.join(row) for row in (["age", "stage"], ["40", "I"], ["50", "II"])))
    assert list(columns) == ["age", "stage"]
    assert columns["age"].numbers().tolist() == [40, 50]
    assert findings == [FileRead(separator=SEPARATORS[separator])]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""), ("utf-8-sig", ""), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"), ("latin-1", "Latin-1"),
    ],
)  # fmt: skip
def test_letters_with_accents_are_read_in_every_encoding(read_csv, encoding, said):
    columns, findings = read_csv("größe,ort\n1,Köln\n2,Ulm\n".encode(encoding))
    assert list(columns) == ["größe", "ort"]
    assert columns["ort"].data.to_pylist() == ["Köln", "Ulm"]
    assert (FileRead(encoding=said) in findings) == bool(said)


def test_a_single_latin_1_letter_at_the_end_of_a_large_file_is_enough(read_csv):
    body = b"a,b\n" + b"1,2\n" * 2_000_000 + "1,é\n".encode("latin-1")
    columns, findings = read_csv(body)
    assert columns["b"].data[-1].as_py() == "é"
    assert FileRead(encoding="Latin-1") in findings


def test_quoted_cells_may_hold_separators_quotes_and_line_breaks(read_csv):
    columns, _ = read_csv('"age, years",b\n1,"x, ""y""\nz"\n2,w\n')
    assert list(columns) == ["age, years", "b"]
    assert columns["b"].data.to_pylist() == ['x, "y"\nz', "w"]


def test_blank_lines_before_within_and_after_are_skipped(read_csv):
    columns, _ = read_csv("\n\na,b\n\n1,2\n\n3,4\n\n")
    assert columns["a"].numbers().tolist() == [1, 3]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_rows_without_any_cell_below_the_table_are_left_out_and_counted(read_csv, separator):
    columns, findings = read_csv('a,b\n1,\n,\n3,4\n,\n"",\n\n,\n'.replace(",", separator))
    assert columns["a"].data.to_pylist() == [1.0, None, 3.0]
    assert FileRead(empty_rows=3) in findings


def test_a_line_that_tells_excel_the_separator_is_no_header(read_csv):
    columns, _ = read_csv("sep=;\na;b,c\n1;2\n")
    assert list(columns) == ["a", "b,c"]


def test_names_are_trimmed_and_a_column_without_a_name_gets_one(read_csv):
    columns, findings = read_csv(",  age ,b\n1,2,3\n")
    assert list(columns) == ["(column 1)", "age", "b"]
    assert findings[0] == Unnamed("(column 1)", 1)


def test_a_file_without_any_separator_is_one_column_and_said_to_be(read_csv):
    columns, findings = read_csv("a b c\n1 2 3\n")
    assert list(columns) == ["a b c"]
    assert findings[-1] == OneColumn("a b c")
    assert findings[-1].is_warning


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_arrow_files_are_told_by_their_content(tmp_path, kind):
    path = tmp_path / "table.dat"
    (pyarrow.parquet.write_table if kind == "parquet" else pyarrow.feather.write_feather)(TABLE, path)
    assert open_table(path).read().equals(TABLE)
    assert open_table(path).read(["stage"]).column_names == ["stage"]


@pytest.fixture
def sqlite_file(tmp_path):
    path = tmp_path / "hospital.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (age, stage, mixed, gaps, big, picture)")
    rows = [(40, "I", 1, None, 2**62, b"x"), (50.5, "II", "high", None, 1, None), (60, "I", 2.5, None, 2, b"z")]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def test_sqlite_answers_a_query(sqlite_file):
    table = open_table(sqlite_file, query="SELECT age, stage FROM people WHERE stage = 'I'").read()
    assert table.to_pydict() == {"age": [40.0, 60.0], "stage": ["I", "I"]}


def test_a_sqlite_column_of_several_kinds_is_text(sqlite_file):
    table = open_table(sqlite_file, query="SELECT * FROM people").read()
    assert table["mixed"].to_pylist() == ["1", "high", "2.5"]
    assert pa.types.is_null(table["gaps"].type)
    assert table["big"].to_pylist() == [2**62, 1, 2]
    assert pa.types.is_binary(table["picture"].type)


def test_batches_of_different_kinds_are_joined(sqlite_file, monkeypatch):
    monkeypatch.setattr("whether.files.table.database.ROWS_AT_A_TIME", 1)
    table = open_table(sqlite_file, query="SELECT * FROM people").read()
    assert table["mixed"].to_pylist() == ["1", "high", "2.5"]
    assert table["age"].to_pylist() == [40.0, 50.5, 60.0]


def test_a_query_cannot_change_the_database(sqlite_file):
    with pytest.raises(TableError, match="a SELECT is needed"):
        open_table(sqlite_file, query="DROP TABLE people").read()


@pytest.fixture
def duckdb_file(tmp_path):
    path = tmp_path / "hospital.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM (VALUES (40, 'I'), (50, 'II')) t(age, stage)")
    return path


@pytest.mark.parametrize(
    "query",
    [
        "VACUUM INTO '{0}/out'",
        "vacuum",
        "ATTACH '{0}/out' AS other",
        "PRAGMA journal_mode = WAL",
        "CREATE TEMP TABLE t (a)",
    ],
)
@pytest.mark.parametrize("fixture", ["sqlite_file", "duckdb_file"])
def test_a_query_is_a_select_and_nothing_else(request, tmp_path, fixture, query):
    file = request.getfixturevalue(fixture)
    before, files = file.read_bytes(), sorted(tmp_path.iterdir())
    with pytest.raises(TableError, match=r"a SELECT is needed|one SELECT is needed|cannot answer"):
        open_table(file, query=query.format(tmp_path)).read()
    assert (file.read_bytes(), sorted(tmp_path.iterdir())) == (before, files)


def test_duckdb_answers_a_query(duckdb_file):
    assert open_table(duckdb_file, query="SELECT * FROM people").read().to_pydict() == {
        "age": [40, 50],
        "stage": ["I", "II"],
    }


def test_a_duckdb_query_reads_no_other_file_and_writes_none(duckdb_file, tmp_path):
    with pytest.raises(TableError, match="one SELECT is needed"):
        open_table(duckdb_file, query=f"COPY people TO '{tmp_path}/out.csv'").read()
    with pytest.raises(TableError, match="DuckDB cannot answer"):
        open_table(duckdb_file, query="SELECT * FROM read_text('/etc/hostname')").read()


@pytest.mark.parametrize("fixture", ["sqlite_file", "duckdb_file"])
@pytest.mark.parametrize(
    ("query", "said"), [(None, "'people'"), ("SELECT nonsense FROM people", "nonsense"), ("SELEC", "SELEC")]
)
def test_a_database_that_cannot_answer_says_why(request, fixture, query, said):
    with pytest.raises(TableError, match=said):
        open_table(request.getfixturevalue(fixture), query=query).read()


BAD = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n\n", "nothing but blank lines"),
    "zip": (b"PK\x03\x04rest", "Excel"),
    "gzip": (b"\x1f\x8b\x08", "gzip"),
    "pdf": (b"%PDF-1.7", "PDF"),
    "binary": (b"a,b\n1,\x00\x01\x02\n", "is not a text file"),
    "html": (b"<!DOCTYPE html><html></html>", "web page"),
    "json": (b'{"a": 1}', "JSON"),
    "ragged": (b"a,b\n1,2\n3\n4,5,6\n", "2 rows of .* row 2 below the header has 1, the header 2"),
    "open quote": (b'a,b\n1,"2\n3,4\n', "never closed"),
    "twice": (b"a,b,a\n1,2,3\n", "more than one column called 'a'"),
    "twice trimmed": (b"a, a\n1,2\n", "more than one column called 'a'"),
    "no header": (b"1.5,2\n3,4\n", "names of the columns are expected"),
    "no rows": (b"a,b\n", "no rows"),
    "many columns": (",".join(f"c{i}" for i in range(20_000)).encode() + b"\n1\n", "20,000 columns"),
    "long header": (b"x" * 1_500_000, "longer than a million"),
    "damaged parquet": (b"PAR1" + b"\x07" * 100, "damaged Parquet"),
    "damaged feather": (b"ARROW1\0\0" + b"\x07" * 100, "damaged Feather"),
    "damaged sqlite": (b"SQLite format 3\0" + b"\x07" * 200, "SQLite cannot answer"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path, case):
    content, said = BAD[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=said):
        open_table(path).read()


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(TableError, match="no file"):
        open_table(tmp_path / "no.csv").read()
    with pytest.raises(TableError, match="folder"):
        open_table(tmp_path).read()


def test_a_query_to_a_text_file_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="cannot be queried"):
        open_table(tmp_path / "t.csv", query="SELECT 1").read()
