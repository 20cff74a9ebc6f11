"""Many small machines at once are the machines one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import acumen
from acumen import _native
from acumen.geometry.kernels import RBF, Linear, Polynomial, Sigmoid
from acumen.svm import classify
from acumen.svm.machine import train
from acumen.svm.settings import SolverSettings
from acumen.svm.solvers import pairwise
from acumen.svm.solvers.problem import BoxProblem

RNG = np.random.default_rng(5)
CLASSES = RNG.permutation(np.repeat(np.arange(4), [30, 9, 70, 1]))
X = RNG.normal(size=(110, 3)) + 0.8 * CLASSES[:, None] * [1.0, -1.0, 0.5]
COST = RNG.uniform(0.2, 3.0, 110)
PAIRS = list(itertools.combinations(range(4), 2))
MEMBERS = [np.flatnonzero((i == CLASSES) | (j == CLASSES)) for i, j in PAIRS]
SIDES = [np.where(CLASSES[rows] == i, 1.0, -1.0) for rows, (i, _) in zip(MEMBERS, PAIRS, strict=True)]


@pytest.mark.parametrize(
    ("kernel", "loss"),
    [
        *itertools.product([RBF(gamma=0.4), Linear(), Polynomial(2, offset=1)], ["hinge", "squared"]),
        (Sigmoid(0.1, 0.0), "hinge"),
    ],
)
@pytest.mark.parametrize("folded", [False, True])
def test_machines_at_once_are_those_one_by_one(kernel, loss, folded):
    settings = SolverSettings(kernel, loss, "smo", 1e-6, None, folded)
    found = pairwise.at_once(X, MEMBERS, SIDES, COST, settings)
    for machine, rows, sides in zip(found, MEMBERS, SIDES, strict=True):
        problem = BoxProblem.of_classes(sides, COST[rows], loss, balanced=not folded)
        alone = train(X[rows], problem, settings)
        assert machine.certificate.primal == pytest.approx(alone.certificate.primal, rel=1e-6)
        assert machine.certificate.dual == pytest.approx(alone.certificate.dual, rel=1e-6)
        assert machine.certificate.kkt <= 1e-6 and machine.stopped == ""
        assert machine.bias == pytest.approx(alone.bias, abs=1e-4)
        assert machine.decision == pytest.approx(alone.decision, abs=1e-4)
        assert machine.square == pytest.approx(alone.square, rel=1e-4)
        if kernel == Linear():
            assert machine.w == pytest.approx(alone.w, abs=1e-4)
        else:
            assert machine.w is None


def test_threads_do_not_change_a_digit():
    found = [acumen.SVM(n_jobs=jobs).fit(X, CLASSES).decision_function(X) for jobs in (1, 2)]
    assert np.array_equal(*found)


def test_a_learner_solves_pairs_at_once(monkeypatch):
    asked = []

    def counting(*args):
        asked.append(1)
        return pairwise.at_once(*args)

    monkeypatch.setattr(classify, "at_once", counting)
    together = acumen.SVM(tol=1e-6).fit(X, CLASSES)
    assert asked and together.machines_[1].positive == (2,) and together.machines_[1].negative == (0,)
    monkeypatch.setattr(classify, "at_once", lambda *_: None)
    alone = acumen.SVM(tol=1e-6).fit(X, CLASSES)
    assert together.decision_function(X) == pytest.approx(alone.decision_function(X), abs=1e-6)
    assert together.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=1e-9)
    for one, other in zip(together.machines_, alone.machines_, strict=True):
        assert one.rows.tolist() == other.rows.tolist() and one.type.tolist() == other.type.tolist()
        assert one.alpha == pytest.approx(other.alpha, abs=1e-4)


def test_a_machine_that_does_not_end_is_gone_on_with(monkeypatch):
    monkeypatch.setattr(pairwise, "PATIENCE", 3)
    found = acumen.SVM(kernel="linear", C=100.0).fit(X, CLASSES)
    assert found.certificate_.kkt <= 1e-3


def test_ctrl_c_is_raised(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    class Native:
        smo_many = staticmethod(interrupted)

    monkeypatch.setattr(pairwise, "_native", Native)
    model = acumen.SVM()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, CLASSES)
    assert not hasattr(model, "predictor_")


def test_arrays_that_do_not_go_together_are_refused():
    rows, squares, n = np.zeros((3, 2)), np.zeros(3), np.zeros(2)
    rest = (n, n, n, n.copy(), n.copy(), True, 1e-3, 1e-3, 10, np.zeros(1, dtype=np.int64))

    def call(starts, members):
        _native.smo_many(
            "rbf", 1.0, 0.0, 1, rows, squares, 0.0, np.array(starts, dtype=np.int64),
            np.array(members, dtype=np.int64), *rest,
        )  # fmt: skip

    with pytest.raises(ValueError, match="outside the rows"):
        call([0, 2], [0, 3])
    with pytest.raises(ValueError, match="starts must run"):
        call([0, 3], [0, 1])
    with pytest.raises(ValueError, match="a number for each member"):
        call([0, 3], [0, 1, 2])
