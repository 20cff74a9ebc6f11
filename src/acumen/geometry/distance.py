"""What every distance between rows is, before and after it has seen the rows it is to be used on.

    Distance         a rule with its parameters: name, what it objects to, whether it is a metric, `between`
    DistanceLayout   which attributes it takes as numbers, as levels, as words
    FittedDistance   the rule on given rows: ranges, deviations, tables, vocabularies; what a model file stores

A distance between two rows is taken over the attributes both know ("partial"): sums are blown up by all attributes over
those known, shares are of what is known. Rows that have nothing known in common are infinitely far apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance_form import DistanceForm, Encoded
from acumen.geometry.raw_rows import RawRows, decimal_places, in_units, raw_rows
from acumen.preprocessing.columns import deviation, sample
from acumen.preprocessing.words import Vocabulary, normed_log_counts
from acumen.types import MISSING, Array, Codes, Floats

#: A column in which nothing varies: every other value is as far as can be.
_NO_RANGE = 1e300
#: Bytes of distances made at once.
_BLOCK = 64 << 20
#: Words of a text attribute that count.
_WORDS = 1000
#: Rows from which on it takes long to see that all of them are equally far apart.
_MANY = 10_000

Scaling = Literal["none", "deviation", "range"]


@dataclass(frozen=True, slots=True)
class DistanceLayout:
    """Which columns of a schema a distance takes, and as what.

    `numbers`: ("numeric", j) or ("ordinal", j); `levels`: (source, j, level, size), where source is "nominal" (its
    codes), "numeric" (0, or anything else) or "level" (whether it is that one); j counts within the numeric or the
    nominal attributes. `names` are the attributes behind them, numbers first.
    """

    numbers: tuple[tuple[str, int], ...] = ()
    levels: tuple[tuple[str, int, int, int], ...] = ()
    text: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DistanceSample:
    """The rows a distance is fitted on."""

    schema: Schema
    layout: DistanceLayout
    values: Floats  # in units of their last decimal place
    codes: Codes  # of the layout's levels, the number of levels where missing
    places: Array
    weights: Floats
    labels: Codes | None
    scale: bool


class Distance(ABC):
    """The distance between two rows. Subclasses are frozen dataclasses of their parameters."""

    #: The word for it.
    name: ClassVar[str]
    #: How the factors of numbers follow from the rows where they are scaled.
    scales_by: ClassVar[Scaling] = "deviation"
    #: What is done with numbers before differences are taken.
    turns: ClassVar[Literal["", "whiten", "direction"]] = ""
    #: Whether it says so only of rows that know everything.
    metric: ClassVar[bool] = True
    #: Whether it is fitted on classes.
    needs_classes: ClassVar[bool] = False

    __slots__ = ()

    @abstractmethod
    def layout(self, schema: Schema) -> DistanceLayout:
        """Which attributes it takes."""

    @abstractmethod
    def form(self, rows: DistanceSample) -> DistanceForm:
        """Its form on these rows."""

    def objection(self, schema: Schema) -> str | None:
        """A sentence on why it cannot be taken between rows of such a table, or None."""
        return no_text(self.name, schema)

    def fit(self, table: Table, *, scale: bool = False) -> FittedDistance:
        """Settle what follows from rows: ranges, deviations, tables. `scale` divides numbers by their deviation."""
        return fit_rows(self, table, scale)[0]

    def between(self, table_a: Table, table_b: Table | None = None, *, scale: bool = False) -> Floats:
        """Distances between all rows of one table and all rows of another [default: the same table].

        Ranges and covariances come from the second table; use `fit` to take them from another one.
        """
        other = table_a if table_b is None else table_b
        return self.fit(other, scale=scale).between(table_a, other)

    def is_metric(self, table: Table) -> bool:
        """Whether it keeps the axioms of a metric on this table: rows that are equal may be different ones."""
        if self.objection(table.schema) is not None or not self.metric:
            return False
        fitted = self.fit(table)
        return fitted.metric and not fitted.raw(table).gaps

    def to_state(self) -> dict[str, Any]:
        """The parameters as JSON-ready values; `from_state` reads them back."""
        return {"distance": self.name, **{f.name: plain(getattr(self, f.name)) for f in fields(self)}}  # type: ignore[arg-type]

    def finish(self, made: FittedDistance, raw: RawRows, weights: Floats) -> FittedDistance:
        """What else follows from the rows; nothing for most."""
        return made

    def outside(self, made: FittedDistance, asked: RawRows, rows: RawRows) -> Floats | None:
        """What is added from outside the kernel, one number for each pair; None where nothing is."""
        return words_apart(asked, rows) if made.layout.text and made.form.extra else None


@dataclass(frozen=True, slots=True, eq=False)
class FittedDistance:
    """A distance on given rows."""

    distance: Distance
    schema: Schema
    layout: DistanceLayout
    form: DistanceForm
    places: Array  # decimal places of each number
    scaling: Scaling  # how the factors followed from the rows
    centre: Floats = field(default_factory=lambda: np.empty(0))  # of numbers that are turned
    turn: Floats = field(default_factory=lambda: np.empty((0, 0)))
    vocabularies: tuple[Vocabulary, ...] = ()

    @property
    def metric(self) -> bool:
        """Whether it is a metric between rows that know everything."""
        return (
            self.distance.metric
            and self.form.power >= 1
            and not self.form.extra
            and not any((t < 0).any() for t in self.form.tables)
        )

    def raw(self, table: Table) -> RawRows:
        """A table's rows as plain arrays."""
        return raw_rows(align(table, self.schema), self.vocabularies, f"distance {self.distance.name}")

    def encode(self, raw: RawRows, *, asks: bool) -> Encoded:
        """Rows as the kernels take them; `asks`: as those that ask, not those that are asked about."""
        values = in_decimal_units(numbers_of(self.layout, raw), self.places)
        return Encoded(self._turn(values), self._codes(raw, asks))

    def _turn(self, values: Floats) -> Floats:
        if not self.distance.turns:
            return np.ascontiguousarray(values)
        away = values - self.centre
        away[np.isnan(away)] = 0.0
        turned = np.zeros((len(values), self.turn.shape[1]))
        for j, line in enumerate(self.turn):  # row by row the same, however many there are
            turned += away[:, j, None] * line
        if self.distance.turns == "whiten":
            return turned
        # Divided once and by a number of the row's own: multiples of one row come out the same to the bit.
        size = np.abs(turned).max(axis=1, initial=0.0)[:, None]
        turned /= np.where(size > 0, size, 1.0)
        length = np.zeros(len(turned))
        for j in range(turned.shape[1]):
            length += turned[:, j] * turned[:, j]
        nowhere = length == 0
        turned /= np.where(nowhere, 1.0, np.sqrt(length))[:, None]
        return np.ascontiguousarray(np.column_stack([turned, nowhere.astype(np.float64)]))

    def _codes(self, raw: RawRows, asks: bool) -> Codes:
        codes = codes_of(self.layout, raw)
        for j, size in enumerate(self.form.levels):
            column = codes[:, j]
            if not asks:
                column[column < 0] = size
            elif np.isnan(self.form.differ[j]):
                column[column < MISSING] = size  # the table's line for levels nobody knows
        return codes

    def between(self, table_a: Table, table_b: Table | None = None) -> Floats:
        """Distances between all rows of one table and all rows of another."""
        from acumen.geometry.search import NeighbourSearch

        raw_a = self.raw(table_a)
        return NeighbourSearch(self, raw_a if table_b is None else self.raw(table_b)).between(raw_a)

    def blocks(self, rows: int, others: int) -> int:
        """How many rows to ask about at once."""
        return max(1, min(rows, _BLOCK // (8 * max(others, 1)))) if self.form.extra else max(rows, 1)


# -- fitting --------------------------------------------------------------------------------------


def fit_rows(distance: Distance, table: Table, scale: bool) -> tuple[FittedDistance, RawRows]:
    """A distance on a table's rows, and the rows."""
    sentence = distance.objection(table.schema)
    if sentence is not None:
        raise DataError(f"distance {distance.name}: {sentence}")
    schema, layout = Schema(table.schema.attributes, table.schema.target), distance.layout(table.schema)
    vocabularies: tuple[Vocabulary, ...] = ()
    if layout.text:
        vocabularies = tuple(Vocabulary.fit(table, a.name, max_words=_WORDS) for a in schema.text)
    raw = raw_rows(table, vocabularies, f"distance {distance.name}")
    values, codes = numbers_of(layout, raw), codes_of(layout, raw)
    for j, (_, _, _, size) in enumerate(layout.levels):
        codes[codes[:, j] < 0, j] = size
    _require_differences(distance, layout, codes)
    places = np.array([decimal_places(values[:, j]) for j in range(values.shape[1])], dtype=np.int64)
    needs_own_rows = distance.scales_by == "range" or distance.needs_classes
    scaled: Scaling = distance.scales_by if layout.numbers and (scale or needs_own_rows) else "none"
    # One unit for all columns: then whole numbers are added, and rows of one direction have the same ratios.
    if scaled == "none" and distance.turns != "whiten":
        places[:] = places.max(initial=0) if places.min(initial=0) >= 0 else 0
    elif distance.turns:
        places[:] = 0
    values = in_decimal_units(values, places)
    rows = DistanceSample(schema, layout, values, codes, places, table.weights, table.labels, scale)
    fitted = FittedDistance(
        distance, schema, layout, distance.form(rows), places, scaled, vocabularies=vocabularies
    )
    return distance.finish(fitted, raw, table.weights), raw


def _require_differences(distance: Distance, layout: DistanceLayout, codes: Codes) -> None:
    """Refuse many rows of which any two differ in every column: no row is nearer to another than any other is."""
    n = len(codes)
    if n < _MANY or not layout.levels or layout.numbers or layout.text or distance.needs_classes:
        return
    for j, (*_, size) in enumerate(layout.levels):
        if size < n or int(np.bincount(codes[:, j]).max()) > 1:
            return
    names = ", ".join(map(repr, layout.names[:3])) + (", ..." if len(layout.names) > 3 else "")
    raise DataError(
        f"distance {distance.name}: each of the {n:,} rows has its own level in {names}, so that all rows are equally "
        "far apart. Leave out columns that only number the rows, and add columns in which rows can be alike."
    )


def weigh_table(made: FittedDistance, weights: Mapping[str, float]) -> FittedDistance:
    """The same where what an attribute adds, and counts, is multiplied by its weight; those not named weigh 1.

    Texts are compared together, so that their weights add up. Raises DataError where a distance is no sum over
    attributes.
    """
    distance, form, layout = made.distance, made.form, made.layout
    if distance.turns or distance.needs_classes or not (layout.names or layout.text):
        raise DataError(
            f"distance {distance.name}: it does not add up what single attributes differ by, so they cannot be "
            "weighed; use 'euclidean', 'manhattan' or 'gower'."
        )
    d = len(layout.numbers)
    every = np.array([weights.get(name, 1.0) for name in layout.names])
    numbers, levels = every[:d], every[d:]
    tables = tuple(np.where(t > 0, t * w, t) for t, w in zip(form.tables, levels, strict=True))
    texts = [weights.get(a.name, 1.0) for a in made.schema.text] if layout.text else []
    extra = form.extra * sum(texts) / len(texts) if texts else form.extra
    weighed_form = replace(
        form, weight=form.weight * numbers, differ=form.differ * levels, count=form.count * levels, tables=tables,
        extra=extra,
    )  # fmt: skip
    return replace(made, form=weighed_form)


def scale_factors(values: Floats, weights: Floats, scaling: Scaling, times: float = 1.0) -> Floats:
    """What each column's differences are multiplied by: one over the deviation, or over the range."""
    factors = np.ones(values.shape[1])
    if scaling == "none":
        return factors
    for j in range(values.shape[1]):
        known, heavy = sample(values[:, j], weights)
        if scaling == "range":
            wide = float(known.max() - known.min()) if len(known) else 0.0
            factors[j] = 1.0 / wide if wide > 1.0 / _NO_RANGE else _NO_RANGE
        else:
            spread = deviation(known, heavy) if len(known) else 0.0
            factors[j] = times / spread if spread > 1.0 / _NO_RANGE else 0.0
    return factors


def common_unit(rows: DistanceSample) -> float:
    """What one is of numbers that are not scaled."""
    return 1.0 if rows.scale or not len(rows.places) else float(10.0 ** -max(int(rows.places.max()), 0))


def numbers_of(layout: DistanceLayout, raw: RawRows) -> Floats:
    """The columns that count as numbers; the rows' own where these are all."""
    numeric = [j for source, j in layout.numbers if source == "numeric"]
    if numeric == list(range(raw.numbers.shape[1])) and len(numeric) == len(layout.numbers):
        return raw.numbers
    numbers = np.empty((len(raw), len(layout.numbers)))
    for at, (source, j) in enumerate(layout.numbers):
        if source == "numeric":
            numbers[:, at] = raw.numbers[:, j]
        else:
            codes = raw.codes[:, j]
            numbers[:, at] = np.where(codes < 0, np.nan, codes)
    return numbers


def in_decimal_units(values: Floats, places: Array) -> Floats:
    """Numbers in units of their decimal places; what was handed in where all are as they should be."""
    if not (places > 0).any():
        return values
    counts = values.copy()
    for j in np.flatnonzero(places > 0).tolist():
        counts[:, j] = in_units(values[:, j], int(places[j]))
    return counts


def codes_of(layout: DistanceLayout, raw: RawRows) -> Codes:
    """The columns that count as levels."""
    level_codes = np.empty((len(raw), len(layout.levels)), dtype=np.int32)
    for at, (source, j, level, _) in enumerate(layout.levels):
        if source == "numeric":
            values = raw.numbers[:, j]
            level_codes[:, at] = np.where(np.isnan(values), MISSING, values != 0)
        elif source == "level":
            codes = raw.codes[:, j]
            level_codes[:, at] = np.where(codes == MISSING, MISSING, codes == level)
        else:
            level_codes[:, at] = raw.codes[:, j]
    return level_codes


# -- words ----------------------------------------------------------------------------------------


def words_apart(asked: RawRows, rows: RawRows) -> Floats:
    """1 less the cosine of the words, the mean over the text attributes both have; NaN where there is none."""
    total, known = np.zeros((len(asked), len(rows))), np.zeros((len(asked), len(rows)))
    for mine, theirs, query_known, there in zip(
        asked.words, rows.words, asked.text_known, rows.text_known, strict=True
    ):
        a, b = normed_log_counts(mine), normed_log_counts(theirs)
        apart = 1.0 - np.asarray((a @ b.T).todense())
        empty, other = np.diff(mine.indptr) == 0, np.diff(theirs.indptr) == 0
        apart[np.ix_(empty, other)] = 0.0  # two texts without a word are the same
        np.clip(np.where(np.abs(apart) < 1e-12, 0.0, apart), 0.0, 1.0, out=apart)
        both = query_known[:, None] & there[None, :]
        total += np.where(both, apart, 0.0)
        known += both
    return np.where(known > 0, total / np.maximum(known, 1.0), np.nan)


# -- what several distances say -------------------------------------------------------------------


def no_text(name: str, schema: Schema) -> str | None:
    """The objection to words."""
    if schema.text:
        return f"{name} knows nothing of words; leave out the text column {schema.text[0].name!r}, or use 'gower'."
    return None


def mixed_layout(schema: Schema, *, text: bool = False) -> DistanceLayout:
    """Numbers and ordinal codes as numbers, nominal codes as levels."""
    nominal = list(enumerate(schema.nominal))
    numbers = [("numeric", j) for j in range(len(schema.numeric))]
    numbers += [("ordinal", j) for j, a in nominal if a.ordered]
    levels = [("nominal", j, -1, len(a.levels)) for j, a in nominal if not a.ordered]
    names = [a.name for a in schema.numeric]
    names += [a.name for _, a in nominal if a.ordered] + [a.name for _, a in nominal if not a.ordered]
    return DistanceLayout(tuple(numbers), tuple(levels), text and bool(schema.text), tuple(names))


def plain(value: Any) -> Any:
    """A parameter as JSON can say it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): float(each) for key, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


def number(who: str, value: Any, name: str, holds: Callable[[float], bool], words: str) -> float:
    """A parameter that is a number."""
    good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not good or not holds(float(value)):
        raise ParameterError(f"distance {who}: {name} must be a number {words}; got {value!r}.")
    return float(value)
