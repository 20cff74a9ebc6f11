"""Objective values against LIBSVM and LIBLINEAR (through scikit-learn 1.9) at tight tolerance, on twelve data sets.

Theirs are evaluated from the functions they return, so that nothing but the optimum is compared.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.svm import SVC, SVR, LinearSVC

import acumen
from acumen.svm.solvers.problem import BoxProblem

RELATIVE = 1e-6


def _cases():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(150, 5))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=150) > 0.2, 1, -1)
    cancer, wine, iris = load_breast_cancer(), load_wine(), load_iris()
    z = (cancer.data - cancer.data.mean(0)) / cancer.data.std(0)
    twice = np.repeat(X[:20], 2, axis=0)
    moons = make_moons(200, noise=0.3, random_state=0)
    wide = rng.normal(size=(30, 80))
    flat = X[:80].copy()
    flat[:, [1, 3]] = 2.5
    return {
        "overlapping": (X, y, 1.0),
        "breast cancer": (z[:200], np.where(cancer.target[:200], 1, -1), 1.0),
        "wine, two classes": (wine.data[:130] / wine.data.max(0), np.where(wine.target[:130], 1, -1), 1.0),
        "iris, harder two": (iris.data[50:], np.where(iris.target[50:] == 1, 1, -1), 2.0),
        "moons": (moons[0], np.where(moons[1], 1, -1), 3.0),
        "duplicates with opposite labels": (twice, np.tile([1, -1], 20), 1.0),
        "constant columns": (flat, y[:80], 1.0),
        "one row per class": (np.array([[0.0, 1.0], [2.0, 0.5]]), np.array([-1, 1]), 1.0),
        "fewer rows than columns": (wide, np.where(wide[:, 0] > 0, 1, -1), 1.0),
        "huge C": (X[:60], y[:60], 1e3),
        "tiny C": (X, y, 1e-5),
        "one row against many": (X[:40], np.where(np.arange(40) == 3, 1, -1), 1.0),
    }  # fmt: skip


CASES = _cases()


def require_optimum(mine, theirs, kernel, X, y, C):
    """Equal dual objectives, which is what LIBSVM maximises, and a primal value no worse than theirs.

    LIBSVM keeps kernel values in single precision, which shows in the bias and so in the primal alone.
    """
    b = np.zeros(len(y))
    b[theirs.support_] = theirs.dual_coef_[0]
    K = kernel(X)
    problem = BoxProblem.of_classes(y.astype(float), np.full(len(y), C), "hinge", balanced=True)
    assert mine.dual == pytest.approx(problem.dual(b, K @ b), rel=RELATIVE)
    assert mine.primal <= problem.primal(float(b @ K @ b), K @ b + theirs.intercept_[0]) * (1 + RELATIVE)
    assert mine.relative_gap < RELATIVE


@pytest.mark.parametrize("name", CASES)
def test_kernel_machines_have_libsvms_optimum(name):
    X, y, C = CASES[name]
    kernel = acumen.kernels.RBF(gamma=0.3)
    theirs = SVC(C=C, gamma=0.3, tol=1e-9, shrinking=False).fit(X, y)
    for solver in ("smo", "chunking", "newton"):
        tol = 1e-9 if name == "huge C" else 1e-8  # what a violation costs goes with C
        mine = acumen.SVM(kernel=kernel, C=C, scale=False, tol=tol, solver=solver).fit(X, y).certificate_
        require_optimum(mine, theirs, kernel, X, y, C)


@pytest.mark.parametrize("name", CASES)
def test_linear_machines_have_libsvms_optimum(name):
    X, y, C = CASES[name]
    if name == "huge C":
        X = X / 10  # LIBSVM itself needs minutes at a larger scale
    theirs = SVC(kernel="linear", C=C, tol=1e-9, shrinking=False).fit(X, y)
    for solver in ("auto", "newton"):
        mine = acumen.SVM(kernel="linear", C=C, scale=False, tol=1e-7, solver=solver).fit(X, y).certificate_
        require_optimum(mine, theirs, acumen.kernels.Linear(), X, y, C)


@pytest.mark.filterwarnings("ignore:Liblinear failed")
@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("name", CASES)
def test_folded_machines_have_liblinears_optimum(name, loss):
    X, y, C = CASES[name]
    if name == "huge C" and loss == "hinge":
        C = 10.0  # LIBLINEAR does not converge beyond
    word, dual = ("hinge", True) if loss == "hinge" else ("squared_hinge", False)
    theirs = LinearSVC(C=C, loss=word, dual=dual, tol=1e-10, max_iter=200_000, random_state=0).fit(X, y)
    problem = BoxProblem.of_classes(y.astype(float), np.full(len(y), C), loss, balanced=False)
    w, b = theirs.coef_[0], float(theirs.intercept_[0])
    expected = problem.primal(float(w @ w) + b * b, X @ w + b)
    for solver in ("dual-ascent", "newton", "smo"):
        if solver != "newton" and name == "huge C":
            continue  # coordinates crawl there, as theirs do
        found = acumen.SVM(
            kernel="linear",
            loss=loss,
            C=C,
            bias="folded",
            scale=False,
            tol=1e-7,
            solver=solver,
            max_iter=None,
        )
        mine = found.fit(X, y).certificate_
        assert mine.primal <= expected * (1 + RELATIVE)
        assert mine.relative_gap < RELATIVE


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_regression_has_libsvms_function(kernel, epsilon):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, -2.0, 0.5] + np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=120)
    theirs = SVR(kernel=kernel, gamma=0.4, C=2.0, epsilon=epsilon, tol=1e-8).fit(X, y).predict(X)
    for solver in ("smo", "chunking", "newton"):
        mine = acumen.SVR(
            kernel=kernel, gamma=0.4, C=2.0, epsilon=epsilon, tol=1e-8, scale=False, solver=solver
        )
        assert mine.fit(X, y).predict(X) == pytest.approx(theirs, abs=2e-3 if epsilon == 0 else 2e-4)
        assert mine.certificate_.relative_gap < RELATIVE


def test_row_weights_are_libsvms():
    X, y, C = CASES["overlapping"]
    weights = np.random.default_rng(0).uniform(0.2, 3, len(y))
    theirs = SVC(C=C, gamma=0.3, tol=1e-8).fit(X, y, sample_weight=weights)
    mine = acumen.SVM(C=C, gamma=0.3, scale=False, tol=1e-8).fit(X, y, sample_weight=weights)
    assert mine.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)


def test_votes_are_libsvms():
    X, y = load_iris(return_X_y=True)
    theirs = SVC(gamma=0.5, tol=1e-8, break_ties=False).fit(X, y)
    mine = acumen.SVM(gamma=0.5, scale=False, tol=1e-8).fit(X, y)
    assert (mine.predict(X) == theirs.predict(X)).all()
    assert mine.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)


def test_gamma_means_what_it_means_there():
    X, y, _ = CASES["overlapping"]
    for gamma in ("scale", "auto"):
        theirs = SVC(gamma=gamma, tol=1e-8).fit(X, y).decision_function(X)
        mine = acumen.SVM(gamma=gamma, tol=1e-8, scale=False).fit(X, y).decision_function(X)
        assert mine == pytest.approx(theirs, abs=1e-6)
