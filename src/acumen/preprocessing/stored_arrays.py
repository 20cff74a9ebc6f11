"""Taking arrays out of a model file without trusting them: for every `from_arrays`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acumen.errors import ModelFileError
from acumen.types import Array, Codes, Floats


def require(condition: Any, sentence: str) -> None:
    """Raise ModelFileError with the message if the condition does not hold."""
    if not condition:
        raise ModelFileError(f"the model file is damaged or forged: {sentence}.")


def stored_array(arrays: Mapping[str, Array], name: str, dtype: Any, shape: tuple[int | None, ...]) -> Array:
    """A stored array by name, validated to have exactly this type and shape (None: any length)."""
    array = arrays.get(name)
    # Sentences are made where one is needed only: a forest asks for thousands of arrays.
    if array is None:
        require(False, f"the array {name!r} is missing")
    assert array is not None
    if array.dtype != dtype:
        require(False, f"the array {name!r} must be of type {np.dtype(dtype)}")
    fits = array.ndim == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits:
        require(False, f"the array {name!r} has shape {array.shape} where {shape} is expected")
    return array


def stored_floats(
    arrays: Mapping[str, Array],
    name: str,
    shape: tuple[int | None, ...],
    *,
    low: float = -np.inf,
    high: float = np.inf,
    finite: bool = True,
    gaps: bool = False,
) -> Floats:
    """A stored array of numbers, validated to lie from `low` to `high`; NaN only with `gaps`."""
    array: Floats = stored_array(arrays, name, np.float64, shape)
    known = array[~np.isnan(array)] if gaps else array
    if not known.size:
        return array
    least, most = known.min(), known.max()  # NaN where there is one
    if least != least:
        require(False, f"the array {name!r} holds NaN")
    if finite and (least == -np.inf or most == np.inf):
        require(False, f"the array {name!r} holds infinity")
    if least < low or most > high:
        require(False, f"the array {name!r} leaves the range {low:g} to {high:g}")
    return array


def stored_log_shares(
    arrays: Mapping[str, Array], name: str, shape: tuple[int | None, ...], *, proper: bool = True
) -> Floats:
    """Logarithms of probabilities along the last axis: each row sums to one, or is all zero probability."""
    array = stored_floats(arrays, name, shape, high=0.0, finite=False)
    if proper and array.size:
        total = np.exp(array).sum(axis=-1)
        require(
            np.all((np.abs(total - 1.0) < 1e-6) | (total == 0.0)),
            f"probabilities in {name!r} do not sum to 1",
        )
    return array


def stored_codes(
    arrays: Mapping[str, Array], name: str, shape: tuple[int | None, ...], *, low: int, below: int
) -> Codes:
    """A stored array of whole numbers, validated to be at least `low` and less than `below`."""
    array: Codes = stored_array(arrays, name, np.int32, shape)
    if array.size and (array.min() < low or array.max() >= below):
        require(False, f"the array {name!r} holds a code outside {low} to {below - 1}")
    return array


def stored_starts(arrays: Mapping[str, Array], name: str, places: int, total: int) -> Codes:
    """Where each of `places` runs begins in an array of `total` values, and the end of the last: none overlaps."""
    starts = stored_codes(arrays, name, (places + 1,), low=0, below=total + 1)
    require(
        starts[0] == 0 and starts[-1] == total and np.all(np.diff(starts) >= 0),
        f"the array {name!r} does not ascend from 0 to {total}",
    )
    return starts
