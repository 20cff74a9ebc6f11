"""Numeric attributes whose variance has a prior: a further value follows Student's t distribution.

With n rows of a class, their mean m and sum of squares S about it, and a gamma prior on the precision 1 / variance:

    variance alone   the mean is taken as known, m:         a' = a + n / 2, b' = b + S / 2
                     t with 2 a' degrees of freedom about m, scale^2 = b' / a'
    mean, variance   normal-gamma (m0, k, a, b):            k' = k + n, m' = (k m0 + n m) / k',
                     a' = a + n / 2, b' = b + S / 2 + k n (m - m0)^2 / (2 k')
                     t with 2 a' degrees of freedom about m', scale^2 = b' (k' + 1) / (a' k')

DeGroot (1970), "Optimal Statistical Decisions", sections 9.5 and 9.6. Such a scale needs no floor: b is above 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.bayes.factors.factor import Factor, Term, table_lines
from acumen.bayes.factors.gaussian import GaussianFactor, mean_text, prior_numbers
from acumen.bayes.variance_floors import cap, known_means
from acumen.data.forms import value_text
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.preprocessing.sparse import dense_slices
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Floats, Label

#: So many rows are scored at a time.
_ROWS = 1 << 14
#: Beyond so many scales from the middle a square would overflow.
_FAR = 1e100


def variance_priors(prior: Any, attributes: Sequence[Attribute]) -> dict[int, tuple[float, ...]]:
    """For each attribute concerned the shape and rate of the gamma prior on its precision."""
    return prior_numbers(prior, attributes, "variance_prior", ("shape above 0", "rate above 0"))


def normal_gamma_priors(prior: Any, attributes: Sequence[Attribute]) -> dict[int, tuple[float, ...]]:
    """For each attribute concerned the prior's mean, the rows it counts for, and shape and rate of the precision."""
    wanted = ("mean", "strength above 0", "shape above 0", "rate above 0")
    return prior_numbers(prior, attributes, "normal_gamma_prior", wanted)


def solve(
    plain: GaussianFactor,
    moments: ClassMoments,
    *,
    variance: Mapping[int, tuple[float, ...]],
    both: Mapping[int, tuple[float, ...]],
) -> StudentFactor:
    """The predictive distributions of attributes under a prior; the others stay the Gaussians they are."""
    mean, scale = plain.mean.copy(), np.sqrt(plain.variance)
    freedom = np.zeros_like(mean)
    seen, scatter = known_means(moments), cap(moments.scatter)
    for j, (shape, rate) in variance.items():
        n = moments.weight[:, j]
        mean[:, j], freedom[:, j] = seen[:, j], 2.0 * shape + n
        scale[:, j] = np.sqrt((2.0 * rate + scatter[:, j]) / freedom[:, j])
    for j, (centre, strength, shape, rate) in both.items():
        n = moments.weight[:, j]
        total = strength + n
        apart = np.where(n > 0, seen[:, j] - centre, 0.0)
        with np.errstate(over="ignore"):
            between = cap(strength * (n / total) * apart**2)
        mean[:, j], freedom[:, j] = centre + n / total * apart, 2.0 * shape + n
        squared_scale = cap(2.0 * rate + scatter[:, j] + between) / freedom[:, j]
        scale[:, j] = np.sqrt(squared_scale * (1.0 + 1.0 / total))
    tiny = np.finfo(np.float64).tiny
    return StudentFactor(mean, np.maximum(scale, tiny), np.minimum(freedom, _FAR))


def log_density(values: Floats, mean: float, scale: float, freedom: float) -> Floats:
    """Of Student's t, to full precision for many degrees of freedom and far from the middle too."""
    from scipy.special import betaln

    with np.errstate(over="ignore"):
        apart = np.minimum(np.abs(values - mean), np.finfo(np.float64).max)
        standardised = apart / scale / np.sqrt(freedom)
    near = standardised < _FAR
    logs = np.log(np.where(near, 1.0, apart)) - np.log(scale) - 0.5 * np.log(freedom)
    tail = np.where(near, np.log1p(np.where(near, standardised, 0.0) ** 2), 2.0 * logs)
    head = -float(betaln(freedom / 2.0, 0.5)) - 0.5 * np.log(freedom) - np.log(scale)
    log_densities: Floats = head - (freedom + 1.0) / 2.0 * tail
    return log_densities


@dataclass(frozen=True, slots=True)
class StudentFactor(Factor):
    """Independent Student distributions, among them Gaussians of attributes without a prior on the variance."""

    mean: Floats  # (classes, numeric attributes)
    scale: Floats  # not squared
    freedom: Floats  # degrees of freedom; 0 for a Gaussian

    @property
    def _plain(self) -> Array:
        """Which attributes are Gaussians."""
        return np.flatnonzero(~(self.freedom > 0).any(axis=0))

    def _gaussian(self, some: Array) -> GaussianFactor:
        tiny = np.finfo(np.float64).tiny
        return GaussianFactor(
            np.ascontiguousarray(self.mean[:, some]),
            np.ascontiguousarray(np.maximum(self.scale[:, some] ** 2, tiny)),
        )

    def add_logs(self, rows: Table, total: Floats) -> None:
        if rows.sparse is None:
            self._add(list(rows.numeric.columns), total)
            return
        for part, values in dense_slices(rows):
            self._add(list(values.columns), total[part])

    def _add(self, columns: list[Floats], total: Floats) -> None:
        plain = self._plain
        if len(plain):
            self._gaussian(plain).add_columns([columns[j] for j in plain.tolist()], total)
        for j in np.flatnonzero((self.freedom > 0).any(axis=0)).tolist():
            for start in range(0, len(total), _ROWS):
                some = slice(start, start + _ROWS)
                values = np.asarray(columns[j][some], dtype=np.float64)
                known = np.isfinite(values)
                values = np.where(known, values, 0.0)
                for c in range(len(self.mean)):
                    logs = log_density(values, self.mean[c, j], self.scale[c, j], self.freedom[c, j])
                    total[some, c] += np.where(known, logs, 0.0)

    def terms(self, row: Table) -> Iterator[Term]:
        for j, (attribute, values) in enumerate(row.numeric_columns()):
            value = float(values[0])
            if np.isfinite(value):
                alone = StudentFactor(self.mean[:, [j]], self.scale[:, [j]], self.freedom[:, [j]])
                total = np.zeros((1, len(self.mean)))
                alone._add([np.array([value])], total)
                label = f"{attribute.name} = {value_text(attribute.form, value)}"
                yield Term(attribute.name, label, total[0])

    @property
    def n_parameters(self) -> int:
        return 2 * self.mean.size + int(np.count_nonzero(self.freedom))

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        plain = self._plain.tolist()
        names = [str(c) for c in classes]
        lines: list[str] = []
        if plain:
            lines += self._gaussian(self._plain).lines(tuple(attributes[j] for j in plain), classes)
        rows = [
            (
                attribute.name,
                [
                    f"{mean_text(attribute, float(m), float(s))}, {f:.5g}"
                    for m, s, f in zip(self.mean[:, j], self.scale[:, j], self.freedom[:, j], strict=True)
                ],
            )
            for j, attribute in enumerate(attributes)
            if j not in plain
        ]
        return lines + table_lines("Student's t: middle ± scale, degrees of freedom", names, rows)

    def to_arrays(self) -> dict[str, Array]:
        return {
            "numeric/student/mean": self.mean,
            "numeric/student/scale": self.scale,
            "numeric/student/freedom": self.freedom,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> StudentFactor:
        shape = (classes, len(attributes))
        tiny = float(np.finfo(np.float64).tiny)
        freedom = stored_floats(arrays, "numeric/student/freedom", shape, low=0.0)
        one = (freedom > 0).all(axis=0) | (freedom == 0).all(axis=0)
        require(bool(one.all()), "an attribute is a Gaussian in some classes alone")
        return cls(
            stored_floats(arrays, "numeric/student/mean", shape),
            stored_floats(arrays, "numeric/student/scale", shape, low=tiny),
            freedom,
        )
