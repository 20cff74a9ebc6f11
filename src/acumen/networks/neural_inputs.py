"""Encode rows for neural networks: centred and scaled numbers, one column per level, and missing-value indicators.

    NeuralInputs   fitted on training rows: a NumericMatrix, and a centre and unit for each of its columns

    robust    (value - median) / (third quartile - first), or 2 (value - median) / range where these are equal; then
              z / sqrt(1 + (z / 3)^2), which leaves small numbers as they are and keeps all below 3
    z-score   (value - mean) / standard deviation
    min-max   (value - least) / range
    none      as it is

Levels, words and missing-value indicators are not scaled. A missing number becomes the median (a missing ordinal level
the most frequent one), with an indicator column. Numbers are clipped at a million units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing import columns
from acumen.preprocessing.finite import finite_matrix
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.scale import centre_and_spread
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.types import Array, Codes, Floats

Scale = Literal["robust", "z-score", "min-max", "none"]
SCALES: Final[tuple[str, ...]] = get_args(Scale)
_MOST: Final = 1e6
_CELLS: Final = 1 << 20


@dataclass(frozen=True, eq=False)
class NeuralInputs:
    """A fitted encoder from tables of one schema to matrices for networks."""

    view: NumericMatrix
    scaling: str
    centre: Floats  # of each column
    unit: Floats  # of each column; 0 for one that never changed
    typical: Floats  # the training rows' mean, encoded

    @classmethod
    def fit(cls, table: Table, scaling: str) -> NeuralInputs:
        """Learn centres and units from training rows."""
        view = NumericMatrix.fit(table, nominal="one-hot", scale="none", impute="median", indicators=True)
        fill = view.fill.copy()
        at = {attribute.name: i for i, attribute in enumerate(view.schema)}
        starts = view.starts
        centre, unit = np.zeros(starts[-1]), np.ones(starts[-1])
        for attribute, values, weights in columns.samples(table):
            i = at[attribute.name]
            centre[starts[i]], unit[starts[i]] = _centre_and_unit(scaling, values, weights)
            # The same rule as for the centre, so that rounding of weights cannot give two different medians.
            fill[i] = _quantiles(values, weights, [0.5])[0] if len(values) else 0.0
        for attribute, codes in table.nominal_columns():
            if not view.is_one_hot(attribute):
                i = at[attribute.name]
                centre[starts[i]], unit[starts[i]] = _centre_and_unit(
                    scaling, *columns.code_sample(codes, table.weights)
                )
        inputs = cls(replace(view, fill=fill, notes=()), scaling, centre, unit, np.zeros(starts[-1]))
        X = inputs.matrix(table, np.float32)
        total = np.zeros(X.shape[1])
        weights = _even(table.row_weights)
        step = max(256, _CELLS // max(X.shape[1], 1))
        for top in range(0, len(X), step):
            total += weights[top : top + step] @ X[top : top + step].astype(np.float64)
        return replace(inputs, typical=total / weights.sum())

    @property
    def width(self) -> int:
        return len(self.centre)

    @cached_property
    def owner(self) -> Codes:
        """The attribute that each column belongs to."""
        lengths = [len(block) for block in self.view.blocks]
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def matrix(self, table: Table, dtype: type[np.floating] = np.float64) -> Array:
        """Encode rows a few at a time, so that not all of them are in double precision at once."""
        out = np.empty((len(table), self.width), dtype=dtype)
        step = max(256, _CELLS // max(self.width, 1))
        for top in range(0, len(table), step):
            part = slice(top, min(top + step, len(table)))
            encoded = finite_matrix(self.view, table.take(part))
            block: Floats = encoded if isinstance(encoded, np.ndarray) else encoded.toarray()
            out[part] = self._scale(block)
        return out

    def _scale(self, block: Floats) -> Floats:
        with np.errstate(all="ignore"):
            block = block - self.centre
            block /= np.where(self.unit > 0, self.unit, np.inf)
        np.nan_to_num(block, copy=False, nan=0.0, posinf=_MOST, neginf=-_MOST)
        np.clip(block, -_MOST, _MOST, out=block)
        if self.scaling == "robust":
            numbers = self._numbers
            z = block[:, numbers]
            block[:, numbers] = z / np.sqrt(1.0 + (z / 3.0) ** 2)
        return block

    @cached_property
    def _numbers(self) -> Codes:
        """The columns of numbers and of ordinal codes."""
        view = self.view
        return np.array(
            [
                start
                for start, a in zip(view.starts.tolist(), view.schema, strict=False)
                if a.kind != "text" and not view.is_one_hot(a)
            ],
            dtype=np.int32,
        )

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays = {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        return arrays | {
            "scaling": np.array([SCALES.index(self.scaling)], dtype=np.int32),
            "centre": self.centre,
            "unit": self.unit,
            "typical": self.typical,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> NeuralInputs:
        view_arrays = {
            name.removeprefix("view/"): array for name, array in arrays.items() if name.startswith("view/")
        }
        view = NumericMatrix.from_arrays(view_arrays)
        require(view.schema == schema.without_target(), "its view is of another schema")
        require(
            view.coding == "one-hot" and view.scaling == "none", "its view codes or scales in another way"
        )
        for attribute, fill in zip(view.schema, view.fill.tolist(), strict=True):
            gap = attribute.kind != "text" and not view.is_one_hot(attribute)
            require(not gap or np.isfinite(fill), f"its view leaves {attribute.name[:40]!r} missing")
        width = len(view.names)
        code = int(stored_codes(arrays, "scaling", (1,), low=0, below=len(SCALES))[0])
        centre = stored_floats(arrays, "centre", (width,))
        unit = stored_floats(arrays, "unit", (width,), low=0.0)
        typical = stored_floats(arrays, "typical", (width,), low=-_MOST, high=_MOST)
        return cls(view, SCALES[code], centre, unit, typical)


def _centre_and_unit(scaling: str, values: Floats, weights: Floats) -> tuple[float, float]:
    """The centre and the unit of a sample of known values; a unit of 0 where it never changes."""
    if scaling != "robust" or not len(values):
        return centre_and_spread(scaling if scaling != "robust" else "z-score", values, weights)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    first, middle, third = _quantiles(values, weights, [0.25, 0.5, 0.75])
    unit = third - first if third > first else high / 2 - low / 2
    return middle, min(unit, float(np.finfo(np.float64).max))


def _quantiles(values: Floats, weights: Floats, at: list[float]) -> list[float]:
    """Weighted quantiles, interpolated linearly between the midpoints of neighbouring weights."""
    order = np.argsort(values, kind="stable")
    heavy = _even(weights)[order] if weights.size else np.ones(len(values))
    middles = np.cumsum(heavy) - heavy / 2
    quantiles: list[float] = np.interp(np.array(at) * heavy.sum(), middles, values[order]).tolist()
    return quantiles


def _even(weights: Floats) -> Floats:
    """Weights of mean 1, in single precision, so that their unit makes no difference."""
    return (weights / weights.mean()).astype(np.float32).astype(np.float64)
