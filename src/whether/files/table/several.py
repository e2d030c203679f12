"""Tables that are not one plain file: standard input, a pipe, and several files that are one table."""

from __future__ import annotations

import glob
import shutil
import sys
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from whether.files.private_folders import TABLES, private_folder
from whether.files.table.findings import TableError
from whether.files.table.names import name_columns

STANDARD_INPUT = "-"


class _Holder:
    """Something that can be let go of."""


def list_files(path: Path) -> list[Path]:
    """Files that a pattern such as ``part-*.csv`` stands for, in the order of their names; else none."""
    if path.exists() or not glob.has_magic(str(path)):
        return []
    return [Path(name) for name in sorted(glob.glob(str(path))) if Path(name).is_file()]


def keep_stream(path: Path) -> tuple[Path, Any] | None:
    """Copy what can be read only once to a file; None for any other path.

    The second part of the answer removes the copy when it is let go of: hold it as long as the copy is read.
    """
    is_input = str(path) == STANDARD_INPUT
    if not is_input and (not path.exists() or path.is_file() or path.is_dir()):
        return None
    stack, holder = ExitStack(), _Holder()
    weakref.finalize(holder, stack.close)
    copy = stack.enter_context(private_folder(TABLES)) / f"table{path.suffix}"
    with open(copy, "wb") as target:
        if is_input:
            shutil.copyfileobj(sys.stdin.buffer, target)
        else:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, target)
    return copy, holder


def check_alike(names: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    """Refuse files that have other columns than the first one."""
    for name, own in zip(names, columns, strict=True):
        lacks = [column for column in columns[0] if column not in own]
        more = [column for column in own if column not in columns[0]]
        if lacks or more:
            what = f"lacks {name_columns(lacks)}" if lacks else f"has {name_columns(more)}, too"
            raise TableError(f"{name!r} {what}, unlike {names[0]!r}: files of one table have the same columns.")


def stack(tables: Sequence[pa.Table]) -> pa.Table:
    """Put tables one below the other; a column that is text in one of them is text in all, yes and no are 1 and 0."""
    merged = []
    for name in tables[0].column_names:
        parts = [table[name] for table in tables]
        kinds = {part.type for part in parts if not pa.types.is_null(part.type)}
        if len(kinds) > 1:
            is_number = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
            if all(any(is_kind(kind) for is_kind in is_number) for kind in kinds):
                parts = [part.cast(pa.int8()) if pa.types.is_boolean(part.type) else part for part in parts]
                parts = [part.cast(pa.float64(), safe=False) for part in parts]
            else:
                parts = [part.cast(pa.string(), safe=False) for part in parts]
        elif kinds:
            parts = [part.cast(next(iter(kinds))) for part in parts]
        merged.append(pa.chunked_array([chunk for part in parts for chunk in part.chunks], type=parts[0].type))
    return pa.table(merged, names=tables[0].column_names)
