"""Logistic regression from labelled rows to a model: coordinates, penalty, descent, standard errors, warnings.

The loss minimised is sum(weight * -log P(class | row)) + |w|^2 / (2 C), or + |w|_1 / C, over coefficients w in
the units of the columns, or with `scale` in units of their standard deviations; intercepts are free.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from acumen import messages
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning
from acumen.linear.design import Design, design_of
from acumen.linear.logistic import PENALTIES, LogisticModel
from acumen.linear.logistic_loss import LogisticLoss
from acumen.linear.logistic_solve import MOST_COEFFICIENTS, Solver, descend
from acumen.linear.odds_ratios import joint_covariance
from acumen.optimise.newton import CholeskyFactor
from acumen.optimise.trace import Descent
from acumen.types import Bools, Codes, Floats

Penalty = Literal["l2", "l1"]
#: Multiplications beyond which standard errors are left out unless asked for.
_DEAR = 3e9
_DEPENDENT = 1e-10  # share of a column's variance that the columns before it leave
MOVING = 1e-2  # log-odds: a Newton step as long as this at the end of a descent does not end anywhere


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A model, the descent that led to it (None where there was nothing to descend), and the classes' weights."""

    model: LogisticModel
    descent: Descent | None
    totals: Floats


def fit(
    table: Table,
    who: str,
    *,
    penalty: Penalty | None,
    C: float,
    solver: Solver,
    batch: int | None,
    scale: bool,
    tol: float,
    max_iter: int | None,
    standard_errors: bool | None,
    random_state: Any,
) -> LogisticFit:
    """Learn from labelled rows; every row has a label."""
    totals: Floats = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(
        np.float64
    )
    seen = totals > 0
    design = design_of(table)
    lines = {1: 0, 2: 1}.get(int(seen.sum()), int(seen.sum()))
    if lines == 0:
        return LogisticFit(_without_choice(design, seen, totals), None, totals)
    labels: Codes = (np.cumsum(seen) - 1).astype(np.int32)[table.class_codes]
    if penalty is None:
        schema = table.schema.without_target()
        design = independent(design, schema, lambda: mean_products(design, table), who)
    # In the design's coordinates v = w / factor; the penalty is on w, or with `scale` on v.
    free = design.plain | (not scale)
    held = np.where(free & (design.factor > 0), design.factor, 1.0)
    ridge = np.r_[held**2 / C if penalty == "l2" else np.zeros(design.width), 0.0]
    loss = LogisticLoss(design, labels, table.weights, lines, ridge, float(totals.sum()), penalty == "l1")
    l1 = np.tile(np.r_[held / C, 0.0], lines) / loss.total if penalty == "l1" else None
    dear = loss.size > MOST_COEFFICIENTS or loss.hessian_cost() > _DEAR
    wanted = not dear if standard_errors is None else standard_errors
    curved = wanted or (penalty is None and not dear)
    minimum = descend(
        loss, l1=l1, solver=solver, batch=batch, tol=tol, max_iter=max_iter, random_state=random_state,
        curved=curved,
    )  # fmt: skip
    hessian = minimum.hessian
    if hessian is None and curved:
        minimum, hessian = _polish(loss, minimum, penalty, solver)
    if penalty is None:
        _warn_of_separation(loss, minimum, hessian, tol, who)
    covariance = (
        _covariance(loss, minimum.point, hessian, penalty) if hessian is not None and wanted else None
    )
    point = minimum.point.reshape(lines, design.width + 1)
    # With l1 the value found has the penalty in it, and sgd ends at a mean of points.
    known = not minimum.ahead and penalty != "l1" and solver != "sgd"
    value = minimum.value if known else loss(minimum.point)[0]
    return LogisticFit(_model(loss, point, covariance, penalty, seen, totals, value), minimum, totals)


# -- before the descent ---------------------------------------------------------------------------


def independent(design: Design, schema: Schema, products: Callable[[], Floats], who: str) -> Design:
    """Without penalty: leave out reference levels, and columns that follow from those before them.

    The columns of a nominal attribute sum to one, as the intercept is; its first level becomes the reference.
    `products` gives the mean products of columns (and, last, the intercept) with each other.
    """
    if design.width > MOST_COEFFICIENTS:
        return design
    gram = products()
    if not design.sparse:
        gram[:-1, -1] = gram[-1, :-1] = 0.0  # centred columns are free of the intercept
    # The intercept first, then the columns in order, but the first level of an attribute after its others.
    order = [design.width, *_references_last(design, schema)]
    alone = _pivots(gram[np.ix_(order, order)])
    dependent = np.zeros(design.width, dtype=np.bool_)
    dependent[
        [j for j, on_its_own in zip(order, alone, strict=True) if not on_its_own and j < design.width]
    ] = True
    dependent &= design.factor > 0
    expected = _expected_dependent(design, schema)
    named = [design.names[j] for j in np.flatnonzero(dependent & ~expected)]
    if named:
        shown = ", ".join(repr(name) for name in named[:5]) + (" and others" if len(named) > 5 else "")
        verb = "follows" if len(named) == 1 else "follow"
        warnings.warn(
            f"{who}: the columns are collinear: {shown} {verb} from the columns before, so no coefficient can be "
            "told apart from theirs; it is left at 0. Leave the column out, or use "
            f"{messages.setting('penalty', 'l2')}.",
            AcumenWarning,
            stacklevel=5,
        )
    return design.without(dependent)


def mean_products(design: Design, table: Table) -> Floats:
    """Of columns and, last, the intercept: four times the second derivatives where nothing is known yet."""
    nothing, labels = np.zeros(design.width + 1), np.zeros(len(table), dtype=np.int32)
    once = LogisticLoss(design, labels, table.weights, 1, nothing, float(table.total_weight))
    return 4 * once.second_order(nothing)[2]


def _references_last(design: Design, schema: Schema) -> list[int]:
    """The columns in order, each nominal attribute's first level that has rows behind its others."""
    starts = design.coding.starts(schema).tolist()
    order: list[int] = []
    for i, attribute in enumerate(schema):
        level_columns = list(range(starts[i], starts[i + 1]))
        first = _first_level(design, level_columns) if attribute.kind == "nominal" else None
        order += [j for j in level_columns if j != first] + ([] if first is None else [first])
    return order


def _first_level(design: Design, own: list[int]) -> int | None:
    """The column of the first level that has rows; None where none has, or one has all."""
    return next((j for j in own if design.factor[j] > 0), None)


def _expected_dependent(design: Design, schema: Schema) -> Bools:
    """The first levels of nominal attributes: that they follow from the others is in their nature."""
    expected = np.zeros(design.width, dtype=np.bool_)
    starts = design.coding.starts(schema).tolist()
    for i, attribute in enumerate(schema):
        first = _first_level(design, list(range(starts[i], starts[i + 1])))
        if attribute.kind == "nominal" and first is not None:
            expected[first] = True
    return expected


def _pivots(products: Floats) -> Bools:
    """Which columns have something of their own beside those before them: Cholesky, step by step."""
    residual = products.copy()
    full = np.diag(products).copy()
    alone = np.zeros(len(residual), dtype=np.bool_)
    for j in range(len(residual)):
        pivot = residual[j, j]
        if full[j] <= 0 or pivot <= _DEPENDENT * full[j]:
            continue
        alone[j] = True
        row = residual[j, j + 1 :] / pivot
        residual[j + 1 :, j + 1 :] -= np.outer(residual[j + 1 :, j], row)
    return alone


# -- after it -------------------------------------------------------------------------------------


def _polish(
    loss: LogisticLoss, minimum: Descent, penalty: Penalty | None, solver: Solver
) -> tuple[Descent, Floats]:
    """The second derivatives where a descent ended, and that descent taken the one step further they suggest."""
    _, gradient, hessian = loss.second_order(minimum.point)
    if penalty != "l1" and solver == "newton" and minimum.converged:
        step = CholeskyFactor(hessian)(-gradient)
        if np.abs(step).max(initial=0.0) <= 1e-3:
            minimum = replace(minimum, point=minimum.point + step, ahead=True)
    return minimum, hessian


def _covariance(loss: LogisticLoss, point: Floats, hessian: Floats, penalty: Penalty | None) -> Floats:
    """The inverse of the observed information, in the design's coordinates; zero for what was left out."""
    size = loss.size
    if penalty == "l1":  # of the coefficients that are not zero, as if they had been the only ones
        free = np.tile(np.r_[np.zeros(loss.design.width, dtype=np.bool_), True], loss.lines)
        used = np.flatnonzero((point != 0) | free)
        inverse = np.zeros((size, size))
        inverse[np.ix_(used, used)] = CholeskyFactor(hessian[np.ix_(used, used)]).inverse()
        return inverse / loss.total
    inverse = CholeskyFactor(hessian).inverse()
    if loss.lines > 1:  # what was added where all lines move together is no information
        each = loss.design.width + 1
        for j, height in zip(*loss.levels(hessian), strict=True):
            # The level is in the diagonal it is taken from: height / lines of what is there.
            height = height / (1 + 1 / loss.lines)
            at = np.arange(j, size, each)
            inverse[np.ix_(at, at)] -= 1 / (height * loss.lines)
    dead = np.flatnonzero(np.tile(np.r_[loss.design.factor == 0, False], loss.lines))
    inverse[dead], inverse[:, dead] = 0.0, 0.0
    return inverse / loss.total


def _warn_of_separation(
    loss: LogisticLoss, minimum: Descent, hessian: Floats | None, tol: float, who: str
) -> None:
    """Warn where there is no optimum: rows all on their own side, or log-odds that a Newton step still moves.

    At an optimum a Newton step is short. Before it, or without second derivatives, only the first can be told.
    """
    perfect, _ = judge_separation(loss, minimum.point, None)
    step = minimum.point
    gradient = loss(minimum.point)[1]
    if hessian is not None and np.abs(gradient).max(initial=0.0) <= 10 * tol:
        step = CholeskyFactor(hessian)(-gradient)
        if not judge_separation(loss, minimum.point, step)[1] > max(MOVING, 1e4 * tol):
            return
    elif not perfect:
        return
    tell_of_separation(loss, step, perfect, who)


def judge_separation(loss: LogisticLoss, point: Floats, step: Floats | None) -> tuple[bool, float]:
    """Whether every row is on its own side, and by how much a step moves log-odds at most."""
    if step is not None:
        moving = loss.scores(step)
        moving -= moving.mean(axis=1, keepdims=True) if loss.lines > 1 else 0.0
        return False, float(np.abs(moving).max(initial=0.0))
    scores = loss.scores(point)
    every = np.c_[np.zeros(len(scores)), scores[:, 0]] if loss.lines == 1 else scores
    mine = np.arange(len(every)), loss.labels
    class_rows = every[mine]
    every[mine] = -np.inf
    return bool((class_rows > every.max(axis=1)).all()), 0.0


def tell_of_separation(loss: LogisticLoss, step: Floats, perfect: bool, who: str) -> None:
    """Warn that there is no optimum, and name the columns that a step moves most."""
    size = np.abs(step.reshape(loss.lines, -1)[:, :-1]).max(axis=0, initial=0.0)
    strongest = np.argsort(-size, kind="stable")[:3]
    named = ", ".join(repr(loss.design.names[j]) for j in strongest if size[j] > 0.05 * size.max())
    warnings.warn(
        f"{who}: the attributes separate the classes {'perfectly' if perfect else 'in part'} (above all {named}), so "
        "the best coefficients are infinite; these are where the descent was stopped, and their standard errors "
        "mean nothing. Use penalty='l2'.",
        AcumenWarning,
        stacklevel=6,
    )


def _model(
    loss: LogisticLoss,
    point: Floats,
    covariance: Floats | None,
    penalty: Penalty | None,
    seen: Bools,
    totals: Floats,
    value: float,
) -> LogisticModel:
    """The means, in the units of the columns."""
    design, lines = loss.design, loss.lines
    errors, together = np.empty((0, design.width + 1)), np.empty((0, 0))
    if covariance is not None:
        each = design.width + 1
        together = joint_covariance(covariance, design.factor, lines)
        errors = np.zeros((lines, each))
        moved = np.r_[
            -design.centre * design.factor, 1.0
        ]  # the intercept is taken at zero, not at the centre
        for k in range(lines):
            block = covariance[k * each : (k + 1) * each, k * each : (k + 1) * each]
            errors[k, :-1] = np.sqrt(np.maximum(np.diag(block)[:-1], 0.0)) * design.factor
            errors[k, -1] = np.sqrt(max(float(moved @ block @ moved), 0.0))
    held = 0.5 * float(np.sum(loss.ridge * point * point)) / loss.total
    used = int(np.count_nonzero(design.factor > 0)) + 1
    n_parameters = max(lines - 1, 1) * used
    if penalty == "l1":
        n_parameters = int(np.count_nonzero(point[:, :-1])) + max(lines - 1, 1)
    return LogisticModel(
        coding=design.coding,
        seen=seen,
        coefficients=point[:, :-1] * design.factor,
        offset=point[:, -1].copy(),
        centre=design.centre.copy(),
        errors=errors,
        log_likelihood=-(value - held) * loss.total,
        weight=float(totals.sum()),
        free=n_parameters,
        penalty=PENALTIES.index(penalty or "none"),
        covariance=together,
        average=design.average,
    )


def _without_choice(design: Design, seen: Bools, totals: Floats) -> LogisticModel:
    """Of one class alone nothing can be learned but that."""
    none = np.zeros((0, design.width))
    return LogisticModel(
        coding=design.coding,
        seen=seen,
        coefficients=none,
        offset=np.zeros(0),
        centre=design.centre,
        errors=np.empty((0, design.width + 1)),
        log_likelihood=0.0,
        weight=float(totals.sum()),
        free=0,
        penalty=0,
    )
