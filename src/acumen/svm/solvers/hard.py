"""Hard margins: no row may have slack.

The dual has no bound then, and on rows that cannot be separated it runs away. So costs are finite but rise until
no row is at its bound: from there on the cost plays no part, and the soft margin's solution is the hard one's.

Whether that comes to pass is found out by Newton's method, which high costs do not slow down; the solver asked
for then has bounds only just beyond the multipliers. Every dual value on the way is below half the squared norm
of whatever separates the rows, and so bounds the margin: that is what a refusal says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.errors import DataError
from acumen.geometry.kernel import Rows
from acumen.svm.machine import Machine, train
from acumen.svm.settings import AT_ONCE, Settings
from acumen.svm.solvers import newton_steps
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats, Indices

_LEVELS = (1e2, 1e5, 1e8, 1e11)  # costs tried, over the mean squared norm of a row
_SPARE = 4.0  # times the largest multiplier is bound enough
_SHOWN = 5


def train_hard(X: Rows, sides: Floats, settings: Settings, rows: Indices, who: str) -> Machine:
    """The machine that separates the rows by the widest margin; DataError naming rows where none does.

    `rows` are the numbers by which the user knows the rows.
    """
    size = max(float(np.mean(settings.kernel.diagonal(X))), 1e-300)
    tight = replace(settings, loss="hinge", tol=min(settings.tol, 1e-3) * 1e-2)
    sure = _sure(X, tight)
    first, proved = None, 0.0
    for level in _LEVELS:
        cost = level / size
        made = train(X, _problem(sides, cost, settings), sure)
        if made.stopped and sure.max_iter is not None:
            return made
        proved = max(proved, made.certificate.dual)
        within = bool((np.abs(made.b) < cost * (1 - 1e-9)).all())
        if within and made.certificate.relative_gap <= 1e-3:
            if settings.solver in ("auto", sure.solver):
                return made
            bound = _SPARE * float(np.abs(made.b).max())
            return train(X, _problem(sides, bound, settings), tight)
        first = first or made
    assert first is not None
    raise DataError(_refusal(who, sides, rows, first, 2.0 / np.sqrt(2.0 * max(proved, 1e-300))))


def _sure(X: Rows, settings: Settings) -> Settings:
    """The settings of a solver that ends whatever the cost, where there is one for these rows."""
    if settings.is_linear and X.shape[1] <= newton_steps.WIDEST:
        sure = replace(settings, solver="newton")
    elif X.shape[0] <= AT_ONCE:
        sure = replace(settings, solver="auto")
    else:
        return settings
    # A limit is in steps of the solver it was set for.
    return sure if settings.solver in ("auto", sure.solver) else replace(sure, max_iter=None)


def _problem(sides: Floats, cost: float, settings: Settings) -> BoxProblem:
    return BoxProblem.of_classes(sides, np.full(len(sides), cost), "hinge", balanced=not settings.folded)


def _refusal(who: str, sides: Floats, rows: Indices, first: Machine, widest: float) -> str:
    # Where the cost was still bearable the rows in the way stand out; later all are drawn into the quarrel.
    slack = np.maximum(1.0 - sides * first.decision, 0.0)
    worst = np.flatnonzero(slack > 1e-2)
    worst = worst[np.argsort(-slack[worst], kind="stable")]
    named = ", ".join(str(int(row)) for row in rows[worst[:_SHOWN]])
    more = f" and {len(worst) - _SHOWN} more" if len(worst) > _SHOWN else ""
    return (
        f"{who}: C=inf allows no row on the wrong side of its margin, but the classes cannot be separated by a "
        f"margin wider than {widest:.0e}: rows {named}{more} (counted from 0 among the rows learned from) stand in "
        f"the way. Give a finite C, or a kernel that separates them."
    )
