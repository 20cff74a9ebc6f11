"""Coordinates in which the classes are round: within-class scatter made the identity.

A direction in which no class varies is told apart by what the classes' means do there. Where they agree too
it says nothing and is dropped (the levels of a one-hot attribute always have one such direction). Where they
differ it separates the training rows without error; it is kept, with the least variance that can still be
inverted, and a warning says so. Everything is judged on the correlation scale, so units do not count.
"""

from __future__ import annotations

import warnings

import numpy as np

from acumen import messages
from acumen.errors import AcumenWarning, DataError
from acumen.types import Floats

#: Least eigenvalue of a within-class correlation matrix that counts as variance.
_LEAST = 1e-10


#: What to set above 0 so that directions without spread do not decide alone.
_REMEDY = {"KernelFisher": "ridge"}


def whitened(within: Floats, apart: Floats, share: Floats, shrinkage: float, who: str) -> Floats:
    """(columns, r): x' = x W has within-class covariance 1 in each of r directions.

    `within` is the covariance within the classes, `apart` are the class means about their centre,
    `share` the classes' shares. `shrinkage` s makes of the covariance S the matrix (1 - s) S + s diag(S).
    """
    d = len(within)
    require_finite(within, who)
    own = np.maximum(np.diag(within), 0.0)
    overall = own + share @ (apart * apart)
    spread = np.sqrt(np.where(own > 1e-12 * overall, own, overall))
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
                f"{who}: {int((flat & differ).sum())} of {d} directions separate the classes of the training rows "
                "without any spread within them; they decide alone. Say "
                f"{messages.setting(_REMEDY.get(who, 'shrinkage'), 0.1)}, or another above 0, to give others a say.",
                AcumenWarning,
                stacklevel=2,
            )
        kept = ~flat | differ
        values, vectors = np.maximum(values[kept], least), vectors[:, kept]
    made: Floats = vectors / np.sqrt(values) / spread[:, None]
    return made


def require_finite(within: Floats, who: str) -> None:
    """Refuse a covariance that overflowed."""
    if not np.isfinite(within).all():
        raise DataError(
            f"{who}: the numbers spread too far for their scatter to be reckoned; rescale the columns whose "
            "values go beyond 1e150."
        )
