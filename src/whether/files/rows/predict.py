"""Risks of people in Parquet files, written as the files are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from whether.files.rows.parquet_rows import find_pieces
from whether.files.table.encoder import Encoder
from whether.files.table.roles import check_column
from whether.files.whole_files import atomic_path


def predict_parquet(model: Any, encoder: Encoder, paths: Any, output: Any, *, id: tuple[str, ...] = ()) -> int:
    """Write the risk of every person in Parquet files to a Parquet file, and return how many there are.

    Rows are read, predicted and written piece by piece; the file is there when it is whole.

    Parameters
    ----------
    model : fitted classifier
    encoder : Encoder
        What makes features of columns: `ParquetRows.encoder` of the rows that it was fitted to.
    paths : path-like or sequence of them
        Files, folders of files, or patterns.
    output : path-like
    id : tuple of str
        Columns to copy.
    """
    pieces = find_pieces(paths)
    known = pq.read_schema(pieces[0].path).names
    for name in id:
        check_column(name, known)
    columns = list(dict.fromkeys([*id, *encoder.columns_among(known)]))
    written, people = None, 0
    with atomic_path(Path(output)) as unfinished:
        try:
            for piece in pieces:
                for table, _ in piece.tables(columns):
                    features = pd.DataFrame(encoder.encode_table(table, []), columns=list(encoder.features), copy=False)
                    risk = model.predict_proba(features)[:, 1]
                    part = pa.table([*(table[name] for name in id), pa.array(np.asarray(risk))], names=[*id, "risk"])
                    written = written or pq.ParquetWriter(unfinished, part.schema)
                    written.write_table(part)
                    people += part.num_rows
        finally:
            if written is not None:
                written.close()
    return people
