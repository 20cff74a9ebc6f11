"""What all models of neighbours keep: the training rows, the distance between them, and how many vote.

StoredRows   rows, distance, k and the curve it was chosen by; searches, stores and describes itself
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen import messages
from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.distance import FittedDistance
from acumen.geometry.distance_state import from_arrays as distance_from
from acumen.geometry.distance_state import rows_from_arrays, rows_to_arrays
from acumen.geometry.distance_state import to_arrays as distance_arrays
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import WAYS, Index, NeighbourSearch, Say
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.types import Array, Floats

Choice = Literal["best", "one-se"]
#: The k of `predict`, kept as a number.
_MOST_K = 2**31


@dataclass(frozen=True, slots=True, eq=False)
class KCurve:
    """The leave-one-out error of k = 1, 2, ... and its standard error; empty where k was given."""

    error: Floats
    deviation: Floats

    @property
    def best(self) -> int:
        """The smallest k of the least error."""
        return int(np.flatnonzero(self.error <= self.error.min() * (1 + 1e-12))[0]) + 1

    @property
    def one_se(self) -> int:
        """The largest k whose error is within one standard error of the smallest."""
        least = self.best - 1
        deviation = np.nan_to_num(self.deviation[least])  # of one error there is none
        return int(np.flatnonzero(self.error <= self.error[least] + deviation)[-1]) + 1


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Training rows, the distance between them, and how many vote how."""

    fitted: FittedDistance
    raw: RawRows
    weights: Floats
    k: int
    say: Say
    index: Index
    curve: KCurve
    n_rows: int  # learned from; more than are kept where some were left out

    @cached_property
    def search(self) -> NeighbourSearch:
        """The search among the rows."""
        return NeighbourSearch(self.fitted, self.raw, self.weights, index=self.index)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "search"}

    def raw_of(self, rows: Table) -> RawRows:
        """Rows to be answered."""
        return self.fitted.raw(rows)

    # -- telling ----------------------------------------------------------------------------------

    def lines(self, noun: str) -> list[str]:
        """The first line of its description."""
        lines, fitted = [], self.fitted
        kept = (
            f"{len(self.raw)} rows"
            if len(self.raw) == self.n_rows
            else f"{len(self.raw)} of {self.n_rows} rows"
        )
        say = {
            "uniform": "all alike",
            "distance": "by 1 / distance",
            "kernel": "by exp(-2 (distance / k-th distance)^2)",
        }
        lines.append(f"{self.k} nearest of {kept} {noun}, {say[self.say]}; distance {fitted.distance.name}")
        scaled = {
            "deviation": "in units of their deviation",
            "range": "over their range",
            "none": "as they are",
        }
        lines.append(f"numbers {scaled[fitted.scaling]}; index {self.search.way}")
        if len(self.curve.error):
            lines += self._curve_lines()
        return lines

    def _curve_lines(self) -> list[str]:
        error, deviation = self.curve.error, self.curve.deviation
        best, simple = self.curve.best, self.curve.one_se
        lines = [
            f"leave-one-out error {error[best - 1]:.4g} +- {deviation[best - 1]:.2g} at k = {best}; within one "
            f"standard error up to k = {simple}"
        ]
        if self.fitted.scaling != "none":
            lines.append(
                "(the row left out still had its say in how numbers are scaled, which changes it by 1 / rows)"
            )
        shown = [k for k in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50) if k <= len(error)]
        lines.append("error by k: " + ", ".join(f"{k}: {error[k - 1]:.4g}" for k in shown))
        return lines

    def figure(self, measure: str) -> Any:
        """The curve of k."""
        from acumen.render.learning_plot import Band, LearningFigure

        if not len(self.curve.error):
            raise DataError(
                "n_neighbors was given, so there is no error curve to draw; fit with "
                f"{messages.setting('n_neighbors', 'loo')}."
            )
        error, away = self.curve.error, self.curve.deviation
        band = Band("leave-one-out", error, np.maximum(error - away, 0.0), error + away)
        places = np.arange(1, len(error) + 1, dtype=np.float64)
        return LearningFigure(
            places, [band], x_label="neighbours k", y_label=measure, chosen=min(self.k, len(error)) - 1,
            title="Error by the number of neighbours",
        )  # fmt: skip

    # -- storing ----------------------------------------------------------------------------------

    def row_arrays(self) -> dict[str, Array]:
        """All but the targets, as plain arrays."""
        about = {"k": self.k, "say": self.say, "index": self.index, "rows": self.n_rows}
        arrays: dict[str, Array] = {
            "about": pack_json(about), "weights": self.weights, "curve": self.curve.error,
            "curve_deviation": self.curve.deviation,
        }  # fmt: skip
        arrays |= {f"distance/{name}": array for name, array in distance_arrays(self.fitted).items()}
        return arrays | rows_to_arrays(self.raw)


def read_row_arrays(arrays: Mapping[str, Array], schema: Schema) -> dict[str, Any]:
    """Read `kept_arrays` back, trusting nothing: what `StoredRows` is made of, by name."""
    about = unpack_json("neighbours", arrays, k=int, say=str, index=str, rows=int)
    require(1 <= about["k"] < _MOST_K and about["say"] in get_args(Say), "it says of no k rows how they vote")
    require(about["index"] in WAYS, "there is no such index")
    weights = stored_floats(arrays, "weights", (None,), low=0.0, high=1e300)
    n = len(weights)
    require(0 < n <= about["rows"], "it keeps more rows than there were, or none")
    start = "distance/"
    distance_arrays_stored = {
        name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
    }
    fitted = distance_from(distance_arrays_stored, schema)
    require(about["index"] != "vantage" or fitted.metric, "its index is not for its distance")
    raw = rows_from_arrays(arrays, schema, fitted, n)
    error = stored_floats(arrays, "curve", (None,), low=0.0)
    deviation = stored_floats(arrays, "curve_deviation", (len(error),), low=0.0)
    return {
        "fitted": fitted, "raw": raw, "weights": weights, "k": about["k"],
        "say": about["say"], "index": about["index"], "curve": KCurve(error, deviation), "n_rows": about["rows"],
    }  # fmt: skip
