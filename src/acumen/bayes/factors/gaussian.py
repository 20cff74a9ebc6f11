"""Numeric attributes as Gaussians: a mean and a variance for each class and attribute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen import _native
from acumen.bayes.factors.factor import Factor, Term, table_lines
from acumen.bayes.variance_floors import (
    VarianceFloor,
    cap,
    known_means,
    overall_variance,
    variance_floor,
    warn_of_constants,
)
from acumen.data.forms import moment, value_text
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.sparse import dense_slices
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.summaries.algebra import add_up
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Floats, Label

LOG_TWO_PI = float(np.log(2.0 * np.pi))


def summarise(rows: Table) -> tuple[ClassMoments, DistinctValues]:
    """Weight, mean and scatter of each numeric attribute in each class, and its values while they are few."""
    k = rows.schema.n_classes
    if rows.sparse is None:
        arguments = (rows.numeric, rows.class_codes, rows.weights, k)
        return ClassMoments.of(*arguments), DistinctValues.of(*arguments)
    moments, distinct = [], []
    for part, values in dense_slices(rows):
        weights = rows.weights[part] if rows.weights.size else rows.weights
        moments.append(ClassMoments.of(values, rows.class_codes[part], weights, k))
        distinct.append(DistinctValues.of(values, rows.class_codes[part], weights, k))
    return add_up(moments), add_up(distinct)


def solve(
    moments: ClassMoments,
    gap: Floats,
    *,
    attributes: Sequence[Attribute],
    classes: Sequence[Label],
    var_floor: VarianceFloor,
    mean_prior: Any,
    settled: Iterable[int] = (),
) -> GaussianFactor:
    """Maximum likelihood (divisor n), with a floor under each variance; means shrunk by a conjugate prior.

    Attributes that are `settled` by a prior on their variance are not warned of.

    `gap` is how far apart the values of each attribute lie; see `floors` for what follows from it.
    """
    if isinstance(var_floor, str):
        measured = moments
        if settled:
            weight = moments.weight.copy()
            weight[:, list(settled)] = 0.0
            measured = replace(moments, weight=weight)
        warn_of_constants(measured, classes, attributes, "NaiveBayes", settable=True)
    weight = np.maximum(moments.weight, 1e-300)
    variance = np.maximum(cap(moments.scatter / weight), variance_floor(moments, gap, var_floor))
    variance = np.where(moments.weight > 0, variance, overall_variance(moments))
    mean = known_means(moments)
    for j, (centre, spread) in mean_priors(mean_prior, attributes).items():
        # W001-20: precisions add, and the posterior mean weighs both means by theirs.
        mean[:, j] = (variance[:, j] * centre + moments.weight[:, j] * spread * mean[:, j]) / (
            variance[:, j] + moments.weight[:, j] * spread
        )
    return GaussianFactor(mean, np.maximum(variance, np.finfo(np.float64).tiny))


def mean_priors(prior: Any, attributes: Sequence[Attribute]) -> dict[int, tuple[float, ...]]:
    """For each attribute concerned the prior's mean and variance."""
    return prior_numbers(prior, attributes, "mean_prior", ("mean", "variance above 0"))


def prior_numbers(
    prior: Any, attributes: Sequence[Attribute], parameter: str, wanted: tuple[str, ...]
) -> dict[int, tuple[float, ...]]:
    """For each attribute concerned the prior's numbers; those whose word in `wanted` says so must be above 0."""
    if prior is None:
        return {}
    names = [attribute.name for attribute in attributes]
    lines = prior if isinstance(prior, Mapping) else dict.fromkeys(names, prior)
    numbers_by_place = {}
    for name, line in lines.items():
        if name not in names:
            hint = did_you_mean(name, names)
            raise ParameterError(
                f"NaiveBayes: {parameter} names {name!r}, which is not a numeric attribute.{hint}"
            )
        try:
            numbers = tuple(float(v) for v in line)
        except (TypeError, ValueError, OverflowError):
            numbers = ()
        if len(numbers) != len(wanted) or not all(
            np.isfinite(number) and (number > 0 or not word.endswith("above 0"))
            for number, word in zip(numbers, wanted, strict=True)
        ):
            many = {2: "a pair", 4: "four numbers"}[len(wanted)]
            raise ParameterError(
                f"NaiveBayes: {parameter} must be {many} ({', '.join(wanted)}) or a mapping to such; got {line!r}."
            )
        numbers_by_place[names.index(name)] = numbers
    return numbers_by_place


@dataclass(frozen=True, slots=True)
class GaussianFactor(Factor):
    """Independent Gaussians."""

    mean: Floats  # (classes, numeric attributes)
    variance: Floats

    def only(self, j: int) -> GaussianFactor:
        """That of one attribute."""
        return GaussianFactor(self.mean[:, j : j + 1].copy(), self.variance[:, j : j + 1].copy())

    def add_logs(self, rows: Table, total: Floats) -> None:
        if rows.sparse is None:
            self.add_columns(list(rows.numeric.columns), total)
            return
        for part, values in dense_slices(rows):
            self.add_columns(list(values.columns), total[part])

    def add_columns(self, columns: list[Floats], total: Floats) -> None:
        """What the columns of some rows add."""
        _native.add_gaussian_logs(columns, self.mean, self.variance, total, cores())

    def terms(self, row: Table) -> Iterator[Term]:
        for j, (attribute, values) in enumerate(row.numeric_columns()):
            value = float(values[0])
            if np.isfinite(value):
                total = np.zeros((1, len(self.mean)))
                _native.add_gaussian_logs(
                    [np.array([value])],
                    np.ascontiguousarray(self.mean[:, [j]]),
                    np.ascontiguousarray(self.variance[:, [j]]),
                    total,
                    1,
                )
                yield Term(
                    attribute.name, f"{attribute.name} = {value_text(attribute.form, float(value))}", total[0]
                )

    @property
    def n_parameters(self) -> int:
        return 2 * self.mean.size

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        rows = [
            (
                a.name,
                [
                    mean_text(a, float(m), float(s))
                    for m, s in zip(self.mean[:, j], np.sqrt(self.variance[:, j]), strict=True)
                ],
            )
            for j, a in enumerate(attributes)
        ]
        return table_lines("mean ± standard deviation", [str(c) for c in classes], rows)

    def to_arrays(self) -> dict[str, Array]:
        return {"numeric/gaussian/mean": self.mean, "numeric/gaussian/variance": self.variance}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> GaussianFactor:
        shape = (classes, len(attributes))
        mean = stored_floats(arrays, "numeric/gaussian/mean", shape)
        tiny = float(np.finfo(np.float64).tiny)
        return cls(mean, stored_floats(arrays, "numeric/gaussian/variance", shape, low=tiny))


def mean_text(attribute: Attribute, mean: float, deviation: float) -> str:
    """A mean with its standard deviation; of dates a date, and days."""
    day = moment(attribute.form, mean)
    return f"{mean:.5g} ± {deviation:.4g}" if day is None else f"{day} ± {deviation:.4g} days"
