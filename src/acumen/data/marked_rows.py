"""Rows of a text file that can be read from any of its marks on: what all formats of text have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from acumen.data.files import CHUNK
from acumen.data.located import Located, Stamp
from acumen.data.table import Table
from acumen.errors import DataError


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
            left = self.starts[last] - self.starts[first]
            while left and (piece := file.read(min(left, size))):
                left -= len(piece)
                yield piece

    def counted(self, tables: Iterable[Table], first: int, last: int) -> Iterator[Table]:
        """The tables of some stretches; DataError unless they have as many rows as these had."""
        given = 0
        for table in tables:
            given += len(table)
            yield table
        if given != sum(self.rows[first:last]):
            raise DataError(f"{self.name} changed while it was being read.")
