"""Numeric attributes brought to a common scale, each by (value - centre) / spread.

    none            as it is
    min-max         centre the smallest value, spread the range: training values lie in 0..1
    max             centre 0, spread the largest magnitude: training values lie in -1..1, and 0 stays 0
    z-score         centre the mean, spread the standard deviation (divisor n)
    mean-deviation  centre the mean, spread the mean absolute deviation: less moved by outliers

An attribute that is constant over the training rows (or has no known value there) becomes 0 everywhere.
Missing values stay missing. Row weights count; the centre and spread come from finite values only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError, ParameterError, did_you_mean
from acumen.preprocessing import columns
from acumen.preprocessing.packing import Arrays, pack_json, stored_schema, unpack_json
from acumen.preprocessing.sparse import scaled_csr
from acumen.preprocessing.stored_arrays import stored_array
from acumen.types import Array, Floats

Scaling = Literal["none", "min-max", "max", "z-score", "mean-deviation"]
SCALINGS: tuple[str, ...] = get_args(Scaling)


def require_scaling(who: str, scaling: str) -> None:
    """Refuse a name that is no scaling."""
    if scaling not in SCALINGS:
        raise ParameterError(
            f"{who}: scale must be one of {', '.join(SCALINGS)}; got {scaling!r}."
            + did_you_mean(str(scaling), SCALINGS)
        )


def centre_and_spread(scaling: str, values: Floats, weights: Floats) -> tuple[float, float]:
    """Of one sample of known values. A spread of 0 says that the attribute is constant."""
    if scaling == "none":
        return 0.0, 1.0
    if not len(values):
        return 0.0, 0.0
    low, high = float(values.min()), float(values.max())
    if low == high:  # asked of the values: a computed deviation of equal values need not be exactly 0
        return low, 0.0
    if scaling == "min-max":
        return low, min(high - low, float(np.finfo(np.float64).max))
    if scaling == "max":
        return 0.0, max(high, -low)
    middle = columns.mean(values, weights)
    if scaling == "z-score":
        return middle, columns.deviation(values, weights)
    return middle, columns.mean_deviation(values, weights)


def rescale(values: Floats, centre: float, spread: float) -> None:
    """Scale in place; NaN stays NaN."""
    if spread == 0:
        values[~np.isnan(values)] = 0.0
    elif (centre, spread) != (0.0, 1.0):
        with np.errstate(over="ignore"):  # beyond the range of numbers a value is infinite, which it may be
            values -= centre
            values /= spread


@dataclass(frozen=True, slots=True, eq=False)
class Scaler:
    """A fitted scaling of a table's numeric attributes.

    Attributes
    ----------
    schema : Schema
        The inputs it was fitted on, and applies to.
    scaling : str
        The name of the scaling.
    centre, spread : arrays of float64
        One value for each numeric attribute; a spread of 0 marks a constant one.
    """

    schema: Schema
    scaling: str
    centre: Floats
    spread: Floats

    @classmethod
    def fit(cls, table: Table, scaling: Scaling = "z-score") -> Scaler:
        """Learn centre and spread from the rows of `table`, which should be training rows only."""
        columns.require_table("Scaler", table)
        require_scaling("Scaler", scaling)
        pairs = [centre_and_spread(scaling, values, weights) for _, values, weights in columns.samples(table)]
        both = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        return cls(table.schema.without_target(), scaling, both[:, 0].copy(), both[:, 1].copy())

    def transform(self, table: Table) -> Table:
        """The same table with its numeric attributes scaled; other columns are borrowed.

        A sparse table is refused when the scaling would turn its zeros into other numbers.
        """
        columns.require_table("Scaler", table)
        self.schema.require_same(table.schema.without_target())
        attributes = table.schema.attributes
        if table.sparse is not None:
            names = [a.name for a in table.schema.numeric]
            sparse = scaled_csr("Scaler", self.scaling, table.sparse, self.centre, self.spread, names)
            return columns.remade(table, attributes, nominal=table.nominal, sparse=sparse)
        scaled = [column.copy() for column in table.numeric.columns]
        for values, centre, spread in zip(scaled, self.centre, self.spread, strict=True):
            rescale(values, float(centre), float(spread))
        return columns.remade(table, attributes, numeric=scaled, nominal=table.nominal)

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file."""
        about: dict[str, Any] = {"schema": self.schema.to_dict(), "scaling": self.scaling}
        return {"about": pack_json(about), "centre": self.centre, "spread": self.spread}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Scaler:
        """Read what `to_arrays` gave, checking every part."""
        about = unpack_json("Scaler", arrays, schema=dict, scaling=str)
        schema = stored_schema("Scaler", about["schema"])
        if about["scaling"] not in SCALINGS:
            raise ModelFileError(f"Scaler: the file names the unknown scaling {about['scaling']!r}.")
        n = len(schema.numeric)
        centre, spread = stored_scale("Scaler", arrays, n)
        return cls(schema, about["scaling"], centre, spread)


def stored_scale(who: str, arrays: Arrays, n: int) -> tuple[Floats, Floats]:
    """Centres and spreads of `n` columns from a file: finite, and no spread below 0."""
    centre = stored_array(arrays, "centre", np.float64, (n,))
    spread = stored_array(arrays, "spread", np.float64, (n,))
    if not (np.isfinite(centre).all() and np.isfinite(spread).all() and (spread >= 0).all()):
        raise ModelFileError(f"{who}: stored centres and spreads must be finite, and spreads at least 0.")
    return centre, spread
