"""The columns that least squares is about, made of a table's rows.

    LinearPlan      which words have a column; nothing else must be known before rows are read
    LinearColumns   numbers as they are, ordinal codes, a 0/1 column for each level, words as normed log counts
    PowerPlan, PowerColumns   the same, and further powers of the numeric attributes about a centre

Rows come out in pieces: the columns with 0 for whatever is missing, and which attributes are missing where. What
stands for a missing value is settled when a summary is solved, not when rows are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run_over
from acumen.errors import ModelFileError
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.packing import pack_words, unpack_words
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.preprocessing.words import Vocabulary, WordCounts
from acumen.summaries.algebra import Each
from acumen.types import Array, Bools, Codes, Floats

#: Words of each text attribute that have a column, the most frequent first.
MAX_WORDS = 1000
#: A triangular factor of so many columns takes 200 MB.
MAX_COLUMNS = 5000
_CELLS = 1 << 22
#: Half a range below this is no range: dividing by it would leave the doubles.
_LEAST_UNIT = 1e-300


class ColumnBlock(NamedTuple):
    """Some rows: their columns, 0 where missing, and which attributes are missing (None: nowhere any)."""

    rows: slice
    values: Floats
    missing: Bools | None  # (rows, attributes)


class ModelColumns(Protocol):
    """Columns of rows under a schema."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def owner(self) -> Codes: ...
    def pieces(self, rows: Table) -> Iterator[ColumnBlock]: ...
    def to_arrays(self) -> dict[str, Array]: ...


class ColumnPlan(Protocol):
    """What must be the same for all rows."""

    def columns(self, schema: Schema) -> ModelColumns: ...
    def to_arrays(self) -> dict[str, Array]: ...


# -- plain columns --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinearPlan:
    """The words of each text attribute."""

    vocabularies: tuple[Vocabulary, ...] = ()

    def columns(self, schema: Schema) -> LinearColumns:
        return LinearColumns.of(schema, self.vocabularies)

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for i, vocabulary in enumerate(self.vocabularies):
            arrays[f"words{i}"], arrays[f"words{i}_ends"] = pack_words(vocabulary.words)
        return arrays


def plan(parts: Source) -> LinearPlan:
    """Collect the most frequent words of each text attribute, if there is text."""
    words = run_over(_words, parts)
    counts = () if words is None else words.things
    return LinearPlan(tuple(Vocabulary.of(each, min_count=0, max_words=MAX_WORDS) for each in counts))


def _words(part: Table) -> Each[WordCounts]:
    texts = part.text_columns()
    return Each(tuple(WordCounts.of(each.tolist(), part.weights, attribute=a.name) for a, each in texts))


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> LinearPlan:
    """Restore the plan from a model file."""
    names = {f"words{i}{end}" for i in range(len(schema.text)) for end in ("", "_ends")}
    require(set(arrays) == names, "its words do not belong to its text attributes")
    return LinearPlan(
        tuple(
            Vocabulary(unpack_words("words", arrays, f"words{i}"), a.name) for i, a in enumerate(schema.text)
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class LinearColumns:
    """The columns of a NumericMatrix that was fitted on nothing but a schema and words."""

    view: NumericMatrix
    names: tuple[str, ...]
    owner: Codes  # the attribute that each column belongs to

    @classmethod
    def of(cls, schema: Schema, vocabularies: tuple[Vocabulary, ...]) -> LinearColumns:
        """The columns under a schema."""
        d = len(schema)
        inputs = schema.without_target()
        gaps, none = np.full(d, np.nan), np.zeros(d, dtype=np.bool_)
        view = NumericMatrix(inputs, "one-hot", "none", gaps, np.zeros(d), np.ones(d), none, vocabularies)
        blocks = view.blocks  # asked once: a view makes up the names whenever it is asked
        owner = np.repeat(np.arange(d, dtype=np.int32), [len(block) for block in blocks])
        return cls(view, tuple(name for block in blocks for name in block), owner)

    def pieces(self, rows: Table) -> Iterator[ColumnBlock]:
        """All rows, as many at a time as fit into some megabytes."""
        width = len(self.names)
        step = max(256, _CELLS // max(width, 1))
        for start in range(0, len(rows), step):
            part = slice(start, min(start + step, len(rows)))
            some = rows.take(part)
            matrix = self.view.transform(some.inputs_only())
            values: Floats = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
            whole = bool(np.isfinite(values).all())
            missing = _missing(some, values, self.view, whole)
            if not whole:
                np.nan_to_num(values, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
            yield ColumnBlock(part, values, missing)

    def to_arrays(self) -> dict[str, Array]:
        return LinearPlan(self.view.vocabularies).to_arrays()


def _missing(rows: Table, values: Floats, view: NumericMatrix, whole: bool) -> Bools | None:
    """Which attributes are missing in which rows; a text never is: it has no words then.

    `whole` says that all values are finite, so that only levels can be missing.
    """
    if whole and not view.schema.nominal:
        return None
    missing: Bools | None = None
    starts = view.starts
    codes = {attribute.name: column for attribute, column in rows.nominal_columns()}
    for i, attribute in enumerate(view.schema):
        if attribute.is_numeric:
            if whole:
                continue
            gap = ~np.isfinite(values[:, starts[i]])
        elif attribute.is_nominal:
            gap = codes[attribute.name] < 0
        else:
            continue
        if gap.any():
            if missing is None:
                missing = np.zeros((len(rows), len(view.schema)), dtype=np.bool_)
            missing[:, i] = gap
    return missing


# -- powers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PowerPlan:
    """Up to which power, and a centre and a unit for each numeric attribute, so that powers stay near 1."""

    linear: LinearPlan
    degree: int
    centre: Floats
    unit: Floats

    def columns(self, schema: Schema) -> PowerColumns:
        return PowerColumns(self.linear.columns(schema), self.degree, self.centre, self.unit)

    def to_arrays(self) -> dict[str, Array]:
        return {
            "degree": np.array([self.degree], dtype=np.int32),
            "centre": self.centre,
            "unit": self.unit,
            **self.linear.to_arrays(),
        }


def power_plan(parts: Iterable[Table], degree: int) -> PowerPlan:
    """Centre and half the range of each numeric attribute, and the words of text attributes."""
    parts = list(parts)
    d = len(parts[0].schema.numeric)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for part in parts:
        for j, (_, column) in enumerate(part.numeric_columns()):
            known = column[np.isfinite(column)]
            if len(known):
                low[j], high[j] = min(low[j], known.min()), max(high[j], known.max())
    some = low <= high
    low, high = np.where(some, low, 0.0), np.where(some, high, 0.0)
    half = high / 2 - low / 2
    return PowerPlan(plan(parts), degree, low + half, np.where(half >= _LEAST_UNIT, half, 1.0))


def restore_power_plan(arrays: Mapping[str, Array], schema: Schema) -> PowerPlan:
    """Restore the plan from a model file."""
    d = len(schema.numeric)
    degree = int(stored_array(arrays, "degree", np.int32, (1,))[0])
    require(1 <= degree <= 100, "its degree is no such number")
    centre = stored_floats(arrays, "centre", (d,))
    unit = stored_floats(arrays, "unit", (d,), low=_LEAST_UNIT)
    word_arrays = {name: array for name, array in arrays.items() if name.startswith("words")}
    if set(arrays) != {"degree", "centre", "unit", *word_arrays}:
        raise ModelFileError("the model file is damaged or forged: it holds an unknown array of columns.")
    return PowerPlan(restore_plan(word_arrays, schema), degree, centre, unit)


@dataclass(frozen=True, slots=True, eq=False)
class PowerColumns:
    """The plain columns, numeric ones about their centre, then all squares, all cubes and so on."""

    linear: LinearColumns
    degree: int
    centre: Floats
    unit: Floats

    @property
    def numeric(self) -> Codes:
        """Where the numeric attributes stand among the plain columns."""
        view = self.linear.view
        return np.array([view.starts[i] for i, a in enumerate(view.schema) if a.is_numeric], dtype=np.int32)

    @property
    def names(self) -> tuple[str, ...]:
        numeric_names = [a.name for a in self.linear.view.schema.numeric]
        return (
            *self.linear.names,
            *(f"{name}^{k}" for k in range(2, self.degree + 1) for name in numeric_names),
        )

    @property
    def owner(self) -> Codes:
        plain = self.linear.owner
        return np.concatenate([plain, *([plain[self.numeric]] * (self.degree - 1))])

    def width(self, degree: int) -> int:
        """How many columns there are up to a degree: they are the first ones."""
        return len(self.linear.names) + (degree - 1) * len(self.centre)

    def pieces(self, rows: Table) -> Iterator[ColumnBlock]:
        at = self.numeric
        for piece in self.linear.pieces(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                about = (piece.values[:, at] - self.centre) / self.unit
                powers = [about]
                for _ in range(self.degree - 1):
                    powers.append(powers[-1] * about)
            piece.values[:, at] = about
            values = np.concatenate([piece.values, *powers[1:]], axis=1)
            if piece.missing is not None:
                owner = self.owner
                gone = piece.missing[:, owner]
                values[gone] = 0.0
            np.nan_to_num(values, copy=False, nan=0.0, posinf=1e300, neginf=-1e300)
            yield ColumnBlock(piece.rows, values, piece.missing)

    def to_arrays(self) -> dict[str, Array]:
        return PowerPlan(
            LinearPlan(self.linear.view.vocabularies), self.degree, self.centre, self.unit
        ).to_arrays()
