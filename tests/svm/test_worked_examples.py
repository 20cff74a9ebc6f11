"""The documents' worked examples, by their numbers on the fact sheet; errata are noted where they matter."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen import kernels
from acumen.svm.solvers.problem import BoxProblem
from svm.document_data import ELLIPSE, ELLIPSE_SIDES, ROWS, SEPARABLE, SIDES

X14, Y14 = ROWS[SEPARABLE], SIDES[SEPARABLE]
EXACT_DUAL_SOLVERS = ("smo", "chunking", "dual-ascent", "newton", "adatron")


def machine(X, y, **parameters):
    return acumen.SVM(**{"kernel": "linear", "scale": False, "tol": 1e-7, **parameters}).fit(X, y)


def test_w000_23_distance_of_the_origin_from_the_line():
    w, b = np.array([5.0, 2.0]), -20.0
    assert w @ [4, 0] + b == w @ [2, 5] + b == 0
    assert abs(b) / np.linalg.norm(w) == pytest.approx(3.7139067635, abs=1e-10)
    found = machine(X14, Y14, C=np.inf)  # whose line it is
    assert found.decision_function([[4.0, 0.0], [2.0, 5.0]]) == pytest.approx(0, abs=1e-5)
    assert abs(found.decision_function([[0.0, 0.0]])[0]) / found.norm_ == pytest.approx(
        3.7139067635, abs=1e-5
    )


def test_w000_24_canonical_scaling_and_its_margin():
    w, b = np.array([5.0, 2.0]), -20.0
    s = 1 / (-1 * (w @ [2, 2] + b))
    assert s == pytest.approx(1 / 6)
    assert 1 / np.linalg.norm(s * w) == pytest.approx(1.1141720291, abs=1e-10)
    # That line is the one of widest margin, to which (2, 2) is nearest.
    found = machine(X14, Y14, C=np.inf)
    assert found.coef_[0] == pytest.approx(s * w, abs=1e-5)
    assert found.intercept_[0] == pytest.approx(s * b, abs=1e-5)
    assert found.margin_width_ / 2 == pytest.approx(1.1141720291, abs=1e-5)


@pytest.mark.parametrize("solver", ["auto", *EXACT_DUAL_SOLVERS])
def test_w000_25_the_hard_margin(solver):
    found = machine(X14, Y14, C=np.inf, solver=solver)
    assert found.coef_[0] == pytest.approx([5 / 6, 1 / 3], abs=1e-5)
    assert found.intercept_[0] == pytest.approx(-10 / 3, abs=2e-5)
    # alphas are not unique; their sum, and which rows may have one, are.
    assert found.alpha_.sum() == pytest.approx(29 / 36, abs=1e-4)
    assert found.certificate_.dual == pytest.approx(29 / 72, abs=1e-5)
    assert set(np.flatnonzero(found.alpha_ > 1e-5)) <= {0, 1, 3, 12, 13}
    assert set(np.flatnonzero(found.type_ == "on the margin")) == {0, 1, 3, 12, 13}
    assert (found.type_ != "wrong side").all()


@pytest.mark.parametrize("solver", ["auto", *EXACT_DUAL_SOLVERS])
def test_w000_26_the_soft_margin(solver):
    found = machine(ROWS, SIDES, C=1, solver=solver)
    assert found.coef_[0] == pytest.approx([5 / 6, 1 / 3], abs=1e-5)
    assert found.intercept_[0] == pytest.approx(-10 / 3, abs=1e-5)
    assert found.certificate_.primal == pytest.approx(437 / 72, rel=1e-7)
    assert found.certificate_.dual == pytest.approx(437 / 72, rel=1e-7)
    assert found.alpha_[14:] == pytest.approx(1, abs=1e-6)
    ranges = {
        0: (0, 0.041667),
        1: (0.194444, 0.277778),
        3: (0.958333, 1),
        12: (0.958333, 1),
        13: (0.236111, 0.277778),
    }
    for row in range(14):
        low, high = ranges.get(row, (0, 0))
        assert low - 1e-5 <= found.alpha_[row] <= high + 1e-5


def test_w000_27_slacks():
    found = machine(ROWS, SIDES, C=1)
    assert found.slack_[14:] == pytest.approx([1 / 3, 5 / 3, 5 / 6, 17 / 6], abs=1e-6)
    assert found.slack_.sum() == pytest.approx(17 / 3, abs=1e-5)
    assert found.decision_function(ROWS[14:]) == pytest.approx([2 / 3, -2 / 3, -1 / 6, 11 / 6], abs=1e-6)
    # The text calls x16 (3, 3); the table has (2, 3), and that is the row on the wrong side.
    assert found.type_[14:].tolist() == ["inside", "wrong side", "inside", "wrong side"]


def phi(x):
    a, b, r = x[..., 0], x[..., 1], np.sqrt(2)
    return np.stack([np.ones_like(a), r * a, r * b, a * a, b * b, r * a * b], axis=-1)


def test_w000_28_the_map_of_the_quadratic_kernel():
    assert phi(np.array([4.0, 4.0]))[5] == pytest.approx(22.6274169980)  # printed 15.91
    assert phi(np.array([1.0, 2.0]))[4] == 4  # printed 2 in the running text
    kernel = kernels.Polynomial(2, offset=1)
    assert phi(ELLIPSE) @ phi(ELLIPSE).T == pytest.approx(kernel(ELLIPSE))


def test_w000_29_the_quadratic_kernel_machine():
    found = machine(ELLIPSE, ELLIPSE_SIDES, kernel=kernels.Polynomial(2, offset=1), C=4)
    alphas = [1451 / 2340, 323 / 156, 742 / 195, 149 / 468, 77 / 26, 601 / 156]
    assert found.alpha_ == pytest.approx(alphas, abs=1e-5)
    w = (found.alpha_ * ELLIPSE_SIDES) @ phi(ELLIPSE)
    expected = [0, -1.4142135624, -3.2998316455, 0.2564102564, 0.8205128205, -0.0181309431]
    assert w == pytest.approx(expected, abs=1e-5)
    assert found.intercept_[0] == pytest.approx(115 / 13, abs=1e-4)  # printed with the wrong sign
    assert (found.type_ == "on the margin").all()
    named = machine(ELLIPSE, ELLIPSE_SIDES, kernel="poly", degree=2, gamma=1.0, offset=1, C=4)
    assert named.decision_function(ELLIPSE) == pytest.approx(found.decision_function(ELLIPSE), abs=1e-6)


def test_w000_30_its_boundary_is_an_ellipse():
    found = machine(ELLIPSE, ELLIPSE_SIDES, kernel=kernels.Polynomial(2, offset=1), C=4)
    c, a, b, aa, bb, ab = (found.alpha_ * ELLIPSE_SIDES) @ phi(ELLIPSE)
    r = np.sqrt(2)
    form = np.array([[aa, r * ab / 2], [r * ab / 2, bb]])
    linear = r * np.array([a, b])
    centre = np.linalg.solve(-2 * form, linear)
    assert centre == pytest.approx([4.0453479281, 2.9069585614], abs=1e-4)
    rest = c + found.intercept_[0] + linear @ centre / 2
    semi = np.sqrt(-rest / np.linalg.eigvalsh(form))  # the printed "axis lengths" are semi-axes
    assert sorted(semi, reverse=True) == pytest.approx([2.7819003530, 1.5539704314], abs=1e-4)


def setosa():
    iris = acumen.datasets.load("iris")
    X = np.column_stack([iris.column("sepal_length"), iris.column("sepal_width")])
    return X, np.where(iris.label_values() == "Iris-setosa", -1, 1)


@pytest.mark.parametrize("solver", EXACT_DUAL_SOLVERS)
def test_w000_31_svm_dual_on_iris_with_c_of_ten(solver):
    X, y = setosa()
    found = machine(X, y, C=10, bias="folded", solver=solver, tol=1e-8)
    triple = [*found.coef_[0], found.intercept_[0]]
    assert triple == pytest.approx([2.7462519012, -3.7479177229, -3.0868400087], abs=2e-5)
    assert found.certificate_.primal == pytest.approx(45.8674042160, rel=1e-7)
    assert found.slack_.sum() == pytest.approx(3.0308720, abs=1e-4)
    assert np.count_nonzero(found.type_ == "wrong side") == 1
    if solver in ("smo", "dual-ascent"):
        # Equal rows share one multiplier as they like: distinct rows are what can be counted.
        assert len(np.unique(X[found.alpha_ > 1e-6], axis=0)) == 7


@pytest.mark.parametrize("solver", ["smo", "newton"])
def test_w000_32_the_same_with_c_of_a_thousand(solver):
    X, y = setosa()
    found = machine(X, y, C=1000, bias="folded", solver=solver, tol=1e-8)
    triple = [*found.coef_[0], found.intercept_[0]]
    assert triple == pytest.approx([60 / 7, -50 / 7, -162 / 7], abs=1e-3)
    assert found.slack_.sum() < 1e-4
    free = machine(X, y, C=10, tol=1e-8)  # folding matters: a free bias gives other weights
    assert [*free.coef_[0], free.intercept_[0]] == pytest.approx([4, -4, -9], abs=1e-3)


def test_w001_36_primal_equals_dual_and_factors_of_two():
    found = machine(ROWS, SIDES, C=1).certificate_
    assert found.primal == pytest.approx(6.0694444444) == found.dual
    # |w|^2 + c sum slack (no half) is twice 1/2 |w|^2 + c/2 sum slack.
    c = 3.0
    half = machine(ROWS, SIDES, C=c / 2)
    printed = half.norm_**2 + c * half.slack_.sum()
    assert printed == pytest.approx(2 * half.certificate_.primal, rel=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(50):
        w = half.coef_[0] + 0.1 * rng.normal(size=2)
        b = half.intercept_[0] + 0.1 * rng.normal()
        other = w @ w + c * np.maximum(0, 1 - SIDES * (ROWS @ w + b)).sum()
        assert other >= printed - 1e-6


def test_w001_37_the_quadratic_map_holds():
    a, b = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    assert kernels.Polynomial(2, offset=0)(a[None], b[None])[0, 0] == pytest.approx((a @ b) ** 2) == 1


def test_w001_38_which_kernels_are_positive():
    X = np.random.default_rng(3).normal(size=(30, 3))
    assert kernels.RBF(sigma=1.0).is_psd(X)
    assert not kernels.Sigmoid(1.0, -1.0).is_psd(X)
    # A machine is learned all the same, and its point is feasible.
    found = acumen.SVM(kernel="sigmoid", gamma=1.0, offset=-1.0, scale=False).fit(X, X[:, 0] > 0)
    assert (found.alpha_ >= 0).all() and (found.alpha_ <= 1).all()


def test_w002_20_the_margin_is_two_over_the_norm():
    assert machine(X14, Y14, C=np.inf).margin_width_ == pytest.approx(2.2283440581, abs=1e-5)


def test_w002_21_and_22_the_homogeneous_quadratic_map():
    def homogeneous(x):
        return np.array([x[0] ** 2, x[1] ** 2, np.sqrt(2) * x[0] * x[1]])

    assert homogeneous([2, 3]) == pytest.approx([4, 9, 8.4852813742])
    assert homogeneous([2, 3]) @ homogeneous([1, 4]) == pytest.approx(196)
    kernel = kernels.Polynomial(2, offset=0)
    assert kernel([[2.0, 3.0]], [[1.0, 4.0]])[0, 0] == 196
    assert kernel([[2.0, 3.0]])[0, 0] == pytest.approx((np.array([4, 9, 8.4852813742]) ** 2).sum())


def test_w003_04_the_subgradient_agrees_with_finite_differences():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), np.where(rng.random(40) < 0.5, 1.0, -1.0)
    problem = BoxProblem.of_classes(y, np.full(40, 0.7), "hinge", balanced=False)
    w = rng.normal(size=3)

    def objective(w):
        return problem.primal(float(w @ w), X @ w)

    slope = w - X.T @ problem.pull(X @ w)
    for j in range(3):
        h = np.eye(3)[j] * 1e-6
        assert (objective(w + h) - objective(w - h)) / 2e-6 == pytest.approx(slope[j], abs=1e-5)


def test_w003_05_cosines_by_the_linear_kernel():
    def cosine(a, b):
        k = kernels.Linear()([a, b])
        return k[0, 1] / np.sqrt(k[0, 0] * k[1, 1])

    assert cosine([1.0, 2.0], [2.0, 4.0]) == pytest.approx(1)
    assert cosine([1.0, 2.0], [2.0, -1.0]) == 0
