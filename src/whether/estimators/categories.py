"""Categorical columns of a data frame, for learners that split them natively.

Categories become whole numbers in the order of the frame's own categories. A value that was not there when the model
was fitted, or is missing, is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whether.validate import check_table


def find_categories(table: Any) -> dict[str, tuple[Any, ...]]:
    """Return the categories of each categorical column of a pandas or polars frame; nothing for other tables."""
    columns, dtypes = getattr(table, "columns", None), getattr(table, "dtypes", None)
    if columns is None or dtypes is None:
        return {}
    categories = {}
    for name, dtype in zip(columns, dtypes, strict=True):
        if str(dtype) == "category":
            categories[str(name)] = tuple(dtype.categories.tolist())
        elif str(dtype).startswith(("Categorical", "Enum")):  # as polars writes its own
            categories[str(name)] = tuple(sorted({value for value in table[name].to_list() if value is not None}))
    return categories


def encode_categories(table: Any, categories: dict[str, tuple[Any, ...]]) -> Any:
    """Return the frame with the categories of the fit as whole numbers, NaN where they are missing or new."""
    present = [name for name in categories if name in getattr(table, "columns", ())]
    if not present:
        return table
    codes = {}
    for name in present:
        number = {category: float(code) for code, category in enumerate(categories[name])}
        codes[name] = np.array([number.get(value, np.nan) for value in table[name].to_list()])
    if hasattr(table, "with_columns"):  # polars
        series = type(table[present[0]])
        return table.with_columns(*(series(name, values) for name, values in codes.items()))
    return table.assign(**codes)


def read_table(table: Any, categories: dict[str, tuple[Any, ...]]) -> Any:
    """Return what is to be validated as a table of numbers; a frame without columns becomes an array without any."""
    table = encode_categories(table, categories)
    check_table(table, allow_empty=True)
    # scikit-learn cannot read a frame without columns
    return np.empty((len(table), 0)) if len(getattr(table, "columns", [""])) == 0 else table
