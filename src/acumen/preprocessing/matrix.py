"""A table as one matrix of numbers, for learners that need one.

    numeric     as it is                                        column `age`
    ordinal     its code                                        column `size`
    nominal     a 0/1 column for each level, or its code        columns `colour=red`, or `colour`
    text        its most frequent words as normed log counts    columns `message:free`
    gaps        an indicator for each attribute that had some   column `age is missing`

Columns stand in the order of the schema, an attribute's indicator after its other columns. Scaling is for
numbers and codes; 0/1 columns and words stay as they are. What is missing or unknown:

    numbers     NaN, unless imputed
    codes       NaN for missing and for unknown levels, unless imputed (by the mode)
    one-hot     all zero for missing and for unknown levels; with impute="mode" missing is the mode's level
    words       all zero
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from acumen.data.report import Note
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError, ParameterError, did_you_mean
from acumen.preprocessing import columns
from acumen.preprocessing.impute import (
    STRATEGIES,
    Strategy,
    fill_code,
    fill_value,
    indicator_name,
    missing_in,
    nothing_known,
    require_strategy,
)
from acumen.preprocessing.matrix_writing import fill_dense, fill_sparse
from acumen.preprocessing.packing import (
    Arrays,
    pack_json,
    pack_words,
    stored_schema,
    unpack_json,
    unpack_words,
)
from acumen.preprocessing.scale import SCALINGS, Scaling, centre_and_spread, require_scaling, stored_scale
from acumen.preprocessing.stored_arrays import stored_array
from acumen.preprocessing.words import Vocabulary
from acumen.types import Array, Bools, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Coding = Literal["one-hot", "codes"]
CODINGS: tuple[str, ...] = get_args(Coding)


@dataclass(frozen=True, slots=True, eq=False)
class NumericMatrix:
    """Convert tables with one schema into numeric matrices.

    Attributes
    ----------
    schema : Schema
        The inputs it was fitted on, and applies to.
    coding : str
        `one-hot` or `codes`, for nominal attributes.
    scaling : str
        The name of the scaling of numbers and codes.
    fill : array of float64
        For each input the replacement for a missing value (a code for nominal ones); NaN leaves it.
    centre, spread : arrays of float64
        The scaling of each input; 0 and 1 where it is not scaled, a spread of 0 for a constant one.
    indicated : array of bool
        Which inputs have a column that says they are missing.
    vocabularies : tuple of Vocabulary
        One for each text attribute.
    notes : tuple of Note
        A warning for each imputed attribute about which the training rows said nothing.
    """

    schema: Schema
    coding: str
    scaling: str
    fill: Floats
    centre: Floats
    spread: Floats
    indicated: Bools
    vocabularies: tuple[Vocabulary, ...]
    notes: tuple[Note, ...] = field(default=())

    @classmethod
    def fit(
        cls,
        table: Table,
        *,
        nominal: Coding = "one-hot",
        scale: Scaling = "none",
        impute: Literal["none"] | Strategy = "none",
        indicators: bool = False,
        max_words: int = 1000,
    ) -> NumericMatrix:
        """Learn the view from the rows of `table`, which should be training rows only.

        Parameters
        ----------
        table : Table
            Row weights count, and rows of weight 0 are ignored.
        nominal : {"one-hot", "codes"}
            A column for each level, or one column of codes.
        scale : {"none", "min-max", "max", "z-score", "mean-deviation"}
            For numbers and codes; learned from known values, applied after imputation.
        impute : {"none", "mean", "median", "mode"}
            Fills missing numbers. Missing codes are filled by the mode, whichever is asked. One-hot
            attributes are filled only by "mode"; else a missing value has no level, which is no gap.
        indicators : bool
            Give each attribute that has missing values in these rows a 0/1 column that says so.
        max_words : int
            How many words of each text attribute have a column.
        """
        columns.require_table("NumericMatrix", table)
        if nominal not in CODINGS:
            hint = did_you_mean(str(nominal), CODINGS)
            raise ParameterError(
                f"NumericMatrix: nominal must be one of {', '.join(CODINGS)}; got {nominal!r}.{hint}"
            )
        require_scaling("NumericMatrix", scale)
        require_strategy("NumericMatrix", impute, ("none", *STRATEGIES))
        schema = table.schema.without_target()
        fitted: dict[str, tuple[float, float, float]] = {a.name: (np.nan, 0.0, 1.0) for a in schema}
        notes: list[Note] = []
        for a, values, weights in columns.samples(table):
            fill = fill_value(impute, values, weights) if impute != "none" else np.nan
            fitted[a.name] = (fill, *centre_and_spread(scale, values, weights))
            notes += [nothing_known("NumericMatrix", a)] if impute != "none" and not len(values) else []
        for a, codes in table.nominal_columns():
            hot = a.kind == "nominal" and nominal == "one-hot"
            fills = impute == "mode" if hot else impute != "none"
            code = fill_code(codes, table.weights, len(a.levels)) if fills else -1
            known = columns.code_sample(codes, table.weights)
            scaled = (0.0, 1.0) if hot else centre_and_spread(scale, *known)
            # A column of codes has no gaps when imputed, not even for an attribute without levels.
            fitted[a.name] = (float(code) if code >= 0 else np.nan if hot or not fills else 0.0, *scaled)
            notes += [nothing_known("NumericMatrix", a)] if fills and not len(known[0]) else []
        three = np.array(list(fitted.values()), dtype=np.float64).reshape(-1, 3)
        return cls(
            schema, nominal, scale, three[:, 0].copy(), three[:, 1].copy(), three[:, 2].copy(),
            missing_in(table) if indicators else np.zeros(len(schema), dtype=np.bool_),
            tuple(Vocabulary.fit(table, a.name, max_words=max_words) for a in schema.text),
            tuple(notes),
        )  # fmt: skip

    # -- the columns --------------------------------------------------------------------------------

    def is_one_hot(self, attribute: Attribute) -> bool:
        """Whether an attribute has a column for each level."""
        return attribute.kind == "nominal" and self.coding == "one-hot"

    @property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """For each input the names of its columns."""
        words = {vocabulary.attribute: vocabulary.words for vocabulary in self.vocabularies}
        blocks = []
        for attribute, gap in zip(self.schema, self.indicated, strict=True):
            name = attribute.name
            if attribute.kind == "text":
                names = [f"{name}:{word}" for word in words[name]]
            elif self.is_one_hot(attribute):
                names = [f"{name}={level}" for level in attribute.levels]
            else:
                names = [name]
            blocks.append((*names, *((indicator_name(name),) if gap else ())))
        return tuple(blocks)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the matrix's columns."""
        return tuple(name for block in self.blocks for name in block)

    @property
    def starts(self) -> Codes:
        """For each input the position of its first column, and at the end the number of columns."""
        return np.cumsum([0, *(len(block) for block in self.blocks)], dtype=np.int32)

    # -- applying -----------------------------------------------------------------------------------

    def transform(self, table: Table) -> Floats | csr_matrix:
        """The matrix of a table's rows: float64, row-major; CSR when the table is sparse or has text.

        The table must have the schema the view was fitted on (its target does not matter). The result
        is allocated once. A sparse table is refused when the scaling would turn its zeros into other
        numbers.
        """
        columns.require_table("NumericMatrix", table)
        self.schema.require_same(table.schema.without_target())
        if table.sparse is not None or self.vocabularies:
            return fill_sparse(self, table)
        return fill_dense(self, table)

    # -- storing ------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file; the notes stay behind."""
        about = {"schema": self.schema.to_dict(), "nominal": self.coding, "scale": self.scaling}
        arrays: dict[str, Array] = {"about": pack_json(about), "fill": self.fill, "indicated": self.indicated}
        arrays |= {"centre": self.centre, "spread": self.spread}
        for i, vocabulary in enumerate(self.vocabularies):
            arrays[f"words{i}"], arrays[f"words{i}_ends"] = pack_words(vocabulary.words)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> NumericMatrix:
        """Read what `to_arrays` gave, checking every part."""
        who = "NumericMatrix"
        about = unpack_json(who, arrays, schema=dict, nominal=str, scale=str)
        schema = stored_schema(who, about["schema"])
        if about["nominal"] not in CODINGS or about["scale"] not in SCALINGS:
            raise ModelFileError(f"{who}: the file names an unknown coding or scaling.")
        fill = stored_array(arrays, "fill", np.float64, (len(schema),))
        for attribute, value in zip(schema, fill.tolist(), strict=True):
            levels = max(len(attribute.levels), 1)
            if attribute.is_nominal and not (np.isnan(value) or value in range(levels)):
                raise ModelFileError(
                    f"{who}: the stored fill of {attribute.name!r} is not one of its levels."
                )
        centre, spread = stored_scale(who, arrays, len(schema))
        vocabularies = tuple(
            Vocabulary(unpack_words(who, arrays, f"words{i}"), a.name) for i, a in enumerate(schema.text)
        )
        indicated = stored_array(arrays, "indicated", np.bool_, (len(schema),))
        return cls(schema, about["nominal"], about["scale"], fill, centre, spread, indicated, vocabularies)
