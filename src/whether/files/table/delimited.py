"""Tables in text files: which encoding, which separator, which names, and the cells as text."""

from __future__ import annotations

import codecs
import csv
import io
import mmap
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from whether.files.table.columns import parse_number
from whether.files.table.findings import FileRead, Finding, OneColumn, TableError, Unnamed
from whether.files.table.names import shorten

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
LONGEST_HEADER = 2**20
SAMPLE = 2**18
# The line in which Excel is told how cells are separated.
ANNOUNCED = re.compile(r'^"?sep=([,;\t|])"?\s*$', re.IGNORECASE)
CHUNK = 2**22


class TextTable:
    """A CSV file whose names are known and whose cells, all of them text, are still to be read."""

    def __init__(self, path: Path, start: bytes) -> None:
        self.path, self.findings = path, list[Finding]()
        self._encoding, self._has_open_quote, self._n_lines = _look_through(path, start, self.findings)
        sample = _sample(path, self._encoding)
        self._blank = next(position for position, line in enumerate(sample) if line.strip())
        announced = ANNOUNCED.match(sample[self._blank])
        self._blank += bool(announced)
        self._is_bare = self._blank + 1 == len(sample) and not sample[-1].endswith(("\n", "\r"))  # only a header
        self._separator = announced[1] if announced else _find_separator(sample[self._blank :])
        self._n_empty = _count_empty(path, self._separator)
        self.names = _header(path, sample[self._blank :], self._separator, self.findings)
        if self._n_empty:
            self.findings.append(FileRead(empty_rows=self._n_empty))

    def read(self, chosen: list[str]) -> pa.Table:
        """Read some of the columns."""
        # Without threads a bad row comes with its number.
        where = {"skip_rows": self._blank, "column_names": self.names, "skip_rows_after_names": 1}
        options = pyarrow.csv.ReadOptions(**where, encoding=self._encoding, use_threads=False, block_size=CHUNK)
        if self._is_bare:
            raise TableError(f"{str(self.path)!r} has columns but no rows.")
        table = _read(self.path, options, self._separator, self.names if self._has_open_quote else chosen)
        if self._has_open_quote and table.num_rows and "\n" in table[self.names[-1]][-1].as_py():
            raise TableError(
                f"A quote in {str(self.path)!r} is never closed, so that the rest of the file is one cell."
            )
        if self._n_lines > self._blank + 1 + table.num_rows:  # blank lines, or lines within cells
            every = _read(self.path, options, self._separator, self.names)
            if any(_may_hold_rows(cells, self._separator, len(self.names)) for cells in every.columns):
                _refuse_stray_quotes(self.path, self._separator, self._encoding)
        return table.select(chosen).slice(0, table.num_rows - self._n_empty)


def _look_through(path: Path, start: bytes, findings: list[Finding]) -> tuple[str, bool, int]:
    """Encoding of the file, whether its quotes do not pair, and its lines, if it has quotes, which may join them.

    The whole file is looked at: one letter in the last row is enough to tell Latin-1 from UTF-8.
    """
    wide = _wide_encoding(start)
    if wide:
        findings.append(FileRead(encoding=wide[:6].upper()))
        return wide, False, 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, n_quotes, n_lines = True, 0, 0
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            n_quotes += chunk.count(b'"')
            n_lines += chunk.count(b"\n")
            if b"\0" in chunk:
                raise TableError(
                    f"{str(path)!r} is not a text file, and not one of the other kinds that can be read: CSV, Parquet, "
                    "Feather, Excel, Stata, SPSS, SAS, R (.rds), SQLite and DuckDB."
                )
            if is_utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    is_utf8 = False
    if not is_utf8:
        findings.append(FileRead(encoding="Latin-1"))
    return "utf-8" if is_utf8 else "latin-1", n_quotes % 2 == 1, n_lines if n_quotes else 0


def _may_hold_rows(cells: pa.ChunkedArray, separator: str, width: int) -> bool:
    """Whether a cell has a line break and as many separators as from one row to the same place of the next."""
    is_long = pc.greater_equal(pc.count_substring(cells, separator), width - 1)
    return bool(pc.any(pc.and_(is_long, pc.match_substring(cells, "\n")), min_count=0).as_py())


def _refuse_stray_quotes(path: Path, separator: str, encoding: str) -> None:
    """Refuse a cell that begins with a quote and goes on behind the next one, which is rows below: these were lost."""
    mark = re.escape(separator.encode())
    cell = re.compile(rb"(?:^|[\n\r" + mark + rb'])"((?:[^"]|"")*)"(?=([^\n\r' + mark + rb"])?)")
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for found in cell.finditer(content):
            if found[2] and b"\n" in found[1]:
                begun = shorten(found[1].splitlines()[0].decode(encoding, errors="replace"), 30)
                raise TableError(
                    f"A cell of {str(path)!r} begins with a quote that is not closed in its row ({begun!r}), so that "
                    "the rows below would be part of it. Double the quotes inside cells, or remove them."
                )


def _wide_encoding(start: bytes) -> str:
    """Encoding of a file of two or four bytes a letter, by its mark or by where the zeros are; empty if it is none."""
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    first, second = start[0:256:2], start[1:256:2]
    if len(second) > 1 and not any(second) and all(first):
        return "utf-16-le"
    return "utf-16-be" if len(second) > 1 and not any(first) and all(second) else ""


def _count_empty(path: Path, separator: str) -> int:
    """Number of rows at the end whose cells are all empty, as Excel writes them below a table."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - CHUNK))
        lines = file.read().replace(b"\0", b"").splitlines()
    mark, count = separator.encode(), 0
    for line in reversed(lines[1:]):
        if line and (mark not in line or line.strip(mark + b'" ')):
            break
        count += bool(line)
    return count


def _sample(path: Path, encoding: str) -> list[str]:
    """First lines of the file, without the last one, which may be cut."""
    with open(path, encoding=encoding.replace("utf-8", "utf-8-sig"), errors="replace", newline="") as file:
        text = file.read(SAMPLE)
        if "\n" not in text and "\r" not in text and len(text) == SAMPLE:
            text += file.read(LONGEST_HEADER - SAMPLE)
    lines = text.splitlines(keepends=True)
    if len(lines) < 2 and len(text) >= LONGEST_HEADER:
        raise TableError(f"The first line of {str(path)!r} is longer than a million characters: that is no header.")
    kept = lines[:-1] if len(text) >= SAMPLE and len(lines) > 1 else lines
    if not any(line.strip() for line in kept):
        raise TableError(f"{str(path)!r} has nothing but blank lines.")
    return kept


def _find_separator(lines: list[str]) -> str:
    """Return the separator that cuts the header into most names and the lines below it into as many cells."""

    def fitness(separator: str) -> tuple[float, int]:
        widths = [len(row) for row in _rows(lines, separator) if row]
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    fits = {separator: fitness(separator) for separator in SEPARATORS}
    # Rows of the wrong length are an error of the file; only between separators do they decide.
    return max((separator for separator in SEPARATORS if fits[separator][1] > 1), key=fits.__getitem__, default=",")


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    csv.field_size_limit(LONGEST_HEADER)
    try:
        return list(csv.reader(io.StringIO("".join(lines), newline=""), delimiter=separator))
    except csv.Error as error:
        raise TableError(
            f"The file cannot be split into cells ({error}): look for a quote that is never closed."
        ) from error


def _header(path: Path, sample: list[str], separator: str, findings: list[Finding]) -> list[str]:
    names = [name.strip() for name in _rows(sample, separator)[0]]
    if all(parse_number(name) is not None for name in names):
        found = shorten(", ".join(names[:4]))
        raise TableError(
            f"The first line of {str(path)!r} holds numbers ({found}); the names of the columns are expected there."
        )
    for position, name in enumerate(names):
        if not name:
            names[position] = f"(column {position + 1})"
            findings.append(Unnamed(names[position], position + 1))
    findings.append(FileRead(separator=SEPARATORS[separator]) if len(names) > 1 else OneColumn(names[0]))
    return names


def _read(path: Path, options: pyarrow.csv.ReadOptions, separator: str, columns: list[str]) -> pa.Table:
    bad: list[pyarrow.csv.InvalidRow] = []

    def refuse(row: pyarrow.csv.InvalidRow) -> str:
        bad.append(row)
        return "skip"

    cut = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=refuse)
    types = {name: pa.string() for name in columns}
    as_text = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=False, include_columns=columns)
    try:
        table = pyarrow.csv.read_csv(path, read_options=options, parse_options=cut, convert_options=as_text)
    except (pa.ArrowException, UnicodeError) as error:
        raise TableError(f"{str(path)!r} cannot be split into cells ({str(error).splitlines()[0]}).") from error
    if bad:
        first = bad[0]
        raise TableError(
            f"{len(bad):,} row{'s' * (len(bad) > 1)} of {str(path)!r} with a wrong number of cells: row "
            f"{first.number - 1} below the header has {first.actual_columns}, the header {first.expected_columns}. "
            "Look for a separator, a quote or a line break inside a cell."
        )
    return table
