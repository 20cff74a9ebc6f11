"""A typed table: rows under a schema.

Two blocks hold the inputs, never one matrix: numeric `float64` with NaN for missing, and nominal
`int32` codes with -1 for missing and -2 for a level the schema does not know. Text columns are arrays
of `str` or None. When the source was sparse the numeric attributes live in a CSR block instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import messages
from acumen.data.block import Block, sparse_rows
from acumen.data.report import Report
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError
from acumen.types import Array, Bools, Codes, Floats, Indices, Label, Objects, Written

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NO_WEIGHTS: Floats = np.empty(0)
NO_WEIGHTS.flags.writeable = False

#: So many columns of a sparse table are looked for one by one; for more it is turned round once.
_FEW_COLUMNS = 16


#: What a table is made of besides its schema and its number of rows.
_PARTS = (
    "numeric",
    "nominal",
    "text",
    "sparse",
    "labels",
    "response",
    "weights",
    "ignored",
    "report",
    "written",
)


class Table:
    """Rows under a schema, as returned by `acumen.read`. Tables are immutable.

    Attributes
    ----------
    schema : Schema
    numeric : Block of float64
        One column for each numeric attribute, in the schema's order; no columns when `sparse` is there.
    nominal : Block of int32
        Codes, one column for each nominal or ordinal attribute.
    text : tuple of arrays of str or None
    sparse : scipy.sparse.csr_matrix or None
        Holds all numeric attributes of a table that came sparse.
    labels : array of int32 or None
        Codes of a nominal target (missing -1).
    response : array of float64 or None
        Values of a numeric target.
    weights : array of float64
        Row weights; empty when every row weighs one.
    ignored : tuple of arrays
        The ignored columns as they came, in the schema's order.
    report : Report
        What the reader decided and what it found odd.
    written : mapping of name to codes and texts
        Cells of numeric columns that a file has in another form (`1.416,73 €`), for models that know them as text.
    """

    __slots__ = (
        "_n_rows",
        "ignored",
        "labels",
        "nominal",
        "numeric",
        "report",
        "response",
        "schema",
        "sparse",
        "text",
        "weights",
        "written",
    )  # fmt: skip

    def __init__(
        self,
        schema: Schema,
        n_rows: int,
        *,
        numeric: Block[np.float64] | Sequence[Floats] = (),
        nominal: Block[np.int32] | Sequence[Codes] = (),
        text: Sequence[Objects] = (),
        sparse: csr_matrix | None = None,
        labels: Codes | None = None,
        response: Floats | None = None,
        weights: Floats = NO_WEIGHTS,
        ignored: Sequence[Array] = (),
        report: Report | None = None,
        written: Mapping[str, Written] | None = None,
    ) -> None:
        self.schema = schema
        self._n_rows = n_rows
        self.numeric = numeric if isinstance(numeric, Block) else Block(numeric, n_rows, np.float64)
        self.nominal = nominal if isinstance(nominal, Block) else Block(nominal, n_rows, np.int32)
        self.text = tuple(text)
        self.sparse = sparse
        self.labels = labels
        self.response = response
        self.weights = weights
        self.ignored = tuple(ignored)
        self.report = report if report is not None else Report()
        self.written: Mapping[str, Written] = written or {}
        self._check()

    def _check(self) -> None:
        schema, n = self.schema, self._n_rows
        n_numeric = self.sparse.shape[1] if self.sparse is not None else self.numeric.shape[1]
        widths = (n_numeric, self.nominal.shape[1], len(self.text), len(self.ignored))
        stated = (len(schema.numeric), len(schema.nominal), len(schema.text), len(schema.ignored))
        if widths != stated:
            raise ValueError(f"Table: the schema states {stated} columns of each kind, got {widths}")
        parts: list[Any] = [*self.text, *self.ignored, self.numeric, self.nominal]
        parts += [p for p in (self.labels, self.response) if p is not None]
        parts += [self.weights] if self.weights.size else []
        lengths = {*map(len, parts), n if self.sparse is None else self.sparse.shape[0]}
        if lengths != {n}:
            raise ValueError(f"Table: every column needs {n} rows")
        target = schema.target
        if target is None and (self.labels is not None or self.response is not None):
            raise ValueError("Table: labels are given, but the schema has no target")
        if target is not None and target.is_nominal and self.labels is None:
            raise ValueError("Table: a nominal target needs labels")
        if target is not None and target.is_numeric and self.response is None:
            raise ValueError("Table: a numeric target needs a response")

    # -- reading ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._n_rows

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def total_weight(self) -> float:
        """The sum of the row weights; the number of rows when there are none."""
        return float(self.weights.sum()) if self.weights.size else float(self._n_rows)

    @property
    def row_weights(self) -> Floats:
        """The row weights; ones if there are none."""
        return self.weights if self.weights.size else np.ones(self._n_rows)

    def known_target(self) -> Bools:
        """A mask of the rows with a known target; all rows if there is no target."""
        if self.labels is not None:
            return self.labels >= 0
        if self.response is not None:
            return ~np.isnan(self.response)
        return np.ones(self._n_rows, dtype=np.bool_)

    def numeric_columns(self, places: Sequence[int] | None = None) -> Iterator[tuple[Attribute, Floats]]:
        """Each numeric attribute, or those at the given positions among them, with its column.

        Sparse columns are written out one at a time.
        """
        numeric = self.schema.numeric
        wanted = range(len(numeric)) if places is None else places
        if self.sparse is None or len(wanted) < _FEW_COLUMNS:
            for j in wanted:
                yield numeric[j], self._numeric_column(j)
            return
        by_column = self.sparse.tocsc()  # once, where each column alone would be looked for in all entries
        by_column.sum_duplicates()
        for j in wanted:
            here = slice(by_column.indptr[j], by_column.indptr[j + 1])
            zeros = np.zeros(self._n_rows)
            zeros[by_column.indices[here]] = by_column.data[here]
            yield numeric[j], zeros

    def _numeric_column(self, j: int) -> Floats:
        """One numeric column; a sparse one written out by hand, which for few rows is far quicker than scipy is."""
        if self.sparse is None:
            return self.numeric.columns[j]
        zeros = np.zeros(self._n_rows)
        places = np.flatnonzero(self.sparse.indices == j)
        np.add.at(
            zeros, np.searchsorted(self.sparse.indptr, places, side="right") - 1, self.sparse.data[places]
        )
        return zeros

    def nominal_columns(self) -> Iterator[tuple[Attribute, Codes]]:
        """Each nominal or ordinal attribute with its codes."""
        return zip(self.schema.nominal, self.nominal.columns, strict=True)

    def text_columns(self) -> Iterator[tuple[Attribute, Objects]]:
        """Each text attribute with its strings (None where missing)."""
        return zip(self.schema.text, self.text, strict=True)

    @property
    def class_codes(self) -> Codes:
        """The codes of the labels; DataError if the table has none."""
        if self.labels is None:
            raise DataError(f"this table has no nominal target; name one with {messages.option('target')}.")
        return self.labels

    @property
    def target_numbers(self) -> Floats:
        """The numbers of the target; DataError if the table has none."""
        if self.response is None:
            raise DataError(f"this table has no numeric target; name one with {messages.option('target')}.")
        return self.response

    def label_values(self) -> Objects:
        """The labels as class names; None if missing."""
        return decode(self.class_codes, self.schema.classes)

    def column(self, name: str) -> Array:
        """One column by name: numbers, categories (None if missing), text or weights."""
        schema = self.schema
        if name == schema.weight:
            return self.row_weights
        if schema.target is not None and name == schema.target.name:
            return self.response if self.response is not None else self.label_values()
        attribute = schema[name]
        match schema.place(name):
            case "numeric", at:
                return self._numeric_column(at)
            case "nominal", at:
                return decode(self.nominal.columns[at], attribute.levels)
            case "text", at:
                return self.text[at]
            case _, at:
                return self.ignored[at]

    # -- making others ----------------------------------------------------------------------------

    def take(self, rows: Any) -> Table:
        """Select rows by an index array, a Boolean mask or a slice, in that order."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "biu"):
                raise DataError("take: give the rows as positions, a mask or a slice.")
            if rows.dtype == np.bool_ and len(rows) != self._n_rows:
                raise DataError(f"take: a mask needs {self._n_rows} values; got {len(rows)}.")
            rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.intp)
            if rows.size and (rows.min() < -self._n_rows or rows.max() >= self._n_rows):
                raise DataError(f"take: positions must lie within the table's {self._n_rows} rows.")
        n_rows = len(range(*rows.indices(self._n_rows))) if isinstance(rows, slice) else len(rows)
        return Table(
            self.schema,
            n_rows,
            numeric=self.numeric.take(rows),
            nominal=self.nominal.take(rows),
            text=[column[rows] for column in self.text],
            sparse=None if self.sparse is None else sparse_rows(self.sparse, rows),
            labels=None if self.labels is None else self.labels[rows],
            response=None if self.response is None else self.response[rows],
            weights=self.weights[rows] if self.weights.size else NO_WEIGHTS,
            ignored=[column[rows] for column in self.ignored],
            report=self.report,
            written={name: (codes[rows], texts) for name, (codes, texts) in self.written.items()},
        )

    def replace(self, **changes: Any) -> Table:
        """Copy the table with some parts replaced: any parameter of `Table`, such as `schema` or `labels`."""
        n_rows = changes.pop("n_rows", self._n_rows)
        schema = changes.pop("schema", self.schema)
        parts: dict[str, Any] = {name: getattr(self, name) for name in _PARTS}
        if unknown := set(changes) - set(parts):
            raise TypeError(f"Table.replace: there is no part called {min(unknown)!r}")
        return Table(schema, n_rows, **(parts | changes))

    def inputs_only(self) -> Table:
        """The same rows with inputs only: no target, weights or ignored columns."""
        return self.replace(
            schema=self.schema.without_target(), labels=None, response=None, weights=NO_WEIGHTS, ignored=()
        )

    def head(self, n: int = 5) -> Table:
        """The first rows."""
        return self.take(slice(0, n))

    def select(self, names: str | Sequence[str]) -> Table:
        """Select inputs by name, in this order; keeps target and weights."""
        if isinstance(names, str):
            names = (names,)
        chosen = [self.schema[name] for name in names]
        for attribute in chosen:
            if attribute not in self.schema.attributes:
                raise DataError(f"select: {attribute.name!r} is not an input of this table.")
        schema = Schema(tuple(chosen), self.schema.target, self.schema.weight)
        at = {a.name: i for kind in ("numeric", "nominal", "text")
              for i, a in enumerate(getattr(self.schema, kind))}  # fmt: skip
        numeric = [at[a.name] for a in schema.numeric]
        return self.replace(
            schema=schema,
            numeric=() if self.sparse is not None else self.numeric.select(numeric),
            nominal=self.nominal.select([at[a.name] for a in schema.nominal]),
            text=[self.text[at[a.name]] for a in schema.text],
            sparse=None if self.sparse is None else self.sparse[:, numeric],
            ignored=(),
            written={name: cells for name, cells in self.written.items() if name in schema},
        )

    def split(
        self, fraction: float = 0.7, *, stratified: bool = True, random_state: Any = None
    ) -> tuple[Table, Table]:
        """Split the rows at random into two tables: `fraction` of them, and the rest.

        With `stratified` each class is cut in that proportion (a nominal target given).
        """
        if not 0 < fraction < 1:
            raise DataError(f"split: fraction must lie between 0 and 1; got {fraction!r}.")
        try:
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError):
            raise DataError(
                f"split: random_state must be a whole number of at least 0, a generator or None; got {random_state!r}."
            ) from None
        order: Indices = rng.permutation(self._n_rows)
        if stratified and self.labels is not None:
            order = order[np.argsort(self.labels[order], kind="stable")]
            # Rows of a class lie together now, so even steps through all rows cut every class evenly.
            first = np.diff(np.floor(np.arange(self._n_rows + 1) * fraction + rng.random())) > 0
        else:
            first = np.arange(self._n_rows) < round(fraction * self._n_rows)
        return self.take(np.sort(order[first])), self.take(np.sort(order[~first]))

    def difference(self, other: Table) -> str | None:
        """A sentence that names the first difference between two tables, or None; ignores reports."""
        if self.schema != other.schema:
            return self.schema.difference(other.schema) or "the two give their columns other roles"
        if len(self) != len(other):
            return f"one has {len(self)} rows, the other {len(other)}"
        if not np.array_equal(self.row_weights, other.row_weights):
            return "the rows have other weights"
        mine, theirs = self._arrays(), other._arrays()
        for name in self.schema.columns:
            if name in mine and not _same(mine[name], theirs[name]):
                return f"column {name!r} holds other values"
        return None

    def _arrays(self) -> dict[str, Array]:
        """Every column but the weights, as stored: unknown levels stay apart from missing ones."""
        target = self.schema.target
        arrays: list[tuple[Attribute, Array]] = [
            *self.numeric_columns(), *self.nominal_columns(), *self.text_columns(),
            *zip(self.schema.ignored, self.ignored, strict=True),
        ]  # fmt: skip
        if target is not None:
            arrays += [(target, part) for part in (self.labels, self.response) if part is not None]
        return {attribute.name: column for attribute, column in arrays}

    def write(self, path: str | PathLike[str]) -> None:
        """Write the table as CSV or ARFF, by the suffix; `acumen.read` restores the same table.

        Quoted tokens are values, unquoted ones are missing.
        """
        from acumen.data.out.write import write

        write(self, path)

    def to_pandas(self) -> Any:
        """Convert to a pandas DataFrame with all columns in source order; nominal columns become categorical."""
        from acumen.data.out.export import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """Convert to a polars DataFrame with all columns in source order; nominal columns become Enum."""
        from acumen.data.out.export import to_polars

        return to_polars(self)

    def to_arrow(self) -> Any:
        """Convert to a pyarrow Table with all columns in source order; nominal columns become dictionaries."""
        from acumen.data.out.export import to_arrow

        return to_arrow(self)

    def __getitem__(self, name: Any) -> Array:
        """The column of that name: `table["Age"]`."""
        key: object = name  # numpy and habit try numbers
        if not isinstance(key, str):
            example = repr(self.schema.columns[0]) if self.schema.columns else "name"
            raise TypeError(
                f"a Table has columns by name, such as table[{example}], and rows by take([...]); got {key!r}."
            )
        return self.column(name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """One thing: with a length and columns by name numpy would take it for a sequence of rows."""
        array = np.empty((), dtype=object)
        array[()] = self
        return array

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after `table["`."""
        return list(self.schema.columns)

    def __repr__(self) -> str:
        target = f", target {self.schema.target.name!r}" if self.schema.target else ""
        return f"<Table of {self._n_rows} rows and {len(self.schema)} attributes{target}>"

    def _repr_html_(self) -> str:
        from acumen.data.out.export import to_html

        return to_html(self)


def _same(a: Array, b: Array) -> bool:
    """Equal, with missing equal to missing."""
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return np.array_equal(a, b, equal_nan=True)

    def missing(value: Any) -> bool:
        return value is None or value != value

    return all(x == y or (missing(x) and missing(y)) for x, y in zip(a, b, strict=True))


def decode(codes: Codes, levels: Sequence[Label]) -> Objects:
    """Levels for codes; None for missing and unknown ones."""
    lookup = np.empty(len(levels) + 1, dtype=object)
    lookup[: len(levels)] = levels
    lookup[len(levels)] = None
    return lookup[np.where(codes >= 0, codes, len(levels))]
