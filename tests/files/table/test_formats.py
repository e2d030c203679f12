"""Excel, Stata, SPSS, SAS and R files, standard input, pipes, and several files of one table."""

import datetime
import gzip
import io
import os
import struct
import threading
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
import rdata
from pyarrow import feather

from whether.files.table import TableError, open_table, read_cohort, statistical, workbook
from whether.files.table.findings import Converted, SheetRead, Unnamed
from whether.validate import ArgumentError

DAY = datetime.date(2020, 1, 2)


@pytest.fixture
def excel(tmp_path):
    """Function that writes sheets as a workbook."""

    def write(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "book.xlsx")
        return tmp_path / "book.xlsx"

    return write


def test_cells_of_a_sheet_keep_their_kinds(excel):
    path = excel(
        data=[
            ["id", "age", "when", "code", "seen", "mixed"],
            ["a", 1.5, DAY, 7, True, 3],
            ["b", None, None, 8, False, "x"],
        ]
    )
    opened = open_table(path)
    table = opened.read()
    assert opened.findings == []
    assert table["age"].to_pylist() == [1.5, None]
    assert table["when"].to_pylist() == [datetime.datetime(2020, 1, 2), None]
    assert table["code"].to_pylist() == [7.0, 8.0]
    assert table["seen"].to_pylist() == [True, False]
    assert table["mixed"].to_pylist() == ["3", "x"]


def test_one_of_several_sheets_is_named(excel):
    path = excel(notes=[["hello"]], data=[["age"], [1]], empty=[])
    with pytest.raises(TableError, match="has 3 sheets, 'notes', 'data', 'empty': say which with `sheet`"):
        open_table(path)
    with pytest.raises(TableError, match=r"has no sheet 'Data' .*Did you mean 'data'\?"):
        open_table(path, sheet="Data")
    with pytest.raises(TableError, match=r"Sheet 'empty' of .* is empty"):
        open_table(path, sheet="empty")
    opened = open_table(path, sheet="data")
    assert opened.read().to_pydict() == {"age": [1.0]}
    assert opened.findings == [SheetRead("data")]
    assert open_table(excel(data=[["age"], [1]], empty=[])).read().num_rows == 1
    with pytest.raises(ArgumentError, match="`sheet` names a sheet of a workbook"):
        open_table(pa_csv(path.with_name("t.csv")), sheet="data")


def pa_csv(path, text="a,b\n1,2\n"):
    path.write_text(text)
    return path


def test_odd_headers_get_names(excel):
    opened = open_table(excel(data=[["age", None, 2020, DAY], [1, 2, 3, 4]]))
    assert opened.column_names == ["age", "(column 2)", "2020", "2020-01-02"]
    assert opened.findings == [Unnamed("(column 2)", 2)]
    with pytest.raises(TableError, match="more than one column called 'age'"):
        open_table(excel(data=[["age", "age"], [1, 2]]))


def test_damaged_and_foreign_archives_are_refused(excel, tmp_path, monkeypatch):
    whole = excel(data=[["age"], [1]]).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(tmp_path / "hollow.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<not really")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    for name, said in (
        ("cut.xlsx", "is a zip archive"),
        ("hollow.xlsx", "damaged workbook"),
        ("a.zip", "is a zip archive"),
        ("old.xls", "damaged workbook"),
    ):
        with pytest.raises(TableError, match=said):
            open_table(tmp_path / name)
    monkeypatch.setattr(workbook, "LARGEST", 100)
    with pytest.raises(TableError, match="would expand to"):
        open_table(tmp_path / "book.xlsx")


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "name": ["a", "b", "c"],
            "age": [1.5, np.nan, 3.0],
            "sex": [1.0, 2.0, 1.0],
            "score": [10.0, -9.0, 12.0],
            "born": [DAY, None, DAY],
        }
    )


LABELS = {"variable_value_labels": {"sex": {1: "male", 2: "female", 3: "other"}, "score": {-9: "refused"}}}


@pytest.mark.parametrize("ending", ["dta", "sav"])
def test_value_labels_are_used_where_all_codes_have_one(tmp_path, people, ending):
    path = tmp_path / f"t.{ending}"
    getattr(pyreadstat, f"write_{ending}")(people, str(path), **LABELS)
    opened = open_table(path)
    table = opened.read()
    assert table["sex"].to_pylist() == ["male", "female", "male"]
    assert table["score"].to_pylist() == [10, -9, 12]
    assert table["age"].to_pylist() == [1.5, None, 3]
    assert table["born"].to_pylist() == [DAY, None, DAY]
    assert opened.findings == [
        Converted("sex", "with its value labels"),
        Converted("score", "as numbers, although some have labels ('refused')"),
    ]


def test_two_codes_with_one_label_stay_two(tmp_path, people):
    pyreadstat.write_dta(people, str(tmp_path / "t.dta"), variable_value_labels={"sex": {1: "x", 2: "x"}})
    assert open_table(tmp_path / "t.dta").read()["sex"].to_pylist() == [1, 2, 1]


def test_a_stata_file_that_promises_more_rows_than_it_has_bytes_is_refused_at_once(tmp_path):
    path = tmp_path / "t.dta"
    pd.DataFrame({"age": np.arange(120.0)}).to_stata(path, write_index=False)
    content = bytearray(path.read_bytes())
    assert int.from_bytes(content[6:10], "little") == 120
    content[9] = 0x20  # the number of rows, a bit of which was flipped
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"damaged Stata file .it should have 536,871,032 rows of 1 columns"):
        open_table(path).read()


def test_sas_transport_files_are_read_and_damaged_ones_refused(tmp_path, people):
    pyreadstat.write_xport(people.drop(columns="born"), str(tmp_path / "t.xpt"))
    assert open_table(tmp_path / "t.xpt").read()["age"].to_pylist() == [1.5, None, 3]
    (tmp_path / "t.sas7bdat").write_bytes(bytes(12) + b"\xc2\xea\x81\x60" + bytes(500))
    (tmp_path / "t.sav").write_bytes(b"$FL2" + bytes(500))
    (tmp_path / "t.dta").write_bytes(b"<stata_dta><header>")
    for name, kind in (("t.sas7bdat", "SAS"), ("t.sav", "SPSS"), ("t.dta", "Stata")):
        with pytest.raises(TableError, match=f"is a damaged {kind} file"):
            open_table(tmp_path / name)


@pytest.mark.parametrize("version", [5, 8])
def test_a_sas_transport_file_that_was_cut_short_or_holds_two_data_sets_is_refused(tmp_path, version):
    frame = pd.DataFrame({"age": np.arange(160.0), "sex": ["f", "", "m", ""] * 40})
    pyreadstat.write_xport(frame, str(tmp_path / "t.xpt"), file_format_version=version)
    whole = (tmp_path / "t.xpt").read_bytes()
    rows = open_table(tmp_path / "t.xpt").read().to_pydict()
    assert rows == {"age": frame.age.tolist(), "sex": frame.sex.tolist()}
    begin, record, row = whole.index(b"HEADER RECORD*******OBS") + 80, 80, 9
    # What version 5 cannot tell is a cut at the end of a record and of a row, or within the blanks of one.
    ends = [end for end in range(begin + 1, len(whole)) if end % record or (end - begin) % row < row - 1]
    for end in ends[::7]:
        (tmp_path / "cut.xpt").write_bytes(whole[:end])
        with pytest.raises(TableError, match="is a damaged SAS transport file"):
            open_table(tmp_path / "cut.xpt")
    (tmp_path / "two.xpt").write_bytes(whole + whole[240:])
    with pytest.raises(TableError, match="holds 2 data sets, and cannot be taken apart"):
        open_table(tmp_path / "two.xpt")


def rds(columns, classes=("data.frame",)):
    """Bytes of a file of R with a data frame of doubles, text and dates."""
    out = io.BytesIO()

    def put(kind, *numbers):
        out.write(struct.pack(">" + kind * len(numbers), *numbers))

    def text(word):
        put("i", 9, len(word))
        out.write(word.encode())

    def texts(words):
        put("i", 16, len(words))
        for word in words:
            text(word)

    def attribute(name):
        put("i", 1026, 1)
        text(name)

    out.write(b"X\n" + struct.pack(">iiii", 3, 0x030600, 0x030500, 5) + b"UTF-8")
    put("i", 19 | 0x100 | 0x200, len(columns))
    for values in columns.values():
        if isinstance(values[0], str):
            texts(values)
            continue
        is_date = isinstance(values[0], datetime.date)
        put("i", 14 | (0x300 if is_date else 0), len(values))
        put("d", *((day - datetime.date(1970, 1, 1)).days for day in values) if is_date else values)
        if is_date:
            attribute("class")
            texts(["Date"])
            put("i", 254)
    attribute("names")
    texts(list(columns))
    attribute("class")
    texts(classes)
    attribute("row.names")
    put("i", 13, 2, -(2**31), -len(next(iter(columns.values()))))
    put("i", 254)
    return out.getvalue()


@pytest.mark.parametrize("classes", [("data.frame",), ("tbl_df", "tbl", "data.frame")])
def test_data_frames_of_r_are_read(tmp_path, classes):
    columns = {"name": ["a", "b"], "age": [1.5, float("nan")], "born": [DAY, DAY]}
    (tmp_path / "t.rds").write_bytes(gzip.compress(rds(columns, classes)))
    table = open_table(tmp_path / "t.rds").read()
    assert table["name"].to_pylist() == ["a", "b"]
    assert table["age"].to_pylist() == [1.5, None]
    assert [cell.date() for cell in table["born"].to_pylist()] == [DAY, DAY]


def test_factors_are_text_and_other_objects_of_r_are_refused(tmp_path, monkeypatch):
    table = open_table(rdata.TESTDATA_PATH / "test_dataframe.rds").read()
    assert table["class"].cast(pa.string()).to_pylist() == ["a", "b", "b"]
    (tmp_path / "v.rds").write_bytes(b"X\n" + struct.pack(">iiiiid", 2, 0x030600, 0x020300, 14, 1, 3.0))
    with pytest.raises(TableError, match="holds no data frame but a"):
        open_table(tmp_path / "v.rds")
    packed = gzip.compress(b"X\n" + bytes(range(256)))
    for damaged in (packed[:-9], packed[:12] + bytes([255] * 20) + packed[32:]):
        (tmp_path / "cut.rds").write_bytes(damaged)
        with pytest.raises(TableError, match="damaged file of R"):
            open_table(tmp_path / "cut.rds")
    (tmp_path / "bomb.rds").write_bytes(gzip.compress(b"X\n" + bytes(10_000)))
    monkeypatch.setattr(statistical, "LARGEST", 5000)
    with pytest.raises(TableError, match="would expand to more than"):
        open_table(tmp_path / "bomb.rds")


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("python_calamine", "t.xlsx", "excel"), ("pyreadstat", "t.sav", "stats"), ("rdata", "t.rds", "stats")],
)
def test_a_reader_that_is_not_installed_is_named(tmp_path, excel, monkeypatch, module, name, extra):
    content = {"t.xlsx": excel(data=[["a"], [1]]).read_bytes(), "t.sav": b"$FL2", "t.rds": b"X\n"}[name]
    (tmp_path / name).write_bytes(content)
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(TableError, match=rf"pip install 'whether\[{extra}\]'"):
        open_table(tmp_path / name)


def test_a_pipe_is_read_once_and_its_copy_goes(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("a,b\n1,2\n"))
    writer.start()
    opened = open_table(tmp_path / "pipe")
    writer.join()
    assert opened.read(["b"]).to_pydict() == opened.read(["b"]).to_pydict() == {"b": ["2"]}
    del opened
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_several_files_are_one_table(tmp_path, people):
    pa_csv(tmp_path / "part-1.csv", "a;b\n1;x\n")
    pa_csv(tmp_path / "part-2.csv", "b,a\ny,2\n")
    both = {"a": ["1", "2"], "b": ["x", "y"]}
    assert open_table(tmp_path / "part-*.csv").read().to_pydict() == both
    assert open_table([tmp_path / "part-1.csv", tmp_path / "part-2.csv"]).read().to_pydict() == both
    people.to_parquet(tmp_path / "one.parquet")
    people.assign(age=["x", "y", None]).to_parquet(tmp_path / "two.parquet")
    assert open_table(tmp_path / "*.parquet").read()["age"].to_pylist() == ["1.5", None, "3", "x", "y", None]
    pa_csv(tmp_path / "part-3.csv", "a,c\n1,2\n")
    with pytest.raises(TableError, match=r"part-3.csv' lacks 'b', unlike .*part-1.csv"):
        open_table(tmp_path / "part-*.csv")
    with pytest.raises(TableError, match="There is no file"):
        open_table(tmp_path / "none-*.csv")


def test_codes_for_nothing_known_are_noticed_in_every_format(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"seen": rng.integers(0, 2, 60), "time": rng.uniform(1, 5, 60), "age": rng.normal(60, 5, 60)})
    frame.loc[:4, "age"] = -99
    frame.loc[:3, "time"] = 999
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"))
    for name in ("t.xlsx", "t.sav"):
        found = read_cohort(tmp_path / name, event="seen", time="time").findings
        codes = {(one.column, one.held.value) for one in found if type(one).__name__ == "LikelyCode"}
        assert codes == {("age", "-99"), ("time", "999")}


def test_a_header_without_a_line_end_is_a_table_without_rows(tmp_path):
    (tmp_path / "t.csv").write_text("age,event")
    with pytest.raises(TableError, match="has columns but no rows"):
        open_table(tmp_path / "t.csv").read()


@pytest.mark.parametrize("chosen", ["stage", "event"])
def test_cells_that_begin_with_a_quote_and_swallow_rows_are_refused(tmp_path, chosen):
    rows = ['61,"III,1', "62,II,0", '63,"III,0', "64,I,1"]
    (tmp_path / "t.csv").write_text("\n".join(["age,stage,event", *rows, ""]))
    with pytest.raises(TableError, match=r"begins with a quote that is not closed in its row \('III,1'\)"):
        open_table(tmp_path / "t.csv").read([chosen])


def test_long_remarks_with_line_breaks_and_separators_are_cells(tmp_path):
    remark = 'first, ""second"", third\nfourth, fifth'
    (tmp_path / "t.csv").write_text(f'age,note,event\n61,"{remark}",1\n62,plain,0\n')
    assert open_table(tmp_path / "t.csv").read(["note"])["note"].to_pylist()[0] == remark.replace('""', '"')


@pytest.mark.parametrize("damage", ["code", "text"])
def test_a_feather_file_with_cells_that_cannot_be_is_refused(tmp_path, damage):
    codes, words = bytes([0, 1, 2] * 20), "fähig" * 60
    levels = pa.DictionaryArray.from_arrays(pa.array(list(codes), pa.int8()), ["I", "II", "III"])
    feather.write_feather(
        pa.table({"stage": levels, "word": ["fähig"] * 60}), tmp_path / "t.feather", compression="uncompressed"
    )
    content = (tmp_path / "t.feather").read_bytes()
    old, new = {"code": (codes, bytes([0, 1, 9] * 20)), "text": (words.encode(), words.encode("latin-1") + b" " * 60)}[
        damage
    ]
    assert content.count(old) == 1
    (tmp_path / "t.feather").write_bytes(content.replace(old, new))
    with pytest.raises(TableError, match="is a damaged Feather file"):
        open_table(tmp_path / "t.feather")
