"""One machine for all classes at once: Crammer and Singer's.

    minimise 1/2 sum |w_c|^2 + sum over rows of cost x the most by which another class, plus 1, beats the own

Solved by dual ascent over rows in C++; kernels through their features. A free bias of each class is found by the
method of multipliers, as in `dual_ascent`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import _native
from acumen.geometry.kernel import Rows
from acumen.svm.features import kernel_features
from acumen.svm.settings import Settings
from acumen.svm.solvers.certificate import Certificate
from acumen.svm.solvers.gram import gram_of
from acumen.svm.solvers.linear_rows import back, native_rows, squares, times
from acumen.types import Codes, Floats

_SWEEPS, _MULTIPLIERS = 20_000, 60


@dataclass(frozen=True, slots=True)
class SingleMachine:
    """What was found: `a` and `decision` are rows x classes, `w` (linear kernels) columns x classes."""

    a: Floats
    w: Floats | None
    bias: Floats
    square: float
    decision: Floats
    certificate: Certificate
    steps: int
    stopped: str


def train_single(X: Rows, labels: Codes, classes: int, cost: Floats, settings: Settings) -> SingleMachine:
    """The machine of rows with labels 0 .. classes - 1."""
    if settings.is_linear:
        return _train(X, labels, classes, cost, settings, keep=True)
    gram = gram_of(X, settings.kernel, folded=False, single=False)
    features, _ = kernel_features(gram, "dual-ascent")
    return _train(features, labels, classes, cost, settings, keep=False)


def _train(
    X: Rows, labels: Codes, classes: int, cost: Floats, settings: Settings, *, keep: bool
) -> SingleMachine:
    n, d = X.shape
    a, w = np.zeros((n, classes)), np.zeros((d + 1, classes))
    rows, sizes = native_rows(X), squares(X)
    bias = 1.0 if settings.folded else max(float(np.sqrt(sizes.mean())), 1e-12)
    shift, limit, sweeps, stopped = np.zeros(classes), settings.max_iter or _SWEEPS, 0, ""
    near = settings.tol if settings.folded else max(0.1, settings.tol)
    for _ in range(_MULTIPLIERS):
        goal = near if settings.folded else 0.3 * near
        found = _native.single_machine(
            rows, labels, cost, sizes, shift, bias, a, w, goal, max(limit - sweeps, 0),
            settings.seed + sweeps,
        )  # fmt: skip
        sweeps += int(found[0])
        if sweeps >= limit:
            stopped = "max_iter"
            break
        if settings.folded:
            break
        off = bias * w[-1]
        worst = float(np.abs(off).max())
        if near <= settings.tol and worst <= 0.1 * settings.tol:
            break
        shift = shift + off
        near = max(0.2 * near, settings.tol) if worst <= near else near
    return _certified(X, labels, cost, a, bias * w[-1] + shift, settings, sweeps,
                      stopped, keep)  # fmt: skip


def _certified(
    X: Rows, labels: Codes, cost: Floats, a: Floats, bias: Floats, settings: Settings, sweeps: int,
    stopped: str, keep: bool,
) -> SingleMachine:  # fmt: skip
    """The machine with its certificate, reckoned from the dual point alone."""
    a[np.abs(a) <= 1e-14 * cost[:, None]] = 0.0  # what rounding left is no support vector
    w = back(X, a)
    fold = a.sum(axis=0) if settings.folded else np.zeros(a.shape[1])
    square = float((w * w).sum() + (fold * fold).sum())
    decision = times(X, w) + bias
    at = np.arange(len(labels))
    beaten = decision + 1.0
    beaten[at, labels] -= 1.0
    primal = 0.5 * square + float(cost @ (beaten.max(axis=1) - decision[at, labels]))
    others = a.sum() - a[at, labels].sum()
    # A free bias bars sums of the classes' a; what is left of them is paid for in the dual's value.
    dual = -0.5 * square - float(others) - (0.0 if settings.folded else float(np.abs(a.sum(axis=0) @ bias)))
    bound = np.zeros_like(a)
    bound[at, labels] = cost
    open_ = np.where(a < bound, beaten, np.inf)
    kkt = float((beaten.max(axis=1) - open_.min(axis=1)).max(initial=0.0))
    proof = Certificate(primal, dual, max(primal - dual, 0.0), kkt)
    return SingleMachine(a, w if keep else None, bias, square, decision, proof, sweeps, stopped)
