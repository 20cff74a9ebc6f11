"""Rules stored as arrays; a `Rule` object is created only when you access it.

    ArrayRules   replaces the tuple of rules in a `RuleList` when a search returns many rules and few are looked at

It equals the tuple of its rules; a list with either predicts the same and is saved in the same file format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.types import Codes, Floats, Label


@dataclass(frozen=True, eq=False, slots=True)
class ArrayRules(Sequence[Rule]):
    """Rules in order; the conditions of rule i are `conditions[body[starts[i]:starts[i + 1]]]`."""

    conditions: tuple[Condition, ...]
    starts: npt.NDArray[np.int64]
    body: Codes
    heads: Codes  # the class code of each rule
    counts: Floats  # (rules, classes)
    classes: tuple[Label, ...]
    total: float  # the weight of all training rows
    head_totals: tuple[float, ...]  # of each class
    _numbered: list[Any] = field(
        default_factory=list, init=False, repr=False
    )  # a cache of at most one result

    def __len__(self) -> int:
        return len(self.heads)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, at: int | slice) -> Rule | tuple[Rule, ...]:
        if isinstance(at, slice):
            return tuple(self._rule(i) for i in range(len(self))[at])
        return self._rule(range(len(self))[at])

    def __iter__(self) -> Iterator[Rule]:
        starts, every = self.starts.tolist(), [self.conditions[i] for i in self.body.tolist()]
        for begin, end, head, counts in zip(
            starts[:-1], starts[1:], self.heads.tolist(), self.counts.tolist(), strict=True
        ):
            yield Rule.of_parts(
                tuple(every[begin:end]),
                self.classes[head],
                dict(zip(self.classes, counts, strict=True)),
                self.total,
                self.head_totals[head],
            )

    def _rule(self, at: int) -> Rule:
        head = int(self.heads[at])
        return Rule.of_parts(
            tuple(self.conditions[i] for i in self.body[self.starts[at] : self.starts[at + 1]].tolist()),
            self.classes[head],
            dict(zip(self.classes, self.counts[at].tolist(), strict=True)),
            self.total,
            self.head_totals[head],
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, ArrayRules)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def number_conditions(self) -> tuple[npt.NDArray[np.int64], Codes, list[Condition]]:
        """Where each body begins, its conditions' numbers in order of first appearance, and these conditions, as
        `coverage.number_conditions` returns them.
        """
        known: list[tuple[npt.NDArray[np.int64], Codes, list[Condition]]] = self._numbered
        if known:
            return known[0]
        used, first, back = np.unique(self.body, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        number = np.empty(len(used), dtype=np.int32)
        number[order] = np.arange(len(used), dtype=np.int32)
        result = self.starts, number[back.ravel()], [self.conditions[i] for i in used[order].tolist()]
        known.append(result)  # two threads would append the same result
        return result
