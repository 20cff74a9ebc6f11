"""Machines over a matrix of numbers, and Gaussians with a covariance, as tensors.

write_matrix       the columns of a NumericMatrix
write_kernel       sums over support vectors under a kernel
write_svm          decisions, decoded, calibrated
write_full_bayes   the Gaussian of what is known of a row, and the joint table of its levels
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from acumen import messages
from acumen.bayes.covariance import inverse_factors
from acumen.bayes.full import CAP, FullBayesModel
from acumen.codegen.terms import CAPPED_GROWTH, LARGEST_SQUARE
from acumen.errors import DataError
from acumen.exports.onnx_columns import InputTensors, code_rows
from acumen.exports.onnx_sums import write_sums
from acumen.geometry.kernel import Kernel, is_sparse
from acumen.geometry.kernels import RBF, Linear, Polynomial, Sigmoid
from acumen.models.probability_curves import Curve, ProbabilityCurves
from acumen.preprocessing.matrix import NumericMatrix
from acumen.svm.model import SVMModel
from acumen.svm.regress import SVRModel
from acumen.types import Floats, Indices

_LEAST = 1e-12  # as base.curves has it
_CELLS = 1 << 22
_LOG_TWO_PI = 1.8378770664093453
_ENORMOUS, _SCALED = 332, 664  # powers of two: differences beyond 1e100 are divided by 1e200
_LOG_CAP = 0.5 * np.log(LARGEST_SQUARE)


def write_matrix(columns: InputTensors, view: NumericMatrix | None) -> str:
    """(rows, columns), gaps filled."""
    if view is None:
        raise DataError(
            "to_onnx: this model compares rows by a kernel matrix of the user's, which a graph cannot work out. Learn "
            f"with a kernel that acumen knows, such as {messages.setting('kernel', 'rbf')}."
        )
    if view.vocabularies:
        raise DataError(
            f"to_onnx: the words of the text {view.vocabularies[0].attribute!r} are columns of this model, and ONNX "
            "has no words that cut texts as acumen does. Learn without the text column."
        )
    g, columns_written = columns.graph, []
    for i, a in enumerate(view.schema):
        fill = float(view.fill[i])
        if view.is_one_hot(a):
            table = np.vstack([np.eye(len(a.levels)), np.zeros((2, len(a.levels)))])
            if np.isfinite(fill):
                table[-1, int(fill)] = 1.0
            columns_written.append(g.looked_up(g.constant(table), columns.code(a.name)))
        else:
            x = columns.number(a.name) if a.is_numeric else _codes(columns, a.name)
            there = columns.finite(a.name) if a.is_numeric else g.negate(g.add("IsNaN", x))
            if np.isfinite(fill):
                x = g.choose(there, x, g.constant([[fill]]))
            columns_written.append(_scale(columns, x, float(view.centre[i]), float(view.spread[i])))
        if view.indicated[i]:
            gap = g.add("IsNaN", columns.number(a.name)) if a.is_numeric else g.add(
                "Equal", columns.code(a.name), g.whole([[len(a.levels) + 1]])
            )  # fmt: skip
            columns_written.append(g.number(gap))
    return g.beside(*columns_written)


def _codes(columns: InputTensors, name: str) -> str:
    """The code of an ordinal attribute as a number, NaN for missing and unknown."""
    g, n = columns.graph, len(columns.schema[name].levels)
    table = np.append(np.arange(n, dtype=np.float64), [np.nan, np.nan]).reshape(-1, 1)
    return g.looked_up(g.constant(table), columns.code(name))


def _scale(columns: InputTensors, x: str, centre: float, spread: float) -> str:
    g = columns.graph
    if spread == 0:
        return g.add("Mul", g.number(g.add("IsNaN", x)), g.constant([[0.0]]))
    # divided, not multiplied by 1 / spread, which would be another number
    x = g.add("Sub", x, g.constant([[centre]])) if centre else x
    return x if spread == 1 else g.add("Div", x, g.constant([[spread]]))


def write_kernel(columns: InputTensors, X: str, kernel: Kernel, support: Floats, coefficients: Floats) -> str:
    """(rows, machines): sums over support vectors of coefficients times kernel."""
    g = columns.graph

    def inner(scale: float) -> str:
        return g.add("MatMul", X, g.constant(np.ascontiguousarray(scale * support.T)))

    if isinstance(kernel, RBF):
        norms = g.over_columns("ReduceSum", g.add("Mul", X, X))
        squares = np.einsum("ij,ij->i", support, support)[None, :]
        apart = g.add("Add", norms, g.constant(squares))
        apart = g.add("Sub", apart, inner(2.0))
        apart = g.add("Max", apart, g.constant([[0.0]]))
        values = g.add("Exp", g.add("Mul", apart, g.constant([[-float(kernel.gamma)]])))
    elif isinstance(kernel, Polynomial):
        scaled = g.add("Add", inner(float(kernel.scale)), g.constant([[float(kernel.offset)]]))
        values = g.add("Pow", scaled, g.constant([[float(kernel.degree)]]))
    elif isinstance(kernel, Sigmoid):
        scaled = g.add("Add", inner(float(kernel.scale)), g.constant([[float(kernel.offset)]]))
        values = g.add("Tanh", scaled)
    elif isinstance(kernel, Linear):
        values = inner(1.0)
    else:
        raise DataError(
            f"to_onnx: a kernel of one's own ({kernel!r}) is a Python function, which a graph cannot hold. Learn with "
            "'linear', 'polynomial', 'rbf' or 'sigmoid'."
        )
    return g.add("MatMul", values, g.constant(coefficients))


# -- support vector machines ------------------------------------------------------------------------


def write_svm(columns: InputTensors, model: SVMModel) -> str:
    """(rows, classes): the scores of a machine, or its log probabilities."""
    scores = _decode_votes(columns, model, write_decisions(columns, model))
    return scores if model.calibration is None else _calibrate(columns, model.calibration, scores)


def write_decisions(columns: InputTensors, model: SVMModel | SVRModel) -> str:
    """(rows, machines)."""
    g, expansion = columns.graph, model.expansion
    X = write_matrix(columns, model.view)
    if isinstance(expansion.kernel, Linear):
        decisions = g.add("MatMul", X, g.constant(expansion.coefficients))
    else:
        support = expansion.support.toarray() if is_sparse(expansion.support) else expansion.support
        decisions = write_kernel(
            columns, X, expansion.kernel, np.asarray(support, dtype=np.float64), expansion.coefficients
        )
    return g.add("Add", decisions, g.constant(expansion.intercept[None, :]))


def _decode_votes(columns: InputTensors, model: SVMModel, decision: str) -> str:
    g, code = columns.graph, model.code.astype(np.float64)  # machines x classes
    known = (code != 0).any(axis=0)
    never = g.constant(np.where(known, 0.0, -np.inf)[None, :])
    if model.decoding == "two":
        result = g.add("MatMul", decision, g.constant(0.5 * code))
    elif model.decoding == "largest":
        result = g.add("MatMul", decision, g.constant(np.eye(len(known))[known]))
    elif model.decoding == "losses":
        columns_of = []
        for line in code.T:
            agreed = g.add("Mul", decision, g.constant(line[None, :]))
            loss = g.add("Max", g.add("Sub", g.constant([[1.0]]), agreed), g.constant([[0.0]]))
            loss = g.add("MatMul", loss, g.constant((line != 0).astype(np.float64)[:, None]))
            columns_of.append(g.add("Neg", loss))
        result = g.beside(*columns_of)
    else:
        won = g.number(g.add("Greater", decision, g.constant([[0.0]])))
        # a win is a vote for the side of +1, else there is one for the side of -1
        votes = g.add(
            "Add", g.add("MatMul", won, g.constant(code)), g.constant((code < 0).sum(axis=0)[None, :])
        )
        sums = g.add("MatMul", decision, g.constant(code))
        below = g.add("Mul", g.add("Add", g.add("Abs", sums), g.constant([[1.0]])), g.constant([[3.0]]))
        result = g.add("Add", votes, g.add("Div", sums, below))
    return result if known.all() else g.add("Add", result, never)


def _calibrate(columns: InputTensors, calibration: ProbabilityCurves, scores: str) -> str:
    """(rows, classes): log probabilities by the curve of each class."""
    g, curves = columns.graph, calibration.curves
    if len(curves) == 1:
        assert curves[0] is not None
        apart = g.add("MatMul", scores, g.constant([[-1.0], [1.0]]))
        p = _curve(columns, curves[0], apart)
        p = g.add("Min", g.add("Max", p, g.constant([[_LEAST]])), g.constant([[1.0 - _LEAST]]))
        return g.add("Log", g.beside(g.add("Sub", g.constant([[1.0]]), p), p))
    log_chances = []
    for c, curve in enumerate(curves):
        log_chance = g.add("Gather", scores, g.whole([c]), axis=1)
        if curve is None:
            log_chances.append(g.add("Mul", g.number(g.add("IsNaN", log_chance)), g.constant([[0.0]])))
            continue
        lost = g.add("LessOrEqual", log_chance, g.constant([[-1e300]]))
        log_chance = g.choose(lost, g.constant([[-1e300]]), log_chance)
        log_chances.append(g.add("Max", _curve(columns, curve, log_chance), g.constant([[_LEAST]])))
    shares = g.beside(*log_chances)
    return g.add("Log", g.add("Div", shares, g.over_columns("ReduceSum", shares)))


def _curve(columns: InputTensors, curve: Curve, x: str) -> str:
    """(rows, 1): the height of a curve."""
    g = columns.graph
    if not len(curve.height):
        slope, offset = curve.at.tolist()
        f = g.add("Add", g.add("Mul", x, g.constant([[slope]])), g.constant([[offset]]))
        f = g.add("Min", g.add("Max", f, g.constant([[-700.0]])), g.constant([[700.0]]))
        return g.add("Div", g.constant([[1.0]]), g.add("Add", g.constant([[1.0]]), g.add("Exp", f)))
    at, height = curve.at, curve.height
    if len(at) == 1:
        return g.add("Add", g.add("Mul", x, g.constant([[0.0]])), g.constant([[float(height[0])]]))
    x = g.add("Min", g.add("Max", x, g.constant([[float(at[0])]])), g.constant([[float(at[-1])]]))
    beyond = g.add("GreaterOrEqual", x, g.constant(at[None, 1:-1])) if len(at) > 2 else None
    j = (
        g.over_columns("ReduceSum", g.place(beyond))
        if beyond
        else g.place(g.add("Mul", x, g.constant([[0.0]])))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.nan_to_num(np.diff(height) / np.diff(at), nan=0.0, posinf=0.0)
    table = g.looked_up(g.constant(np.column_stack([at[:-1], height[:-1], slope])), j)
    start, low, rise = (g.add("Gather", table, g.whole([i]), axis=1) for i in range(3))
    result = g.add("Add", low, g.add("Mul", rise, g.add("Sub", x, start)))
    return g.choose(
        g.add("GreaterOrEqual", x, g.constant([[float(at[-1])]])), g.constant([[float(height[-1])]]), result
    )


# -- Gaussians with a covariance --------------------------------------------------------------------


def write_full_bayes(columns: InputTensors, model: FullBayesModel) -> str:
    """(rows, classes): log P(class, row), up to what all classes share.

    What is missing is summed out: each pattern of gaps has its own factors, which a row looks up.
    """
    g, schema = columns.graph, columns.schema
    parts = [g.add("Mul", g.number(columns.body(())), g.constant([[0.0]]))]
    if schema.nominal:
        parts.append(_joint(columns, model))
    if schema.numeric:
        parts.append(_gaussians(columns, model))
    return g.total(*parts, g.constant(model.log_prior[None, :]))


def _joint(columns: InputTensors, model: FullBayesModel) -> str:
    g, schema = columns.graph, columns.schema
    names = [a.name for a in schema.nominal]
    sizes = [len(schema[name].levels) + 2 for name in names]
    k = len(model.log_prior)
    if np.prod([float(size) for size in sizes]) * k > _CELLS:
        raise DataError(
            f"to_onnx: the joint table of {len(names)} nominal attributes has too many cells to be written. Learn from "
            "fewer of them, or use NaiveBayes."
        )
    table = np.zeros((int(np.prod(sizes)), k))
    model.joint.add_logs(code_rows(schema, names), table)
    at = columns.code(names[0])
    for name, size in zip(names[1:], sizes[1:], strict=True):
        at = g.add("Add", g.add("Mul", at, g.whole([[size]])), columns.code(name))
    return g.looked_up(g.constant(table), at)


def _gaussians(columns: InputTensors, model: FullBayesModel) -> str:
    g, schema = columns.graph, columns.schema
    if model.diagonal:
        return write_sums(columns, model.squares(schema))
    names = [a.name for a in schema.numeric]
    k, d = model.mean.shape
    if 2.0**d * k * d * d > _CELLS:
        raise DataError(
            f"to_onnx: {d} numbers may be missing in {2**d:,} ways, and each has its own covariance, which are too "
            f"many to be written. Learn with {messages.setting('covariance', 'diagonal')} or from fewer "
            "columns, or use "
            "NaiveBayes or Fisher."
        )
    there = g.beside(*(columns.finite(name) for name in names))
    powers = g.whole(2 ** np.arange(d - 1, -1, -1)[:, None])
    pattern_of = g.add("MatMul", g.place(g.negate(there)), powers)
    x = g.choose(there, g.beside(*(columns.number(name) for name in names)), g.constant([[0.0]]))
    if model.has_shared_covariance:
        return _planes(columns, model, x, there, pattern_of)
    factor, constant = np.zeros((2**d, k, d, d)), np.zeros((2**d, k))
    # Powers of two, so that a column of enormous numbers does not scale the others down.
    spread = np.sqrt(np.diagonal(np.broadcast_to(model.covariance, (k, d, d)), axis1=1, axis2=2))
    unit = 2.0 ** np.floor(np.log2(np.maximum(spread, 1.0)))
    for p, known in _patterns(d):
        inner = inverse_factors(np.ascontiguousarray(model.covariance[:, known][:, :, known]))
        inner = np.broadcast_to(inner, (k, len(known), len(known)))
        factor[p][:, known[:, None], known] = inner * unit[:, None, known]
        constant[p] = np.log(np.abs(np.diagonal(inner, axis1=1, axis2=2))).sum(
            axis=1
        ) - 0.5 * _LOG_TWO_PI * len(known)
    # Half a difference cannot overflow; enormous ones are scaled down by a power of two, which rounds nothing.
    half = g.add("Mul", g.add("Unsqueeze", x, g.whole([1])), g.constant([[[0.5]]]))
    away = g.add("Sub", half, g.constant(0.5 * model.mean[None]))  # rows, classes, d
    away = g.add("Mul", away, g.constant(1.0 / unit[None]))
    away = g.choose(g.add("Unsqueeze", there, g.whole([1])), away, g.constant([[[0.0]]]))
    largest = g.add("ReduceMax", g.add("Abs", away), g.whole([2]), keepdims=1)  # rows, classes, 1
    enormous = g.add("Greater", largest, g.constant([[[2.0**_ENORMOUS]]]))
    scaled = g.add("Mul", away, g.choose(enormous, g.constant([[[2.0**-_SCALED]]]), g.constant([[[1.0]]])))
    factors = g.looked_up(g.constant(factor), pattern_of)  # rows, classes, d, d
    turned = g.add("MatMul", factors, g.add("Unsqueeze", scaled, g.whole([3])))
    norm = g.add("ReduceSum", g.add("Mul", turned, turned), g.whole([2, 3]), keepdims=0)
    enormous = g.add("Squeeze", enormous, g.whole([2]))
    back = g.choose(enormous, g.constant([[_SCALED * np.log(2.0)]]), g.constant([[0.0]]))
    logs = g.add("Add", g.add("Mul", g.add("Log", norm), g.constant([[0.5]])), back)
    logs = g.add("Add", logs, g.constant([[np.log(2.0)]]))  # of the standardised distance
    growth = g.add("Mul", g.add("Sub", logs, g.constant([[_LOG_CAP]])), g.constant([[CAPPED_GROWTH]]))
    capped = g.add("Mul", g.add("Add", growth, g.constant([[1.0]])), g.constant([[-0.5 * LARGEST_SQUARE]]))
    grown = g.choose(enormous, g.constant([[2.0**_SCALED]]), g.constant([[1.0]]))
    square = g.add("Mul", g.add("Mul", norm, grown), grown)
    square = g.add("Mul", square, g.constant([[-2.0]]))  # of whole differences, halved
    result = g.choose(g.add("Greater", logs, g.constant([[_LOG_CAP]])), capped, square)
    return g.add("Add", result, g.looked_up(g.constant(constant), pattern_of))


def _planes(columns: InputTensors, model: FullBayesModel, x: str, there: str, pattern_of: str) -> str:
    """With a shared covariance the scores are linear, of rows with missing values too; see `FullBayesModel.planes`."""
    g = columns.graph
    k, d = model.mean.shape
    slope, offset = np.zeros((2**d, k, d)), np.zeros((2**d, k))
    for p, known in _patterns(d):
        _, slope[p][:, known], offset[p] = model.planes(known)
    away = g.choose(there, g.add("Sub", x, g.constant(model.planes()[0][None])), g.constant([[0.0]]))
    slopes, offsets = g.looked_up(g.constant(slope), pattern_of), g.looked_up(g.constant(offset), pattern_of)

    def linear(values: str) -> str:
        result = g.add("MatMul", slopes, g.add("Unsqueeze", values, g.whole([2])))
        return g.add("Add", g.add("Squeeze", result, g.whole([2])), offsets)

    plain = linear(away)
    fits = g.add("LessOrEqual", g.add("Abs", plain), g.constant([[np.finfo(np.float64).max]]))
    every = g.over_columns("ReduceMin", g.number(fits))
    near = g.add("Max", g.add("Min", away, g.constant([[CAP]])), g.constant([[-CAP]]))
    return g.choose(g.add("Greater", every, g.constant([[0.5]])), plain, linear(near))


def _patterns(d: int) -> Iterator[tuple[int, Indices]]:
    """Which of d numbers are known, by the place of the pattern; the one without any is left out."""
    for p, missing in enumerate(itertools.product((False, True), repeat=d)):
        known = np.flatnonzero(~np.array(missing))
        if len(known):
            yield p, known
