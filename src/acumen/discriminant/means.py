"""The centres of classes from moments, and moments under a schema with more levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.errors import DataError
from acumen.summaries.moments import ClassMoments
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Bools, Floats, Indices

_MOST = 1e150
#: A spread of so little of the values themselves is rounding.
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


def centres(moments: ClassMoments, share: Floats, who: str) -> tuple[Floats, Floats]:
    """The overall mean of each column, and each class's.

    A missing number stands for its class's mean; where a class has no number at all, for the mean of those known.
    """
    weight = moments.weight.sum(axis=0)
    # Averages are of distances from one of the means: the average of equal numbers is then that number.
    origin = np.take_along_axis(moments.mean, np.argmax(moments.weight, axis=0)[None, :], axis=0)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        offsets = np.where(moments.weight > 0, moments.mean - origin, 0.0)
        known = (moments.weight / np.where(weight > 0, weight, 1.0) * offsets).sum(axis=0)
        offsets = np.where(moments.weight > 0, offsets, known)
        mean = np.where(moments.weight > 0, moments.mean, origin + known)
        centre = origin + share @ offsets
    if not np.isfinite(centre).all() or np.abs(mean).max(initial=0.0) > _MOST:
        raise DataError(f"{who}: a column's mean lies beyond 1e150; rescale the column.")
    return centre, mean


def is_varying(within: Floats, apart: Floats, mean: Floats) -> Bools:
    """Which columns vary by more than the rounding of their values.

    `within` is the covariance within the classes, `apart` are the class means about their centre.
    """
    spread = np.sqrt(np.maximum(np.diag(within), 0.0)) + np.abs(apart).max(axis=0, initial=0.0)
    return np.asarray(spread > _ROUNDING * np.abs(mean).max(axis=0, initial=0.0))


def widen_moments(moments: ClassMoments, weight: Floats, places: Indices, width: int) -> ClassMoments:
    """The same rows with further columns, in which all had 0; `weight` is that of each class's rows."""
    shape = (moments.classes, width)
    wide = {name: np.zeros(shape) for name in ("mean", "scatter", "rest")}
    known = np.broadcast_to(weight[:, None], shape).copy()
    known[:, places] = moments.weight
    for name, array in wide.items():
        array[:, places] = getattr(moments, name)
    return ClassMoments(known, **wide)


def widen_scatter(scatter: ScatterMatrices, places: Indices, width: int) -> ScatterMatrices:
    """The same rows with further columns, in which all had 0."""
    moments = widen_moments(scatter.moments, scatter.weight, places, width)
    cross = np.ix_(np.arange(len(scatter.scatter)), places, places)
    matrices = np.zeros((len(scatter.scatter), width, width))
    matrices[cross] = scatter.scatter
    if scatter.pair_weight is None or scatter.pair_mean is None:
        return replace(scatter, moments=moments, scatter=matrices)
    # A new column is known in every row, so a pair with it is known where the other column is.
    cross = np.ix_(np.arange(scatter.classes), places, places)
    weight = np.minimum(moments.weight[:, :, None], moments.weight[:, None, :])
    mean = np.repeat(moments.mean[:, :, None], width, axis=2)
    weight[cross], mean[cross] = scatter.pair_weight, scatter.pair_mean
    return replace(scatter, moments=moments, scatter=matrices, pair_weight=weight, pair_mean=mean)
