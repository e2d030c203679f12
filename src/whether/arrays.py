"""Names for the arrays that functions take and return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Features: TypeAlias = NDArray[np.float64] | csr_array  # one row per person; a sparse matrix stays one
else:
    Features = Any  # whoever reads types at run time need not load SciPy

Array = NDArray[np.float64]
Rows = NDArray[np.intp]  # positions of rows, or of columns
Flags = NDArray[np.bool_]
