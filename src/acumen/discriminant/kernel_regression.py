"""Ridge regressions of the classes' 0/1 columns on a kernel, and what Fisher's discriminant needs of them.

    regress                on all rows: one Cholesky factorisation of K + n ridge I
    regress_on_landmarks   on functions of some rows, blocks of rows at a time

The intercept carries no penalty, which is the same as centring the features. `alpha` is in units of variance
among the features; without it the pseudo-inverse is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.geometry.kernel import Kernel, Rows
from acumen.types import Codes, Floats

_BYTES = 32 << 20
#: Features of a smaller share of the largest variance than this are left out of a pseudo-inverse: what rows have
#: there is made of so few digits that one row alone would be answered otherwise than among many.
_SMALLEST = 1e-10


@dataclass(frozen=True, slots=True)
class Regression:
    """One column for each class; values f(x) = K(x, kept rows) coefficients + intercept have mean 0."""

    coefficients: Floats  # (kept rows, classes)
    intercept: Floats  # (classes,)
    mean: Floats  # (classes, classes): mean values in each class, a class a row
    within: Floats  # (classes, classes): covariance of the values within the classes
    length: Floats  # (classes, classes): inner products of the functions among the features


def regress(
    kernel: Kernel, matrix: Rows, labels: Codes, weights: Floats, totals: Floats, ridge: float
) -> Regression:
    """On all rows; `matrix` is the kernel matrix itself for a precomputed kernel."""
    targets = _targets(labels, totals)
    kernel_matrix = kernel(matrix)
    if not np.isfinite(kernel_matrix).all():
        raise DataError("KernelFisher: the kernel of some rows is no finite number; rescale the columns.")
    if ridge > 0:
        slack = ridge * weights.sum() / weights
        coefficients, intercept = _ridge(kernel_matrix, slack, targets)
        values = targets - slack[:, None] * coefficients
    else:
        coefficients, intercept, values = _pseudo_inverse(kernel_matrix, weights, targets)
    mean = _class_means(values, labels, weights, totals)
    off = values - mean[labels]
    within = (off * weights[:, None]).T @ off / weights.sum()
    # The coefficients sum to zero, so the intercept has no part in their length.
    length = coefficients.T @ values
    return Regression(coefficients, intercept, mean, within, 0.5 * (length + length.T))


def _ridge(kernel: Floats, slack: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Coefficients a and intercept b with (K + diag(slack)) a + b = targets and sum a = 0."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    kernel[np.diag_indices(len(kernel))] += slack
    try:
        # The transposed view is column-major, and so factorised where it lies.
        factor = cho_factor(kernel.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise DataError(
            "KernelFisher: the kernel matrix of these rows is not positive semidefinite, not even with the ridge; "
            "choose another kernel, or a larger ridge (is_psd gives the smallest eigenvalue)."
        ) from None
    solved = cho_solve(factor, np.column_stack([targets, np.ones(len(targets))]), check_finite=False)
    ones = solved[:, -1]
    intercept = solved[:, :-1].sum(axis=0) / ones.sum()
    return solved[:, :-1] - ones[:, None] * intercept, intercept


def _pseudo_inverse(kernel: Floats, weights: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
    """The same without a ridge, in the span of the features there are; and the values on the rows."""
    share, root = weights / weights.sum(), np.sqrt(weights)
    row = kernel @ share
    middle = float(share @ row)
    kernel -= row[:, None]
    kernel -= row - middle
    kernel *= root[:, None]
    kernel *= root
    inverse, image = _spectral(kernel, root[:, None] * targets)
    raw = root[:, None] * inverse
    total = raw.sum(axis=0)
    intercept = middle * total - row @ raw
    return raw - share[:, None] * total, intercept, image / root[:, None]


def _spectral(matrix: Floats, right: Floats) -> tuple[Floats, Floats]:
    """The pseudo-inverse of a symmetric matrix times `right`, and the projection of `right` on its range."""
    values, vectors = np.linalg.eigh(matrix)
    rounding = 10.0 * len(values) * float(np.finfo(np.float64).eps)
    least = max(rounding, _SMALLEST) * max(float(np.abs(values).max()), 1e-300)
    vectors, values = vectors[:, values > least], values[values > least]
    inner = vectors.T @ right
    return vectors @ (inner / values[:, None]), vectors @ inner


def regress_on_landmarks(
    kernel: Kernel,
    matrix: Rows,
    landmarks: Floats,
    labels: Codes,
    weights: Floats,
    totals: Floats,
    ridge: float,
) -> Regression:
    """On K(x, landmarks), the length of functions being that among the features (Nystroem)."""
    m, k, weight = len(landmarks), len(totals), float(weights.sum())
    gram, sums = np.zeros((m, m)), np.zeros((k, m))
    step = max(1, _BYTES // (8 * m))
    for start in range(0, len(labels), step):
        part = slice(start, start + step)
        block = kernel(matrix[part], landmarks)
        heavy = block * np.sqrt(weights[part])[:, None]
        gram += heavy.T @ heavy
        for c in np.unique(labels[part]):
            mine = labels[part] == c
            sums[c] += weights[part][mine] @ block[mine]
    if not np.isfinite(gram).all():
        raise DataError("KernelFisher: the kernel of some rows is no finite number; rescale the columns.")
    seen = totals > 0
    centre = sums.sum(axis=0) / weight
    apart = np.where(seen[:, None], sums / np.where(seen, totals, 1.0)[:, None] - centre, 0.0)
    gram -= weight * np.outer(centre, centre)
    spread = gram - (apart * totals[:, None]).T @ apart
    landmark_kernel = kernel(landmarks)
    right = (totals[:, None] * apart).T
    coefficients, _ = _spectral(gram + ridge * weight * landmark_kernel, right)
    within = coefficients.T @ spread @ coefficients / weight
    length = coefficients.T @ landmark_kernel @ coefficients
    return Regression(
        coefficients,
        -(centre @ coefficients),
        apart @ coefficients,
        0.5 * (within + within.T),
        0.5 * (length + length.T),
    )


def _targets(labels: Codes, totals: Floats) -> Floats:
    """The classes' 0/1 columns less their means."""
    targets = np.repeat(-totals[None] / totals.sum(), len(labels), axis=0)
    targets[np.arange(len(labels)), labels] += 1.0
    return targets


def _class_means(values: Floats, labels: Codes, weights: Floats, totals: Floats) -> Floats:
    sums = np.zeros((len(totals), values.shape[1]))
    for j in range(values.shape[1]):
        sums[:, j] = np.bincount(labels, weights * values[:, j], len(totals))
    return sums / np.where(totals > 0, totals, 1.0)[:, None]
