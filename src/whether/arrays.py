"""Names for the arrays that functions take and return."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]  # positions of rows, or of columns
Flags = NDArray[np.bool_]
