"""Sums of terms: what linear and additive models, and rules that vote, are written as in other languages.

    Count   a weight where all its conditions hold, nothing where not
    Slope   a weight times how far a number is from a centre; something else where there is no number
    Square  a start and a weight times the square of how far a number is from a centre; or something else
    Beyond  what stands for that square where it would overflow
    Choice  the weight of the first of several bodies of conditions that holds: a shape, step by step
    Sum     a constant and terms

A model that is sums of terms says so by `to_sums(schema)`: one for each class, the largest wins, or of a regressor
one. `base.export` turns them into SQL and Python, `acumen.exports` into ONNX and PMML.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from acumen.conditions.condition import Condition, numbers_of
from acumen.conditions.pair import CombinedAttributes, combine_columns
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.preprocessing.matrix import NumericMatrix
from acumen.types import Bools, Floats

#: As the constant of the first of two classes: the second wins where its score is exactly 0.
TIE: Final = -float(np.finfo(np.float64).smallest_subnormal)


#: Squares of standardised distances beyond this grow with the logarithm alone, by this share of it for each unit:
#: as native/kernels/densities/gaussian.cpp has it.
LARGEST_SQUARE: Final = 1e300


CAPPED_GROWTH: Final = 0.01


_LOG_CAP: Final = 0.5 * math.log(LARGEST_SQUARE)


_MOST_LOG: Final = 709.0  # the exponential of more is infinite


@dataclass(frozen=True, slots=True)
class Count:
    """`weight` where all conditions hold."""

    weight: float
    body: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Slope:
    """`weight` x (number - `centre`); `absent` where the number is missing or infinite."""

    weight: float
    attribute: str | CombinedAttributes
    centre: float = 0.0
    absent: float = 0.0


@dataclass(frozen=True, slots=True)
class Beyond:
    """`slope` x log(half the distance) + `level`, for distances of which half is more than `half_distance`."""

    half_distance: float
    slope: float
    level: float


@dataclass(frozen=True, slots=True)
class Square:
    """`start` + `weight` x (number - `centre`)^2; `absent` where the number is missing or infinite: a log density.

    Squares that would overflow grow with the logarithm of the distance, as `capped_square` of the kernels has it. The
    cap holds for `weight` without `power`, which multiplies the term.
    """

    weight: float
    attribute: str | CombinedAttributes
    centre: float
    start: float = 0.0
    absent: float = 0.0
    power: float = 1.0

    @property
    def beyond(self) -> Beyond:
        """What stands for the square of a distance too large to be squared."""
        scale = abs(self.weight / self.power) if self.power else 0.0
        if not scale > 0:
            return Beyond(math.inf, 0.0, 0.0)
        # z = distance x sqrt(2 scale); the square counts half
        log_of_z = math.log(2.0) + 0.5 * (math.log(2.0) + math.log(scale))
        slope = math.copysign(0.5 * LARGEST_SQUARE * CAPPED_GROWTH * abs(self.power), self.weight)
        level = slope * (1.0 / CAPPED_GROWTH + log_of_z - _LOG_CAP)
        log_half = _LOG_CAP - log_of_z
        return Beyond(math.exp(log_half) if log_half < _MOST_LOG else math.inf, slope, level)

    def of(self, values: Floats) -> Floats:
        """What it adds for each number."""
        far = self.beyond
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            away, half = values - self.centre, np.abs(values * 0.5 - self.centre * 0.5)
            square = self.weight * away * away
            capped = far.slope * np.log(half) + far.level
        return np.where(
            np.isfinite(values), self.start + np.where(half > far.half_distance, capped, square), self.absent
        )


@dataclass(frozen=True, slots=True)
class LevelCases:
    """The weight of the first body that holds; `otherwise` where none does."""

    cases: tuple[tuple[tuple[Condition, ...], float], ...]
    otherwise: float = 0.0

    def of(self, table: Table) -> Floats:
        """What it adds for each row."""
        values = np.full(len(table), float(self.otherwise))
        for body, weight in reversed(self.cases):
            values[_holds_of_rows(body, table)] = weight
        return values


Term: TypeAlias = Count | Slope | Square | LevelCases


@dataclass(frozen=True, slots=True)
class TermSum:
    """A constant and terms, added up."""

    constant: float
    terms: tuple[Term, ...] = ()

    def of(self, table: Table) -> Floats:
        """The sum for each row: what emitted programs must say."""
        total = np.full(len(table), float(self.constant))
        for term in self.terms:
            if isinstance(term, LevelCases):
                total += term.of(table)
            elif isinstance(term, Count):
                total += np.where(_holds_of_rows(term.body, table), term.weight, 0.0)
            elif isinstance(term, Square):
                total += term.of(_numbers(table, term.attribute))
            else:
                values = _numbers(table, term.attribute)
                with np.errstate(invalid="ignore", over="ignore"):
                    here = (values - term.centre) * term.weight
                total += np.where(np.isfinite(values), here, term.absent)
        return total

    def times(self, factor: float) -> TermSum:
        """Everything so many times as large."""
        return sum_of(self.constant * factor, (_times(term, factor) for term in self.terms))

    def plus(self, constant: float) -> TermSum:
        """The sum with so much more."""
        return TermSum(self.constant + constant, self.terms)


def sum_of(constant: float, terms: Iterable[Term]) -> TermSum:
    """A sum without the terms that add nothing anywhere."""
    return TermSum(float(constant), tuple(t for t in terms if _adds(t)))


def _times(term: Term, factor: float) -> Term:
    if isinstance(term, LevelCases):
        return LevelCases(tuple((b, w * factor) for b, w in term.cases), term.otherwise * factor)
    if isinstance(term, Count):
        return Count(term.weight * factor, term.body)
    if isinstance(term, Slope):
        return Slope(term.weight * factor, term.attribute, term.centre, term.absent * factor)
    return replace(
        term, weight=term.weight * factor, start=term.start * factor, absent=term.absent * factor,
        power=term.power * abs(factor),
    )  # fmt: skip


def _adds(term: Term) -> bool:
    """Whether a term adds something anywhere."""
    if isinstance(term, LevelCases):
        return term.otherwise != 0 or any(weight != 0 for _, weight in term.cases)
    if isinstance(term, Square):
        return bool(term.weight or term.start or term.absent)
    return term.weight != 0 or (isinstance(term, Slope) and term.absent != 0)


def difference(one: TermSum, other: TermSum) -> TermSum:
    """`one` - `other`, like terms put together: what is above 0 where `one` is the larger. Both must be finite."""
    together: dict[Any, Term] = {}
    for sign, whole in ((1.0, one), (-1.0, other)):
        for at, term in enumerate(whole.terms):
            shifted, key = _times(term, sign), _likeness(term) or (sign, at)
            before = together.get(key)
            if isinstance(shifted, Count) and isinstance(before, Count):
                shifted = Count(before.weight + shifted.weight, shifted.body)
            elif isinstance(shifted, Slope) and isinstance(before, Slope):
                weight, absent = before.weight + shifted.weight, before.absent + shifted.absent
                shifted = Slope(weight, shifted.attribute, shifted.centre, absent)
            together[key] = shifted
    return sum_of(one.constant - other.constant, together.values())


def _likeness(term: Term) -> Any:
    """What terms that can be put together have in common; None for those that stay by themselves."""
    if isinstance(term, Count):
        return term.body
    return (term.attribute, term.centre) if isinstance(term, Slope) else None


def is_finite(whole: TermSum) -> bool:
    """Whether every number in a sum is; logarithms of probabilities of 0 are not."""
    numbers = [whole.constant]
    for term in whole.terms:
        numbers.append(term.otherwise if isinstance(term, LevelCases) else term.weight)
        numbers += [weight for _, weight in term.cases] if isinstance(term, LevelCases) else []
    return bool(np.isfinite(numbers).all())


def _holds_of_rows(body: tuple[Condition, ...], table: Table) -> Bools:
    held = np.ones(len(table), dtype=np.bool_)
    for condition in body:
        held &= condition.holds(table)
    return held


def attribute_sum(
    attribute: Attribute, weights: Floats, centre: Floats, absent: float | None = 0.0
) -> TermSum:
    """What one attribute adds by the columns that matrices have for it, each a weight about a centre.

    A number has one column, an ordinal attribute one of its codes, a nominal one a 0/1 column for each level. `absent`
    is added where the value is missing or a level is not known; None: as much as if all columns were 0.
    """
    name = attribute.name
    if attribute.kind == "text":
        raise DataError(
            f"the words of the text {name!r} are no terms of a sum that another language could make; learn without it."
        )
    zero = -float(centre @ weights)
    without = zero if absent is None else float(absent)
    if attribute.is_numeric:
        return sum_of(0.0, [Slope(float(weights[0]), name, float(centre[0]), without)])
    codes = np.arange(len(attribute.levels))
    each = (codes - centre[0]) * weights[0] if attribute.ordered else weights + zero
    terms = [
        Count(float(amount), (Condition(name, "=", level),))
        for amount, level in zip((each - without).tolist(), attribute.levels, strict=True)
    ]
    return sum_of(without, terms)


def merge_sums(constant: float, sums: Iterable[TermSum]) -> TermSum:
    """Several sums as one."""
    every = tuple(sums)
    return TermSum(
        constant + sum(one.constant for one in every), tuple(t for one in every for t in one.terms)
    )


def _numbers(table: Table, attribute: str | CombinedAttributes) -> Floats:
    if isinstance(attribute, str):
        return numbers_of(table, table.schema[attribute])
    first, second = (numbers_of(table, table.schema[name]) for name in (attribute.first, attribute.second))
    return np.asarray(combine_columns(attribute.form, first, second, 0), dtype=np.float64)


def view_sum(view: NumericMatrix, weights: Floats, constant: float) -> TermSum:
    """The product of a row's columns with `weights`, and a constant.

    A number adds its weight times (x - centre) / spread, and where it is missing what its fill adds; a missing or
    unknown level adds nothing. DataError for words, and for columns that say what is missing.
    """
    if view.indicated.any():
        raise DataError("the columns that say what is missing are no terms of a sum.")
    starts, parts = view.starts.tolist(), []
    for i, a in enumerate(view.schema):
        mine = weights[starts[i] : starts[i + 1]]
        if a.kind == "text" or view.is_one_hot(a):
            parts.append(attribute_sum(a, mine, np.zeros(len(mine)), None))
            continue
        centre, spread = float(view.centre[i]), float(view.spread[i])
        slope = mine / spread if spread != 0 else np.zeros(1)
        absent = float((view.fill[i] - centre) * slope[0])
        parts.append(attribute_sum(a, slope, np.array([centre]), absent))
    return merge_sums(constant, parts)
