"""Covariance matrices from scatter: divisors, shrinkage, and repair of singular ones.

A singular covariance is repaired by a ridge on the correlation matrix, so that the repair does not depend on
the attributes' units, as small as keeps the inverse meaningful; a warning says which class it concerns.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np

from acumen import messages
from acumen.bayes.variance_floors import overall_variance, variance_floor, warn_of_constants
from acumen.data.schema import Schema
from acumen.errors import AcumenWarning, DataError
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Floats

Covariance = Literal["full", "shared", "diagonal"]

#: Least eigenvalue of a repaired correlation matrix.
_RIDGE = 1e-10
#: Variances below this have too few digits left.
_NARROWEST = 1e-290


def covariances(
    scatter: ScatterMatrices,
    gap: Floats,
    schema: Schema,
    kind: Covariance,
    *,
    shrinkage: float,
    unbiased: bool,
) -> Floats:
    """(classes, d, d) positive definite matrices; (1, d, d) for kind "shared".

    `gap` is how far apart the values of each attribute lie; no variance is below what `floors` allows. The
    divisor is the weight of the class (of all rows when shared), less one (less the number of classes) when
    `unbiased`. `shrinkage` s gives (1 - s) S + s diag(S).
    """
    if not scatter.attributes:
        return np.zeros((1 if kind == "shared" else scatter.classes, 0, 0))
    matrices = scatter.impute_means()
    weight = scatter.weight
    if kind == "shared":
        total = matrices.sum(axis=0, keepdims=True)
        less = float(np.count_nonzero(weight)) if unbiased else 0.0
        divisor = np.array([weight.sum() - less])
        names: Sequence[object] = ("all classes together",)
    else:
        total, divisor, names = matrices, weight - (1.0 if unbiased else 0.0), schema.classes
    covariance = np.array(total / np.where(divisor > 0, divisor, 1.0)[:, None, None])
    for matrix, whose in zip(covariance, names, strict=True):
        if not np.isfinite(matrix).all():
            raise DataError(
                f"FullBayes: the numbers of {whose} spread too far to compute their covariance; "
                "rescale the attributes whose values go beyond 1e150."
            )
    floors, moments = least_variances(scatter, gap, kind), scatter.moments
    overall = overall_variance(moments)
    if kind != "shared":
        warn_of_constants(moments, schema.classes, schema.numeric, "FullBayes")
    diagonal = np.arange(covariance.shape[1])
    for c in range(len(covariance)):
        unknown = ~((moments.weight.sum(axis=0) if kind == "shared" else moments.weight[c]) > 0)
        least = np.where(unknown, overall, floors[c])
        covariance[c, diagonal, diagonal] = np.maximum(covariance[c, diagonal, diagonal], least)
        if kind == "diagonal":
            covariance[c] = np.diag(np.diag(covariance[c]))
            continue
        if shrinkage:
            covariance[c] = (1.0 - shrinkage) * covariance[c] + shrinkage * np.diag(np.diag(covariance[c]))
        if (covariance[c, diagonal, diagonal] < _NARROWEST).any():
            raise DataError(
                f"FullBayes: the numbers of {names[c]} spread too little to invert their covariance; "
                "rescale the attributes whose standard deviation is below 1e-145."
            )
        covariance[c] = repair(covariance[c], str(names[c]))
    return covariance


def least_variances(scatter: ScatterMatrices, gap: Floats, kind: Covariance) -> Floats:
    """The least variance of each attribute for each matrix, (classes or 1, attributes)."""
    floors = variance_floor(scatter.moments, gap, "auto")
    return floors.min(axis=0, keepdims=True, initial=np.inf) if kind == "shared" else floors


def repair(matrix: Floats, whose: str) -> Floats:
    """The matrix itself if it is safely positive definite, else with the smallest ridge that makes it so."""
    d = len(matrix)
    spread = np.sqrt(np.diag(matrix))
    correlation = matrix / spread[:, None] / spread
    try:
        # Cheap proof that nothing is wrong: the smallest pivot bounds the smallest eigenvalue's order.
        pivots = np.diag(np.linalg.cholesky(correlation))
        if pivots.min() ** 2 > 1e-7:
            return matrix
    except np.linalg.LinAlgError:
        pass
    values = np.linalg.eigvalsh(correlation)
    least = max(_RIDGE, 4.0 * d * np.finfo(np.float64).eps) * max(1.0, values[-1])
    rank = int(np.count_nonzero(values > least))
    if rank == d:
        return matrix
    ridge = max(least - values[0], 0.0)
    warnings.warn(
        f"FullBayes: the covariance of {whose} is singular (rank {max(rank, 0)} of {d} attributes); a ridge of "
        f"{ridge:.2g} was added to its correlation matrix. Set {messages.setting('shrinkage', 0.1)}, "
        "or another value above 0, to choose one yourself.",
        AcumenWarning,
        stacklevel=2,
    )
    correlation[np.arange(d), np.arange(d)] += ridge
    repaired: Floats = correlation * spread[:, None] * spread
    return repaired


def inverse_factors(matrices: Floats) -> Floats:
    """The inverse of each lower Cholesky factor; raises LinAlgError unless all are positive definite."""
    if not matrices.shape[1]:
        return matrices.copy()
    # On the scale of correlations, where neither units nor their products are out of range.
    spread = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    if not (spread > 0).all():
        raise np.linalg.LinAlgError("a variance is not above zero")
    lower = np.linalg.cholesky(matrices / spread[:, :, None] / spread[:, None, :])
    return np.ascontiguousarray(np.tril(np.linalg.inv(lower)) / spread[:, None, :])
