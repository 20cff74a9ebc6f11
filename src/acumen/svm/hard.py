"""Hard margins: no row may have slack.

The dual has no bound then, and on rows that cannot be separated it runs away. So costs are finite but rise until
no row is at its bound: from there on the cost plays no part, and the soft margin's solution is the hard one's.
Rows that still have slack when the cost is beyond reason are what keeps the sides apart from being separated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.errors import DataError
from acumen.geometry.kernel import Rows
from acumen.svm import decomposition, smo
from acumen.svm.machine import Machine, train
from acumen.svm.problem import BoxProblem
from acumen.svm.settings import Settings, chosen_solver
from acumen.types import Floats, Indices

_LEVELS = (1e2, 1e5, 1e8)  # costs tried, over the mean squared norm of a row
_STEPS = 2_000_000  # of SMO, that a level may take
_SHOWN = 5
_NEAR = 1e-5  # a margin so narrow, in units of a row's norm, is none


def train_hard(
    X: Rows, sides: Floats, settings: Settings, rows: Indices, who: str, start: Floats | None = None
) -> Machine:
    """The machine that separates the rows by the widest margin; DataError naming rows where none does.

    `rows` are the numbers by which the user knows the rows.
    """
    size = max(float(np.mean(settings.kernel.diagonal(X))), 1e-300)
    # A working set that holds all rows is solved again and again for nothing.
    sets = 12 if len(sides) <= decomposition.WORKING else max(50, len(sides) // 4)
    tight = replace(
        settings,
        loss="hinge",
        tol=min(settings.tol, 1e-3) * 1e-2,
        max_iter=settings.max_iter or {"smo": _STEPS, "chunking": sets}.get(chosen_solver(settings, X)),
    )
    made = first = None
    for level in _LEVELS:
        cost = np.full(len(sides), level / size)
        problem = BoxProblem.of_classes(sides, cost, "hinge", balanced=not settings.folded)
        made = train(X, problem, tight, start)
        bounded = np.abs(made.b) >= cost * (1 - 1e-9)
        if made.stopped == "interrupted" or not (made.stopped or bounded.any()):
            return made
        first, start = first or made, made.b
        if made.stopped:  # higher costs would only take more steps
            break
    assert made is not None and first is not None
    if (np.maximum(1.0 - sides * made.decision, 0.0) <= 1e-2).all():
        return made
    if made.stopped and not _touching(made, size):
        if settings.max_iter is None and made.solver != "smo" and smo.fits(len(sides)):
            # Rows in the way are what the question is about, and pairs of rows find them.
            return train_hard(X, sides, replace(settings, solver="smo"), rows, who)
        return made  # nobody knows yet: it warns of the gap
    # Where the cost was still bearable the rows in the way stand out; later all are drawn into the quarrel.
    slack = np.maximum(1.0 - sides * first.decision, 0.0)
    worst = np.flatnonzero(slack > 1e-2)
    worst = worst[np.argsort(-slack[worst], kind="stable")]
    named = ", ".join(str(int(row)) for row in rows[worst[:_SHOWN]])
    more = f" and {len(worst) - _SHOWN} more" if len(worst) > _SHOWN else ""
    raise DataError(
        f"{who}: C=inf allows no row on the wrong side of its margin, but the classes cannot be separated: rows "
        f"{named}{more} (counted from 0) have slack whatever the weights. Give a finite C, or a kernel that "
        f"separates them."
    )


def _touching(made: Machine, size: float) -> bool:
    """Whether the sides' convex hulls come so near each other that no line passes between.

    Multipliers are a mixture of the rows of each side once divided by their sum, and w is then the way from the one
    mixture to the other: no margin is wider than that.
    """
    return 2.0 * made.norm <= _NEAR * np.sqrt(size) * float(np.abs(made.b).sum())
