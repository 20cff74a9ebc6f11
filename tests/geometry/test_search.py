"""The products of single precision only propose: what they find is what double precision finds, ties and all."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.distances import Euclidean
from acumen.geometry.search import NeighbourSearch

MAKERS = {
    "spread": lambda X, rng: X,
    "many ties": lambda X, rng: np.round(X),
    "far from zero": lambda X, rng: X * 1e-3 + 1e6,
    "repeated": lambda X, rng: X[rng.integers(0, max(1, len(X) // 20), len(X))],
    "columns of all sizes": lambda X, rng: np.round(2 * X) * rng.choice([1e-8, 1.0, 1e8], X.shape[1]),
}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("k", [5, 16, 60])
def test_products_propose_the_neighbours_of_double_precision(make, k):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(k, 1200)), int(rng.integers(1, 30))
        X = MAKERS[make](rng.normal(size=(n, d)), rng)
        fitted = Euclidean().fit(acumen.read(X))
        rows, asked = (
            fitted.raw(acumen.read(each)) for each in (X, np.vstack([X[:40], rng.normal(size=(9, d))]))
        )
        fast, plain = (
            NeighbourSearch(fitted, rows, index=way).lists(asked, k) for way in ("blocked", "brute")
        )
        assert np.array_equal(fast.ends, plain.ends)
        assert np.array_equal(fast.rows, plain.rows)
        assert np.array_equal(fast.distances, plain.distances)
