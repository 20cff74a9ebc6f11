"""Kernel lines stay within their memory, and make the same sums whether they are kept or not."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.geometry.kernels import RBF
from acumen.svm.solvers.decomposition import LineCache
from acumen.svm.solvers.gram import gram_of


@pytest.mark.parametrize("memory", [0, 5000, 40_000, 1 << 20])
def test_lines_are_kept_within_their_memory(memory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    cache = LineCache(gram_of(X, RBF(gamma=0.5), folded=False, single=False), memory)
    assert cache.lines.nbytes <= memory
    kernel, sums, expected = RBF(gamma=0.5)(X), np.zeros(100), np.zeros(100)
    for _ in range(40):
        rows = rng.choice(100, 12, replace=False)
        coefficients = rng.normal(size=12)
        cache.add_sums(rows, coefficients, sums, np.ones(12, dtype=np.bool_))
        expected += coefficients @ kernel[rows]
    assert sums == pytest.approx(expected, abs=1e-10)
