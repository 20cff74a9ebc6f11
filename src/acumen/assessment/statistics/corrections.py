"""Many tests at once: p-values corrected so that the chance of any false finding stays below alpha.

A p-value of NaN is of a test that was not done: it stays NaN and does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.errors import DataError
from acumen.types import Floats


def bonferroni(p: Sequence[float] | Floats) -> Floats:
    """Each p-value times the number of tests, at most 1."""
    given = _checked(p, "bonferroni")
    return np.minimum(1.0, given * np.count_nonzero(~np.isnan(given)))


def holm(p: Sequence[float] | Floats) -> Floats:
    """Holm's step-down correction (1979): as safe as Bonferroni's and never less able to find.

    The smallest of m p-values is taken m times, the next m - 1 times and so on; none may come out smaller
    than one before it, nor above 1.
    """
    given = _checked(p, "holm")
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    m = len(order)
    made = np.full(len(given), np.nan)
    made[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.arange(m, 0, -1)))
    return made


def _checked(p: Sequence[float] | Floats, who: str) -> Floats:
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or ((given < 0) | (given > 1)).any():
        raise DataError(f"{who}: p-values must be one sequence of numbers from 0 to 1; got {p!r}.")
    return given
