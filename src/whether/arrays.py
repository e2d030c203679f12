"""Names for the arrays that functions take and return."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]
Features: TypeAlias = "Array | csr_array"  # one row per person; a sparse matrix stays one
Rows = NDArray[np.intp]  # positions of rows, or of columns
Flags = NDArray[np.bool_]
