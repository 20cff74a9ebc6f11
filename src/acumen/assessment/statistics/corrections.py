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


def holm(p: Sequence[float] | Floats, least: Sequence[float] | Floats | None = None) -> Floats:
    """Holm's step-down correction (1979): as safe as Bonferroni's and never less able to find.

    The smallest of m p-values is taken m times, the next m - 1 times and so on; none may come out smaller
    than one before it, nor above 1.

    Parameters
    ----------
    p : sequence of numbers
    least : sequence of numbers, optional
        The smallest p that each test could have had, as 2^(1 - m) of a sign test on m rows. A test that could not
        have come out as small as another has no part in the chance of that one's being luck, and is not counted
        there (Tarone 1990, Biometrics 46; Westfall and Wolfinger 1997, American Statistician 51).
    """
    given = _checked(p, "holm")
    could = np.zeros(len(given)) if least is None else _checked(least, "holm")
    if could.shape != given.shape:
        raise DataError(
            f"holm: least must have one number for each p-value; got {len(could)} for {len(given)}."
        )
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    times = [max(1, int((could[order[i:]] <= given[order[i]]).sum())) for i in range(len(order))]
    made = np.full(len(given), np.nan)
    made[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * np.array(times)))
    return made


def _checked(p: Sequence[float] | Floats, who: str) -> Floats:
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or ((given < 0) | (given > 1)).any():
        raise DataError(f"{who}: p-values must be one sequence of numbers from 0 to 1; got {p!r}.")
    return given
