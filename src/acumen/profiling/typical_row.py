"""A typical training row: alternative values for explanations.

    Typical.of(rows)    medians of numbers and of levels in an order, the two most common levels of the others
    a.or_larger(b)      of two, the one of more rows
    instead(row)        for each attribute the value that stands in its place when we ask what changing it would do

Of more than `_SOME` rows as many are taken, evenly spaced, which is enough for a value that need only be typical.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from acumen.data.block import Block
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.stored_arrays import stored_codes, stored_floats
from acumen.types import MISSING, Array, Codes, Floats, Indices

_SOME = 4096
#: With more attributes a row is not explained one attribute after the other.
MOST_ATTRIBUTES = 2000
NAMES = frozenset({"typical/numbers", "typical/codes", "typical/next", "typical/weight"})
#: Names of what only some typical rows have.
FURTHER_NAMES = frozenset({"typical/average"})


class ExplainedModel(Protocol):
    """What a typical row needs from a model; models themselves are in higher layers."""

    @property
    def by_changes(self) -> bool: ...

    def average_answer(self, rows: Table) -> Floats: ...


@dataclass(frozen=True, slots=True, eq=False)
class Typical:
    """Values of a typical row, NaN and MISSING if there are none; `next` has the alternative to a typical level."""

    numbers: Floats  # (numeric attributes,)
    codes: Codes  # (nominal attributes,)
    next: Codes
    weight: float
    #: Where explanations start: the mean of the numbers predicted, or how far each class's score is above each other's
    #: (classes, classes) on average; nothing where class frequencies say it.
    average: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, rows: Table, model: ExplainedModel | None = None) -> Typical | None:
        """The typical row of a table; None if it has too many attributes, or sparse ones without typical values."""
        if rows.sparse is not None or not 0 < len(rows.schema.attributes) <= MOST_ATTRIBUTES or not len(rows):
            return None
        total = rows.total_weight
        average = np.empty(0) if model is None else model.average_answer(rows)
        if len(rows) > _SOME:
            rows = rows.take(evenly_spaced(len(rows), _SOME))
        weights = rows.row_weights
        numbers = np.array([_median(column, weights) for column in rows.numeric.columns], dtype=np.float64)
        codes = np.full((2, len(rows.schema.nominal)), MISSING, dtype=np.int32)
        for j, (attribute, column) in enumerate(rows.nominal_columns()):
            known = column >= 0
            counts: Floats = np.bincount(column[known], weights[known], len(attribute.levels)).astype(
                np.float64
            )
            codes[:, j] = _middle(counts) if attribute.ordered else _commonest(counts)
        return cls(numbers, codes[0], codes[1], total, average)

    def or_larger(self, other: Typical | None) -> Typical:
        """This one, or the other if that has more rows."""
        return self if other is None or self.weight >= other.weight else other

    def row(self, schema: Schema) -> Table:
        """The typical row; texts are missing in it."""
        return self._table(schema, self.numbers[None], self.codes[None])

    def instead(self, row: Table) -> tuple[Table, list[int]]:
        """One row for each attribute with an alternative: that value, typical ones elsewhere; and which attributes."""
        schema = row.schema
        numbers = np.array([column[0] for _, column in row.numeric_columns()], dtype=np.float64)
        codes = np.array([column[0] for column in row.nominal.columns], dtype=np.int32)
        other = np.where(codes == self.codes, self.next, self.codes)
        at = {
            a.name: j for kind in ("numeric", "nominal", "text") for j, a in enumerate(getattr(schema, kind))
        }
        places: list[int] = []
        values, levels, words = [], [], []
        for i, attribute in enumerate(schema.attributes):
            j = at[attribute.name]
            own_numbers, own_codes, text = numbers, codes, -1
            if attribute.is_numeric:
                if np.isnan(self.numbers[j]) or numbers[j] == self.numbers[j]:
                    continue
                own_numbers = numbers.copy()
                own_numbers[j] = self.numbers[j]
            elif attribute.is_nominal:
                if other[j] == MISSING or other[j] == codes[j]:
                    continue
                own_codes = codes.copy()
                own_codes[j] = other[j]
            elif row.text[j][0] is not None:
                text = j
            else:
                continue
            places.append(i)
            values.append(own_numbers)
            levels.append(own_codes)
            words.append(text)
        n = len(places)
        texts = []
        for j, column in enumerate(row.text):
            column_values = np.full(n, column[0], dtype=object)
            column_values[[i for i, gone in enumerate(words) if gone == j]] = None
            texts.append(column_values)
        shape = (n, len(numbers)), (n, len(codes))
        table = Table(
            Schema(schema.attributes), n,
            numeric=Block.of_matrix(np.array(values).reshape(shape[0])),
            nominal=Block.of_matrix(np.array(levels, dtype=np.int32).reshape(shape[1])),
            text=texts,
        )  # fmt: skip
        return table, places

    def has(self, row: Table, place: int) -> bool:
        """Whether a row has the typical level of the attribute at this position."""
        attribute = row.schema.attributes[place]
        if not attribute.is_nominal:
            return False
        j = row.schema.nominal.index(attribute)
        return bool(row.nominal.columns[j][0] == self.codes[j])

    @staticmethod
    def _table(schema: Schema, numbers: Floats, codes: Codes) -> Table:
        texts = [np.full(len(numbers), None, dtype=object) for _ in schema.text]
        inputs = Schema(schema.attributes)
        return Table(
            inputs, len(numbers), numeric=Block.of_matrix(numbers), nominal=Block.of_matrix(codes), text=texts
        )

    # -- files ------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "typical/numbers": self.numbers,
            "typical/codes": self.codes,
            "typical/next": self.next,
            "typical/weight": np.array([self.weight]),
            **({"typical/average": self.average} if self.average.size else {}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Typical:
        """Read `to_arrays` back, validating everything."""
        numbers = stored_floats(arrays, "typical/numbers", (len(schema.numeric),), gaps=True)
        most = np.array([len(attribute.levels) for attribute in schema.nominal], dtype=np.int32)
        both = [
            stored_codes(
                arrays, f"typical/{name}", (len(most),), low=MISSING, below=max(1, int(most.max(initial=1)))
            )
            for name in ("codes", "next")
        ]
        # A code beyond an attribute's own levels stands for none.
        codes, after = (np.where(each < most, each, MISSING).astype(np.int32) for each in both)
        weight = stored_floats(arrays, "typical/weight", (1,), low=0.0)
        average = np.empty(0)
        if "typical/average" in arrays:
            k = schema.n_classes
            average = stored_floats(arrays, "typical/average", (k, k) if k else (1,))
        return cls(numbers, codes, after, float(weight[0]), average)


def evenly_spaced(n: int, most: int) -> Indices | slice:
    """At most this number of n rows, evenly spaced."""
    return slice(None) if n <= most else np.linspace(0, n - 1, most).astype(np.intp)


def _median(values: Floats, weights: Floats) -> float:
    """The weighted median: the smallest value with half of the weight at or below it; NaN if none is finite."""
    known = np.isfinite(values) & (weights > 0)
    if not known.any():
        return float("nan")
    some, heavy = values[known], weights[known]
    order = np.argsort(some, kind="stable")
    below = np.cumsum(heavy[order])
    return float(some[order[int(np.searchsorted(below, 0.5 * below[-1]))]])


def _middle(counts: Floats) -> tuple[int, int]:
    """The median of ordered levels, and the next level up, or down if there is none."""
    if not counts.sum() > 0:
        return MISSING, MISSING
    at = int(np.searchsorted(np.cumsum(counts), 0.5 * counts.sum()))
    return at, at + 1 if at + 1 < len(counts) else at - 1 if at else MISSING


def _commonest(counts: Floats) -> tuple[int, int]:
    """The most common level and the next one; if tied, the first."""
    order = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c] > 0]
    return (*order, MISSING, MISSING)[0], (*order, MISSING, MISSING)[1]
