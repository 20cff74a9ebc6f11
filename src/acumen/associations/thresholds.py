"""Supports as whole counts, by one rule: frequent is what has count / n >= support, in doubles.

Both sides are rounded correctly, so the literal of c/n always lets c pass; `ceil(support * n)` does not (0.07
of 100 rows would ask for 8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from acumen.errors import ParameterError


def least_count(support: float, n: int) -> int:
    """The smallest count of which count / n >= support; above n where there is none."""
    if n <= 0:
        return 1
    count = max(math.floor(support * n) - 1, 0) if support * n < 2**60 else n + 1
    while count <= n and not count / n >= support:
        count += 1
    return max(count, 1)


def most_count(share: float, n: int) -> int:
    """The largest count of which count / n <= share."""
    count = min(math.floor(min(share, 1.0) * n) + 1, n)
    while count > 0 and not count / n <= share:
        count -= 1
    return count


def checked_support(value: Any, who: str, name: str = "min_support", *, most: float = 1.0) -> float:
    """A share above 0; ParameterError otherwise."""
    whole = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not whole or not 0 < float(value) <= most:
        raise ParameterError(f"{who}: {name} must be a number above 0 and at most {most:g}; got {value!r}.")
    return float(value)


def checked_supports(value: Any, who: str) -> tuple[float, ...]:
    """One support for all sizes, or one for each."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        made = tuple(checked_support(each, who, "each min_support") for each in value)
        if not made:
            raise ParameterError(f"{who}: min_support needs at least one number; got none.")
        return made
    return (checked_support(value, who),)
