"""The base class of miners, and checks of their supports.

Miner            scikit-learn's get_params and set_params for learners that are no estimators
check_support    a fraction above 0, or ParameterError
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from acumen.errors import ParameterError, did_you_mean
from acumen.models.parameters import check_parameters, specs_of


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


def check_support(value: Any, who: str, name: str = "min_support", *, most: float = 1.0) -> float:
    """A share above 0; ParameterError otherwise."""
    whole = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not whole or not 0 < float(value) <= most:
        raise ParameterError(f"{who}: {name} must be a number above 0 and at most {most:g}; got {value!r}.")
    return float(value)


def check_supports(value: Any, who: str) -> tuple[float, ...]:
    """One support for all sizes, or one for each."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        supports = tuple(check_support(each, who, "each min_support") for each in value)
        if not supports:
            raise ParameterError(f"{who}: min_support needs at least one number; got none.")
        return supports
    return (check_support(value, who),)


class Miner:
    """Parameters in `__init__` only, stored as given and checked when it is fitted."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name (scikit-learn's contract)."""
        return {spec.name: getattr(self, spec.name) for spec in specs_of(type(self))}

    def set_params(self, **given: Any) -> Self:
        """Set parameters by name."""
        known = [spec.name for spec in specs_of(type(self))]
        for name, value in given.items():
            if name not in known:
                raise ParameterError(
                    f"{self._name}: there is no parameter {name!r}.{did_you_mean(name, known)}"
                )
            setattr(self, name, value)
        return self

    def check_parameters(self) -> None:
        """Raise ParameterError unless every parameter satisfies its declaration."""
        check_parameters(self._name, type(self), self.get_params())

    @property
    def _name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        defaults = {spec.name: spec.default for spec in specs_of(type(self))}
        changed = {k: v for k, v in self.get_params().items() if v is not defaults[k] and v != defaults[k]}
        return f"{self._name}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"
