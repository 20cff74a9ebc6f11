"""Fisher's discriminant of fewer rows than columns, with probabilities that can be believed.

With no more rows than columns some direction always separates the training rows without any spread. Four things keep
that from being taken at its word, each from the scatter matrices alone:

    shrinkage   the correlations within the classes are moved towards none by the weight of Chen, Wiesel, Eldar and
                Hero's oracle approximation (2010)
    noise       class means differ by chance alone; the expected part of their squared distances is taken off, as James
                and Stein do
    spread      a row that was not learned from lies further from its mean than a training row does: deviations left
                out are those left in over 1 - g, g being the mean leverage, so the variance along a direction is
                divided by (1 - g)^2
    no evidence where nothing is left of the distances, the class shares answer
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.discriminant.directions import signs
from acumen.types import Floats

#: A mean leverage above this would divide by next to nothing.
_MOST_LEVERAGE = 0.98


@dataclass(frozen=True, slots=True)
class Coordinates:
    """(columns, r) coordinates in which classes are round, and what a new row would show in them."""

    whitening: Floats  # (columns, r)
    variance: Floats  # (r,): of a new row of a class whose mean is known
    noise: float  # expected squared distance of a class mean from the truth, times the rows of the class


def coordinates(within: Floats, between: Floats, rows: float, freedom: float) -> Coordinates:
    """From the covariance within the classes (divisor: `rows`), which has `freedom` rows less classes.

    A column that varies between the classes only, by `between`, is given the variance that one further row off its
    class's mean would leave.
    """
    variance = np.diag(within)
    flat = ~(variance > 1e-12 * between)
    own = np.sqrt(np.where(flat, between / (rows + 1.0), variance))
    used = np.flatnonzero(own > 0)
    d, spread = len(used), own[used]
    freedom = max(freedom, 1.0)
    correlation = within[np.ix_(used, used)] / spread[:, None] / spread
    correlation[np.arange(d), np.arange(d)] = 1.0
    values, vectors = np.linalg.eigh(correlation)
    values = np.maximum(values, 0.0)
    rho = oracle_shrinkage(values, freedom)
    shrunk = (1.0 - rho) * values + rho
    leverage = min(float(((1.0 - rho) * values / shrunk).sum()) / freedom, _MOST_LEVERAGE)
    inside = values / shrunk * (rows / freedom)  # variances of training rows, unbiased
    noise = float(inside.sum()) if rho >= 1.0 else rows * leverage / ((1.0 - leverage) * (1.0 - rho))
    whitening = np.zeros((len(own), d))
    whitening[used] = vectors / np.sqrt(shrunk) / spread[:, None]
    return Coordinates(whitening, inside / (1.0 - leverage) ** 2, noise)


def oracle_shrinkage(values: Floats, freedom: float) -> float:
    """How far a correlation matrix with these eigenvalues is moved towards the identity: from 0 to 1."""
    d = max(len(values), 1)
    squares, trace = float((values**2).sum()), float(values.sum())
    apart = squares - trace**2 / d
    above = (1.0 - 2.0 / d) * squares + trace**2
    below = (freedom + 1.0 - 2.0 / d) * apart
    return 1.0 if above >= below else above / below


def directions_of_few(
    within: Floats, apart: Floats, share: Floats, rows: float, freedom: float, n_directions: int | None
) -> tuple[Floats, Floats, float]:
    """Directions, their separations, and the share of the distances between the class means that is not chance."""
    found = coordinates(within, share @ (apart * apart), rows, freedom)
    classes = int(np.count_nonzero(share))
    _, size, turned = np.linalg.svd(np.sqrt(share)[:, None] * (apart @ found.whitening), full_matrices=False)
    most = max(classes - 1, 1)
    kept = max(1, min(most if n_directions is None else n_directions, len(size)))
    size, turned = size[:kept], turned[:kept]
    total = float((size**2).sum()) * rows
    believed = max(0.0, 1.0 - (classes - 1) * found.noise / total) if total > 0 else 0.0
    variance = (turned**2) @ found.variance
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    made = (turned @ found.whitening.T) / scale[:, None]
    return made * signs(made, apart)[:, None], (size / scale) ** 2, believed
