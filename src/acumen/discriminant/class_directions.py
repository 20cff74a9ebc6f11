"""The directions that separate classes, from the covariance within them and their means.

Coordinates in which the classes are round: within-class scatter made the identity.

A direction in which no class varies is told apart by what the classes' means do there. Where they agree too
it says nothing and is dropped (the levels of a one-hot attribute always have one such direction). Where they
differ it separates the training rows without error; it is kept, with the least variance that can still be
inverted, and a warning says so. Everything is judged on the correlation scale, so units do not count.

Fisher's discriminant of fewer rows than columns, with probabilities that can be believed.

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

import warnings
from dataclasses import dataclass

import numpy as np

from acumen import messages
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.types import Floats

#: Least eigenvalue of a within-class correlation matrix that counts as variance.
_LEAST = 1e-10


#: What to set above 0 so that directions without spread do not decide alone.
_REMEDY = {"KernelFisher": "alpha"}


def whiten(within: Floats, apart: Floats, share: Floats, shrinkage: float, who: str) -> Floats:
    """(columns, r): x' = x W has within-class covariance 1 in each of r directions.

    `within` is the covariance within the classes, `apart` are the class means about their centre,
    `share` the classes' shares. `shrinkage` s makes of the covariance S the matrix (1 - s) S + s diag(S).
    """
    d = len(within)
    require_finite(within, who)
    variances = np.maximum(np.diag(within), 0.0)
    overall = variances + share @ (apart * apart)
    spread = np.sqrt(np.where(variances > 1e-12 * overall, variances, overall))
    spread[~(spread > 0)] = 1.0
    matrix = within / spread[:, None] / spread
    if shrinkage:
        matrix = (1.0 - shrinkage) * matrix + shrinkage * np.diag(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix)
    least = max(_LEAST, 4.0 * d * float(np.finfo(np.float64).eps)) * max(1.0, float(values[-1]) if d else 1.0)
    flat = values <= least
    if flat.any():
        differ = share @ ((apart / spread) @ vectors) ** 2 > least
        if (flat & differ).any():
            warnings.warn(
                f"{who}: {int((flat & differ).sum())} of {d} directions separate the training classes "
                "with no spread within them, so they alone decide. Say "
                f"{messages.setting(_REMEDY.get(who, 'shrinkage'), 0.1)}, or another value above 0, "
                "to let the others count.",
                AcumenWarning,
                stacklevel=2,
            )
        kept = ~flat | differ
        values, vectors = np.maximum(values[kept], least), vectors[:, kept]
    whitening: Floats = vectors / np.sqrt(values) / spread[:, None]
    return whitening


def require_finite(within: Floats, who: str) -> None:
    """Refuse a covariance that overflowed."""
    if not np.isfinite(within).all():
        raise DataError(
            f"{who}: the numbers spread too far to compute their scatter; rescale the columns whose "
            "values go beyond 1e150."
        )


#: A direction that separates this little, against the first, is none.
_NOTHING = 1e-12
#: Entries within this share of the largest count as being as large, so that rounding does not turn a sign.
_AS_LARGE = 1e-9


def directions_of(
    within: Floats, apart: Floats, share: Floats, n_directions: int | None, shrinkage: float, who: str
) -> tuple[Floats, Floats]:
    """(directions, columns) with variance 1 within the classes along each, and scatter between over within.

    `apart` are the class means about their centre. Of two classes a direction points to the second; else its
    first entry of largest magnitude is positive. There is always one direction, be it of length 0.
    """
    check_number(n_directions, len(share), who)
    round_ = whiten(within, apart, share, shrinkage, who)
    _, size, rotation = np.linalg.svd(np.sqrt(share)[:, None] * (apart @ round_), full_matrices=False)
    most = max(len(share) - 1, 1) if n_directions is None else n_directions
    kept = max(1, min(most, int(np.count_nonzero(size > _NOTHING * size[:1]))))
    directions = rotation[:kept] @ round_.T
    if not len(directions):  # nothing varies at all
        return np.zeros((1, len(within))), np.zeros(1)
    return directions * signs(directions, apart)[:, None], size[: len(directions)] ** 2


def check_number(n_directions: int | None, classes: int, who: str) -> None:
    """Refuse more directions than classes can differ in."""
    if n_directions is not None and n_directions > max(classes - 1, 1):
        raise ParameterError(
            f"{who}: n_directions must be at most {max(classes - 1, 1)}, one less than there are classes; "
            f"got {n_directions}."
        )


def signs(directions: Floats, apart: Floats) -> Floats:
    """Which way each direction points: 1 or -1."""
    if len(apart) == 2:
        return np.where((apart[1] - apart[0]) @ directions.T < 0, -1.0, 1.0)
    if not directions.size:  # no attribute varies
        return np.ones(len(directions))
    size = np.abs(directions)
    first = np.argmax(size >= (1.0 - _AS_LARGE) * size.max(axis=1, keepdims=True, initial=0.0), axis=1)
    return np.where(directions[np.arange(len(directions)), first] < 0, -1.0, 1.0)


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
    deviations = np.sqrt(np.where(flat, between / (rows + 1.0), variance))
    used = np.flatnonzero(deviations > 0)
    d, spread = len(used), deviations[used]
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
    whitening = np.zeros((len(deviations), d))
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
    frame = coordinates(within, share @ (apart * apart), rows, freedom)
    classes = int(np.count_nonzero(share))
    _, size, rotation = np.linalg.svd(
        np.sqrt(share)[:, None] * (apart @ frame.whitening), full_matrices=False
    )
    most = max(classes - 1, 1)
    kept = max(1, min(most if n_directions is None else n_directions, len(size)))
    size, rotation = size[:kept], rotation[:kept]
    total = float((size**2).sum()) * rows
    believed = max(0.0, 1.0 - (classes - 1) * frame.noise / total) if total > 0 else 0.0
    variance = (rotation**2) @ frame.variance
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    directions = (rotation @ frame.whitening.T) / scale[:, None]
    return directions * signs(directions, apart)[:, None], (size / scale) ** 2, believed
