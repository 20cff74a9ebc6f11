"""Anything that holds items, as rows of item numbers.

    Baskets.of(data)   a Table, a basket file, lists of strings, a 0/1 frame or array, a sparse matrix

Items of a table are `attribute=level`, the target's too; those of a 0/1 matrix and of a basket file are its
columns. A missing value is no item, and a row without items is a basket all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from acumen import messages
from acumen.conditions.condition import Condition
from acumen.data.dialect import Dialect
from acumen.data.read import read
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import DataError, HeaderAlone, ParameterError, RaggedRows
from acumen.preprocessing.discretise.discretisers import Binning, Discretiser, discretiser_named
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.types import Codes, Floats

Longs = npt.NDArray[np.int64]
#: Files of these endings are baskets unless somebody says otherwise.
_LISTS = (".basket", ".baskets", ".dat", ".txt", "")


@dataclass(frozen=True, slots=True, eq=False)
class Baskets:
    """Rows of item numbers, ascending within a row: those of row i lie from `starts[i]` to `starts[i + 1]`.

    `groups` tells which items exclude each other, being levels of one attribute; -1 for an item that stands alone.
    `conditions` are what the items of a table say of a row.
    """

    names: tuple[str, ...]
    starts: Longs
    items: Codes
    groups: Codes
    conditions: tuple[Condition, ...] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_items(self) -> int:
        return len(self.names)

    def counts(self) -> Longs:
        """In how many baskets each item is."""
        return np.bincount(self.items, minlength=self.n_items).astype(np.int64)

    def numbers(self, wanted: Iterable[str], who: str) -> list[int]:
        """The numbers of items by their names."""
        place = {name: at for at, name in enumerate(self.names)}
        numbers = []
        for name in wanted:
            if name not in place:
                from acumen.errors import did_you_mean

                raise ParameterError(
                    f"{who}: no item is called {name!r}.{did_you_mean(str(name), self.names)}"
                )
            numbers.append(place[name])
        return numbers

    def holding(self, items: Sequence[int]) -> Baskets:
        """Those baskets alone that hold all of these items."""
        return self._take(self.hold(items))

    def hold(self, items: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Of each basket whether it holds all of these items."""
        held = np.isin(self.items, np.asarray(items, dtype=np.int32))
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return np.asarray(np.bincount(rows[held], minlength=len(self)) == len(items))

    def _take(self, chosen: npt.NDArray[np.bool_]) -> Baskets:
        sizes = np.diff(self.starts)
        return Baskets(
            self.names,
            _starts(sizes[chosen]),
            self.items[np.repeat(chosen, sizes)],
            self.groups,
            self.conditions,
        )

    def repeat(self, times: Longs) -> Baskets:
        """Each basket so many times."""
        rows = np.repeat(np.arange(len(self)), times)
        sizes = np.diff(self.starts)[rows]
        starts = _starts(sizes)
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        return Baskets(
            self.names,
            starts,
            self.items[np.repeat(self.starts[rows], sizes) + within],
            self.groups,
            self.conditions,
        )

    # -- coming in --------------------------------------------------------------------------------

    @classmethod
    def of(cls, data: Any, *, discretise: Any = None, who: str = "frequent_itemsets") -> Baskets:
        """The baskets that data of any form hold.

        Parameters
        ----------
        data : Baskets, Table, path, frame, array, sparse matrix, or lists of strings
        discretise : Discretiser, Binning or name of one, optional
            What turns the numbers of a table into intervals; those of a table whose numbers are all 0 and 1
            need none.
        """
        if isinstance(discretise, str):
            discretiser_named(
                discretise
            )  # a name that nothing has is told, whether or not there is something to cut
        if isinstance(data, Baskets):
            return data
        if isinstance(data, (str, PathLike)):
            return cls._of_table(_read(fspath(data)), discretise, who)
        if isinstance(data, Table):
            return cls._of_table(data, discretise, who)
        if isinstance(data, (list, tuple)) and all(_is_list(basket) for basket in data):
            return cls._of_lists(data)
        if hasattr(data, "tocsr"):
            return cls._of_sparse(data, tuple(f"x{j}" for j in range(data.shape[1])), who)
        lists = getattr(data, "dtype", None) == np.dtype(object) and getattr(data, "ndim", 0) == 1
        if not lists and (hasattr(data, "__array__") or hasattr(data, "columns")):
            table = read(data)
            return cls._of_frame(table, discretise, who)
        if isinstance(data, Iterable) and not isinstance(data, (bytes, dict)):
            rows = list(data)
            if all(_is_list(basket) for basket in rows):
                return cls._of_lists(rows)
        raise DataError(
            f"{who}: baskets are a Table, a path, lists of strings, a 0/1 frame or array, or a sparse matrix; got "
            f"{_odd(data)}."
        )

    @classmethod
    def _of_lists(cls, rows: Sequence[Iterable[Any]]) -> Baskets:
        each = [{str(item) for item in row if item is not None and item == item} for row in rows]
        names = tuple(sorted(set().union(*each)))
        place = {name: at for at, name in enumerate(names)}
        sizes = np.array([len(row) for row in each], dtype=np.int64)
        items = np.array([at for row in each for at in sorted(place[item] for item in row)], dtype=np.int32)
        return cls(names, _starts(sizes), items, np.full(len(names), -1, dtype=np.int32))

    @classmethod
    def _of_sparse(cls, matrix: Any, names: tuple[str, ...], who: str) -> Baskets:
        held = matrix.tocsr().copy()
        held.sum_duplicates()
        held.eliminate_zeros()
        held.sort_indices()
        if held.nnz and not np.isin(held.data, (0, 1)).all():
            values = np.asarray(held.data, dtype=np.float64)
            if np.isnan(values).any():
                held.data = np.nan_to_num(values, nan=0.0)
                held.eliminate_zeros()
            if (held.data < 0).any():
                raise DataError(
                    f"{who}: an item is in a basket or not, but the matrix holds {float(held.data.min()):g}; "
                    "give 0 and 1, or counts."
                )
        return cls(
            names,
            held.indptr.astype(np.int64),
            held.indices.astype(np.int32),
            np.full(len(names), -1, np.int32),
        )

    @classmethod
    def _of_frame(cls, table: Table, discretise: Any, who: str) -> Baskets:
        """A frame or an array: items are its columns where it is 0/1 throughout."""
        columns = [_as_bits(a, codes) for a, codes in table.nominal_columns()]
        columns += (
            [_zero_one(values) for _, values in table.numeric_columns()] if table.sparse is None else []
        )
        whole = table.sparse is None and not table.schema.text and table.schema.target is None
        if not whole or any(column is None for column in columns) or not columns:
            return cls._of_table(table, discretise, who)
        names = [a.name for a in (*table.schema.nominal, *table.schema.numeric)]
        order = [names.index(name) for name in table.schema.names]
        bits = np.column_stack([column for j in order if (column := columns[j]) is not None])
        return cls._of_bits(bits, table.schema.names)._repeat_by_weight(table, who)

    @classmethod
    def _of_bits(cls, bits: npt.NDArray[np.bool_], names: tuple[str, ...]) -> Baskets:
        rows, items = np.nonzero(bits)
        sizes = np.bincount(rows, minlength=len(bits)).astype(np.int64)
        return cls(names, _starts(sizes), items.astype(np.int32), np.full(len(names), -1, dtype=np.int32))

    @classmethod
    def _of_table(cls, table: Table, discretise: Any, who: str) -> Baskets:
        if table.sparse is not None and not table.schema.nominal and discretise is None:
            baskets = cls._of_sparse(table.sparse, tuple(a.name for a in table.schema.numeric), who)
            return baskets._with_target(table)._repeat_by_weight(table, who)
        bits = (
            [_zero_one(values) for _, values in table.numeric_columns()] if table.sparse is None else [None]
        )
        if (
            bits
            and discretise is None
            and not table.schema.nominal
            and all(column is not None for column in bits)
        ):
            names = tuple(a.name for a in table.schema.numeric)
            baskets = cls._of_bits(np.column_stack(bits), names)  # type: ignore[arg-type]
            return baskets._with_target(table)._repeat_by_weight(table, who)
        if table.schema.text:
            raise DataError(
                f"{who}: {table.schema.text[0].name!r} is text, of which there are no items; leave it out, or read its "
                "words as baskets."
            )
        return _attribute_items(table, discretise, who)._repeat_by_weight(table, who)

    def _with_target(self, table: Table) -> Baskets:
        """With the classes of a table as further items."""
        target = table.schema.target
        if target is None or table.labels is None:
            return self
        extra = Baskets._of_columns([(target, table.labels)], [], len(table))
        return join_items(self, extra)

    def _repeat_by_weight(self, table: Table, who: str) -> Baskets:
        """A basket of weight 2 is two baskets."""
        if not table.weights.size:
            return self
        times = np.rint(table.weights)
        if (times != table.weights).any():
            raise DataError(f"{who}: baskets are counted, so their weights must be whole numbers.")
        return self.repeat(times.astype(np.int64))

    @classmethod
    def _of_columns(
        cls,
        columns: Sequence[tuple[Attribute, Codes]],
        intervals: Sequence[Intervals],
        n: int,
        forms: Mapping[str, str] | None = None,
    ) -> Baskets:
        cut = {one.attribute: one for one in intervals}
        names: list[str] = []
        groups: list[int] = []
        conditions: list[Condition] = []
        matrix = np.full((n, len(columns)), -1, dtype=np.int32)
        for j, (attribute, codes) in enumerate(columns):
            known = codes >= 0
            matrix[known, j] = codes[known] + len(names)
            names += [f"{attribute.name}={level}" for level in attribute.levels]
            groups += [j] * len(attribute.levels)
            form = (forms or {}).get(attribute.name, "")
            conditions += conditions_of(attribute, cut.get(attribute.name), form)
        held = matrix >= 0
        return cls(
            tuple(names),
            _starts(held.sum(axis=1)),
            matrix[held],
            np.array(groups, dtype=np.int32),
            tuple(conditions),
        )


def join_items(first: Baskets, second: Baskets) -> Baskets:
    """Baskets with the items of both, row by row."""
    sizes = np.diff(first.starts) + np.diff(second.starts)
    rows = np.concatenate([np.repeat(np.arange(len(first)), np.diff(one.starts)) for one in (first, second)])
    items = np.concatenate([first.items, second.items + np.int32(first.n_items)])
    order = np.lexsort((items, rows))
    top = int(first.groups.max(initial=-1)) + 1
    groups = np.concatenate([first.groups, np.where(second.groups >= 0, second.groups + top, -1)])
    both = None
    if first.conditions is not None and second.conditions is not None:
        both = first.conditions + second.conditions
    return Baskets(first.names + second.names, _starts(sizes), items[order], groups.astype(np.int32), both)


def conditions_of(attribute: Attribute, cut: Intervals | None = None, form: str = "") -> list[Condition]:
    """What each level of an attribute says of a row; of intervals, of the number itself, which is written in `form`.

    An attribute that was cut has none any more: it is nominal now.
    """
    if cut is None:
        return [Condition(attribute.name, "=", level) for level in attribute.levels]
    edges, form = cut.edges.tolist(), form or attribute.form
    if not edges:
        return [Condition(attribute.name, "known")]
    middle = [Condition(attribute.name, "between", pair, form) for pair in pairwise(edges)]
    first, last = (
        Condition(attribute.name, "<=", edges[0], form),
        Condition(attribute.name, ">", edges[-1], form),
    )
    return [first, *middle, last]


def _attribute_items(table: Table, discretise: Any, who: str) -> Baskets:
    """Every attribute's levels as items, the target's last."""
    intervals: tuple[Intervals, ...] = ()
    if table.schema.numeric:
        if discretise is None:
            raise DataError(
                f"{who}: {table.schema.numeric[0].name!r} holds numbers, and items are levels; say how to cut them, "
                f"{messages.option('discretise', 'equal-frequency')}{messages.in_python(' or a fitted Binning')}."
            )
        binning = fit_binning(table, discretise, who)
        intervals = binning.intervals
        forms = {a.name: a.form for a in table.schema.numeric}
        table = binning.transform(table)
        numeric = table.schema.numeric
        if numeric:
            raise DataError(f"{who}: {numeric[0].name!r} holds numbers that the discretiser does not cut.")
        codes = {a.name: column for a, column in table.nominal_columns()}
        columns = [(a, codes[a.name]) for a in table.schema.nominal]
    else:
        columns, forms = list(table.nominal_columns()), {}
    target = table.schema.target
    if target is not None and table.labels is not None:
        columns.append((target, table.labels))
    return Baskets._of_columns(columns, intervals, len(table), forms)


def fit_binning(table: Table, discretise: Any, who: str) -> Binning:
    """The intervals of a table's numbers: fitted on it, or as they are."""
    if isinstance(discretise, Binning):
        return discretise
    maker = discretiser_named(discretise) if isinstance(discretise, str) else discretise
    if not isinstance(maker, Discretiser):
        raise ParameterError(
            f"{who}: discretise must be a Discretiser, a Binning or the name of one; got {maker!r}."
        )
    return maker.fit(table)


def _starts(sizes: Any) -> Longs:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _is_list(basket: Any) -> bool:
    """Whether it is a list of items; text is not, although it can be gone through. A missing value is no item."""
    lists = isinstance(basket, (list, tuple, set, frozenset)) or (
        isinstance(basket, np.ndarray) and basket.ndim == 1
    )
    return lists and all(
        isinstance(i, (str, int, np.integer, np.bool_)) or i is None or i != i for i in basket
    )


def _odd(data: Any) -> str:
    """What is given instead of baskets, in words: its kind, or of a list the first thing that is no basket."""
    if isinstance(data, (list, tuple)):
        for at, basket in enumerate(data):
            if not _is_list(basket):
                return (
                    f"a list that holds {basket!r:.60} at {at}, which is no list of strings or whole numbers"
                )
    return type(data).__name__


def _zero_one(values: Floats) -> npt.NDArray[np.bool_] | None:
    """Numbers as bits, where they are 0, 1 or missing."""
    return np.asarray(values == 1) if bool(np.all((values == 0) | (values == 1) | np.isnan(values))) else None


def _as_bits(attribute: Attribute, codes: Codes) -> npt.NDArray[np.bool_] | None:
    """Levels as bits, where they are no others than 0 and 1."""
    meanings = {"0": False, "1": True, "false": False, "true": True}
    levels = [meanings.get(str(level).lower().removesuffix(".0")) for level in attribute.levels]
    if any(level is None for level in levels):
        return None
    return np.array([*levels, False, False], dtype=np.bool_)[codes]


def _read(path: str) -> Table:
    """A file of baskets, or of a table where its name says so; a ragged list of items is found out."""
    return as_lists(_SourcePath(path))


class Readable(Protocol):
    """What can be read, perhaps with a dialect: a file, or what a command line says of one."""

    @property
    def data(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    def read(self) -> Table: ...


@dataclass(frozen=True)
class _SourcePath:
    data: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def read(self) -> Table:
        return read(self.data, **self.options)


def as_lists(source: Readable) -> Table:
    """What is read, as baskets where it is lists of items and nobody said what it is."""
    dialect = source.options.get("dialect")
    has_format = dialect is not None and dialect.format is not None
    path = PurePath(source.data)
    if not has_format and path.suffix.lower() in _LISTS and Path(source.data).is_file():
        return _as(source, dialect).read()
    try:
        table = source.read()
    except (RaggedRows, HeaderAlone) as error:
        # One line is a basket here: in columns without rows there would be nothing to find.
        if has_format or (isinstance(error, RaggedRows) and not error.many):
            raise
        return _as(source, dialect).read()
    return _as(source, dialect).read() if not has_format and table.report.about("item-lists") else table


def _as(source: Readable, told: Dialect | None) -> Readable:
    dialect = Dialect(format="basket") if told is None else replace(told, format="basket")
    return replace(source, options={**source.options, "dialect": dialect})  # type: ignore[type-var]
