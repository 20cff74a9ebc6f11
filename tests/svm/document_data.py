"""The documents' example rows."""

from __future__ import annotations

import numpy as np

ROWS = np.array([
    [3.5, 4.25], [4, 3], [4, 4], [4.5, 1.75], [4.9, 4.5], [5, 4], [5.5, 2.5], [5.5, 3.5], [0.5, 1.5], [1, 2.5],
    [1.25, 0.5], [1.5, 1.5], [2, 2], [2.5, 0.75], [4, 2], [2, 3], [3, 2], [5, 3],
])  # fmt: skip
SIDES = np.array([1] * 8 + [-1] * 6 + [1, 1, -1, -1])
SEPARABLE = slice(0, 14)

ELLIPSE = np.array([[1, 2], [4, 1], [6, 4.5], [7, 2], [4, 4], [6, 3]])
ELLIPSE_SIDES = np.array([1, 1, 1, 1, -1, -1])
