"""The literature's worked examples on discriminants, in their exact values."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.kernels import Polynomial
from acumen.summaries import ScatterMatrices
from iris_tables import components, sepals

NEAR = 1e-9


def test_w000_18_scatter_between_and_within_the_classes() -> None:
    rows = sepals()
    found = ScatterMatrices.of(rows.numeric, rows.labels, None, 2)
    apart = found.mean[0] - found.mean[1]
    B = np.outer(apart, apart)
    assert B[[0, 0, 1], [0, 1, 1]] == pytest.approx([1.577536, -0.685776, 0.298116], rel=NEAR)
    S1, S2 = found.scatter
    assert S1[[0, 0, 1], [0, 1, 1]] == pytest.approx([6.0882, 4.9146, 7.1138], rel=NEAR)
    assert S2[[0, 0, 1], [0, 1, 1]] == pytest.approx([43.4956, 12.0936, 10.9616], rel=NEAR)
    pooled = acumen.Fisher().fit(rows).summary_.scatter.scatter[0]
    assert pooled[[0, 0, 1], [0, 1, 1]] == pytest.approx([49.5838, 17.0082, 18.0754], rel=NEAR)


def test_w000_19_and_w004_09_fishers_criterion_and_direction() -> None:
    model = acumen.Fisher().fit(sepals())
    assert model.ratio_ == pytest.approx(0.1097651482, abs=5e-11)
    assert model.directions_[0] == pytest.approx([0.5511067191, -0.8344347693], abs=5e-11)


def test_w000_20_and_w001_34_the_direct_solution() -> None:
    rows = sepals()
    model = acumen.Fisher().fit(rows)
    planes = model.model_.planes
    # The planes' slopes differ by S^-1 (m2 - m1), S being a covariance there and a scatter in the documents.
    w = (planes.slope[1] - planes.slope[0]) / len(rows)
    assert w == pytest.approx([0.0527032259, -0.0797983451], abs=5e-11)
    assert np.linalg.norm(w) == pytest.approx(0.0956316156, abs=5e-11)
    assert w / np.linalg.norm(w) == pytest.approx(model.directions_[0], rel=NEAR)
    found = ScatterMatrices.of(rows.numeric, rows.labels, None, 2)
    assert found.mean[0] - found.mean[1] == pytest.approx([-1.256, 0.546], rel=NEAR)
    inverse = np.linalg.inv(model.summary_.scatter.scatter[0])
    expected = [0.0297798162, -0.0280215691, 0.0816909419]
    assert inverse[[0, 0, 1], [0, 1, 1]] == pytest.approx(expected, abs=5e-11)
    assert w == pytest.approx(inverse @ (found.mean[1] - found.mean[0]), rel=NEAR)


def test_w004_09_the_scatter_between_is_of_differences() -> None:
    rows = sepals()
    model = acumen.Fisher().fit(rows)
    w = model.directions_[0]
    first, second = ScatterMatrices.of(rows.numeric, rows.labels, None, 2).mean
    within = model.summary_.scatter.scatter[0]
    right, printed = np.outer(first - second, first - second), np.outer(first - second, first + second)
    assert (w @ right @ w) / (w @ within @ w) == pytest.approx(model.ratio_, rel=NEAR)
    assert (w @ printed @ w) / (w @ within @ w) == pytest.approx(-0.0919283589, abs=5e-11)
    X = rows.numeric.matrix()[rows.labels == 0]
    own = ScatterMatrices.of(rows.numeric, rows.labels, None, 2).scatter[0]
    np.testing.assert_allclose((X - first).T @ (X - second), own, rtol=NEAR)  # the extra term sums to zero


def test_w004_10_eigenvalues_of_three_classes() -> None:
    iris = acumen.datasets.load("iris")
    assert acumen.Fisher().fit(iris).separation_ == pytest.approx([32.2719577997, 0.2775668638], abs=5e-10)
    # Two of UCI's rows are not as Fisher printed them.
    X = np.array(iris.numeric.matrix())
    X[34, 3], X[37, 1:3] = 0.2, [3.6, 1.4]
    printed = acumen.Fisher().fit(X, iris.label_values())
    assert printed.separation_ == pytest.approx([32.1919291983, 0.2853910426], abs=5e-10)


def quadratic() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows, their labels and the coefficients of the discriminant under (x.z)^2."""
    rows = components()
    model = acumen.KernelFisher(kernel=Polynomial(2, offset=0), alpha=0.0, scale=False).fit(rows)
    return rows.numeric.matrix(), rows.labels, model.model_.coefficients[:, 0]


def test_w000_21_the_quadratic_kernel_discriminant() -> None:
    X, labels, a = quadratic()
    K = Polynomial(2, offset=0)(X)
    values = K @ a / np.sqrt(a @ K @ a)  # w.phi(x) for a w of length 1
    first, second = values[labels == 0], values[labels == 1]
    found = [first.mean(), second.mean()]
    found += [((part - part.mean()) ** 2).sum() for part in (first, second)]
    assert found == pytest.approx([0.3380049482, 4.4758905107, 13.8616858746, 320.9341334363], abs=2e-8)
    assert (found[0] - found[1]) ** 2 / (found[2] + found[3]) == pytest.approx(0.0511419078, abs=1e-10)


def test_w000_22_the_direction_among_the_features() -> None:
    X, _, a = quadratic()
    features = np.column_stack([np.sqrt(2) * X[:, 0] * X[:, 1], X[:, 0] ** 2, X[:, 1] ** 2])
    w = features.T @ a
    w = w / np.linalg.norm(w)
    assert w == pytest.approx([0.5110661477, 0.7608031640, -0.3999874227], abs=2e-9)
    polynomial = [np.sqrt(2) * w[0], w[1], w[2]]
    assert polynomial == pytest.approx([0.7227566773, 0.7608031640, -0.3999874227], abs=2e-9)
