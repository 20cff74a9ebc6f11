"""Distances that differ in how differences of numbers are added.

    Euclidean, Manhattan, Minkowski(p), Chebyshev     sums of powers, or the largest difference
    Mahalanobis(covariance)                           differences in units of how rows vary together
    Cosine                                            1 less the cosine of the angle
    Function(f)                                       a function of two rows

Ordinal attributes count as their codes, as numbers do. Another level of a nominal attribute counts as a difference of 1
(Mahalanobis and Cosine take numbers and ordinal attributes alone).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance import (
    Distance,
    DistanceLayout,
    DistanceSample,
    FittedDistance,
    common_unit,
    mixed_layout,
    no_text,
    number,
    numbers_of,
    scale_factors,
)
from acumen.geometry.distance_form import DistanceForm, Root, Rule
from acumen.geometry.raw_rows import RawRows
from acumen.preprocessing.columns import mean, sample
from acumen.types import Floats


class _Power(Distance):
    """Sums of powers of differences."""

    __slots__ = ()

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema)

    @abstractmethod
    def rule(self) -> tuple[Rule, Root, float]:
        """How differences are added, what is made of the sum, and the power they are raised to."""

    def form(self, rows: DistanceSample) -> DistanceForm:
        rule, root, power = self.rule()
        d, sizes, unit = (
            rows.values.shape[1],
            tuple(size for *_, size in rows.layout.levels),
            common_unit(rows),
        )
        # A level that differs counts as a difference of one whole unit of the numbers.
        one = (1.0 / unit) ** {"squared": 2.0, "power": power}.get(rule, 1.0)
        return DistanceForm(
            rule=rule,
            root=root,
            factor=scale_factors(rows.values, rows.weights, "deviation" if rows.scale else "none"),
            weight=np.ones(d),
            differ=np.full(len(sizes), one),
            count=np.ones(len(sizes)),
            tables=tuple(np.empty((0, 0)) for _ in sizes),
            levels=sizes,
            power=power,
            unit=unit,
        )


@dataclass(frozen=True, slots=True)
class Euclidean(_Power):
    """The root of the summed squares of the differences."""

    name: ClassVar[str] = "euclidean"

    def rule(self) -> tuple[Rule, Root, float]:
        return "squared", "square_root", 2.0


@dataclass(frozen=True, slots=True)
class Manhattan(_Power):
    """The sum of the absolute differences."""

    name: ClassVar[str] = "manhattan"

    def rule(self) -> tuple[Rule, Root, float]:
        return "absolute", "itself", 1.0


@dataclass(frozen=True, slots=True)
class Chebyshev(_Power):
    """The largest absolute difference."""

    name: ClassVar[str] = "chebyshev"

    def rule(self) -> tuple[Rule, Root, float]:
        return "largest", "itself", 1.0


@dataclass(frozen=True, slots=True)
class Minkowski(_Power):
    """The p-th root of the summed p-th powers of the absolute differences; a metric from p = 1 on."""

    name: ClassVar[str] = "minkowski"
    p: float = 3.0

    def __post_init__(self) -> None:
        p = number(self.name, self.p, "p", lambda p: 0 < p <= 100, "above 0, at most 100")
        object.__setattr__(self, "p", p)

    def rule(self) -> tuple[Rule, Root, float]:
        if self.p == 1:
            return "absolute", "itself", 1.0
        return ("squared", "square_root", 2.0) if self.p == 2 else ("power", "power_root", self.p)

    def is_metric(self, table: Any) -> bool:
        return self.p >= 1 and Distance.is_metric(self, table)


class _Turned(Distance):
    """Numbers are turned to other axes first; levels and words are refused. A missing number counts as the mean."""

    __slots__ = ()

    def objection(self, schema: Schema) -> str | None:
        named = next((a.name for a in schema.nominal if not a.ordered), None)
        if named is not None:
            return f"{self.name} is for numbers, and {named!r} is nominal; leave it out, or use 'gower'."
        return no_text(self.name, schema)

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema)


@dataclass(frozen=True, slots=True)
class Mahalanobis(_Turned):
    """The root of (a - b)' S^-1 (a - b), S being the covariance of the rows, or the one given.

    Directions in which rows do not vary are left out. A missing number counts as the column's mean.

    Parameters
    ----------
    covariance : matrix, optional
        One line and column for each numeric (then ordinal) attribute. [default: the covariance of the rows]
    """

    name: ClassVar[str] = "mahalanobis"
    turns: ClassVar[Literal["", "whiten", "direction"]] = "whiten"
    covariance: Any = None

    def __post_init__(self) -> None:
        if self.covariance is None:
            return
        try:
            covariance = np.array(self.covariance, dtype=np.float64)
        except (TypeError, ValueError):
            covariance = np.empty(0)
        square = covariance.ndim == 2 and covariance.shape[0] == covariance.shape[1]
        if not square or not np.isfinite(covariance).all() or not np.allclose(covariance, covariance.T):
            raise ParameterError(
                "distance mahalanobis: covariance must be a symmetric matrix of finite numbers."
            )
        object.__setattr__(self, "covariance", tuple(map(tuple, covariance.tolist())))

    def form(self, rows: DistanceSample) -> DistanceForm:
        return DistanceForm("squared", "square_root", np.empty(0), np.empty(0))  # as wide as `finish` finds

    def finish(self, made: FittedDistance, raw: RawRows, weights: Floats) -> FittedDistance:
        values = numbers_of(made.layout, raw)
        d = values.shape[1]
        centre = column_means(values, weights)
        covariance = None if self.covariance is None else np.array(self.covariance)
        if covariance is None:
            away = np.where(np.isnan(values), 0.0, values - centre)
            size = np.abs(away).max(axis=0, initial=0.0)
            away /= np.where(size > 0, size, 1.0)
            heavy = weights if weights.size else np.ones(len(away))
            covariance = (away.T * heavy) @ away / max(float(heavy.sum()), 1e-300)
        elif covariance.shape != (d, d):
            raise DataError(
                f"distance mahalanobis: covariance must have {d} lines, one for each column; got {len(covariance)}."
            )
        else:
            size = np.ones(d)
        roots, axes = np.linalg.eigh(covariance)
        keep = roots > 1e-12 * max(float(roots.max(initial=0.0)), 1e-300)
        turn = (axes[:, keep] / np.sqrt(roots[keep])) / np.where(size > 0, size, 1.0)[:, None]
        width = int(keep.sum())
        form = replace(made.form, factor=np.ones(width), weight=np.ones(width))
        return replace(made, centre=centre, turn=np.ascontiguousarray(turn), form=form)


@dataclass(frozen=True, slots=True)
class Cosine(_Turned):
    """1 minus the cosine of the angle between two numeric rows; not a metric.

    A row of zeros is at distance 1 from every other and 0 from its like. A missing number counts as 0, which is the
    mean where numbers are scaled.
    """

    name: ClassVar[str] = "cosine"
    turns: ClassVar[Literal["", "whiten", "direction"]] = "direction"
    metric: ClassVar[bool] = False

    def form(self, rows: DistanceSample) -> DistanceForm:
        width = rows.values.shape[1] + 1  # one more tells rows of zeros
        return DistanceForm("squared", "half", np.ones(width), np.ones(width))

    def finish(self, made: FittedDistance, raw: RawRows, weights: Floats) -> FittedDistance:
        values = numbers_of(made.layout, raw)
        if made.scaling == "none":
            return replace(made, centre=np.zeros(values.shape[1]), turn=np.eye(values.shape[1]))
        return replace(
            made,
            centre=column_means(values, weights),
            turn=np.diag(scale_factors(values, weights, "deviation")),
        )


@dataclass(frozen=True, slots=True)
class Function(Distance):
    """A function of two rows, each a tuple of values in the order of the attributes (None where missing).

    It is called once for each pair, and cannot be kept in a model file.
    """

    name: ClassVar[str] = "function"
    metric: ClassVar[bool] = False
    function: Callable[[Sequence[Any], Sequence[Any]], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(
                f"distance function: a function of two rows was expected; got {self.function!r}."
            )

    def layout(self, schema: Schema) -> DistanceLayout:
        return DistanceLayout()

    def form(self, rows: DistanceSample) -> DistanceForm:
        return DistanceForm("absolute", "itself", np.empty(0), np.empty(0), share=True, extra=1.0)

    def outside(self, made: FittedDistance, asked: RawRows, rows: RawRows) -> Floats:
        mine, theirs = row_values(made.schema, asked), row_values(made.schema, rows)
        apart = np.array([[self._apart(a, b) for b in theirs] for a in mine], dtype=np.float64)
        return apart.reshape(len(mine), len(theirs))

    def _apart(self, a: Sequence[Any], b: Sequence[Any]) -> float:
        try:
            distance = float(self.function(a, b))
        except (TypeError, ValueError) as error:
            raise DataError(
                f"distance function: it must give a number for every two rows; it raised: {error}"
            ) from None
        if not distance >= 0:
            raise DataError(f"distance function: a distance is a number of at least 0; it gave {distance!r}.")
        return distance

    def to_state(self) -> dict[str, Any]:
        raise DataError(
            "a distance that is a function cannot be kept in a model file; use one of acumen.distances."
        )


def row_values(schema: Schema, raw: RawRows) -> list[tuple[Any, ...]]:
    """Rows as tuples of values in the order of the attributes, None where missing."""
    columns: list[list[Any]] = []
    numeric, nominal = 0, 0
    for attribute in schema.attributes:
        if attribute.is_nominal:
            codes, nominal = raw.codes[:, nominal].tolist(), nominal + 1
            columns.append([attribute.levels[code] if code >= 0 else None for code in codes])
        elif attribute.is_numeric:
            values, numeric = raw.numbers[:, numeric].tolist(), numeric + 1
            columns.append([None if value != value else value for value in values])
    return list(zip(*columns, strict=True)) if columns else [()] * len(raw)


def column_means(values: Floats, weights: Floats) -> Floats:
    """The mean of what is known of each column; 0 where nothing is."""
    means = np.zeros(values.shape[1])
    for j in range(values.shape[1]):
        known, heavy = sample(values[:, j], weights)
        means[j] = mean(known, heavy) if len(known) else 0.0
    return means


#: Those that have a word.
OF_NUMBERS: tuple[type[Distance], ...] = (Euclidean, Manhattan, Minkowski, Chebyshev, Mahalanobis, Cosine)
