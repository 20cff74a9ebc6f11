"""Scatter matrices of numeric attributes: for each class, or pooled within the classes.

While no value is missing a matrix, a mean and a weight for each class are all there is. As soon as values are
missing (NaN or infinite), every pair of attributes keeps the weight, the two means and the products over
the rows in which both are known; `imputed` then gives the scatter with each gap filled by its class's mean,
exactly as if the rows had been filled one by one.

Rows without a label are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import Membership, Values, columns_of, shares_of
from acumen.summaries.moments import ClassMoments
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ScatterMatrices(Summary):
    """Sums of products of deviations from the class means.

    Attributes
    ----------
    weight : array of (classes,)
        Row weight of each class.
    moments : ClassMoments
        Weight of known values, mean and squares for each class and attribute.
    scatter : array of (classes, d, d), or (1, d, d) when `shared`
        Symmetric to the byte. With missing values an entry is over the rows in which both attributes are
        known, about their means in these rows.
    pair_weight, pair_mean : arrays of (classes, d, d), or None while nothing is missing
        `pair_mean[c, i, j]` is the mean of attribute i over the rows in which i and j are known.
    shared : bool
        Whether the scatter is pooled over the classes.
    """

    weight: Floats
    moments: ClassMoments
    scatter: Floats
    pair_weight: Floats | None = None
    pair_mean: Floats | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        for name in ("weight", "scatter", "pair_weight", "pair_mean"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def of(
        cls, values: Values, labels: Codes, weights: Floats | None, classes: int, shared: bool = False
    ) -> Self:
        """Summarise rows; `values` and the others as for `ClassMoments.of`."""
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__), shared)[0]

    @classmethod
    def of_parts(
        cls,
        values: Values,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        parts: Codes,
        n_parts: int,
        shared: bool = False,
    ) -> list[Self]:
        """The scatter of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        return cls._add(values, Membership.of(labels, weights, classes, cls.__name__, parts, n_parts), shared)

    @classmethod
    def of_soft(cls, values: Values, responsibilities: Floats, shared: bool = False) -> Self:
        """Scatter in which each row belongs to every class by its share, an array of (rows, classes)."""
        shares = shares_of(responsibilities, cls.__name__)
        columns, d = columns_of(values, cls.__name__)
        moments, complete = ClassMoments._add_soft(values, shares)
        weight, k = shares.sum(axis=0), shares.shape[1]
        if complete:
            scatter = np.zeros((1 if shared else k, d, d))
            _native.add_scatter_soft(columns, shares, shared, moments.mean, scatter)
            return cls(weight, moments, scatter, shared=shared)
        sums = [np.zeros((k, d, d)) for _ in range(3)]
        _native.add_pairs_soft(columns, shares, moments.mean, *sums)
        return cls._of_pairs(weight, moments, (sums[0], sums[1], sums[2]), shared)

    @classmethod
    def _add(cls, values: Values, rows: Membership, shared: bool) -> list[Self]:
        columns, d = columns_of(values, cls.__name__)
        moments, complete = ClassMoments._add(values, rows)
        weight = _class_weights(rows)
        centre = np.concatenate([part.mean for part in moments])
        k, parts = rows.classes, rows.n_parts
        if complete:
            slots = 1 if shared else k
            scatter = np.zeros((parts * slots, d, d))
            _native.add_scatter(columns, *rows.kernel_arguments(), shared, centre, scatter)
            matrices = scatter.reshape(parts, slots, d, d)
            return [cls(weight[p], moments[p], matrices[p], shared=shared) for p in range(parts)]
        sums = [np.zeros((rows.groups, d, d)) for _ in range(3)]
        _native.add_pairs(columns, *rows.kernel_arguments(), centre, *sums)
        cuts = [slice(p * k, (p + 1) * k) for p in range(parts)]
        return [
            cls._of_pairs(weight[p], moments[p], (sums[0][cut], sums[1][cut], sums[2][cut]), shared)
            for p, cut in enumerate(cuts)
        ]

    @classmethod
    def _of_pairs(
        cls, weight: Floats, moments: ClassMoments, pairs: tuple[Floats, Floats, Floats], shared: bool
    ) -> Self:
        """From weights, sums and products about the class means over known pairs."""
        both, sums, products = pairs
        share = np.divide(sums, both, out=np.zeros_like(sums), where=both > 0)
        scatter = products - both * (share * share.transpose(0, 2, 1))
        mean = moments.mean[:, :, None] + share
        return cls(weight, moments, _pool(scatter, shared), both, mean, shared)

    @property
    def classes(self) -> int:
        return self.moments.classes

    @property
    def attributes(self) -> int:
        return self.moments.attributes

    @property
    def mean(self) -> Floats:
        """Mean of the known values, (classes, attributes)."""
        return self.moments.mean

    @property
    def complete(self) -> bool:
        """Whether nothing was missing."""
        return self.pair_weight is None

    def impute_means(self) -> Floats:
        """The scatter with each missing value filled by its class's mean; `scatter` if nothing is missing."""
        if self.pair_weight is None or self.pair_mean is None:
            return self.scatter
        off = np.where(self.pair_weight > 0, self.pair_mean - self.mean[:, :, None], 0.0)
        filled: Floats = self.scatter + _pool(self.pair_weight * (off * off.transpose(0, 2, 1)), self.shared)
        return filled

    def _pairs(self) -> tuple[Floats, Floats]:
        """Weight and means of every pair, written out if nothing was missing."""
        if self.pair_weight is not None and self.pair_mean is not None:
            return self.pair_weight, self.pair_mean
        shape = (self.classes, self.attributes, self.attributes)
        return (
            np.broadcast_to(self.weight[:, None, None], shape),
            np.broadcast_to(self.mean[:, :, None], shape),
        )

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        pairs = None if self.pair_weight is None else self.pair_weight * factor
        moments, scatter = self.moments.scale_weights(factor), self.scatter * factor
        return type(self)(self.weight * factor, moments, scatter, pairs, self.pair_mean, self.shared)

    def _difference(self, other: Self) -> str | None:
        if self.shared != other.shared:
            return "one is pooled over the classes, the other has a matrix for each"
        return self.moments._difference(other.moments)

    def _merge(self, other: Self) -> Self:
        moments, weight = self.moments + other.moments, self.weight + other.weight
        if self.complete and other.complete:
            apart = (other.mean - self.mean) + (other.moments.rest - self.moments.rest)
            both = np.divide(self.weight * other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
            # The root of the factor goes to both sides, so that the product is symmetric to the byte.
            apart = np.where(both[:, None] > 0, np.sqrt(both)[:, None] * apart, 0.0)
            correction = np.einsum("ki,kj->ij" if self.shared else "ki,kj->kij", apart, apart)
            return type(self)(weight, moments, self.scatter + other.scatter + correction, shared=self.shared)
        (mine, my_mean), (theirs, their_mean) = self._pairs(), other._pairs()
        pairs = mine + theirs
        share = np.divide(theirs, pairs, out=np.zeros(pairs.shape), where=pairs > 0)
        apart = their_mean - my_mean
        mean = np.where(mine > 0, my_mean + apart * share, their_mean)
        correction = _pool(mine * share * (apart * apart.transpose(0, 2, 1)), self.shared)
        scatter = self.scatter + other.scatter + correction
        return type(self)(weight, moments, scatter, pairs, mean, self.shared)


def _pool(matrices: Floats, shared: bool) -> Any:
    return matrices.sum(axis=0, keepdims=True) if shared else matrices


def _class_weights(rows: Membership) -> Floats:
    """Row weight of each class, (parts, classes)."""
    table = np.zeros((rows.n_parts, rows.classes + 1, 2))
    one_level = np.broadcast_to(np.int32(0), rows.n_rows)
    _native.count_levels(one_level, rows.labels, rows.weights, rows.parts, table)
    return table[:, :-1, 0]
