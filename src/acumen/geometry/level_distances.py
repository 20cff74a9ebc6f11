"""Distances that know levels: shares of attributes that differ, and mixtures with numbers.

    SimpleMatching, Ordinal                               nominal attributes, and ranks
    Symmetric, Odds, Presence, Absence, Jaccard           measures of two rows of zeros and ones
    Gower(weights), Mixture(w1, w2), ValueDifference      all kinds together
    Words                                                 texts

Of two rows of zeros and ones p attributes are 1 in both, q and r in one of them, s in none, n in all: Symmetric is
(q + r) / n, Odds (q + r) / (p + s), Presence 1 - p / n, Absence 1 - s / n, Jaccard 1 - p / (p + q + r). The second
level of a nominal attribute of two is its 1, any number but 0; attributes of more levels are taken level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.geometry.distance import (
    Distance,
    DistanceLayout,
    DistanceSample,
    FittedDistance,
    Scaling,
    mixed_layout,
    no_text,
    number,
    scale_factors,
)
from acumen.geometry.distance_form import DistanceForm, Root
from acumen.geometry.raw_rows import RawRows
from acumen.types import Codes, Floats

#: Beyond so many levels a table of all pairs is refused.
_MOST_LEVELS = 4096


@dataclass(frozen=True, slots=True)
class SimpleMatching(Distance):
    """The fraction of attributes in which two rows differ; for nominal and ordinal attributes."""

    name: ClassVar[str] = "simple-matching"

    def objection(self, schema: Schema) -> str | None:
        if schema.numeric:
            return (
                f"whether two numbers match is a matter of rounding, and {schema.numeric[0].name!r} is numeric; "
                "leave it out, or use 'gower'."
            )
        return no_text(self.name, schema)

    def layout(self, schema: Schema) -> DistanceLayout:
        levels = tuple(("nominal", j, -1, len(a.levels)) for j, a in enumerate(schema.nominal))
        return DistanceLayout((), levels, names=tuple(a.name for a in schema.nominal))

    def form(self, rows: DistanceSample) -> DistanceForm:
        q = len(rows.layout.levels)
        return _shares(rows, np.ones(q), tuple(np.empty((0, 0)) for _ in range(q)))


@dataclass(frozen=True, slots=True)
class Ordinal(Distance):
    """The mean difference of ranks, relative to the largest possible; for ordinal attributes."""

    name: ClassVar[str] = "ordinal"

    def objection(self, schema: Schema) -> str | None:
        other = next((a for a in schema.attributes if not a.ordered), None)
        if other is not None:
            return f"ranks are of ordinal attributes, and {other.name!r} is {other.kind}; leave it out, or use 'gower'."
        return None

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema)

    def form(self, rows: DistanceSample) -> DistanceForm:
        steps = [len(a.levels) - 1 for a in rows.schema.nominal]
        factor = np.array([1.0 / step if step > 0 else 0.0 for step in steps])
        return DistanceForm("absolute", "itself", factor, np.ones(len(steps)), share=True)


# -- zeros and ones -------------------------------------------------------------------------------


class _Binary(Distance):
    """Measures of zeros and ones, told by what each pair of them adds."""

    #: What (0, 0), (0, 1), (1, 0) and (1, 1) add; -1 where the pair is left out.
    adds: ClassVar[tuple[float, float, float, float]]
    root: ClassVar[Root] = "itself"

    __slots__ = ()

    def layout(self, schema: Schema) -> DistanceLayout:
        levels: list[tuple[str, int, int, int]] = [("numeric", j, -1, 2) for j in range(len(schema.numeric))]
        names = [a.name for a in schema.numeric]
        for j, a in enumerate(schema.nominal):
            some = range(len(a.levels)) if len(a.levels) > 2 else (1,)
            levels += [("level", j, level, 2) for level in some]
            names += [a.name for _ in some]
        return DistanceLayout((), tuple(levels), names=tuple(names))

    def form(self, rows: DistanceSample) -> DistanceForm:
        table = np.full((3, 3), np.nan)
        table[:2, :2] = np.array(self.adds).reshape(2, 2)
        q = len(rows.layout.levels)
        return replace(_shares(rows, np.full(q, np.nan), (table,) * q), root=self.root)

    def finish(self, made: FittedDistance, raw: RawRows, weights: Floats) -> FittedDistance:
        for j, a in enumerate(made.schema.numeric):
            odd = raw.numbers[:, j][~np.isin(raw.numbers[:, j], (0.0, 1.0)) & ~np.isnan(raw.numbers[:, j])]
            if len(odd):
                raise DataError(
                    f"distance {self.name}: its numbers are 0 or 1, and {a.name!r} holds {float(odd[0]):g}; leave "
                    "it out."
                )
        return made


@dataclass(frozen=True, slots=True)
class Symmetric(_Binary):
    """(q + r) / n: the fraction of attributes that differ."""

    name: ClassVar[str] = "symmetric"
    adds: ClassVar[tuple[float, float, float, float]] = (0, 1, 1, 0)


@dataclass(frozen=True, slots=True)
class Odds(_Binary):
    """(q + r) / (p + s): differing attributes per agreeing one; unbounded, and not a metric."""

    name: ClassVar[str] = "odds"
    adds: ClassVar[tuple[float, float, float, float]] = (0, 1, 1, 0)
    root: ClassVar[Root] = "odds"
    metric: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Presence(_Binary):
    """1 - p / n: only values present in both rows reduce the distance; not a metric, since a row may be far from
    itself.
    """

    name: ClassVar[str] = "presence"
    adds: ClassVar[tuple[float, float, float, float]] = (1, 1, 1, 0)
    metric: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Absence(_Binary):
    """1 - s / n: only values absent in both rows reduce the distance; not a metric, since a row may be far from
    itself.
    """

    name: ClassVar[str] = "absence"
    adds: ClassVar[tuple[float, float, float, float]] = (0, 1, 1, 1)
    metric: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Jaccard(_Binary):
    """Jaccard distance, 1 - p / (p + q + r): items that both rows lack do not count."""

    name: ClassVar[str] = "jaccard"
    adds: ClassVar[tuple[float, float, float, float]] = (-1, 1, 1, 0)

    def is_metric(self, table: Any) -> bool:
        if self.objection(table.schema) is not None:
            return False
        return not self.fit(table).raw(table).gaps


# -- mixtures -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gower(Distance):
    """Gower's distance: the weighted mean difference over the attributes known in both rows, each from 0 to 1 (Gower
    1971).

    It uses the attributes that both rows know. Numbers: the difference divided by the range of the training rows, at
    most 1. Ordinal attributes: the difference of ranks divided by the largest possible. Nominal ones: 1 if the levels
    differ. Texts: 1 minus the cosine of their words. With missing values it is not a metric.

    Parameters
    ----------
    weights : mapping of attribute to weight, or sequence in the order of the attributes, optional
        [default: all ones]
    asymmetric : sequence of names
        Attributes of two levels that are ignored if both rows have the first level.
    """

    name: ClassVar[str] = "gower"
    scales_by: ClassVar[Scaling] = "range"
    weights: Any = None
    asymmetric: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        weights = self.weights
        if isinstance(weights, Mapping):
            weights = {str(name): _weight(value) for name, value in weights.items()}
        elif weights is not None:
            if isinstance(weights, str) or not isinstance(weights, (Sequence, np.ndarray)):
                raise ParameterError(
                    f"distance gower: weights must be a mapping or a sequence; got {weights!r}."
                )
            weights = tuple(_weight(value) for value in weights)
        object.__setattr__(self, "weights", weights)
        names: Any = self.asymmetric
        object.__setattr__(self, "asymmetric", (names,) if isinstance(names, str) else tuple(names))

    def objection(self, schema: Schema) -> str | None:
        named = list(self.weights) if isinstance(self.weights, dict) else []
        for name in (*named, *self.asymmetric):
            if name not in schema.names:
                return f"there is no attribute {name!r} to weigh.{did_you_mean(name, schema.names)}"
        for name in self.asymmetric:
            if len(schema[name].levels) != 2 or schema[name].ordered:
                return f"only a nominal attribute of two levels is asymmetric; {name!r} is none."
        if isinstance(self.weights, tuple) and len(self.weights) != len(schema):
            return f"weights must be {len(schema)} numbers, one for each attribute; got {len(self.weights)}."
        return None

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema, text=True)

    def weight(self, schema: Schema, name: str) -> float:
        """What an attribute weighs."""
        if isinstance(self.weights, dict):
            return float(self.weights.get(name, 1.0))
        return 1.0 if self.weights is None else float(self.weights[schema.names.index(name)])

    def form(self, rows: DistanceSample) -> DistanceForm:
        d, names = len(rows.layout.numbers), rows.layout.names
        heavy = np.array([self.weight(rows.schema, name) for name in names])
        words = [self.weight(rows.schema, a.name) for a in rows.schema.text] if rows.layout.text else []
        if not heavy.sum() + sum(words) > 0 and len(rows.schema):
            raise ParameterError(
                "distance gower: the weights of all attributes are 0; nothing is left to compare."
            )
        return gower_form(rows, heavy[:d], heavy[d:], float(sum(words)), frozenset(self.asymmetric))

    def outside(self, made: FittedDistance, asked: RawRows, rows: RawRows) -> Floats | None:
        apart = Distance.outside(self, made, asked, rows)
        return None if apart is None else apart * made.form.extra


@dataclass(frozen=True, slots=True)
class Mixture(Distance):
    """w1 times the fraction of discrete attributes that differ, plus w2 times the mean difference of the others.

    Numbers are taken over their range, ordinal attributes by rank; w1 + w2 = 1. Where there is only one of both kinds
    it has all the weight.

    Parameters
    ----------
    w1, w2 : float
        From 0 to 1; one follows from the other.
    """

    name: ClassVar[str] = "mixture"
    scales_by: ClassVar[Scaling] = "range"
    w1: float = 0.5
    w2: float | None = None

    def __post_init__(self) -> None:
        w1 = number(self.name, self.w1, "w1", lambda w: 0 <= w <= 1, "from 0 to 1")
        w2 = 1.0 - w1
        if self.w2 is not None:
            w2 = number(self.name, self.w2, "w2", lambda w: 0 <= w <= 1, "from 0 to 1")
        if abs(w1 + w2 - 1.0) > 1e-9:
            raise ParameterError(f"distance mixture: w1 and w2 must add up to 1; got {w1:g} and {w2:g}.")
        object.__setattr__(self, "w1", w1)
        object.__setattr__(self, "w2", w2)

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema)

    def form(self, rows: DistanceSample) -> DistanceForm:
        d, q = len(rows.layout.numbers), len(rows.layout.levels)
        w1, w2 = (1.0, 1.0) if not d or not q else (self.w1, 1.0 - self.w1)
        return gower_form(rows, np.full(d, w2 / max(d, 1)), np.full(q, w1 / max(q, 1)), 0.0, frozenset())


@dataclass(frozen=True, slots=True)
class ValueDifference(Distance):
    """Value difference metric: categories are close if their class distributions are similar (Stanfill and Waltz
    1986).

    Two levels differ by the summed squares of the differences of P(class | level), numbers and ordinal codes by the
    square of their difference over four deviations (Wilson and Martinez 1997); the distance is the root of the sum. An
    unseen level has the class proportions of all rows.
    """

    name: ClassVar[str] = "value-difference"
    needs_classes: ClassVar[bool] = True

    def objection(self, schema: Schema) -> str | None:
        if schema.target is None or not schema.target.is_nominal:
            return (
                "value-difference compares levels by the classes of their rows, and the table has no classes."
            )
        many = next((a for a in schema.nominal if len(a.levels) > _MOST_LEVELS), None)
        if many is not None:
            return (
                f"{many.name!r} has {len(many.levels):,} levels, and tables are for at most {_MOST_LEVELS:,}; "
                "leave it out."
            )
        return no_text(self.name, schema)

    def layout(self, schema: Schema) -> DistanceLayout:
        return mixed_layout(schema)

    def form(self, rows: DistanceSample) -> DistanceForm:
        if rows.labels is None:
            raise DataError(
                "distance value-difference: it is fitted on rows with classes; give a table with labels."
            )
        counts = class_counts(rows.codes, rows.layout, rows.labels, rows.weights, rows.schema.n_classes)
        q = len(counts)
        tables = tuple(difference_table(each, each) for each in counts)
        factor = scale_factors(rows.values, rows.weights, "deviation", 0.25)
        return DistanceForm(
            "squared", "square_root", factor, np.ones(len(factor)), np.full(q, np.nan), np.ones(q), tables,
            tuple(size for *_, size in rows.layout.levels),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words(Distance):
    """1 minus the cosine of two texts' word vectors (normed log counts), averaged over text columns.

    The 1,000 most frequent words of each text column count. Two texts without a word are equal.
    """

    name: ClassVar[str] = "words"
    metric: ClassVar[bool] = False

    def objection(self, schema: Schema) -> str | None:
        other = next((a for a in schema.attributes if a.kind != "text"), None)
        if other is not None:
            return f"it compares words, and {other.name!r} is {other.kind}; leave it out, or use 'gower'."
        return None

    def layout(self, schema: Schema) -> DistanceLayout:
        return DistanceLayout(text=True)

    def form(self, rows: DistanceSample) -> DistanceForm:
        return DistanceForm("absolute", "itself", np.empty(0), np.empty(0), share=True, extra=1.0)


# -- how they are made ----------------------------------------------------------------------------


def _shares(rows: DistanceSample, differ: Floats, tables: tuple[Floats, ...]) -> DistanceForm:
    """The share of levels that differ."""
    sizes = tuple(size for *_, size in rows.layout.levels)
    none = np.empty(0)
    return DistanceForm(
        "absolute", "itself", none, none, differ, np.ones(len(sizes)), tables, sizes, share=True
    )


def gower_form(
    rows: DistanceSample, numbers: Floats, levels: Floats, words: float, asymmetric: frozenset[str]
) -> DistanceForm:
    """Gower's form with what each number, level and all words together weigh."""
    factor = scale_factors(rows.values, rows.weights, "range")
    for j, (source, at) in enumerate(rows.layout.numbers):
        if source == "ordinal":
            factor[j] = 1.0 / max(len(rows.schema.nominal[at].levels) - 1, 1)
    names = rows.layout.names[len(numbers) :]
    tables, differ = [], levels.copy()
    for j, name in enumerate(names):
        if name not in asymmetric:
            tables.append(np.empty((0, 0)))
            continue
        heavy, differ[j] = levels[j], np.nan
        tables.append(np.array([[-1.0, heavy, np.nan], [heavy, 0.0, np.nan], [heavy, heavy, np.nan]]))
    sizes = tuple(size for *_, size in rows.layout.levels)
    return DistanceForm(
        "absolute", "itself", factor, numbers, differ, levels, tuple(tables), sizes,
        share=True, capped=True, extra=words,
    )  # fmt: skip


def class_counts(
    codes: Codes, layout: DistanceLayout, labels: Codes, weights: Floats, classes: int
) -> tuple[Floats, ...]:
    """For each nominal column the weight of each level and class; the last line is of all rows with a level."""
    heavy = weights if weights.size else np.ones(len(labels))
    counts = []
    for j, (*_, size) in enumerate(layout.levels):
        known = codes[:, j] < size
        at = codes[known, j].astype(np.int64) * classes + labels[known]
        table = np.bincount(at, heavy[known], size * classes).astype(np.float64).reshape(size, classes)
        counts.append(np.vstack([table, table.sum(axis=0)]))
    return tuple(counts)


def difference_table(mine: Floats, theirs: Floats) -> Floats:
    """Summed squares of the differences of shares: a line for each of `mine`, a column for each level of `theirs`.

    Of both the last line is of all rows, and stands for levels without rows; the last column is for missing levels.
    """
    a, b = _shares_of(mine, theirs[-1]), _shares_of(theirs, theirs[-1])[:-1]
    differences = np.full((len(a), len(b) + 1), np.nan)
    differences[:, :-1] = 0.0
    for c in range(a.shape[1]):  # class by class: no array of levels by levels by classes
        differences[:, :-1] += (a[:, c, None] - b[None, :, c]) ** 2
    return differences


def _shares_of(counts: Floats, everything: Floats) -> Floats:
    totals = counts.sum(axis=1, keepdims=True)
    whole = float(everything.sum())
    even = everything / whole if whole > 0 else np.full(len(everything), 1.0 / max(len(everything), 1))
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), even)


def _weight(value: Any) -> float:
    return number("gower", value, "a weight", lambda w: 0 <= w <= 1e100, "of at least 0")


#: Those that have a word.
OF_LEVELS: tuple[type[Distance], ...] = (
    SimpleMatching, Symmetric, Odds, Presence, Absence, Jaccard, Ordinal, Gower, Mixture, ValueDifference, Words,
)  # fmt: skip
