"""Check the inputs of tests: values of splits, pairs of them, levels, tables of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.types import Array, Floats

#: Two values are tied when they differ by no more than this share of their size. Fold errors such as
#: 0.3 - 0.2 and 0.2 - 0.1 are the same difference, though not the same floating-point number.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


def numbers(values: Any, who: str, least: int = 1) -> Floats:
    """A vector of finite numbers with a minimum length."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: the values must be numbers; got {values!r}.") from None
    if array.ndim != 1:
        raise DataError(f"{who}: the values must be one sequence of numbers; got shape {array.shape}.")
    if len(array) < least:
        few = {1: "one value", 2: "two values"}.get(least, f"{least} values")
        raise DataError(f"{who}: at least {few} are needed; got {len(array)}. Use more splits.")
    _refuse_undefined(array, who)
    return array


def pair(a: Any, b: Any, who: str, least: int = 2) -> tuple[Floats, Floats]:
    """The values of two learners over the same splits."""
    first, second = numbers(a, who, least), numbers(b, who, least)
    if len(first) != len(second):
        raise DataError(
            f"{who}: both learners need one value for each split; got {len(first)} and {len(second)}."
        )
    return first, second


def differences(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """`a - b`, set to zero if they differ only by rounding; and the precision of each difference."""
    tolerance = ROUNDING * np.maximum(np.abs(a), np.abs(b))
    difference = a - b
    return np.where(np.abs(difference) <= tolerance, 0.0, difference), tolerance


def scores(values: Any, who: str) -> Floats:
    """A matrix of finite numbers: a line for each table, a column for each of two or more learners."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: the scores must be a matrix of numbers, a line for each table.") from None
    if matrix.ndim != 2 or matrix.shape[0] < 1 or matrix.shape[1] < 2:
        raise DataError(
            f"{who}: the scores need a line for each table and a column for each of two or more learners; "
            f"got shape {matrix.shape}."
        )
    _refuse_undefined(matrix, who)
    return matrix


def _refuse_undefined(found: Array, who: str) -> None:
    if not np.isfinite(found).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(found))[0])
        at = where[0] if len(where) == 1 else where
        raise DataError(
            f"{who}: every value must be a finite number; the one at {at} is {found[where]}. "
            "Leave out the splits in which the measure is undefined, for all learners alike."
        )


def between_0_and_1(value: float, name: str, who: str) -> float:
    """A probability that is neither 0 nor 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < 1:
        raise ParameterError(f"{who}: {name} must be a number between 0 and 1; got {value!r}.")
    return float(value)


def positive(value: float, name: str, who: str) -> float:
    """A finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
        raise ParameterError(f"{who}: {name} must be a number above 0; got {value!r}.")
    return float(value)


def require_rope(rope: float, who: str) -> None:
    """Refuse a region of practical equivalence that is not a number of at least 0."""
    if isinstance(rope, bool) or not isinstance(rope, (int, float, np.number)) or not 0 <= rope < np.inf:
        raise ParameterError(f"{who}: rope must be a number of at least 0; got {rope!r}.")


def one_of(value: str, known: tuple[str, ...], name: str, who: str) -> str:
    """Check that a parameter is one of the known words."""
    if value not in known:
        raise ParameterError(f"{who}: {name} must be {' or '.join(map(repr, known))}; got {value!r}.")
    return value
