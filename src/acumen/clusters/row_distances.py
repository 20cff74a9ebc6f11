"""The rows to cluster, and their distances, computed when the kernels ask for them.

    RowsApart      rows that know something, their weights, the distance fitted on all of them
    DistanceLike   what a learner's `distance` may be

Words and functions are taken from outside the kernels, for all pairs at once; all else without such a matrix. Two rows
with nothing known in common count as twice as far apart as any two could be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.distance import Distance, FittedDistance, fit_rows
from acumen.geometry.distance_form import NOTHING, DistanceForm
from acumen.geometry.distance_state import knows, require_distance, resolve
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Index, NeighbourSearch
from acumen.types import Array, Codes, Floats

#: Differences of rows that add up to more than this, before a root is taken, are beyond what can be added again.
_MOST = 1e290
#: Rows looked at one after the other, or by a k-d tree where they can be.
Way = Literal["brute", "tree"]
DistanceLike = str | Distance | Callable[[Any, Any], Any]


class RowsApart:
    """Rows between which distances are asked for."""

    def __init__(
        self,
        fitted: FittedDistance,
        raw: RawRows,
        weights: Floats | None,
        rows: Array | None,
        n_rows: int,
        index: Way = "brute",
    ) -> None:
        """`weights`: None for ones; `rows`: which rows of the table these are, None for all."""
        self.fitted, self.raw, self._rows, self.n_rows = fitted, raw, rows, n_rows
        self.search = NeighbourSearch(
            fitted, raw, weights, index="brute" if index == "brute" else boxes(fitted, raw)
        )
        extra = fitted.distance.outside(fitted, raw, raw) if fitted.form.extra else None
        self.extra = NOTHING if extra is None else np.ascontiguousarray(extra)
        self.far = furthest(fitted.form, self.search.rows.values, self.extra) if raw.gaps else 0.0

    @classmethod
    def of(cls, who: str, table: Table, distance: Any, scale: bool, index: Way = "brute") -> RowsApart:
        """The rows of a table, but for those of which nothing is known."""
        rule = require_distance(distance, table.schema, who)
        fitted, raw = fit_rows(rule, table, bool(scale))
        weights = table.weights if table.weights.size else None
        known = knows(fitted, raw)
        rows: Array | None = None
        if not known.all():
            rows = np.flatnonzero(known)
            raw, weights = raw.take(rows), None if weights is None else weights[rows]
        if not len(raw):
            raise DataError(f"{who}: all values are missing, so there is nothing to cluster.")
        distances = cls(fitted, raw, weights, rows, len(table), index)
        keys = number_keys(fitted.form, distances.search.rows.values)
        if keys.max(initial=0.0) > _MOST:
            worst = fitted.distance.layout(table.schema).names[int(keys.argmax())]
            raise DataError(
                f"{who}: the numbers of {worst!r} are so large that their distances cannot be added; divide them by "
                "a constant."
            )
        return distances

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def weights(self) -> Floats:
        """What each row weighs."""
        return self.search.weights

    @property
    def rows(self) -> Array:
        """Which rows of the table these are."""
        return np.arange(len(self.raw)) if self._rows is None else self._rows

    @property
    def all_there(self) -> bool:
        """Whether every row of the table is among these."""
        return self._rows is None

    def take(self, rows: Array, weights: Floats) -> RowsApart:
        """Some rows, with other weights; ranges and deviations stay those of all."""
        return RowsApart(self.fitted, self.raw.take(rows), weights, self.rows[rows], self.n_rows)

    @property
    def pairs(self) -> tuple[Any, Floats, float]:
        """What the kernels need to know of distances: the rows, what is added from outside, how far is far."""
        return self.search.index, self.extra, self.far

    def spread(self, labels: Codes) -> Codes:
        """Groups of these rows as groups of the table's rows: -1 for those of which nothing is known."""
        if len(labels) == self.n_rows:
            return labels
        spread = np.full(self.n_rows, -1, dtype=np.int32)
        spread[self.rows] = labels
        return spread


def boxes(fitted: FittedDistance, raw: RawRows) -> Index:
    """A k-d tree for numbers without gaps, else all rows."""
    form = fitted.form
    numbers = not form.levels and not form.extra and len(form.factor) > 0
    return "kd" if numbers and (fitted.distance.turns or not np.isnan(raw.numbers).any()) else "brute"


def number_keys(form: DistanceForm, values: Floats) -> Floats:
    """What the two rows that differ most in a numeric attribute add by it to their distance, before its root."""
    power = {"squared": 2.0, "power": form.power}.get(form.rule, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        least, most = np.fmin.reduce(values, initial=np.inf), np.fmax.reduce(values, initial=-np.inf)
        wide = np.where(most >= least, most - least, 0.0) * form.factor
        keys: Floats = (np.minimum(wide, 1.0) if form.capped else wide) ** power
    return keys


def furthest(form: DistanceForm, values: Floats, extra: Floats) -> float:
    """A distance that no two rows with something known in common reach."""
    parts = [float(min(number_keys(form, values).max(initial=0.0), _MOST))]
    for differ, count, table in zip(form.differ, form.count, form.tables, strict=True):
        most = float(np.nanmax(table, initial=0.0)) if np.isnan(differ) else float(differ)
        parts.append(most / float(count) if count > 0 else 0.0)
    known = extra[np.isfinite(extra)]
    parts.append(float(known.max()) / form.extra if known.size and form.extra else 0.0)
    whole = float(form.weight.sum() + form.count.sum() + form.extra)
    key = max(parts) if form.share or form.rule == "largest" else max(parts) * whole
    if form.root == "odds":
        return 2.0 * (1.0 + len(form.differ))
    distances = {"square_root": key**0.5, "power_root": key ** (1.0 / form.power), "half": key / 2}
    return max(2.0 * form.unit * distances.get(form.root, key), 1e-300)


def objection(distance: Any, schema: Schema, who: str) -> str | None:
    """What a distance objects to in such a table."""
    return resolve(distance, schema, who).objection(schema)


def bytes_apart(distance: Any, rows: int, schema: Schema, who: str) -> int:
    """About what rows take between which distances are asked for."""
    rule = resolve(distance, schema, who)
    # As they came, as the kernels have them, and in single precision; words and functions for all pairs.
    pairs = bool(rule.layout(schema).text) or not rule.layout(schema).names
    return 28 * rows * max(len(schema), 1) + 40 * rows + (24 * rows * rows if pairs else 0)
