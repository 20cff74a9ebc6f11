"""One machine for all classes: its optimum on classes that overlap, at any tolerance."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.svm import LinearSVC

import acumen


@pytest.fixture(scope="module")
def overlapping():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    return (X - X.mean(0)) / X.std(0), np.where(rng.random(178) < 0.25, rng.integers(0, 3, 178), y)


def objective(f, square, y, C):
    at = np.arange(len(y))
    beaten = f + 1
    beaten[at, y] -= 1
    return 0.5 * square + C * (beaten.max(1) - f[at, y]).sum()


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-8])
def test_a_tighter_tolerance_is_a_better_machine(overlapping, tol):
    """Rows left out too soon and never looked at again once made it a worse one."""
    X, y = overlapping
    theirs = LinearSVC(multi_class="crammer_singer", C=0.7, tol=1e-9, max_iter=100_000).fit(X, y)
    square = (theirs.coef_**2).sum() + (theirs.intercept_**2).sum()
    best = objective(theirs.decision_function(X), square, y, 0.7)
    mine = acumen.SVM(kernel="linear", multiclass="single", bias="folded", C=0.7, scale=False, tol=tol)
    mine.fit(X, y)
    assert mine.certificate_.kkt <= 3 * tol
    assert mine.certificate_.primal == pytest.approx(best, rel=tol)
    square = (mine.coef_**2).sum() + (mine.intercept_**2).sum()
    assert objective(mine.decision_function(X), square, y, 0.7) == pytest.approx(mine.certificate_.primal)
    assert mine.certificate_.dual <= best * (1 + 1e-9)


def test_votes_against_every_class_by_rows(overlapping):
    X, y = overlapping
    found = acumen.SVM(multiclass="single", tol=1e-6).fit(X, y)
    report = found.machines_[0]
    scores = found.decision_function(X)
    own = scores[np.arange(178), y]
    others = np.where(np.eye(3, dtype=bool)[y], -np.inf, scores).max(axis=1)
    assert report.margin == pytest.approx(own - others, abs=1e-4)
    assert report.slack == pytest.approx(np.maximum(0, 1 - (own - others)), abs=1e-4)
    assert (report.alpha >= 0).all() and (report.alpha <= 1).all()
