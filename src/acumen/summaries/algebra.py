"""The algebra of summaries: what the rows of a part come to, and that it adds.

    Summary          an immutable value; `+` gives what both parts' rows together come to
    add_up           the sum of many, in an order that does not depend on how they were made
    leave_each_out   for each part the sum of all the others: K-fold training sets
    Parts            several summaries of one pass, adding part by part
    Each             several of whatever adds

A summary is made under a schema and a plan (shapes, levels, bin edges). Two add only if these agree;
otherwise `SchemaMismatch` says where they differ.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import ParameterError, SchemaMismatch
from acumen.types import Array

S = TypeVar("S", bound="Summary")


class Addable(Protocol):
    """Whatever adds up: summaries, and trainings."""

    def __add__(self, other: Any, /) -> Any: ...


A = TypeVar("A", bound=Addable)


class Summary:
    """Base of all summaries, which are frozen dataclasses.

    As it stands, `+` adds the fields that are summaries (or tuples of them) and demands that all other
    fields, the schema and the plan, agree: this is all a learner's compound summary needs. The simple
    summaries say in `_difference` what must agree and in `_merge` how they add.
    """

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        if sentence := self._difference(other):
            raise SchemaMismatch(f"{type(self).__name__}: these two do not add; {sentence}.")
        return self._merge(other)

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal, number for number."""
        if type(other) is not type(self):
            return NotImplemented
        return all(_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]  # compared by value, and arrays do not hash

    def arrays(self) -> dict[str, Array]:
        """Every array in it by its path (`nominal.0.table`), in a fixed order."""
        return dict(_walk("", self))

    def scale_weights(self, factor: float) -> Self:
        """The summary with all row weights multiplied by a factor.

        As it stands, the fields that are summaries (or tuples of them) are scaled; a summary with arrays of its own
        says how these are.
        """
        return type(self)(
            **{
                field.name: _scale_field(getattr(self, field.name), factor)
                for field in fields(self)  # type: ignore[arg-type]
            }
        )

    def _difference(self, other: Self) -> str | None:
        """What of schema or plan differs, as half a sentence; None when the two may add."""
        for field in fields(self):  # type: ignore[arg-type]
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if sentence := _field_difference(field.name, mine, theirs):
                return sentence
        return None

    def _merge(self, other: Self) -> Self:
        """The sum, the two being known to agree."""
        return type(self)(
            **{
                field.name: _merge_field(getattr(self, field.name), getattr(other, field.name))
                for field in fields(self)  # type: ignore[arg-type]
            }
        )


@dataclass(frozen=True, slots=True, eq=False)
class SummaryGroup(Summary, Generic[S]):
    """The summaries of several parts (folds) filled in one pass; they add part by part."""

    parts: tuple[S, ...]


@dataclass(frozen=True, slots=True)
class Each(Generic[A]):
    """Several things that add, each with its own kind."""

    things: tuple[A, ...]

    def __add__(self, other: Each[A]) -> Each[A]:
        return Each(tuple(mine + theirs for mine, theirs in zip(self.things, other.things, strict=True)))


def add_up(summaries: Iterable[A]) -> A:
    """The sum of one summary or more, in binary-counter order: 0+1, 2+3, then pairs of these, and so on.

    A stream needs only log n partial sums at a time, and equal streams give equal bytes.
    """
    partial: list[tuple[int, A]] = []  # (how many were added, sum), in falling powers of two
    for summary in summaries:
        count = 1
        while partial and partial[-1][0] == count:
            summary = partial.pop()[1] + summary
            count *= 2
        partial.append((count, summary))
    if not partial:
        raise ParameterError("add_up: there must be at least one summary to add; got none.")
    total = partial.pop()[1]
    while partial:
        total = partial.pop()[1] + total
    return total


def leave_each_out(parts: Sequence[A]) -> list[A]:
    """For each part, the sum of all the others (two parts or more), by addition alone.

    K-fold training sets come from here. `total - part` would do for counts, but it
    cancels digits in floating-point moments.
    """
    if len(parts) < 2:
        raise ParameterError(f"leave_each_out: there must be at least two parts; got {len(parts)}.")
    before = list(accumulate(parts[:-1], operator.add))
    after = list(accumulate(reversed(parts[1:]), operator.add))[::-1]
    middle = [b + a for b, a in zip(before, after[1:], strict=False)]
    return [after[0], *middle, before[-1]]


def frozen(array: Any, dtype: type[np.generic] = np.float64) -> Any:
    """A view of an array that cannot be written through, without touching the array itself."""
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.flags.writeable = False
    return view


def plan_difference(mine: Any, theirs: Any) -> str | None:
    """What differs between two plans, as half a sentence; None where rows under both may be added up."""
    if mine is theirs:
        return None
    one, other = mine.to_arrays(), theirs.to_arrays()
    for name in sorted(one.keys() | other.keys()):
        if name not in one or name not in other or not _equal(one[name], other[name]):
            return f"they were made under different plans (in {name!r}); summarise both under one plan"
    return None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        return both and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    if is_dataclass(a) and type(a) is type(b):
        return a is b or all(_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.compare)
    return bool(a == b)


def _field_difference(name: str, mine: Any, theirs: Any) -> str | None:
    if isinstance(mine, Schema) and isinstance(theirs, Schema):
        return None if mine is theirs else mine.difference(theirs)
    if isinstance(mine, Summary) and type(mine) is type(theirs):
        sentence = mine._difference(theirs)
        return f"in {name}: {sentence}" if sentence else None
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        if len(mine) != len(theirs):
            return f"{name} has {len(mine)} entries in one and {len(theirs)} in the other"
        pairs = enumerate(zip(mine, theirs, strict=True))
        differences = (_field_difference(f"{name}[{i}]", a, b) for i, (a, b) in pairs)
        return next((sentence for sentence in differences if sentence), None)
    return None if _equal(mine, theirs) else f"{name} is not the same in both"


def _merge_field(mine: Any, theirs: Any) -> Any:
    if isinstance(mine, Summary):
        return mine + theirs
    if isinstance(mine, tuple):
        return tuple(_merge_field(a, b) for a, b in zip(mine, theirs, strict=True))
    return mine


def _scale_field(value: Any, factor: float) -> Any:
    if isinstance(value, np.ndarray):
        raise TypeError("Summary: a summary with arrays of its own must say in `scaled` how they are scaled.")
    if isinstance(value, tuple):
        return tuple(_scale_field(entry, factor) for entry in value)
    return value.scale_weights(factor) if hasattr(value, "scale_weights") else value


def _walk(path: str, value: Any) -> Iterator[tuple[str, Array]]:
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        for i, entry in enumerate(value):
            yield from _walk(f"{path}.{i}" if path else str(i), entry)
    elif isinstance(value, Summary):
        for field in fields(value):  # type: ignore[arg-type]
            yield from _walk(f"{path}.{field.name}" if path else field.name, getattr(value, field.name))
