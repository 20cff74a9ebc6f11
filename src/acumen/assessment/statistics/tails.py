"""Quantiles and tail probabilities of the distributions the tests need.

All of them come from `scipy.special`, imported when first used: `scipy.stats` would cost a second to import.
Degrees of freedom of None mean infinitely many, so that Student's t becomes the normal.
"""

from __future__ import annotations

import math


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
    """How likely a fair coin falls at least this unevenly, to either side."""
    if not tosses:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(float(min(heads, tosses - heads)), tosses, 0.5)))


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with P(Beta(a, b) <= x) = p."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, p))
