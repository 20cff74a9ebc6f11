"""What all parts have in common before any is summarised, and where each part stands.

    Part    a file: its name, its rows, how many of them count, and what tells it from another
    Plan    learner, schema, reading options, class weights, the learner's own plan, and the parts in order

A canonical block is 65,536 of the rows that count, from the first row of the first part on. A part knows from the plan
at which of them it begins, so it knows which blocks it holds whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from acumen import messages
from acumen.caching import cached_property
from acumen.data.parts import Parts
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.errors import DataError, ParameterError, SchemaMismatch, did_you_mean
from acumen.rows.intake import learned_schema
from acumen.rows.weights import Weighing
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a table.

    Attributes
    ----------
    name : str
        The file, as it was named when it was planned.
    rows, n_counted : int
        How many rows it has, and how many of them are learned from: with an answer, and of some weight.
    trace : int
        A sum over hashes of the rows that count: another file, or a changed one, has another.
    weighing : Weighing
        What those rows weigh, and how their weights are read.
    """

    name: str
    rows: int
    n_counted: int
    trace: int
    weighing: Weighing


@dataclass(frozen=True)
class Plan:
    """What all parts have in common, from `acumen.parts.plan`; `write_plan` saves it.

    Attributes
    ----------
    learner : a learner of acumen, unfitted
    schema : Schema
        Of all parts together: kinds, levels and classes.
    options : mapping
        What the parts are read with.
    left_out : tuple of str
        Columns that are not learned from: identifiers, constants.
    factors : array or None
        What the weights of each class are multiplied by.
    plan : object or None
        The learner's own plan: words, edges of bins.
    parts : tuple of Part
        In order. The rows of the first come first.
    """

    learner: Any
    schema: Schema
    options: Mapping[str, Any]
    left_out: tuple[str, ...]
    factors: Floats | None
    plan: Any
    parts: tuple[Part, ...]

    @cached_property
    def model_schema(self) -> Schema:
        """The schema that the model has: inputs and target."""
        attributes = tuple(a for a in self.schema.attributes if a.name not in self.left_out)
        target = None if self.learner.task.target is None else self.schema.target
        return learned_schema(Schema(attributes, target))

    def select_inputs(self, parts: Parts) -> Parts:
        """The parts with the training columns only."""
        if not self.left_out:
            return parts
        names = self.model_schema.names

        def open_parts() -> Iterator[Table]:
            return (part.select(names) for part in parts.open())

        attributes = self.model_schema.attributes
        schema = Schema(attributes, parts.schema.target, parts.schema.weight)
        return replace(parts, schema=schema, open=open_parts, cells=None)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """How many rows that count stand before each part; then: how many there are."""
        return (0, *accumulate(part.n_counted for part in self.parts))

    @property
    def n_counted(self) -> int:
        """The number of training rows."""
        return self.starts[-1]

    @property
    def blocks(self) -> int:
        """The number of canonical blocks."""
        return -(-self.n_counted // BLOCK_ROWS)

    @property
    def weighing(self) -> Weighing:
        """The weights of all rows, part by part."""
        total = Weighing()
        for part in self.parts:
            total = total + part.weighing
        return total

    @property
    def name(self) -> str:
        """The learner's name."""
        return type(self.learner).__name__

    def place_of(self, name: str) -> int:
        """Which part a file is: by its name as planned, else by its last word, where that is one part's alone."""
        names = [part.name for part in self.parts]
        if name in names:
            return names.index(name)
        last = os.path.basename(name)  # noqa: PTH119 - a name is no path of this machine
        alike = [i for i, each in enumerate(names) if os.path.basename(each) == last]  # noqa: PTH119
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise ParameterError(
                f"{name}: the plan has {len(alike)} parts called {last!r}, {names[alike[0]]} and {names[alike[1]]} "
                "among them; name it as it was planned."
            )
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ParameterError(
            f"{name} is no part of the plan; its parts are {shown}.{did_you_mean(last, map(os.path.basename, names))}"
        )

    def require_same(self, other: Plan, mine: str, theirs: str) -> None:
        """Raise SchemaMismatch, saying what differs, unless two sums were made under one plan."""
        if self is other:
            return
        if (sentence := self.difference(other)) is not None:
            raise SchemaMismatch(
                f"{mine} and {theirs} do not add: {sentence}. Summarise all parts under one plan."
            )

    def difference(self, other: Plan) -> str | None:
        """The difference between two plans, as half a sentence."""
        if type(self.learner) is not type(other.learner):
            return f"one is of {self.name}, the other of {other.name}"
        ours, theirs = self.learner.get_params(deep=False), other.learner.get_params(deep=False)
        for name, value in ours.items():
            if name != "n_jobs" and not _alike(value, theirs[name]):
                return f"{name} is {value!r} for one and {theirs[name]!r} for the other"
        if (sentence := self.schema.difference(other.schema)) is not None:
            return sentence
        if self.left_out != other.left_out:
            return "other columns were left out for one than for the other"
        if [part.name for part in self.parts] != [part.name for part in other.parts]:
            return f"they belong to plans of other parts ({_list_parts(self.parts)}; and {_list_parts(other.parts)})"
        for one, another in zip(self.parts, other.parts, strict=True):
            if one != another:
                return f"{one.name} was another file when the one was planned than when the other was"
        if not _alike(self.factors, other.factors):
            return "class weights are not the same for both"
        plans = [{} if each.plan is None else each.plan.to_arrays() for each in (self, other)]
        if plans[0].keys() != plans[1].keys() or any(not _alike(plans[0][n], plans[1][n]) for n in plans[0]):
            return "words or edges of bins are not the same for both"
        return None


def _list_parts(parts: Sequence[Part]) -> str:
    shown = [part.name for part in parts[:3]]
    return ", ".join(shown) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def _alike(a: Any, b: Any) -> bool:
    """Whether two parameters are the same, of whatever they are made."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_alike(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and type(a) is type(b):
        return len(a) == len(b) and all(map(_alike, a, b))
    return bool(a == b) or (a != a and b != b)


def require_adds(learner: Any) -> None:
    """A sentence unless the learner's model is made of summaries that add."""
    name = type(learner).__name__
    if not getattr(learner, "adds", False):
        raise ParameterError(
            f"{name}: its model is not made of sums over the rows, so parts cannot be summarised apart; fit it on all "
            "rows on one machine, or take a learner whose summaries add, such as NaiveBayes, Fisher, LeastSquares, "
            "Ridge or PrincipalComponents."
        )
    if learner.learns_unlabelled:
        raise ParameterError(
            f"{name}: rows without a label are gone through again and again, so parts cannot be summarised apart; say "
            f"{messages.setting('unlabelled', 'ignore')}, or fit it on all rows on one machine."
        )


def require_rows(plan: Plan) -> None:
    """A sentence where no row is learned from."""
    if not plan.n_counted:
        raise DataError(f"{plan.name}: no part holds a row that counts; there is nothing to learn from.")
