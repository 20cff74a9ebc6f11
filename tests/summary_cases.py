"""Tables of random rows for the summaries' tests, with everything that may be odd in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

CLASSES = 3
LEVELS = 4
PARTS = 3

odd_values = st.one_of(
    st.floats(-100, 100, allow_subnormal=False),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e6, 1e6 + 1]),
)
known_values = st.floats(-100, 100, allow_subnormal=False)


@dataclass
class Rows:
    values: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    parts: np.ndarray

    def take(self, rows) -> Rows:
        weights = self.weights[rows] if self.weights.size else self.weights
        return Rows(self.values[rows], self.codes[rows], self.labels[rows], weights, self.parts[rows])

    def __len__(self) -> int:
        return len(self.labels)


@st.composite
def some_rows(draw, values=odd_values, max_rows: int = 12, whole: bool = False) -> Rows:
    n = draw(st.integers(0, max_rows))
    d = draw(st.integers(1, 3))
    weight = st.integers(0, 3).map(float) if whole else st.sampled_from([0.0, 0.25, 1.0, 1.7, 3.0])
    return Rows(
        draw(arrays.arrays(np.float64, (n, d), elements=values)),
        draw(arrays.arrays(np.int32, (n, d), elements=st.integers(-2, LEVELS))),
        draw(arrays.arrays(np.int32, n, elements=st.integers(-1, CLASSES))),
        draw(st.one_of(st.just(np.empty(0)), arrays.arrays(np.float64, n, elements=weight))),
        draw(arrays.arrays(np.int32, n, elements=st.integers(-1, PARTS))),
    )


def close(a, b, rel: float = 1e-12) -> bool:
    """Equal to `rel` of the largest value, infinities and NaN in the same places."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return False
    finite = np.isfinite(a)
    scale = max(1.0, np.abs(a[finite]).max(initial=0.0))
    return bool(np.allclose(a[finite], b[finite], rtol=rel, atol=rel * scale))


def layouts(matrix: np.ndarray) -> list:
    """The same matrix by rows, by columns, backwards in memory, with gaps, and as loose columns."""
    gaps = np.full((2 * matrix.shape[0], 3 * matrix.shape[1]), -7, dtype=matrix.dtype)
    gaps[::2, ::3] = matrix
    backwards = matrix[::-1, ::-1].copy()[::-1, ::-1]
    read_only = matrix.copy()
    read_only.flags.writeable = False
    loose = [matrix[:, j].copy() for j in range(matrix.shape[1])]
    return [matrix.copy(), np.asfortranarray(matrix), backwards, gaps[::2, ::3], read_only, loose]
