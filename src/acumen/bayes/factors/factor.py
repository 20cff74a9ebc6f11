"""A factor: P(some attributes | class), one of those that naive Bayes multiplies.

Each factor is a module with a summary (or one of `acumen.summaries`), a `solve` and a Factor; naive Bayes
knows them only through what stands here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.types import Array, Floats, Label


@dataclass(frozen=True, slots=True)
class Term:
    """One attribute's part in one row's score: `logs` has log P(value | class) for each class."""

    attribute: str
    condition: str
    logs: Floats
    support: float | None = None


class Factor(ABC):
    """The fitted part: frozen arrays that add log P(values | class) to a table of scores."""

    __slots__ = ()

    @abstractmethod
    def add_logs(self, rows: Table, total: Floats) -> None:
        """Add log P(values | class) to `total` (rows, classes), in place; missing values add nothing."""

    @abstractmethod
    def terms(self, row: Table) -> Iterator[Term]:
        """What each known value of one row adds."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """Free parameters over all classes."""

    @abstractmethod
    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        """What was learned, a few lines for each attribute."""

    @abstractmethod
    def to_arrays(self) -> dict[str, Array]:
        """Named arrays for the model file."""


def table_lines(head: str, columns: list[str], rows: list[tuple[str, list[str]]]) -> list[str]:
    """A small aligned table under a heading that shares the first line with the column names."""
    if not rows:
        return []
    first = max(len(head), 2 + max(len(name) for name, _ in rows))
    widths = [max(len(column), *(len(cells[j]) for _, cells in rows)) for j, column in enumerate(columns)]
    lines = [(head, columns), *((f"  {name}", cells) for name, cells in rows)]
    return [
        "  ".join(
            [name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))]
        )
        for name, cells in lines
    ]
