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
from acumen.svm.machine import Machine, train
from acumen.svm.problem import BoxProblem
from acumen.svm.settings import Settings
from acumen.types import Floats, Indices

_LEVELS = (1e2, 1e5, 1e8)  # costs tried, over the mean squared norm of a row
_STEPS = 2_000_000  # SMO steps a level may take
_SHOWN = 5


def train_hard(
    X: Rows, sides: Floats, settings: Settings, rows: Indices, who: str, start: Floats | None = None
) -> Machine:
    """The machine that separates the rows by the widest margin; DataError naming rows where none does.

    `rows` are the numbers by which the user knows the rows.
    """
    size = max(float(np.mean(settings.kernel.diagonal(X))), 1e-300)
    tight = replace(
        settings,
        loss="hinge",
        tol=min(settings.tol, 1e-3) * 1e-2,
        max_iter=settings.max_iter or (_STEPS if settings.solver in ("auto", "smo") else None),
    )
    made = first = None
    for level in _LEVELS:
        cost = np.full(len(sides), level / size)
        problem = BoxProblem.of_classes(sides, cost, "hinge", balanced=not settings.folded)
        made = train(X, problem, tight, start)
        bounded = np.abs(made.b) >= cost * (1 - 1e-9)
        if made.stopped == "interrupted" or not bounded.any():
            return made
        first, start = first or made, made.b
    assert made is not None and first is not None
    if (np.maximum(1.0 - sides * made.decision, 0.0) <= 1e-2).all():
        return made
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
