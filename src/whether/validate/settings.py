"""Settings of a call: numbers within their range."""

from __future__ import annotations

import numbers
from typing import Any

from whether.validate.error_types import ArgumentError


def check_whole_number(value: Any, name: str, lowest: int) -> None:
    """Refuse what is not a whole number of at least ``lowest``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < lowest:
        raise ArgumentError(f"`{name}` must be a whole number >= {lowest}, got {value!r}.")


def check_between(value: Any, name: str) -> None:
    """Refuse what does not lie between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 < float(value) < 1:
        raise ArgumentError(f"`{name}` must lie between 0 and 1, got {value!r}.")
