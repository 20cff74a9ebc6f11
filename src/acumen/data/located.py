"""Rows that can be fetched from the middle: small values that say where, so that whoever needs rows reads them itself.

    Located         stretches of a source, each of which can be read without those before it
      .tables(a, b)   the rows of stretches a to b - 1, in tables of any length
      .between(a, b)  the rows from row a to row b - 1
      .written(a, b)  the cells of these rows, as the source has them
      .where(a, b)    the same stretch in words, for sentences
    Narrowed        the same with the inputs that were asked for

A Located pickles small (a path, what was settled of the source, an index of places) and holds no row. `acumen.scan`
gives one along where the source has such places: every 65,536th record of a text, the row groups of a Parquet file.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from acumen.data.files import CHUNK
from acumen.data.forms import shown_as
from acumen.data.remote_files import RemoteFile
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError


class Located(ABC):
    """Where rows are; subclasses are frozen dataclasses that pickle small."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the source is called."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The schema of all its tables."""

    @property
    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """How many rows each stretch has."""

    @abstractmethod
    def tables(self, first: int, last: int) -> Iterator[Table]:
        """The rows of some stretches in order; those before them are not read."""

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        """The cells of the rows of some stretches as the source has them, in the order of the schema's columns."""
        for table in self.tables(first, last):
            yield from plain_rows(table)

    def lines(self, begin: int, end: int) -> str:
        """Lines of a text that hold these rows; empty where there are no lines."""
        return ""

    def where(self, begin: int, end: int) -> str:
        """These rows in words."""
        place = self.lines(begin, end) or f"rows {begin + 1:,} to {end:,}"
        return f"{self.name}, {place}"

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """The number of rows before each stretch, and of all."""
        return np.concatenate([[0], np.cumsum(np.asarray(self.sizes, dtype=np.int64))])

    @property
    def n_rows(self) -> int:
        return int(self.ends[-1])

    def between(self, begin: int, end: int) -> Iterator[Table]:
        """The rows from `begin` to `end`, in tables of any length; reads no other stretches."""
        if begin >= end:
            return
        first, last = self.around(begin, end)
        at = int(self.ends[first])
        for table in self.tables(first, last):
            low, high = max(begin - at, 0), min(end - at, len(table))
            if low < high:
                yield table if (low, high) == (0, len(table)) else table.take(slice(low, high))
            at += len(table)
            if at >= end:
                return

    def source_cells(self, begin: int, end: int) -> Iterator[Sequence[Any]]:
        """The cells of the rows from `begin` to `end` as the source has them."""
        if begin >= end:
            return iter(())
        first, last = self.around(begin, end)
        before = int(self.ends[first])
        return islice(self.cells(first, last), begin - before, end - before)

    def around(self, begin: int, end: int) -> tuple[int, int]:
        """The stretches that hold these rows: the first, and the one behind the last."""
        ends = self.ends
        first = int(np.searchsorted(ends, begin, side="right")) - 1
        return first, int(np.searchsorted(ends, end, side="left"))


@dataclass(frozen=True)
class Narrowed(Located):
    """The tables of another, each changed in the same way: some of the inputs, parts of dates."""

    inner: Located
    changed: Schema
    change: Callable[[Table], Table]  # pickles

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def schema(self) -> Schema:
        return self.changed

    @property
    def sizes(self) -> Sequence[int]:
        return self.inner.sizes

    def tables(self, first: int, last: int) -> Iterator[Table]:
        return map(self.change, self.inner.tables(first, last))

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        rows, known = self.inner.cells(first, last), self.inner.schema.columns
        return chosen_cells(rows, known, self.changed.columns, lambda: self.tables(first, last))

    def lines(self, begin: int, end: int) -> str:
        return self.inner.lines(begin, end)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file when it was read, to check that later readers find the same."""

    path: str
    size: int
    changed: Any  # in nanoseconds; of a filesystem that was handed over whatever it tells
    filesystem: Any = None

    @classmethod
    def of(cls, path: str | os.PathLike[str] | RemoteFile) -> Stamp:
        if isinstance(path, RemoteFile):
            return cls(path.name, *path.state(), path.filesystem)
        place = Path(path).expanduser().resolve()
        stat = place.stat()
        return cls(str(place), stat.st_size, stat.st_mtime_ns)

    @property
    def place(self) -> str | RemoteFile:
        """What can be opened: the path, or the file of a filesystem."""
        return self.path if self.filesystem is None else RemoteFile(self.filesystem, self.path)

    def open(self) -> IO[bytes]:
        """The file as bytes."""
        place = self.place
        return place.open() if isinstance(place, RemoteFile) else Path(place).open("rb", buffering=0)

    def check(self, name: str) -> None:
        """DataError unless the file is there as it was."""
        if self.filesystem is not None:
            if RemoteFile(self.filesystem, self.path).state() != (self.size, self.changed):
                raise DataError(f"{name} changed while it was being read.")
            return
        try:
            now = Path(self.path).stat()
        except OSError as error:
            raise DataError(
                f"{name} cannot be read where its rows are needed: {error.strerror or error}; every worker must "
                f"see the file at {self.path}."
            ) from None
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise DataError(f"{name} changed while it was being read.")


@dataclass(frozen=True)
class MarkedRows(Located):
    """Stretches of a text, each with the byte and the line at which it begins."""

    stamp: Stamp
    starts: tuple[int, ...]  # bytes before each stretch, in the file; one more: all of them
    first_lines: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def sizes(self) -> Sequence[int]:
        return self.rows

    def lines(self, begin: int, end: int) -> str:
        first, last = self.around(begin, end)
        if last < len(self.first_lines):
            return f"lines {self.first_lines[first]:,} to {self.first_lines[last] - 1:,}"
        return f"line {self.first_lines[first]:,} to the end"

    def pieces(self, first: int, last: int, size: int = CHUNK) -> Iterator[bytes]:
        """The text of some stretches, `size` bytes at a time."""
        with self.stamp.open() as file:
            file.seek(self.starts[first])
            remaining = self.starts[last] - self.starts[first]
            while remaining and (piece := file.read(min(remaining, size))):
                remaining -= len(piece)
                yield piece

    def check_row_count(self, tables: Iterable[Table], first: int, last: int) -> Iterator[Table]:
        """Pass on the tables of some stretches; raises DataError if their number of rows has changed."""
        n_rows = 0
        for table in tables:
            n_rows += len(table)
            yield table
        if n_rows != sum(self.rows[first:last]):
            raise DataError(f"{self.name} changed while it was being read.")


# -- cells as people write them, where nobody knows any longer how they were written ----------------


def plain_rows(table: Table) -> Iterator[Sequence[Any]]:
    """The cells of each row, in the order of the schema's columns."""
    return zip(*(plain_cells(table, name) for name in table.schema.columns), strict=True)


def chosen_cells(
    rows: Iterator[Sequence[Any]],
    known: Sequence[str],
    names: Sequence[str],
    tables: Callable[[], Iterator[Table]],
) -> Iterator[Sequence[Any]]:
    """The cells of some columns of rows that have the columns `known`.

    Columns that nobody wrote, parts of dates, are worked out from the tables; they stand behind all others.
    """
    place = {name: j for j, name in enumerate(known)}
    places = [place[name] for name in names if name in place]
    added = [name for name in names if name not in place]
    if not added:
        yield from ([row[j] for j in places] for row in rows)
        return
    for table in tables():
        for more in zip(*(plain_cells(table, name) for name in added), strict=True):
            row = next(rows)
            yield [*(row[j] for j in places), *more]


def plain_cells(table: Table, name: str) -> list[Any]:
    """A column's cells as people write them; None where one is missing."""
    values = table.column(name).tolist()
    form = "" if name == table.schema.weight else table.schema[name].form
    return [plain_cell(value, form) for value in values]


def plain_cell(value: Any, form: str = "") -> Any:
    """A number as short as it can be, or the date it stands for; anything else as it is."""
    if not isinstance(value, float):
        return value
    if value != value:
        return None
    if form and (moment := shown_as(form, value)) is not None:
        return moment
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
