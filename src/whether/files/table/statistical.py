"""Files of other statistics programs as tables: Stata, SPSS and SAS by pyreadstat, R (.rds) by rdata."""

from __future__ import annotations

import bz2
import gzip
import lzma
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from whether.files.table.findings import Converted, Finding, TableError
from whether.files.table.names import name_columns
from whether.files.table.transport import check_transport

LARGEST = 2**31  # bytes that a compressed file may unfold to
CHUNK = 2**22
READERS = {"Stata": "read_dta", "SPSS": "read_sav", "SPSS portable": "read_por", "SAS": "read_sas7bdat"}
READERS["SAS transport"] = "read_xport"
UNPACK: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
INSTALL = "Reading a file of {} needs {}: pip install 'whether[stats]'."


def statistical_kind(path: Path, start: bytes) -> str | None:
    """Program that wrote a file, by its first bytes, and by its name where these do not tell."""
    ending = path.suffix.lower()
    if start.startswith(b"<stata_dta>") or (ending == ".dta" and start[:1] in (b"l", b"n", b"o", b"q", b"r", b"s")):
        return "Stata"
    if start.startswith((b"$FL2", b"$FL3")):
        return "SPSS"
    if start.startswith(b"HEADER RECORD*******L"):
        return "SAS transport"
    if start.startswith(bytes(12) + b"\xc2\xea\x81\x60"):
        return "SAS"
    if ending == ".por" and b"SPSS PORT FILE" in start:
        return "SPSS portable"
    if ending == ".rds" and (start.startswith((b"X\n", b"A\n")) or start.startswith(tuple(UNPACK))):
        return "R"
    return None


def read_statistical(path: Path, kind: str, start: bytes, findings: list[Finding]) -> pa.Table:
    """Table of a file; codes are replaced by their labels where all have one."""
    frame = _read_r(path, start) if kind == "R" else _read_labelled(path, kind, findings)
    frame.columns = [str(name) for name in frame.columns]
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"{str(path)!r} has a column of mixed kinds ({error.args[-1]}).") from error


def _read_labelled(path: Path, kind: str, findings: list[Finding]) -> pd.DataFrame:
    try:
        import pyreadstat
    except ImportError as error:
        raise TableError(INSTALL.format(kind, "pyreadstat")) from error
    read = getattr(pyreadstat, READERS[kind])
    # The reader is a compiled one; whatever it says about a file is about the file.
    try:
        if kind == "Stata":
            _refuse_promises(path, read(str(path), metadataonly=True)[1])
        frame, about = read(str(path))
    except TableError:
        raise
    except Exception as error:
        raise TableError(f"{str(path)!r} is a damaged {kind} file ({error}).") from error
    if kind == "SAS transport":
        check_transport(path, len(frame), sum(about.variable_storage_width.values()))
    for name, labels in about.variable_value_labels.items():
        if name in frame.columns:
            frame[name] = _label(frame[name], labels, findings)
    return frame


def _refuse_promises(path: Path, about: Any) -> None:
    """Refuse a file that promises more cells than it has bytes: the reader would make room for all of them."""
    size = path.stat().st_size
    if about.number_rows * about.number_columns > size:
        raise TableError(
            f"{str(path)!r} is a damaged Stata file (it should have {about.number_rows:,} rows of "
            f"{about.number_columns:,} columns, and has {size:,} bytes)."
        )


def _label(cells: pd.Series, labels: dict[Any, str], findings: list[Finding]) -> pd.Series:
    """Labels in place of codes, where every code has one; numbers with a label here and there stay numbers."""
    held = [value for value in cells.dropna().unique() if value in labels]
    if not held:
        return cells
    if len(held) < cells.nunique():
        named = name_columns((str(labels[value]) for value in held), 3)
        findings.append(Converted(str(cells.name), f"as numbers, although some have labels ({named})"))
        return cells
    if len({str(labels[value]) for value in held}) < len(held):
        return cells  # two codes with one label would become one
    findings.append(Converted(str(cells.name), "with its value labels"))
    return cells.map({value: str(labels[value]) for value in held}).astype(object)


def _read_r(path: Path, start: bytes) -> pd.DataFrame:
    try:
        import rdata
    except ImportError as error:
        raise TableError(INSTALL.format("R", "rdata")) from error
    _refuse_large(path, start)
    constructors = {**rdata.conversion.DEFAULT_CLASS_MAP, "Date": _read_days, "POSIXct": _read_seconds}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes such as tbl_df, which are data frames, too
            found = rdata.read_rds(path, constructor_dict=constructors)
    except Exception as error:
        raise TableError(f"{str(path)!r} is a damaged file of R, or holds what cannot be read ({error}).") from error
    if not isinstance(found, pd.DataFrame):
        raise TableError(f"{str(path)!r} holds no data frame but a {type(found).__name__}: saveRDS(the_frame, file).")
    return found


def _read_days(values: Any, attributes: Any) -> Any:
    return pd.to_datetime(_floats(values), unit="D").to_numpy()


def _read_seconds(values: Any, attributes: Any) -> Any:
    return pd.to_datetime(_floats(values), unit="s").to_numpy()


def _floats(values: Any) -> Any:
    return np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)


def _refuse_large(path: Path, start: bytes) -> None:
    """Refuse a file that would expand to more than memory holds."""
    unpack = next((unpack for magic, unpack in UNPACK.items() if start.startswith(magic)), None)
    if unpack is None:
        return
    size = 0
    try:
        with unpack(path, "rb") as file:
            while size <= LARGEST and (part := file.read(CHUNK)):
                size += len(part)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise TableError(f"{str(path)!r} is a damaged file of R ({error}).") from error
    if size > LARGEST:
        raise TableError(f"{str(path)!r} would expand to more than {LARGEST / 2**30:.0f} GB. Save it as Parquet.")
