"""Many small machines solved at once, as pairs of classes make them.

    at_once      rows, the machines' members and sides, settings -> machines, or None where they go one by one

Machines lie end to end, member by member, so that what one needs is reckoned for all in a few passes: a machine of
forty rows is solved in microseconds, and what would be said of it alone in Python takes a hundred times that. The
solver is that of `smo`, a thread taking one machine after the other, and what is proved is the same.
"""

from __future__ import annotations

import numpy as np

from acumen import _native, messages
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.geometry.kernel import Rows, is_sparse
from acumen.geometry.support import tile_function, tile_rows, tiles
from acumen.svm.machine import NO_KERNEL, PATIENCE, Machine
from acumen.svm.settings import AT_ONCE, SolverSettings, solver_for
from acumen.svm.solvers.certificate import Certificate
from acumen.svm.solvers.linear_rows import back
from acumen.svm.solvers.problem import BoxProblem
from acumen.svm.solvers.smo import FINE, STEPS
from acumen.types import Floats, Indices

#: Machines of so few members together are solved more finely than asked, as `smo` solves one of few rows.
_FEW_MEMBERS = 5000


def at_once(
    X: Rows, members: list[Indices], sides: list[Floats], cost: Floats, settings: SolverSettings
) -> tuple[Machine, ...] | None:
    """The machines of these members, all of them by SMO; None where that is not how they would be solved.

    `cost` is a row's. A machine that "auto" would go on with by another solver comes back as stopped.
    """
    largest = max(len(rows) for rows in members)
    if len(members) < 2 or largest > AT_ONCE or is_sparse(X) or not tiles(settings.kernel):
        return None
    if solver_for(settings, (largest, X.shape[1])) != "smo":
        return None
    starts = np.zeros(len(members) + 1, dtype=np.int64)
    np.cumsum([len(rows) for rows in members], out=starts[1:])
    flat = np.concatenate(members).astype(np.int64)
    problem = BoxProblem.of_classes(
        np.concatenate(sides), cost[flat], settings.loss, balanced=not settings.folded
    )
    b, gradient, steps = np.zeros(len(flat)), -problem.z, np.zeros(len(members), dtype=np.int64)
    limit = settings.max_iter or (PATIENCE if settings.solver == "auto" else STEPS)
    fine = FINE * settings.tol if len(flat) <= _FEW_MEMBERS else settings.tol
    values, squares = tile_rows(X, np.float64)
    _native.smo_many(
        *tile_function(settings.kernel), values, squares, float(settings.folded), starts, flat, problem.low,
        problem.high, problem.ridge, b, gradient, problem.balanced, settings.tol, fine, limit,
        steps, cores(),
    )  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):
        return _machines(X, problem, b, gradient, starts, flat, steps, settings)


def _machines(
    X: Rows, problem: BoxProblem, b: Floats, gradient: Floats, starts: Indices, flat: Indices, steps: Indices,
    settings: SolverSettings,
) -> tuple[Machine, ...]:  # fmt: skip
    """What `machine` says of one dual point, said of all."""
    first, sizes = starts[:-1], np.diff(starts)
    each = np.repeat(np.arange(len(sizes)), sizes)
    up, down = problem.ways(b, gradient)
    steep_up, steep_down = np.maximum.reduceat(up, first), np.maximum.reduceat(down, first)
    through = gradient + problem.z - problem.ridge * b
    if problem.balanced:
        kkt = np.maximum(steep_up + steep_down, 0.0)
        bias = _biases(b, up, down, steep_up, steep_down, each, len(sizes))
        decision = through + bias[each]
    else:
        kkt = np.maximum(np.maximum(steep_up, steep_down), 0.0)
        bias = np.add.reduceat(b, first)
        decision = through
    square = np.add.reduceat(b * through, first)
    slack = problem.slack(decision)
    loss = slack * slack if problem.loss == "squared" else slack
    primal = 0.5 * square + np.add.reduceat(problem.cost * loss, first)
    dual = np.add.reduceat(problem.z * b, first) - 0.5 * square
    if problem.loss == "squared":
        dual -= 0.5 * np.add.reduceat(problem.ridge * b * b, first)
        # No dual value is above the cost of the function that is zero.
        if not (dual <= (1 + 1e-6) * np.add.reduceat(problem.cost, first)).all():
            raise DataError(messages.fill_template(NO_KERNEL))
    machines = []
    ends = starts.tolist()
    solutions = zip(
        primal.tolist(),
        dual.tolist(),
        kkt.tolist(),
        bias.tolist(),
        square.tolist(),
        steps.tolist(),
        strict=True,
    )
    for m, (high, low, worst, own_bias, own_square, count) in enumerate(solutions):
        part = slice(ends[m], ends[m + 1])
        stopped = "" if worst <= settings.tol else "max_iter"
        proof = Certificate(high, low, max(high - low, 0.0), worst)
        w = back(X[flat[part]], b[part]) if settings.is_linear else None
        machines.append(
            Machine(
                b=b[part],
                coefficients=b[part],
                w=w,
                bias=own_bias,
                square=own_square,
                decision=decision[part],
                certificate=proof,
                solver="smo",
                steps=count,
                stopped=stopped,
            )
        )
    return tuple(machines)


def _biases(
    b: Floats, up: Floats, down: Floats, steep_up: Floats, steep_down: Floats, each: Indices, count: int
) -> Floats:
    """Every machine's free bias, as `BoxProblem.bias` has it for one."""
    free = (b != 0) & np.isfinite(up) & np.isfinite(down)
    number = np.bincount(each[free], minlength=count)
    total = np.bincount(each[free], 0.5 * (up[free] - down[free]), minlength=count)
    # Two classes have always a way up and a way down.
    return np.where(number > 0, total / np.maximum(number, 1), 0.5 * (steep_up - steep_down))
