"""The directions that separate classes, from the covariance within them and their means."""

from __future__ import annotations

import numpy as np

from acumen.discriminant.whitening import whitened
from acumen.errors import ParameterError
from acumen.types import Floats

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
    round_ = whitened(within, apart, share, shrinkage, who)
    _, size, turned = np.linalg.svd(np.sqrt(share)[:, None] * (apart @ round_), full_matrices=False)
    most = max(len(share) - 1, 1) if n_directions is None else n_directions
    kept = max(1, min(most, int(np.count_nonzero(size > _NOTHING * size[:1]))))
    found = turned[:kept] @ round_.T
    if not len(found):  # nothing varies at all
        return np.zeros((1, len(within))), np.zeros(1)
    return found * signs(found, apart)[:, None], size[: len(found)] ** 2


def check_number(n_directions: int | None, classes: int, who: str) -> None:
    """Refuse more directions than classes can differ in."""
    if n_directions is not None and n_directions > max(classes - 1, 1):
        raise ParameterError(
            f"{who}: n_directions must be at most {max(classes - 1, 1)}, one less than there are classes; "
            f"got {n_directions}."
        )


def signs(found: Floats, apart: Floats) -> Floats:
    """Which way each direction points: 1 or -1."""
    if len(apart) == 2:
        return np.where((apart[1] - apart[0]) @ found.T < 0, -1.0, 1.0)
    if not found.size:  # no attribute varies
        return np.ones(len(found))
    size = np.abs(found)
    first = np.argmax(size >= (1.0 - _AS_LARGE) * size.max(axis=1, keepdims=True, initial=0.0), axis=1)
    return np.where(found[np.arange(len(found)), first] < 0, -1.0, 1.0)
