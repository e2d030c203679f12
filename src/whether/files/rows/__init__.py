"""Rows that do not fit into memory, or lie on other machines: sources for ``fit_rows``, and risks as they come."""

from whether.files.rows.array_rows import ArrayRows
from whether.files.rows.dask_rows import DaskRows
from whether.files.rows.parquet_rows import ParquetRows
from whether.files.rows.predict import predict_parquet

__all__ = ["ArrayRows", "DaskRows", "ParquetRows", "predict_parquet"]
