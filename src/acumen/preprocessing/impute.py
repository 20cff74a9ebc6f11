"""Missing values filled by what the training rows say of each attribute.

    numeric             mean, median or mode (of several modes the smallest)
    nominal, ordinal    mode (of several the first level)
    indicators          a numeric 0/1 attribute `x is missing` for each attribute that had missing values

Row weights count. An attribute without a known value in the training rows is filled with 0, a nominal one
with its first level, and `notes` says so. Levels the schema does not know are not missing and stay; so do
missing texts, for which only the indicator is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from acumen.data.report import Note
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError, ParameterError, did_you_mean
from acumen.preprocessing import columns
from acumen.preprocessing.packing import Arrays, pack_json, stored_schema, unpack_json
from acumen.preprocessing.sparse import filled_csr, marked_piece, stack_pieces
from acumen.preprocessing.stored_arrays import stored_array
from acumen.types import MISSING, Array, Bools, Codes, Floats

Strategy = Literal["mean", "median", "mode"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
_STATISTICS = {"mean": columns.mean, "median": columns.median, "mode": columns.mode}


def fill_value(strategy: str, values: Floats, weights: Floats) -> float:
    """The replacement for a missing number; 0 if nothing is known."""
    return _STATISTICS[strategy](values, weights) if len(values) else 0.0


def fill_code(codes: Codes, weights: Floats, n_levels: int) -> int:
    """The level with the highest weight; the first if no value is known, and missing if there are no levels."""
    known, of_known = columns.code_sample(codes, weights)
    if len(known):
        return int(columns.mode(known, of_known))
    return 0 if n_levels else MISSING


def missing_masks(table: Table, names: Sequence[str]) -> dict[str, Bools]:
    """For each of the named inputs where it is missing."""
    wanted = set(names)
    masks = {a.name: codes == MISSING for a, codes in table.nominal_columns() if a.name in wanted}
    masks |= {a.name: columns.is_missing_text(t) for a, t in table.text_columns() if a.name in wanted}
    if table.sparse is None:
        return masks | {a.name: np.isnan(column) for a, column in table.numeric_columns() if a.name in wanted}
    by_column = table.sparse.tocsc()
    for j, attribute in enumerate(table.schema.numeric):
        if attribute.name in wanted:
            here = slice(by_column.indptr[j], by_column.indptr[j + 1])
            masks[attribute.name] = np.zeros(len(table), dtype=np.bool_)
            masks[attribute.name][by_column.indices[here][np.isnan(by_column.data[here])]] = True
    return masks


def missing_in(table: Table) -> Bools:
    """Which inputs are missing in some row of positive weight, in the schema's order."""
    present = table.weights > 0 if table.weights.size else np.ones(len(table), dtype=np.bool_)
    missing = {a.name: bool(((codes == MISSING) & present).any()) for a, codes in table.nominal_columns()}
    missing |= {a.name: bool((columns.is_missing_text(t) & present).any()) for a, t in table.text_columns()}
    if table.sparse is None:
        missing |= {a.name: bool((np.isnan(column) & present).any()) for a, column in table.numeric_columns()}
    else:
        rows = np.repeat(np.arange(len(table)), np.diff(table.sparse.indptr))
        gaps = table.sparse.indices[np.isnan(table.sparse.data) & present[rows]]
        some = np.bincount(gaps, minlength=table.sparse.shape[1]) > 0
        missing |= {a.name: bool(gap) for a, gap in zip(table.schema.numeric, some, strict=True)}
    return np.array([missing[name] for name in table.schema.names], dtype=np.bool_)


def require_strategy(who: str, strategy: str, known: tuple[str, ...] = STRATEGIES) -> None:
    """Refuse a name that is no way of filling."""
    if strategy not in known:
        hint = did_you_mean(str(strategy), known)
        raise ParameterError(f"{who}: impute must be one of {', '.join(known)}; got {strategy!r}.{hint}")


def nothing_known(who: str, attribute: Attribute) -> Note:
    """The warning for an attribute that is missing in every training row."""
    done = "gaps are filled with 0"
    if attribute.is_nominal:
        first = attribute.levels[0] if attribute.levels else None
        done = "it stays missing" if first is None else f"gaps are filled with its first level {first!r}"
    text = f"{who}: attribute {attribute.name!r} has no known value in the training rows; {done}."
    return Note("nothing-known", text, "warning", attribute.name)


def indicator_name(name: str) -> str:
    return f"{name} is missing"


@dataclass(frozen=True, slots=True, eq=False)
class Imputer:
    """Fill the missing values of a table with fitted values.

    Attributes
    ----------
    schema : Schema
        The inputs it was fitted on, and applies to.
    numbers : array of float64
        What fills each numeric attribute.
    codes : array of int32
        What fills each nominal or ordinal attribute (-1 for one without levels, which stays missing).
    indicated : array of bool
        Which inputs get an indicator.
    notes : tuple of Note
        A warning for each attribute about which the training rows said nothing.
    """

    schema: Schema
    numbers: Floats
    codes: Codes
    indicated: Bools
    notes: tuple[Note, ...] = field(default=())

    @classmethod
    def fit(cls, table: Table, strategy: Strategy = "mean", *, indicators: bool = False) -> Imputer:
        """Learn what fills each attribute from the rows of `table`, which should be training rows only."""
        columns.require_table("Imputer", table)
        require_strategy("Imputer", strategy)
        numbers, notes = [], []
        for attribute, values, weights in columns.samples(table):
            numbers.append(fill_value(strategy, values, weights))
            notes += [] if len(values) else [nothing_known("Imputer", attribute)]
        codes = []
        for attribute, column in table.nominal_columns():
            codes.append(fill_code(column, table.weights, len(attribute.levels)))
            known, _ = columns.code_sample(column, table.weights)
            notes += [] if len(known) else [nothing_known("Imputer", attribute)]
        indicated = missing_in(table) if indicators else np.zeros(len(table.schema), dtype=np.bool_)
        return cls(
            table.schema.without_target(),
            np.array(numbers, dtype=np.float64),
            np.array(codes, dtype=np.int32),
            indicated,
            tuple(notes),
        )

    def transform(self, table: Table) -> Table:
        """The same table without gaps; a column that has none is borrowed, not copied."""
        columns.require_table("Imputer", table)
        self.schema.require_same(table.schema.without_target())
        nominal = [
            np.where(codes == MISSING, fill, codes).astype(np.int32) if (codes == MISSING).any() else codes
            for codes, fill in zip(table.nominal.columns, self.codes, strict=True)
        ]
        names = [name for name, chosen in zip(self.schema.names, self.indicated, strict=True) if chosen]
        masks = missing_masks(table, names)
        attributes = [*table.schema.attributes, *(Attribute(indicator_name(name)) for name in names)]
        if table.sparse is not None:
            filled = filled_csr(table.sparse, self.numbers)
            if names:
                from scipy.sparse import hstack

                pieces = [marked_piece(masks[name], j) for j, name in enumerate(names)]
                filled = hstack([filled, stack_pieces(pieces, len(table), len(names))], format="csr")
            return columns.remade(table, attributes, nominal=nominal, sparse=filled)
        numeric = [
            np.where(np.isnan(column), fill, column) if np.isnan(column).any() else column
            for column, fill in zip(table.numeric.columns, self.numbers, strict=True)
        ]
        numeric += [masks[name].astype(np.float64) for name in names]
        return columns.remade(table, attributes, numeric=numeric, nominal=nominal)

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file; the notes stay behind."""
        return {
            "about": pack_json({"schema": self.schema.to_dict()}),
            "numbers": self.numbers,
            "codes": self.codes,
            "indicated": self.indicated,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Imputer:
        """Read what `to_arrays` gave, checking every part."""
        who = "Imputer"
        schema = stored_schema(who, unpack_json(who, arrays, schema=dict)["schema"])
        numbers = stored_array(arrays, "numbers", np.float64, (len(schema.numeric),))
        codes = stored_array(arrays, "codes", np.int32, (len(schema.nominal),))
        levels = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64)
        lowest = np.where(levels > 0, 0, MISSING)  # without levels there is nothing to fill with
        if not np.isfinite(numbers).all() or (codes < lowest).any() or (codes >= levels).any():
            raise ModelFileError("Imputer: a stored value is not finite, or not a level of its attribute.")
        return cls(schema, numbers, codes, stored_array(arrays, "indicated", np.bool_, (len(schema),)))
