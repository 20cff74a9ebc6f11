"""The density of rows around a row, K / (n V), from the ball up to its k-th neighbour."""

from __future__ import annotations

import math

import numpy as np

from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.search import Targets
from acumen.neighbours.kept import Kept
from acumen.types import Floats


def ball_densities(model: Kept, rows: Table) -> Floats:
    """K / (n V) at each row, K being the weight of the rows in the ball, n that of all, V the ball's volume."""
    form, fitted = model.fitted.form, model.fitted
    if fitted.distance.name not in ("euclidean", "mahalanobis") or form.levels or not len(form.factor):
        raise DataError(
            "density: a ball has a volume among numbers under Euclidean distances; this model's is "
            f"{fitted.distance.name!r}."
        )
    if not (form.weight == 1.0).all():
        raise DataError("density: attributes are weighed, so that balls have no volume in their units.")
    found = model.search.votes(
        model.raw_of(rows), model.k, "uniform", Targets(numbers=np.zeros(len(model.raw)))
    )
    d = len(form.factor)
    # In logarithms: the volume of a ball of many dimensions is tiny. Factors turn units into the distance's.
    with np.errstate(divide="ignore", invalid="ignore"):
        log_unit = np.log(_units(model)).sum()
        log_volume = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1) + d * np.log(found.reach) - log_unit
        made = np.exp(np.log(found.within) - math.log(float(model.weights.sum())) - log_volume)
    return np.where(np.isfinite(found.reach), np.where(found.reach > 0, made, np.inf), 0.0)


def _units(model: Kept) -> Floats:
    """How much longer a step of one is in the distance than in each column."""
    fitted = model.fitted
    if fitted.distance.turns:
        if fitted.turn.shape[0] != fitted.turn.shape[1]:
            raise DataError(
                "density: some columns follow from the others, so that balls have no volume; leave them out."
            )
        return np.abs(np.linalg.svd(fitted.turn, compute_uv=False))
    if fitted.scaling == "none":
        return np.ones(len(fitted.form.factor))
    if not (fitted.form.factor > 0).all():
        raise DataError("density: a column does not vary, so that balls have no volume; leave it out.")
    return fitted.form.factor * 10.0 ** np.maximum(fitted.places, 0)
