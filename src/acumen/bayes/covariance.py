"""Covariance matrices from scatter: divisors, shrinkage, and repair of singular ones.

A singular covariance is repaired by a ridge on the correlation matrix, so that the repair does not depend on
the attributes' units, as small as keeps the inverse meaningful; a warning says which class it concerns.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np

from acumen.errors import AcumenWarning, DataError
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Floats, Label

Covariance = Literal["full", "shared", "diagonal"]

#: Least eigenvalue of a repaired correlation matrix.
_RIDGE = 1e-10


def covariances(
    scatter: ScatterMatrices, classes: Sequence[Label], kind: Covariance, shrinkage: float, unbiased: bool
) -> Floats:
    """(classes, d, d) positive definite matrices; (1, d, d) for kind "shared".

    The divisor is the weight of the class (of all rows when shared), less one (less the number of classes)
    when `unbiased`. `shrinkage` s gives (1 - s) S + s diag(S).
    """
    if not scatter.attributes:
        return np.zeros((1 if kind == "shared" else scatter.classes, 0, 0))
    matrices = scatter.imputed()
    weight = scatter.weight
    if kind == "shared":
        total = matrices.sum(axis=0, keepdims=True)
        less = float(np.count_nonzero(weight)) if unbiased else 0.0
        divisor = np.array([weight.sum() - less])
        names: Sequence[object] = ("all classes together",)
    else:
        total, divisor, names = matrices, weight - (1.0 if unbiased else 0.0), classes
    made = np.array(total / np.where(divisor > 0, divisor, 1.0)[:, None, None])
    for matrix, whose in zip(made, names, strict=True):
        if not np.isfinite(matrix).all():
            raise DataError(
                f"FullBayes: the numbers of {whose} spread too far for their covariance to be reckoned; "
                "rescale the attributes whose values go beyond 1e150."
            )
    overall = _overall_variance(scatter)
    seen = np.array([True]) if kind == "shared" else weight > 0
    diagonal = np.arange(made.shape[1])
    for c in range(len(made)):
        if not seen[c]:
            made[c] = np.diag(overall)
            continue
        # A constant attribute gets a little of its variance elsewhere, or one where it has none at all.
        flat = made[c, diagonal, diagonal] <= 1e-12 * overall
        made[c, diagonal[flat], diagonal[flat]] = np.maximum(
            made[c, diagonal[flat], diagonal[flat]], 1e-9 * overall[flat]
        )
        if kind == "diagonal":
            made[c] = np.diag(np.diag(made[c]))
            continue
        if shrinkage:
            made[c] = (1.0 - shrinkage) * made[c] + shrinkage * np.diag(np.diag(made[c]))
        made[c] = repaired(made[c], str(names[c]), int(flat.sum()))
    return made


def repaired(matrix: Floats, whose: str, flat: int = 0) -> Floats:
    """The matrix itself if it is safely positive definite, else with the smallest ridge that makes it so."""
    d = len(matrix)
    spread = np.sqrt(np.diag(matrix))
    correlation = matrix / np.outer(spread, spread)
    try:
        # Cheap proof that nothing is wrong: the smallest pivot bounds the smallest eigenvalue's order.
        pivots = np.diag(np.linalg.cholesky(correlation))
        if pivots.min() ** 2 > 1e-7 and not flat:
            return matrix
    except np.linalg.LinAlgError:
        pass
    values = np.linalg.eigvalsh(correlation)
    least = max(_RIDGE, 4.0 * d * np.finfo(np.float64).eps) * max(1.0, values[-1])
    rank = int(np.count_nonzero(values > least)) - flat
    if rank == d:
        return matrix
    ridge = max(least - values[0], 0.0)
    warnings.warn(
        f"FullBayes: the covariance of {whose} is singular (rank {max(rank, 0)} of {d} attributes); a ridge of "
        f"{ridge:.2g} was added to its correlation matrix. Set shrinkage above 0 to choose one yourself.",
        AcumenWarning,
        stacklevel=2,
    )
    correlation[np.arange(d), np.arange(d)] += ridge
    return correlation * np.outer(spread, spread)


def _overall_variance(scatter: ScatterMatrices) -> Floats:
    """The variance of each attribute over all rows; one where it is constant."""
    moments = scatter.moments
    weight = np.maximum(moments.weight.sum(axis=0), 1e-300)
    centre = (moments.weight * moments.mean).sum(axis=0) / weight
    between = (moments.weight * (moments.mean - centre) ** 2).sum(axis=0)
    found = (moments.scatter.sum(axis=0) + between) / weight
    return np.where(found > 0, found, 1.0)


def inverse_factors(matrices: Floats) -> Floats:
    """The inverse of each lower Cholesky factor; raises LinAlgError unless all are positive definite."""
    if not matrices.shape[1]:
        return matrices.copy()
    lower = np.linalg.cholesky(matrices)
    return np.ascontiguousarray(np.tril(np.linalg.inv(lower)))
