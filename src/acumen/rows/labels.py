"""Class labels as codes: strings, numbers or booleans, sorted as `acumen.read` sorts levels, missing ones apart."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np

from acumen.data.columns import sorted_levels
from acumen.errors import DataError
from acumen.types import MISSING, Array, Codes, Label

#: Whole numbers that span no more than this are counted instead of sorted.
_COUNTED_SPAN = 1 << 16


def label_vector(y: Any, who: str, noun: str = "label") -> Array:
    """`y` as a one-dimensional array of its own type; `noun` is what it should hold."""
    vector = np.asarray(y)
    if vector.ndim == 2 and vector.shape[1] == 1:
        try:
            from sklearn.exceptions import DataConversionWarning
        except ImportError:  # a machine that only predicts
            DataConversionWarning = UserWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please change the shape of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        vector = vector.ravel()
    if vector.ndim == 2 and vector.shape[1] > 1:
        raise several_targets(vector.shape, who, noun)
    if vector.ndim != 1:
        raise DataError(f"{who}: y must be one {noun} a row; got an array of shape {vector.shape}.")
    if vector.dtype.kind == "c":
        raise DataError(f"{who}: Complex data not supported as {noun}s.")
    return vector


def several_targets(shape: Sequence[int], who: str, noun: str = "label", hint: str = "") -> DataError:
    """The refusal of a `y` with a column for each of several targets."""
    wrapper = "MultiOutputClassifier" if noun == "label" else "MultiOutputRegressor"
    return DataError(
        f"{who}: y has {shape[1]} columns, and a learner predicts one target: y must be one {noun} a row.{hint} For "
        f"several targets use {wrapper} from scikit-learn, which fits a learner for each column."
    )


def encode_labels(
    y: Array, who: str, known: Sequence[Label] | None = None
) -> tuple[Codes, tuple[Label, ...]]:
    """Codes (missing -1) and the sorted classes; with `known`, over those classes and no others."""
    if y.dtype.kind in "iub":
        codes, levels = _of_integers(y)
    elif y.dtype.kind == "f":
        codes, levels = _of_floats(y, who)
    elif y.dtype.kind in "mM":
        kind = "durations" if y.dtype.kind == "m" else "dates"
        raise DataError(
            f"{who}: y holds {kind}, and a label must be text, a number or a boolean; use a regressor."
        )
    else:
        codes, levels = _of_objects(y.tolist(), who)
    return (codes, levels) if known is None else among(codes, levels, known, who)


def among(
    codes: Codes, levels: Sequence[Label], known: Sequence[Label], who: str
) -> tuple[Codes, tuple[Label, ...]]:
    """Codes over other classes, which must hold every level that has rows."""
    there = set(np.unique(codes[codes >= 0]).tolist())
    place = {level: code for code, level in enumerate(known)}
    for code, level in enumerate(levels):
        if level not in place and code in there:
            raise DataError(
                f"{who}: y holds the class {level!r}, which is not among the classes {tuple(known)!r}."
            )
    places = [place.get(level, MISSING) for level in levels]
    return np.array([*places, MISSING], dtype=np.int32)[codes], tuple(known)


def _of_integers(y: Array) -> tuple[Codes, tuple[Label, ...]]:
    if not len(y):
        return np.empty(0, dtype=np.int32), ()
    kind = bool if y.dtype.kind == "b" else int
    values = y.astype(np.int8) if y.dtype.kind == "b" else y
    low, high = int(values.min()), int(values.max())
    if high - low < _COUNTED_SPAN:
        # Sorting a million labels costs more than learning from them; counting does not.
        offset = (values - low).astype(np.int32) if low else values.astype(np.int32, copy=False)
        seen = np.flatnonzero(np.bincount(offset, minlength=high - low + 1))
        levels = tuple(kind(low + v) for v in seen.tolist())
        if len(seen) == high - low + 1:
            return offset, levels
        place = np.zeros(high - low + 1, dtype=np.int32)
        place[seen] = np.arange(len(seen), dtype=np.int32)
        return place[offset], levels
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int32), tuple(distinct.tolist())


def _of_floats(y: Array, who: str) -> tuple[Codes, tuple[Label, ...]]:
    if np.isinf(y).any():
        raise DataError(f"{who}: Input y contains infinity or a value too large for {y.dtype!r}.")
    missing = np.isnan(y)
    known = y[~missing]
    if not np.array_equal(known, np.floor(known)):
        raise DataError(
            f"{who}: Unknown label type: continuous. y holds fractions such as "
            f"{known[known != np.floor(known)][0]}; a classifier needs class labels."
        )
    distinct, inverse = np.unique(known, return_inverse=True)
    codes = np.full(len(y), MISSING, dtype=np.int32)
    codes[~missing] = inverse
    return codes, tuple(distinct.astype(np.float64).tolist())


def _of_objects(values: list[Any], who: str) -> tuple[Codes, tuple[Label, ...]]:
    distinct = set(values) if _hashable(values) else None
    if distinct is None:
        raise DataError(f"{who}: a label must be text, a number or a boolean.")
    distinct = {v for v in distinct if not _is_missing(v)}
    for value in distinct:
        if not isinstance(value, (str, int, float, bool, np.generic)):
            raise DataError(
                f"{who}: a label must be text, a number or a boolean; got a {type(value).__name__}."
            )
    if len({isinstance(value, str) for value in distinct}) > 1:
        raise DataError(f"{who}: y mixes text and numbers; make the labels all of one type.")
    fractions = [v for v in distinct if isinstance(v, float) and not float(v).is_integer()]
    if fractions:
        raise DataError(f"{who}: Unknown label type: continuous. y holds fractions such as {fractions[0]!r}.")
    plain = {v: v.item() if isinstance(v, np.generic) else v for v in distinct}
    levels = sorted_levels(set(plain.values()))
    place = {level: code for code, level in enumerate(levels)}
    look = {v: place[plain[v]] for v in distinct}
    return np.fromiter(map(look.get, values, repeat(MISSING)), dtype=np.int32, count=len(values)), levels


def _hashable(values: list[Any]) -> bool:
    return not any(issubclass(kind, (dict, list, set, np.ndarray)) for kind in set(map(type, values)))


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")
