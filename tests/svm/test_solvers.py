"""Every solver, loss, bias and kernel ends at the same optimum; certificates are true; early ends are told."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen.errors import DataError, ParameterError
from acumen.geometry.kernels import RBF, Linear, Polynomial
from acumen.svm.machine import train
from acumen.svm.settings import SolverSettings, choose_solver
from acumen.svm.solvers import decomposition, dual_ascent, smo
from acumen.svm.solvers.gram import gram_of
from acumen.svm.solvers.problem import BoxProblem
from ctrl_c_pressed import pressed_after

RNG = np.random.default_rng(1)
X = RNG.normal(size=(120, 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=120) > 0.3, 1.0, -1.0)
T = X @ [1.0, 2.0, -1.0, 0.0] + 0.3 * RNG.normal(size=120)


def problem_of(loss, balanced, numbers, cost=1.0):
    costs = np.full(len(Y), cost)
    if numbers:
        return BoxProblem.of_numbers(T, costs, 0.1, loss, balanced=balanced)
    return BoxProblem.of_classes(Y, costs, loss, balanced=balanced)


@pytest.mark.parametrize(
    ("kernel", "loss", "free", "numbers"),
    list(itertools.product([Linear(), RBF(gamma=0.2)], ["hinge", "squared"], [True, False], [False, True])),
)
def test_solvers_agree_on_objective_function_and_bias(kernel, loss, free, numbers):
    """The stated tolerances: 1e-6 of the objective for the exact solvers, a hundredth for "sgd"."""
    problem = problem_of(loss, free, numbers)
    found = {
        solver: train(X, problem, SolverSettings(kernel, loss, solver, 1e-6, None, not free))
        for solver in ("smo", "chunking", "dual-ascent", "newton", "adatron")
    }
    best = min(machine.certificate.primal for machine in found.values())
    for solver, machine in found.items():
        assert machine.stopped == "", solver
        assert machine.certificate.primal == pytest.approx(best, rel=1e-5), solver
        assert machine.certificate.relative_gap < 1e-5, solver
        assert machine.decision == pytest.approx(found["smo"].decision, abs=2e-3), solver
        assert machine.bias == pytest.approx(found["smo"].bias, abs=2e-3), solver
    coarse = train(X, problem, SolverSettings(kernel, loss, "sgd", 5e-3, None, not free))
    assert best * (1 - 1e-9) <= coarse.certificate.primal <= best * 1.05
    assert coarse.certificate.dual <= best * (1 + 1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize(("rows", "C"), [(np.arange(2), 1.0), (np.arange(120), 2.0)])
def test_descent_finds_a_free_bias_too(loss, rows, C):
    """Its penalty on the way must not be left in the answer."""
    sides = np.where(np.arange(len(rows)) % 2, 1.0, -1.0) if len(rows) == 2 else Y
    problem = BoxProblem.of_classes(sides, np.full(len(rows), C), loss, balanced=True)
    coarse = train(X[rows] + 2.0, problem, SolverSettings(Linear(), loss, "sgd", 1e-3, None, False))
    fine = train(X[rows] + 2.0, problem, SolverSettings(Linear(), loss, "newton", 1e-6, None, False))
    assert coarse.stopped == "" and coarse.certificate.relative_gap <= 1e-2
    assert coarse.certificate.primal == pytest.approx(fine.certificate.primal, rel=5e-3)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_certificate_is_what_its_formulas_give(free, loss):
    kernel = RBF(gamma=0.4)
    machine = train(
        X, problem_of(loss, free, False, 2.0), SolverSettings(kernel, loss, "auto", 1e-4, None, not free)
    )
    K = kernel(X) + (0 if free else 1)
    b, f = machine.b, K @ machine.b + (machine.bias if free else 0)
    slack = np.maximum(0, 1 - Y * f)
    cost = 2 * slack.sum() if loss == "hinge" else 2 * (slack**2).sum()
    ridge = 0 if loss == "hinge" else (b**2).sum() / (2 * 2.0)
    primal = 0.5 * b @ K @ b + cost
    dual = np.abs(b).sum() - 0.5 * b @ K @ b - 0.5 * ridge
    assert machine.certificate.primal == pytest.approx(primal)
    assert machine.certificate.dual == pytest.approx(dual)
    assert machine.certificate.gap == pytest.approx(primal - dual, abs=1e-9)
    assert (Y * b >= 0).all()
    assert abs(b.sum()) < 1e-9 or not free
    assert machine.decision == pytest.approx(f)


def test_working_sets_caches_and_shrinking_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(1500, 3))
    sides = np.where(np.sin(2 * rows[:, 0]) + 0.3 * rng.normal(size=1500) > 0, 1.0, -1.0)
    problem = BoxProblem.of_classes(sides, np.full(1500, 1.0), "hinge", balanced=True)
    monkeypatch.setattr(decomposition, "WORKING", 96)
    monkeypatch.setattr(decomposition, "_SHRINK_EVERY", 3)
    found = []
    for memory, single in ((1 << 28, False), (1, False), (1 << 18, True)):
        monkeypatch.setattr(decomposition, "MEMORY", memory)
        gram = gram_of(rows, RBF(gamma=0.5), folded=False, single=single)
        found.append(decomposition.solve(gram, problem, tol=1e-4, max_iter=None))
    for point in found:
        assert point.violation <= 1.3e-4 and point.stopped == ""
        value = 0.5 * point.b @ (point.gradient - problem.z)
        assert value == pytest.approx(0.5 * found[0].b @ (found[0].gradient - problem.z), rel=1e-6)
        exact = gram_of(rows, RBF(gamma=0.5), folded=False, single=False)
        gradient = -problem.z.copy()
        exact.add_sums(np.arange(1500), point.b, gradient)
        assert point.gradient == pytest.approx(gradient, abs=2e-5)


def test_a_bias_that_is_not_unique_is_one_of_the_best():
    """Every row at its bound: whatever the interior points end at, the certificate closes."""
    sides = np.where(np.arange(120) % 2, 1.0, -1.0)
    problem = BoxProblem.of_classes(sides, np.full(120, 1e-4), "hinge", balanced=True)
    machine = train(X, problem, SolverSettings(RBF(gamma=2.0), "hinge", "newton", 1e-3, None, False))
    assert (np.abs(machine.b) == 1e-4).all() and machine.certificate.kkt == 0
    assert machine.certificate.relative_gap < 1e-12


def test_multipliers_that_do_not_settle_are_told():
    rows, sides = np.array([[0.0], [0.0], [1.3]]), np.array([1.0, -1.0, -1.0])
    problem = BoxProblem.of_classes(sides, np.full(3, 1e-3), "hinge", balanced=True)
    machine = train(rows, problem, SolverSettings(Polynomial(3), "hinge", "dual-ascent", 1e-8, None, False))
    assert machine.stopped == "max_iter" or machine.certificate.kkt <= 3e-8


def test_a_stopped_solve_warns_with_its_gap():
    with pytest.warns(ConvergenceWarning, match=r"stopped after 3 steps.*gap of .* was reached"):
        model = acumen.SVM(solver="smo", max_iter=3).fit(X, Y)
    assert model.certificate_.gap > 0.1
    assert model.predict(X).shape == (120,)


@pytest.mark.parametrize(
    "parameters",
    [
        {"solver": solver, "kernel": "linear"}
        for solver in ("smo", "chunking", "dual-ascent", "sgd", "newton", "adatron")
    ],
)
def test_ctrl_c_is_raised_and_leaves_no_model(parameters, ctrl_c):
    rng = np.random.default_rng(0)
    rows, sides = rng.normal(size=(1200, 20)), rng.integers(0, 2, 1200)
    model = acumen.SVM(C=1e6, tol=1e-13, max_iter=10**9, scale=False, **parameters)
    if parameters["solver"] == "newton":  # which ends before anyone could press a key
        rows, sides = rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)
        model.set_params(kernel="rbf", loss="squared")
    with pytest.raises(KeyboardInterrupt), pressed_after(0.3):
        model.fit(rows, sides)
    assert not hasattr(model, "predictor_")


@pytest.mark.parametrize("ask", ["fit", "path"])
def test_ctrl_c_at_any_call_is_raised(monkeypatch, ask):
    real, calls = smo.solve, []

    def interrupted(*args, **keywords):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args, **keywords)

    monkeypatch.setattr(smo, "solve", interrupted)
    model = acumen.SVM(probability="platt")
    with pytest.raises(KeyboardInterrupt):
        if ask == "fit":  # the second fold of the calibration
            model.fit(X, Y)
        else:
            model.path(X, Y, C=[0.1, 1.0, 10.0, 100.0])
    assert len(calls) == 3 and not hasattr(model, "predictor_")


def test_ctrl_c_leaves_the_model_fitted_before_as_it_was(monkeypatch):
    model = acumen.SVM().fit(X, Y)
    before, said = model.predictor_, model.predict(X)

    def interrupted(*args, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(smo, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[::2], Y[::2])
    assert model.predictor_ is before and (model.predict(X) == said).all()


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("bias", ["free", "folded"])
@pytest.mark.parametrize(("shift", "scale", "C"), [(0.0, 1.0, 1e6), (0.0, 1e4, 1.0), (1e4, 1.0, 1.0)])
def test_high_costs_and_large_numbers_do_not_stop_auto(loss, bias, shift, scale, C):
    """Steps in pairs get nowhere here: Newton's method takes over."""
    found = acumen.SVM(kernel="linear", loss=loss, bias=bias, C=C, scale=False).fit(
        scale * X[:60] + shift, Y[:60]
    )
    assert found.certificate_.relative_gap < 1e-3
    rows = scale * X[:60] + shift
    w, b = found.coef_[0], found.intercept_[0]
    slack = np.maximum(0, 1 - Y[:60] * (rows @ w + b))
    square = w @ w + (b * b if bias == "folded" else 0)
    primal = 0.5 * square + C * (slack if loss == "hinge" else slack**2).sum()
    assert primal == pytest.approx(found.certificate_.primal, rel=1e-5)


def test_auto_takes_the_solver_for_the_rows():
    from scipy.sparse import csr_matrix

    def chosen(kernel, shape, sparse=False, loss="hinge", C=1.0):
        settings = SolverSettings(kernel, loss, "auto", 1e-3, None, False)
        rows = csr_matrix(np.eye(*shape)) if sparse else np.broadcast_to(0.0, shape)
        return choose_solver(settings, rows, np.full(shape[0], C))

    assert chosen(RBF(gamma=1.0), (500, 3)) == "smo"
    assert chosen(RBF(gamma=1.0), (5000, 3)) == "chunking"
    assert chosen(Linear(), (10_000, 50)) == "newton"
    assert chosen(Linear(), (100, 500)) == "smo"
    assert chosen(Linear(), (50_000, 20_000)) == "dual-ascent"
    assert chosen(Linear(), (5000, 20), sparse=True) == "dual-ascent"
    assert chosen(Linear(), (500, 20), sparse=True) == "smo"
    assert chosen(Linear(), (5000, 20), sparse=True, loss="squared") == "newton"
    assert chosen(Linear(), (5000, 20), sparse=True, loss="squared", C=1e4) == "dual-ascent"
    assert chosen(Linear(), (5000, 20), sparse=True, loss="squared", C=np.inf) == "dual-ascent"


def test_solvers_that_hold_the_kernel_matrix_refuse_too_many_rows():
    rows, sides = np.zeros((13_000, 1)), np.arange(13_000) % 2
    for solver in ("smo", "newton", "dual-ascent"):
        with pytest.raises(DataError, match="GiB where 1 are allowed; use solver='chunking'"):
            acumen.SVM(solver=solver, scale=False).fit(rows, sides)


def test_features_need_a_positive_kernel():
    with pytest.raises(DataError, match="needs a positive semidefinite kernel"):
        acumen.SVM(kernel="sigmoid", gamma=1.0, offset=-1.0, solver="sgd").fit(X, Y)


@pytest.mark.parametrize("solver", ["auto", "smo", "chunking", "newton", "adatron"])
def test_squared_loss_needs_a_positive_kernel(solver):
    most = 1 if solver == "chunking" else 5000
    wild = acumen.SVM(kernel="sigmoid", gamma=1.0, offset=-1.0, loss="squared", solver=solver, max_iter=most)
    for sides in (Y, np.digitize(X[:, 0], [-0.5, 0.5])):
        with pytest.raises(DataError, match="this kernel is not positive semidefinite"):
            wild.fit(X, sides)


def test_impossible_combinations_end_in_a_sentence():
    with pytest.raises(ParameterError, match="multiclass='single' has hinge loss"):
        acumen.SVM(multiclass="single", loss="squared").fit(X, Y)
    with pytest.raises(ParameterError, match="C must be a number above 0"):
        acumen.SVM(C=0).fit(X, Y)
    with pytest.raises(DataError, match="two classes at least"):
        acumen.SVM().fit(X, np.zeros(120))
    with pytest.raises(DataError, match="costs cannot be used, because it has no probabilities"):
        acumen.SVM(costs=[[0, 1], [2, 0]]).fit(X, Y)


def test_polynomials_of_large_numbers_are_refused_rather_than_infinite():
    with pytest.raises(DataError, match="products would not be finite"):
        acumen.SVM(kernel=Polynomial(20), scale=False).fit(1e10 * X, Y)


def test_dual_ascent_leaves_a_true_point_when_sweeps_run_out():
    problem = problem_of("hinge", True, False, 100.0)
    point = dual_ascent.solve(X, problem, tol=1e-9, max_iter=5)
    assert point.stopped == "max_iter" and abs(point.b.sum()) < 1e-9
