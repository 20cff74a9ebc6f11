"""Logistic regression over rows on many machines: value, gradient and second derivatives are sums over blocks.

    SummedLoss   a LogisticLoss whose passes are sums that tasks make
    fit_spread   rows that tasks read -> Fitted

Columns are coded and centred by sums of a first pass; every step of Newton's method is one more pass. The optimum is
that of one machine, and coefficients agree to 1e-10 where there is one optimum alone: sums of rows are rounded
otherwise, and one machine reaches it by other steps where rows are many.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.data.block import Block
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.linear.design import Design, DesignCoding
from acumen.linear.logistic_fit import (
    MOVING,
    LogisticFit,
    Penalty,
    _covariance,
    _model,
    _without_choice,
    independent,
    judge_separation,
    tell_of_separation,
)
from acumen.linear.logistic_loss import LogisticLoss
from acumen.linear.logistic_solve import MOST_COEFFICIENTS, is_stepwise
from acumen.optimise.newton import CholeskyFactor, newton
from acumen.optimise.proximal import proximal_newton
from acumen.preprocessing.matrix import NumericMatrix
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import Each
from acumen.summaries.moments import ClassMoments
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.worker_state import PersistedOnWorkers

#: Where one machine takes other steps, those here go to the end of what numbers can tell; where it takes the same they
#: end where its own do, which may matter: of classes that are separated coefficients grow with every step.
_EXACT = 1e-9


@dataclass(slots=True, eq=False)
class SummedLoss(LogisticLoss):
    """Its rows are elsewhere: `held` gives them block by block, coded."""

    held: Persisted | PersistedOnWorkers | None = None
    known: tuple[bytes, tuple[float, Floats], Floats] | None = None  # the last point, and what it came to

    def _pass(self, point: Floats, hessian: Floats | None) -> tuple[float, Floats]:
        assert self.held is not None
        if self.known is None or self.known[0] != point.tobytes():
            request = (self.design, self.lines, point)
            loss, gradient, curved = self.held.sum(_block_sums, request).things
            coefficients = point.reshape(self.lines, self.design.width + 1)
            pull = self.ridge * coefficients
            value = (float(loss) + 0.5 * float(np.sum(pull * coefficients))) / self.total
            slope = ((gradient + pull) / self.total).ravel()
            self.known = point.tobytes(), (value, slope), curved
        _, (value, slope), curved = self.known
        if hessian is not None:
            hessian[:] = curved
        return value, slope.copy()


def _block_sums(asked: tuple[Design, int, Floats], block: tuple[Any, Codes, Floats]) -> Each[Any]:
    """The sums of one block: what the loss comes to, its gradient, and its second derivatives."""
    design, lines, point = asked
    values, labels, weights = block
    block_design = replace(design, values=values)
    loss = LogisticLoss(block_design, labels, weights, lines, np.zeros(design.width + 1), 1.0)
    hessian = np.empty((loss.size, loss.size))
    value, gradient = loss._pass(point, hessian)
    return Each((value, gradient.reshape(lines, design.width + 1), hessian))


def fit_spread(
    rows: Rows,
    who: str,
    *,
    penalty: Penalty | None,
    C: float,
    scale: bool,
    tol: float,
    max_iter: int,
    standard_errors: bool,
) -> LogisticFit:
    """Learn from labelled rows that tasks read."""
    totals, schema = rows.totals, rows.schema.without_target()
    seen = totals > 0
    design = _design(rows, who)
    lines = {1: 0, 2: 1}.get(int(seen.sum()), int(seen.sum()))
    if lines * (design.width + 1) > MOST_COEFFICIENTS:
        raise DataError(
            f"{who}: on a cluster there are at most {MOST_COEFFICIENTS:,} coefficients, and there would be "
            f"{lines * (design.width + 1):,}; leave columns of many levels out."
        )
    if lines == 0:
        return LogisticFit(_without_choice(design, seen, totals), None, totals)
    number = (np.cumsum(seen) - 1).astype(np.int32)
    coded = rows.persist(partial(_code_block, design.coding, number), 8 * design.width + 12)
    total = float(totals.sum())
    if penalty is None:
        design = independent(design, schema, lambda: 4 * coded.sum(_curvature_at_zero, design) / total, who)
    # As in `logistic_fit.fit`: in the design's coordinates v = w / factor, and the penalty is on w, or on v.
    free = design.plain | (not scale)
    pulled = np.where(free & (design.factor > 0), design.factor, 1.0)
    ridge = np.r_[pulled**2 / C if penalty == "l2" else np.zeros(design.width), 0.0]
    nobody = np.empty(0, dtype=np.int32)
    loss = SummedLoss(design, nobody, np.empty(0), lines, ridge, total, penalty == "l1", held=coded)
    start = np.zeros(loss.size)
    if penalty == "l1":
        l1 = np.tile(np.r_[pulled / C, 0.0], lines) / loss.total
        minimum = proximal_newton(loss.second_order, start, l1=l1, tol=tol, max_iter=max_iter)
    else:
        least = tol if is_stepwise(len(rows), loss.size) else min(tol, _EXACT)
        minimum = newton(loss.second_order, start, tol=least, max_iter=max_iter)
    value, gradient, hessian = loss.second_order(minimum.point)
    if penalty is None:
        _look_for_separation(loss, minimum.point, gradient, hessian, tol, who)
    covariance = _covariance(loss, minimum.point, hessian, penalty) if standard_errors else None
    point = minimum.point.reshape(lines, design.width + 1)
    return LogisticFit(_model(loss, point, covariance, penalty, seen, totals, value), minimum, totals)


def _curvature_at_zero(design: Design, block: tuple[Any, Codes, Floats]) -> Floats:
    """The second derivatives of one line where nothing is known yet, not divided by any weight."""
    values, labels, weights = block
    nothing = np.zeros(design.width + 1)
    block_design = replace(design, values=values)
    loss = LogisticLoss(block_design, np.zeros_like(labels), weights, 1, nothing, 1.0)
    hessian = np.empty((loss.size, loss.size))
    loss._pass(nothing, hessian)
    return hessian


@dataclass(frozen=True)
class _SeparationCheck:
    """Whether every row is on its own side, and by how much log-odds are moved at most."""

    perfect: bool
    moving: float

    def __add__(self, other: _SeparationCheck) -> _SeparationCheck:
        return _SeparationCheck(self.perfect and other.perfect, max(self.moving, other.moving))


def _judge_block(
    asked: tuple[Design, int, Floats, Floats], block: tuple[Any, Codes, Floats]
) -> _SeparationCheck:
    design, lines, point, step = asked
    values, labels, weights = block
    block_design = replace(design, values=values)
    loss = LogisticLoss(block_design, labels, weights, lines, np.zeros(design.width + 1), 1.0)
    return _SeparationCheck(judge_separation(loss, point, None)[0], judge_separation(loss, point, step)[1])


def _look_for_separation(
    loss: SummedLoss, point: Floats, gradient: Floats, hessian: Floats, tol: float, who: str
) -> None:
    """Warn where there is no optimum, as one machine does."""
    assert loss.held is not None
    short = bool(np.abs(gradient).max(initial=0.0) <= 10 * tol)
    step = CholeskyFactor(hessian)(-gradient) if short else point
    judgements = loss.held.sum(_judge_block, (loss.design, loss.lines, point, step))
    if judgements.moving > max(MOVING, 1e4 * tol) if short else judgements.perfect:
        tell_of_separation(loss, step, judgements.perfect, who)


# -- before the descent ---------------------------------------------------------------------------


def _first_sums(rows: Table) -> Each[Any]:
    """Moments of numbers, and of ordinal attributes the weight of each level."""
    one = np.zeros(len(rows), dtype=np.int32)
    codes = []
    for attribute, column in rows.nominal_columns():
        if attribute.kind == "ordinal":
            known = column >= 0
            codes.append(np.bincount(column[known], rows.row_weights[known], len(attribute.levels)))
    return Each((ClassMoments.of(rows.numeric, one, rows.weights, 1), Each(tuple(codes))))


def spread_view(rows: Rows, who: str) -> tuple[NumericMatrix, ClassMoments]:
    """How rows become columns, as NumericMatrix.fit(impute="mean") has it; and the moments of numbers."""
    inputs = rows.schema.without_target()
    if inputs.text:
        text = inputs.text[0].name
        raise DataError(f"{who}: texts are coded in one place; leave out the column {text!r}.")
    moments, codes = rows.sum(_first_sums).things
    numbers, levels = iter(moments.mean[0].tolist()), iter(codes.things)
    fills = []
    for attribute in inputs:
        if attribute.is_numeric:
            fills.append(next(numbers))
        else:
            fills.append(float(np.argmax(next(levels))) if attribute.kind == "ordinal" else np.nan)
    d = len(inputs)
    none = np.zeros(d, dtype=np.bool_)
    view = NumericMatrix(inputs, "one-hot", "none", np.array(fills), np.zeros(d), np.ones(d), none, ())
    return view, moments


def _design(rows: Rows, who: str) -> Design:
    """Columns and coordinates, as `design_of` finds them in one place."""
    inputs = rows.schema.without_target()
    view, moments = spread_view(rows, who)
    if len(inputs.numeric) == len(inputs):
        centre, spread = _centre(moments, who)
        plain = np.zeros(len(inputs), dtype=np.bool_)
        return Design(DesignCoding(None, centre), inputs.names, None, centre, _factor(spread), plain)
    plain = np.ones(int(view.starts[-1]), dtype=np.bool_)
    for i, attribute in enumerate(inputs):
        if attribute.is_numeric or attribute.kind == "ordinal":
            plain[view.starts[i] : view.starts[i + 1]] = False
    centre, spread = _centre(rows.sum(partial(_coded_moments, view)), who)
    return Design(DesignCoding(view, centre), view.names, None, centre, _factor(spread), plain)


def _coded_moments(view: NumericMatrix, rows: Table) -> ClassMoments:
    values = np.asarray(view.transform(rows))
    return ClassMoments.of(Block.of_matrix(values), np.zeros(len(rows), dtype=np.int32), rows.weights, 1)


def _centre(moments: ClassMoments, who: str) -> tuple[Floats, Floats]:
    centre, weight, scatter = moments.mean[0].copy(), moments.weight[0], moments.scatter[0]
    spread = np.sqrt(np.divide(scatter, weight, out=np.zeros_like(scatter), where=weight > 0))
    if not np.isfinite(spread).all():
        raise DataError(f"{who}: some numbers are so large that their squares cannot be added; divide them.")
    spread[spread <= 1e-13 * np.abs(centre)] = 0.0
    return centre, spread


def _factor(spread: Floats) -> Floats:
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)


def _code_block(coding: DesignCoding, number: Codes, rows: Table) -> tuple[Any, Codes, Floats]:
    """A block as the kernel takes it: numbers, classes that occur, weights."""
    values = rows.numeric.matrix() if coding.view is None else np.asarray(coding.view.transform(rows))
    return np.asarray(values), number[rows.class_codes], np.ascontiguousarray(rows.weights)
