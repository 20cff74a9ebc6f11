"""Quantiles and tail probabilities of the distributions the tests need.

All of them come from `scipy.special`, imported when first used: `scipy.stats` would cost a second to import.
Degrees of freedom of None mean infinitely many, so that Student's t becomes the normal.

Many tests at once: p-values corrected so that the chance of any false finding stays below alpha.

A p-value of NaN is of a test that was not done: it stays NaN and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acumen.errors import DataError
from acumen.types import Floats


def normal_below(z: float) -> float:
    """P(Z <= z)."""
    from scipy.special import ndtr

    return float(ndtr(z))


def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p."""
    from scipy.special import ndtri

    return float(ndtri(p))


def t_below(t: float, df: float | None) -> float:
    """P(T <= t)."""
    if df is None:
        return normal_below(t)
    if math.isinf(t):
        return float(t > 0)
    from scipy.special import stdtr

    return float(stdtr(df, t))


def t_quantile(p: float, df: float | None) -> float:
    """The t with P(T <= t) = p."""
    if df is None:
        return normal_quantile(p)
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def t_two_sided(t: float, df: float | None) -> float:
    """P(|T| >= |t|)."""
    return min(1.0, 2.0 * t_below(-abs(t), df))


def f_above(f: float, df_top: float, df_bottom: float) -> float:
    """P(F >= f)."""
    if math.isinf(f):
        return 0.0
    from scipy.special import fdtrc

    return float(fdtrc(df_top, df_bottom, f))


def chi2_above(x: float, df: float) -> float:
    """P(chi-square >= x)."""
    from scipy.special import chdtrc

    return float(chdtrc(df, x))


def coin_two_sided(heads: int, tosses: int) -> float:
    """The two-sided probability that a fair coin falls at least this unevenly."""
    if not tosses:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(float(min(heads, tosses - heads)), tosses, 0.5)))


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with P(Beta(a, b) <= x) = p."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, p))


def bonferroni(p: Sequence[float] | Floats) -> Floats:
    """Each p-value times the number of tests, at most 1."""
    p_values = _p_values(p, "bonferroni")
    return np.minimum(1.0, p_values * np.count_nonzero(~np.isnan(p_values)))


def holm(p: Sequence[float] | Floats, least: Sequence[float] | Floats | None = None) -> Floats:
    """Holm's step-down correction (1979): as safe as Bonferroni's, with more power.

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
    p_values = _p_values(p, "holm")
    could = np.zeros(len(p_values)) if least is None else _p_values(least, "holm")
    if could.shape != p_values.shape:
        raise DataError(
            f"holm: least must have one number for each p-value; got {len(could)} for {len(p_values)}."
        )
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    times = [max(1, int((could[order[i:]] <= p_values[order[i]]).sum())) for i in range(len(order))]
    corrected = np.full(len(p_values), np.nan)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * np.array(times)))
    return corrected


def _p_values(p: Sequence[float] | Floats, who: str) -> Floats:
    p_values = np.asarray(p, dtype=np.float64)
    if p_values.ndim != 1 or ((p_values < 0) | (p_values > 1)).any():
        raise DataError(f"{who}: p-values must be one sequence of numbers from 0 to 1; got {p!r}.")
    return p_values
