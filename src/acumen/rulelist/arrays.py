"""Rules in a model file: every distinct condition once, and for each rule the numbers of its conditions.

    conditions    a JSON list in bytes: attribute, op and value of each distinct condition
    body_at       where each rule's conditions begin in `body`; one more entry than there are rules
    body          numbers of conditions
    head          the class code of each rule, the default's last
    counts        weights by rule and class, the default's last; `counted` marks those that are known
    total         for each rule the weight of all training rows; head_total that of its class, -1 if not known
    form          [ordered]
    smoothing     how probabilities are computed from counts
    edits         only in a list edited by hand: a JSON list of texts, in bytes, that describe the edits

When a file is read, each condition must fit the schema, so a tampered list cannot fail during prediction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from acumen.conditions.condition import Condition
from acumen.conditions.coverage import number_conditions
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.errors import ParameterError
from acumen.preprocessing.stored_arrays import (
    require,
    stored_array,
    stored_codes,
    stored_floats,
    stored_starts,
)
from acumen.types import Array, Codes, Floats, Label

_MOST = 1e150
_NAMES = {
    "conditions",
    "body_at",
    "body",
    "head",
    "counts",
    "counted",
    "total",
    "head_total",
    "form",
    "smoothing",
}


def rule_arrays(
    rules: Sequence[Rule],
    answer_codes: Codes,
    default_counts: Mapping[Label, float],
    classes: Sequence[Label],
    ordered: bool,
    smoothing: float,
    edits: Sequence[str] = (),
) -> dict[str, Array]:
    """Write a list of rules as arrays."""
    if isinstance(rules, ArrayRules):
        body_at, body, conditions = rules.number_conditions()
        counted, counts = _lines([default_counts], classes)
        counted = np.concatenate([np.ones(rules.counts.shape, dtype=np.bool_), counted])
        counts = np.concatenate([rules.counts, counts])
        total = np.full(len(rules), float(rules.total))
        of_head = np.array(rules.head_totals, dtype=np.float64)[rules.heads]
    else:
        body_at, body, conditions = number_conditions([rule.conditions for rule in rules])
        counted, counts = _lines([*(rule.counts for rule in rules), default_counts], classes)
        total = np.array([float(rule.total) for rule in rules])
        of_head = np.array([-1.0 if r.head_total is None else float(r.head_total) for r in rules])
    text = json.dumps([condition.to_dict() for condition in conditions])
    arrays: dict[str, Array] = {
        "conditions": np.frombuffer(text.encode(), dtype=np.uint8),
        "body_at": body_at.astype(np.int32),
        "body": body,
        "head": answer_codes,
        "counts": counts,
        "counted": counted,
        "total": total,
        "head_total": of_head,
        "form": np.array([ordered], dtype=np.uint8),
        "smoothing": np.array([float(smoothing)]),
    }
    if edits:
        arrays["edits"] = np.frombuffer(json.dumps(list(edits)).encode(), dtype=np.uint8)
    return arrays


def _lines(
    every: Sequence[Mapping[Label, float]], classes: Sequence[Label]
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which counts are known, and the counts: one line of classes for each mapping."""
    shape = (len(every), len(classes))
    counted = np.array([[label in counts for label in classes] for counts in every], dtype=np.bool_)
    counts = np.array([[float(c.get(label, 0.0)) for label in classes] for c in every])
    return counted.reshape(shape), counts.reshape(shape)


def rules_from_arrays(
    arrays: Mapping[str, Array], schema: Schema
) -> tuple[tuple[Rule, ...], Label, dict[Label, float], bool, float, tuple[str, ...]]:
    """Read rules, default, its counts, whether they are ordered, smoothing and edits; check them against the schema."""
    require(arrays.keys() - {"edits"} == _NAMES, "it does not hold the arrays of a list of rules")
    classes = schema.classes
    require(classes, "rules need classes")
    conditions = _conditions(arrays, schema)
    head = stored_codes(arrays, "head", (None,), low=0, below=len(classes))
    require(len(head) >= 1, "a list of rules has no default")
    n = len(head) - 1
    body = stored_codes(arrays, "body", (None,), low=0, below=len(conditions))
    starts = stored_starts(arrays, "body_at", n, len(body))
    counts = stored_floats(arrays, "counts", (n + 1, len(classes)), low=0.0, high=_MOST)
    counted = stored_array(arrays, "counted", np.bool_, (n + 1, len(classes)))
    require(not counts[~counted].any(), "a count that is not known is not zero")
    total = stored_floats(arrays, "total", (n,), low=0.0, high=_MOST)
    of_head = stored_floats(arrays, "head_total", (n,), low=-1.0, high=_MOST)
    require(np.all((of_head >= 0) | (of_head == -1)), "the weight of a rule's class is below 0")
    form = stored_array(arrays, "form", np.uint8, (1,))
    require(form[0] <= 1, "whether its rules are ordered is neither 0 nor 1")
    smoothing = stored_floats(arrays, "smoothing", (1,), low=0.0, high=_MOST)
    each = [
        {label: w for label, w, is_known in zip(classes, line, mask, strict=True) if is_known}
        for line, mask in zip(counts.tolist(), counted.tolist(), strict=True)
    ]
    rules = tuple(
        Rule(
            tuple(conditions[c] for c in body[starts[i] : starts[i + 1]]),
            classes[head[i]],
            each[i],
            weight,
            None if mine < 0 else mine,
        )
        for i, (weight, mine) in enumerate(zip(total.tolist(), of_head.tolist(), strict=True))
    )
    return rules, classes[head[n]], each[n], bool(form[0]), float(smoothing[0]), _edits(arrays)


def _edits(arrays: Mapping[str, Array]) -> tuple[str, ...]:
    if "edits" not in arrays:
        return ()
    try:
        edits = json.loads(stored_array(arrays, "edits", np.uint8, (None,)).tobytes().decode("ascii"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        edits = None
    texts = isinstance(edits, list) and bool(edits) and all(isinstance(each, str) for each in edits)
    require(texts, "its edits are not a list of texts")
    assert isinstance(edits, list)
    return tuple(edits)


def _conditions(arrays: Mapping[str, Array], schema: Schema) -> list[Condition]:
    raw = stored_array(arrays, "conditions", np.uint8, (None,)).tobytes()
    try:
        records = json.loads(raw.decode("ascii"))
        require(isinstance(records, list), "its conditions are not a list")
        conditions = [Condition.from_dict(each) for each in records]
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        require(False, "its conditions are not JSON")
    except (ParameterError, TypeError, ValueError, OverflowError) as error:
        require(False, f"a condition is malformed ({str(error).rstrip('.')[:300]})")
    for condition in conditions:
        misfit = condition.objection(schema)
        require(misfit is None, (misfit or "").rstrip(".")[:300])
    return conditions


# -- rules stored as arrays -----------------------------------------------------------------------
#
# Rules stored as arrays; a `Rule` object is created only when you access it.
#
#     ArrayRules   replaces the tuple of rules in a `RuleList` when a search returns many rules and few are looked at
#
# It equals the tuple of its rules; a list with either predicts the same and is saved in the same file format.


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
