"""The rows of a part that count, and what tells them from others; all parts of all files, one after the other.

Counting   a learner and the weights of its classes; part -> the rows that count, and what they weigh
All        parts of several files as one stream
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from acumen.data.parts import Parts
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.profiling.training_profile import trace_of
from acumen.rows.intake import relabelled
from acumen.rows.weights import Weighing
from acumen.types import Floats


@dataclass
class Counting:
    """Takes the rows that count out of parts, and counts, weighs and hashes them as they pass."""

    learner: Any
    schema: Schema
    factors: Floats | None
    rows: int = 0
    counted: int = 0
    trace: int = 0
    weighing: Weighing = field(default_factory=Weighing)

    def take(self, part: Table) -> tuple[Table, Table]:
        """A part as it is learned from, and the rows of it that count."""
        targeted = self.schema.target is not None
        labels, response = (part.labels, part.response) if targeted else (None, None)
        training = relabelled(part, self.schema, labels, part.weights, response)
        rows = self.learner.counted_places(training, self.factors)[0]
        self.rows, self.counted = self.rows + len(training), self.counted + len(rows)
        self.weighing = self.weighing + self.learner.weighing_of(training, factors=self.factors)
        self.trace = (self.trace + trace_of(rows)) % 2**64
        return training, rows


class All:
    """The parts of all files, one file after the other."""

    def __init__(self, parts: Sequence[Parts]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Table]:
        for parts in self._parts:
            yield from parts
