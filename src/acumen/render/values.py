"""What figure values are made of: plain numbers and names, checked when the value is made.

A figure value is a frozen dataclass; it takes lists as well as arrays and keeps arrays of its own shape.
A number that is missing (NaN) or infinite is left out of the drawing, a list of the wrong length is refused.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from acumen.errors import DataError
from acumen.types import Floats


class Figure:
    """What every figure value can be asked for besides its drawing."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """All that is drawn as plain values, ready for JSON; numbers that are not finite are None."""
        return {"figure": type(self).__name__, **_plain_fields(self)}


def _plain_fields(value: Any) -> dict[str, Any]:
    return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_fields(value)
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)


def keep(value: object, **fields: Any) -> None:
    """Set checked fields of a frozen value, in its `__post_init__`."""
    for name, array in fields.items():
        object.__setattr__(value, name, array)


def floats(value: object, name: str, *, length: int | None = None, ndim: int = 1) -> Floats:
    """The field as an array of float64; a sentence where it is no list of numbers or of another length."""
    who = type(value).__name__
    value_given = getattr(value, name)
    try:
        array = np.asarray(value_given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: {name} must be numbers; got {type(value_given).__name__}") from None
    if array.ndim != ndim:
        raise DataError(f"{who}: {name} must have {ndim} dimension(s); got {array.ndim}")
    if length is not None and len(array) != length:
        raise DataError(f"{who}: {name} must have {length:,} values, one for each place; got {len(array):,}")
    return array


def names(value: object, name: str, *, length: int | None = None) -> tuple[str, ...]:
    """The field as a tuple of texts."""
    who = type(value).__name__
    entries = getattr(value, name)
    if isinstance(entries, str):
        raise DataError(f"{who}: {name} must be a list of names; got the one text {entries!r}")
    labels = tuple(str(entry) for entry in entries)
    if length is not None and len(labels) != length:
        raise DataError(f"{who}: {name} must have {length:,} names; got {len(labels):,}")
    return labels
