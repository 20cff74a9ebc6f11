"""A factor: P(some attributes | class), one of those that naive Bayes multiplies.

Each factor is a module with a summary (or one of `acumen.summaries`), a `solve` and a Factor; naive Bayes
knows them only through what stands here.

Evidence from a joint distribution, attribute by attribute: the chain rule of probability.

log P(a, b, c | class) is log P(a | class) + log P(b | class, a) + log P(c | class, a, b): each attribute is
credited with what it adds to those before it, in the schema's order, and the parts add up to the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from acumen.data.block import Block
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text, is_missing
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import CLASS_FREQUENCIES
from acumen.models.decision import softmax
from acumen.preprocessing.sparse import dense_slices
from acumen.types import MISSING, Array, Floats, Label


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
        """The factor in words, a few lines for each attribute."""

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


#: Beyond so many attributes a row is explained as a whole.
_MOST = 40


def chain_terms(row: Table, schema: Schema, logs: Callable[[Table], Floats]) -> Iterator[Term]:
    """What each known attribute of one row adds; `logs` gives log P(row | class), missing values left out."""
    known = [a.name for a in schema if not is_missing(row.column(a.name)[0])]
    if len(known) > _MOST:
        yield Term("", f"{len(known)} attributes together", logs(row)[0])
        return
    revealed_logs = logs(_reveal(row, schema, known))
    with np.errstate(invalid="ignore"):
        steps = np.nan_to_num(np.diff(revealed_logs, axis=0), nan=0.0, posinf=np.inf, neginf=-np.inf)
    for name, step in zip(known, steps, strict=True):
        yield Term(name, cell_text(row, name), step)


def evidence_of(
    log_prior: Floats, weight: Floats, terms: Iterator[Term], winner: int, rival: int
) -> tuple[Evidence, ...]:
    """The prior's part and each term's, as log-odds of two classes.

    The confidence of a term with support is what the model makes of that one value: P(winner | value).
    """

    def against(logs: Floats) -> float:
        with np.errstate(invalid="ignore"):
            return float(np.nan_to_num(logs[winner] - logs[rival], nan=0.0, posinf=np.inf, neginf=-np.inf))

    total = float(weight.sum())
    share = float(weight[winner] / total)
    prior = Evidence(None, CLASS_FREQUENCIES, against(log_prior), total, share, role="start")

    def confidence(term: Term) -> float | None:
        return None if term.support is None else float(softmax((log_prior + term.logs)[None])[0, winner])

    return (
        prior,
        *(
            Evidence(t.attribute or None, t.condition, against(t.logs), t.support, confidence(t))
            for t in terms
        ),
    )


def _reveal(row: Table, schema: Schema, known: list[str]) -> Table:
    """One row again and again, each time with one attribute more; at first with none."""
    n = len(known) + 1
    after = {name: i + 1 for i, name in enumerate(known)}
    _, numbers = next(iter(dense_slices(row)))
    values = np.full((n, len(schema.numeric)), np.nan)
    for j, attribute in enumerate(schema.numeric):
        values[after.get(attribute.name, n) :, j] = numbers.columns[j][0]
    codes = np.full((n, len(schema.nominal)), MISSING, dtype=np.int32)
    for j, attribute in enumerate(schema.nominal):
        codes[after.get(attribute.name, n) :, j] = row.nominal.columns[j][0]
    inputs = Schema(schema.attributes)
    return Table(inputs, n, numeric=Block.of_matrix(values), nominal=Block.of_matrix(codes))
