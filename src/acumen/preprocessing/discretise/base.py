"""What all discretisers share.

    Discretiser        parameters; summarise (reads rows), solve (reads no rows), fit (both)
    BinningSummary     one column summary for each attribute to be cut; summaries add
    Binning            the fitted intervals: all that is needed to apply them

In a sparse table columns are written out one at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from acumen.data.forms import checked_spec
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.columns import remade, require_table
from acumen.preprocessing.discretise.counts import Classes, ColumnSummary
from acumen.preprocessing.discretise.intervals import SIDES, Intervals
from acumen.preprocessing.packing import Arrays, pack_json, stored_names, unpack_json
from acumen.preprocessing.stored_arrays import stored_array
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class BinningSummary:
    """The column summaries of some rows; those of other rows add."""

    columns: tuple[Any, ...]

    def __add__(self, other: BinningSummary) -> BinningSummary:
        if len(self.columns) != len(other.columns):
            raise SchemaMismatch("the two summaries are of tables with different numeric attributes.")
        pairs = zip(self.columns, other.columns, strict=True)
        return BinningSummary(tuple(mine + theirs for mine, theirs in pairs))

    def scale_weights(self, factor: float) -> BinningSummary:
        """The same of rows so many times as heavy."""
        return BinningSummary(tuple(column.scale_weights(factor) for column in self.columns))


class Discretiser(ABC):
    """A way of cutting numeric attributes into intervals.

    A new one says what it must know of a column (`summarise_column`) and where it then cuts
    (`solve_column`), and is entered in the table `DISCRETISERS`.
    """

    closed: str

    #: Whether it looks at the classes, and so needs a nominal target.
    supervised: ClassVar[bool] = False

    @abstractmethod
    def summarise_column(
        self, attribute: str, values: Floats, labels: Codes | None, weights: Floats, classes: Classes
    ) -> ColumnSummary:
        """What must be known of one column."""

    @abstractmethod
    def solve_column(self, summary: Any) -> Intervals:
        """The intervals of one attribute, from its summary."""

    def attributes_to_cut(self, table: Table) -> tuple[str, ...]:
        """The names of the attributes it cuts: all numeric ones, unless it knows better."""
        return tuple(a.name for a in table.schema.numeric)

    def summarise(self, table: Table) -> BinningSummary:
        """Read some rows. Summaries made under one schema add, in any order."""
        who = type(self).__name__
        require_table(who, table)
        if self.supervised and table.labels is None:
            raise DataError(f"{who}: it cuts where the class changes, so the table needs a nominal target.")
        chosen, classes = set(self.attributes_to_cut(table)), table.schema.classes
        return BinningSummary(
            tuple(
                self.summarise_column(a.name, values, table.labels, table.weights, classes)
                for a, values in table.numeric_columns()
                if a.name in chosen
            )
        )

    def solve(self, summary: BinningSummary) -> Binning:
        """The intervals that follow from a summary."""
        return Binning(tuple(self.solve_column(column) for column in summary.columns))

    def fit(self, table: Table) -> Binning:
        """The intervals of the rows of `table`, which should be training rows only; those of dates are named so."""
        fitted = self.solve(self.summarise(table))
        forms = {a.name: a.form for a in table.schema.numeric if a.is_moment}
        if not forms:
            return fitted
        return Binning(
            tuple(replace(one, form=forms.get(one.attribute, one.form)) for one in fitted.intervals)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Binning:
    """The fitted intervals of some numeric attributes."""

    intervals: tuple[Intervals, ...]

    @property
    def edges(self) -> dict[str, Floats]:
        """For each attribute where its intervals meet."""
        return {one.attribute: one.edges for one in self.intervals}

    def __getitem__(self, attribute: str) -> Intervals:
        for one in self.intervals:
            if one.attribute == attribute:
                return one
        raise KeyError(attribute)

    def transform(self, table: Table) -> Table:
        """The table with these attributes ordinal: their levels are the intervals, named like `(5.2, 6.1]`.

        Attributes without intervals stay as they are. Of a sparse table every attribute must have some.
        """
        require_table("Binning", table)
        cut = {one.attribute: one for one in self.intervals}
        for name in cut:
            if name not in table.schema.names or not table.schema[name].is_numeric:
                raise SchemaMismatch(f"Binning: the table has no numeric attribute {name!r} to cut.")
        if table.sparse is not None and len(cut) < len(table.schema.numeric):
            raise DataError("Binning: of a sparse table either all numeric attributes are cut or none.")
        codes = {a.name: cut[a.name].transform(v) for a, v in table.numeric_columns() if a.name in cut}
        codes |= {a.name: column for a, column in table.nominal_columns()}
        attributes = [
            Attribute(a.name, "ordinal", cut[a.name].levels) if a.name in cut else a for a in table.schema
        ]
        kept = [j for j, a in enumerate(table.schema.numeric) if a.name not in cut]
        return remade(
            table,
            attributes,
            numeric=table.numeric.select(kept) if table.sparse is None else (),
            nominal=[codes[a.name] for a in attributes if a.is_nominal],
        )

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file."""
        names = [one.attribute for one in self.intervals]
        edges = [one.edges for one in self.intervals]
        about = {"attributes": names, "closed": [one.closed for one in self.intervals]}
        forms = {one.attribute: one.form for one in self.intervals if one.form}
        return {
            "about": pack_json(about | ({"forms": forms} if forms else {})),
            "edges": np.concatenate([np.empty(0), *edges]),
            "ends": np.cumsum([len(one) for one in edges], dtype=np.int64),
            "low": np.array([one.low for one in self.intervals], dtype=np.float64),
            "high": np.array([one.high for one in self.intervals], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Binning:
        """Read what `to_arrays` gave, checking every part."""
        about = unpack_json("Binning", arrays, attributes=list, closed=list)
        names = stored_names("Binning", about["attributes"])
        n, forms = len(names), about.get("forms", {})  # of dates alone
        if not isinstance(forms, dict) or not forms.keys() <= set(names):
            raise ModelFileError("Binning: the stored forms do not fit the attributes; the file is damaged.")
        edges = stored_array(arrays, "edges", np.float64, (None,))
        ends = stored_array(arrays, "ends", np.int64, (n,))
        low, high = (stored_array(arrays, name, np.float64, (n,)).tolist() for name in ("low", "high"))
        bounds = [0, *ends.tolist()]
        if len(about["closed"]) != n or bounds[-1] != len(edges) or (np.diff(bounds) < 0).any():
            raise ModelFileError("Binning: the stored edges do not fit the attributes; the file is damaged.")
        try:
            return cls(
                tuple(
                    Intervals(
                        name,
                        edges[bounds[i] : bounds[i + 1]],
                        about["closed"][i],
                        low[i],
                        high[i],
                        checked_spec(forms.get(name, "")),
                    )
                    for i, name in enumerate(names)
                )
            )
        except (ParameterError, DataError) as error:
            raise ModelFileError(f"Binning: the stored intervals cannot be used: {error}") from None


def require_closed(who: str, closed: str) -> None:
    """Refuse a side that is neither."""
    if closed not in SIDES:
        raise ParameterError(f"{who}: closed must be 'right' or 'left'; got {closed!r}.")


def require_bins(who: str, bins: Any) -> None:
    """Refuse a number of bins that is not a whole number of at least 1."""
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or bins < 1:
        raise ParameterError(f"{who}: bins must be a whole number of at least 1; got {bins!r}.")
