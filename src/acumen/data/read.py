"""`acumen.read` and `acumen.scan`: find who reads a source, and ask.

A source is one module of this room with three functions: `accepts(source) -> bool`,
`read(source, request) -> Table` and `scan(source, request, rows) -> Parts`. SOURCES lists them in the
order they are asked; the last, delimited text, takes any path or file object that is left.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np

from acumen.data.dialect import Dialect
from acumen.data.files import open_source, read_once
from acumen.data.parts import Parts
from acumen.data.request import Column, Missing, Ragged, Request
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import Kind, Label

SOURCES = ("acumen.data.frames", "acumen.data.arff", "acumen.data.delimited")


class Source(Protocol):
    """What each module in SOURCES offers."""

    def accepts(self, source: Any) -> bool: ...
    def read(self, source: Any, request: Request) -> Table: ...
    def scan(self, source: Any, request: Request, rows: int) -> Parts: ...


def source_of(source: Any) -> Source:
    """The module that reads this."""
    for name in SOURCES:
        module = cast(Source, importlib.import_module(name))
        if module.accepts(source):
            return module
    raise DataError(
        f"read: cannot read what is of type {type(source).__name__}; give a path, an open file, a data frame, an "
        "array, a sparse matrix or a pair (X, y)."
    )


def _kept(source: Any) -> Any:
    """Standard input and pipes are spooled at once, for several readers may look at how they begin."""
    return open_source(source) if read_once(source) else source


def read(
    source: Any,
    *,
    target: Column | None = None,
    kinds: Mapping[Column, Kind] | None = None,
    levels: Mapping[Column, Sequence[Label]] | None = None,
    ignore: Column | Iterable[Column] = (),
    weight: Column | None = None,
    missing: Missing | None = None,
    dialect: Dialect | None = None,
    ragged: Ragged = "error",
    query: str | None = None,
    params: Iterable[Any] = (),
) -> Table:
    """Read a table from wherever it is, and say in its `report` what was decided and what was odd.

    Parameters
    ----------
    source : path, open file, "-", data frame, array, sparse matrix, or a pair (X, y)
        Delimited text (also .gz, .bz2, .xz) and ARFF are told by suffix and content; "-" is stdin.
    target : str or int, optional
        The column to be predicted, by name or position. ARFF takes its last attribute by default.
    kinds : mapping of column to kind, optional
        "numeric", "nominal", "ordinal", "text" or "ignored", where the reader's own choice is not wanted.
    levels : mapping of column to levels, optional
        The levels of nominal or ordinal columns, in code order; other values count as unknown.
    ignore : columns
        Carried along, never learned from.
    weight : column, optional
        Row weights: numbers of at least 0.
    missing : str or several, optional
        Further tokens that stand for a missing value, quoted or not.
    dialect : Dialect, optional
        How a delimited file is written down, where it should not be found out.
    ragged : "error", "fill" or "drop"
        What to do with rows that are too short or too long: refuse the file and name the lines; fill short
        rows with missing values and cut long ones; or leave them out. Both are counted in the report.
    query, params
        For databases.

    Returns
    -------
    Table
    """
    request = Request.of(target, kinds, levels, ignore, weight, missing, dialect, ragged, query, params)
    source = _kept(source)
    return source_of(source).read(source, request)


def scan(
    source: Any,
    *,
    rows: int = 65_536,
    target: Column | None = None,
    kinds: Mapping[Column, Kind] | None = None,
    levels: Mapping[Column, Sequence[Label]] | None = None,
    ignore: Column | Iterable[Column] = (),
    weight: Column | None = None,
    missing: Missing | None = None,
    dialect: Dialect | None = None,
    ragged: Ragged = "error",
    query: str | None = None,
    params: Iterable[Any] = (),
) -> Parts:
    """The table `read` would give, as parts of `rows` rows under one schema, never held whole.

    The source is gone through once to decide kinds and levels over all of it, and again whenever the
    parts are iterated; what can be read only once (stdin) is spooled to a temporary file.
    """
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
        raise ParameterError(f"scan: rows must be a whole number of at least 1; got {rows!r}.")
    request = Request.of(target, kinds, levels, ignore, weight, missing, dialect, ragged, query, params)
    source = _kept(source)
    return source_of(source).scan(source, request, int(rows))
