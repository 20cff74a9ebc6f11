"""Weight, mean and sum of squared deviations of numeric attributes, for each class.

Deviations are taken from means of small tiles and merged pairwise (Chan, Golub and LeVeque 1979), and a mean
is kept to twice the digits, so adding parts loses nothing even where the spread is 1e-13 of the values.

NaN and the infinities are missing, each in its own attribute only: an infinite value would leave neither a
mean nor a spread. Rows without a label are left out; soft labels (`of_soft`) are there for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from acumen import _native
from acumen.errors import DataError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import NO_FLOATS, Membership, Values, columns_of, rows_in, shares_of
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments(Summary):
    """Moments of numeric attributes within each class; all arrays are (classes, attributes).

    Attributes
    ----------
    weight : the weight of the rows in which the attribute is known
    mean : their mean; 0 if there are no rows
    scatter : the sum of squared deviations from it; infinite if the squares overflow
    rest : what rounding `mean` to a double left out. [default: zeros]
    """

    weight: Floats
    mean: Floats
    scatter: Floats
    rest: Floats = field(default_factory=lambda: NO_FLOATS)

    def __post_init__(self) -> None:
        if not self.rest.size:
            object.__setattr__(self, "rest", np.zeros(np.shape(self.mean)))
        for name in ("weight", "mean", "scatter", "rest"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def of(cls, values: Values, labels: Codes, weights: Floats | None, classes: int) -> Self:
        """Summarise rows.

        Parameters
        ----------
        values : float64 matrix of any order, 1-D array, Block, or sequence of columns
            Borrowed, never copied (other types are converted).
        labels : codes of the classes, -1 where missing
        weights : row weights; None or empty when every row weighs one
        classes : how many classes there are
        """
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__))[0][0]

    @classmethod
    def of_parts(
        cls, values: Values, labels: Codes, weights: Floats | None, classes: int, parts: Codes, n_parts: int
    ) -> list[Self]:
        """The moments of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__, parts, n_parts))[0]

    @classmethod
    def of_soft(cls, values: Values, responsibilities: Floats) -> Self:
        """Moments in which each row belongs to every class by its share, an array of (rows, classes)."""
        return cls._add_soft(values, shares_of(responsibilities, cls.__name__))[0]

    @classmethod
    def _add(cls, values: Values, rows: Membership) -> tuple[list[Self], bool]:
        """The moments of every part, and whether no value was missing."""
        columns, d = columns_of(values, cls.__name__)
        rows.require_rows(rows_in(columns, d, rows.n_rows), cls.__name__)
        shape = (rows.groups, d)
        weight, mean, rest, scatter = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        complete = _native.add_moments(columns, *rows.kernel_arguments(), weight, mean, rest, scatter)
        k = rows.classes
        moments = []
        for p in range(rows.n_parts):
            cut = slice(p * k, (p + 1) * k)
            moments.append(cls(weight[cut], mean[cut], scatter[cut], rest[cut]))
        return moments, complete

    @classmethod
    def _add_soft(cls, values: Values, shares: Floats) -> tuple[Self, bool]:
        columns, d = columns_of(values, cls.__name__)
        if rows_in(columns, d, len(shares)) != len(shares):
            raise DataError(f"{cls.__name__}: each row of values needs a line of responsibilities.")
        weight, mean, rest, scatter = (np.zeros((shares.shape[1], d)) for _ in range(4))
        complete = _native.add_moments_soft(columns, shares, weight, mean, rest, scatter)
        return cls(weight, mean, scatter, rest), complete

    @property
    def classes(self) -> int:
        return len(self.weight)

    @property
    def attributes(self) -> int:
        return int(self.weight.shape[1])

    def pooled_variance(self) -> Floats:
        """Within-class variance of each attribute over all classes (divisor: the weight); 0 without rows."""
        weight = self.weight.sum(axis=0)
        scatter: Floats = self.scatter.sum(axis=0)
        pooled: Floats = np.divide(scatter, weight, out=np.zeros(self.attributes), where=weight > 0)
        return pooled

    def total(self) -> Self:
        """The same rows as one class."""
        shape = (1, self.attributes)
        weight, mean, rest, scatter = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for c in range(self.classes):
            one = slice(c, c + 1)
            others = (self.weight[one], self.mean[one], self.rest[one], self.scatter[one])
            _native.merge_moments(weight, mean, rest, scatter, *others)
        return type(self)(weight, mean, scatter, rest)

    def between(self) -> Floats:
        """Sum of squared deviations of the class means from the overall mean, for each attribute."""
        if not self.classes:
            return np.zeros(self.attributes)
        # Means are compared with one of them, so that their common digits cancel before anything is rounded.
        origin = np.argmax(self.weight, axis=0)[None, :]
        mean_there = np.take_along_axis(self.mean, origin, axis=0)
        rest_there = np.take_along_axis(self.rest, origin, axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            shift = np.where(self.weight > 0, (self.mean - mean_there) + (self.rest - rest_there), 0.0)
            weight = self.weight.sum(axis=0)
            middle = (self.weight * shift).sum(axis=0) / np.where(weight > 0, weight, 1.0)
            spread: Floats = (self.weight * (shift - middle) ** 2).sum(axis=0)
        return spread

    def degrees_of_freedom(self) -> tuple[Floats, Floats]:
        """Between and within, for each attribute; only classes with weight count."""
        present = (self.weight > 0).sum(axis=0).astype(np.float64)
        return present - 1, self.weight.sum(axis=0) - present

    def f_statistic(self) -> Floats:
        """One-way analysis of variance: F of each attribute over the classes with weight.

        NaN where there are fewer than two such classes or no more weight than classes, or where no value
        differs from another; infinite where values differ between classes only.
        """
        df_between, df_within = self.degrees_of_freedom()
        with np.errstate(divide="ignore", invalid="ignore"):
            f = (self.between() / df_between) / (self.scatter.sum(axis=0) / df_within)
        return np.where((df_between >= 1) & (df_within > 0), f, np.nan)

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.weight * factor, self.mean, self.scatter * factor, self.rest)

    def _difference(self, other: Self) -> str | None:
        for name, axis in (("classes", 0), ("numeric attributes", 1)):
            mine, theirs = self.weight.shape[axis], other.weight.shape[axis]
            if mine != theirs:
                return f"one has {mine} {name}, the other {theirs}"
        return None

    def _merge(self, other: Self) -> Self:
        weight, mean, rest, scatter = (
            array.copy() for array in (self.weight, self.mean, self.rest, self.scatter)
        )
        _native.merge_moments(
            weight, mean, rest, scatter, other.weight, other.mean, other.rest, other.scatter
        )
        return type(self)(weight, mean, scatter, rest)
