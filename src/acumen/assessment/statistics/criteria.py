"""Information criteria: how well a model fits, less what its parameters buy. The smaller the better."""

from __future__ import annotations

import math

from acumen.errors import ParameterError


def aic(log_likelihood: float, k: float) -> float:
    """Akaike's criterion (1974) of a model with k free parameters: 2 k - 2 log L."""
    return 2.0 * k - 2.0 * log_likelihood


def bic(log_likelihood: float, k: float, n: float) -> float:
    """Schwarz's criterion (1978) of a model with k free parameters, from n rows: k log n - 2 log L."""
    if not n > 0:
        raise ParameterError(f"bic: n must be a number of rows above 0; got {n!r}.")
    return k * math.log(n) - 2.0 * log_likelihood
