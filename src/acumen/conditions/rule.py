"""One rule: its conditions, its conclusion, and the training rows it covers.

    body    conditions that must all hold, or a set of items that must all be in a basket
    head    the conclusion: a class, a set of items, or conditions
    counts  the weight of the covered training rows by class, or by whether the head holds (True) or not (False)

Rules of decision lists, tree leaves, class association rules and rules between items all have this type. A rule whose
head is a class can be part of a `RuleList`, which predicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

import numpy as np

from acumen import messages
from acumen.conditions.condition import Condition
from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import Bools, Label

#: Names of items, each of them a column of a table of baskets.
Items: TypeAlias = frozenset[str]
Body: TypeAlias = tuple[Condition, ...] | Items
_PARTS = ("body", "head", "counts", "total", "head_total")
Head: TypeAlias = Label | Items | tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: if the body holds, then the head.

    Parameters
    ----------
    body : sequence of Condition, or set of items
        An empty body always holds.
    head : label, set of items, Condition or sequence of Conditions
    counts : mapping of label to number
        For a rule with a class as its head, the weight of each class among the training rows it covers. In an ordered
        list, only rows that no earlier rule covers count. For other rules, the weight of the covered rows in which
        the head holds (True) and in which it does not (False).
    total : float
        The weight of all training rows.
    head_total : float, optional
        The weight of all training rows in which the head holds; `lift`, `leverage` and `conviction` need it.
    """

    body: Body
    head: Head
    counts: Mapping[Label, float] = field(default_factory=dict, hash=False)
    total: float = 0.0
    head_total: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", _part(self.body, "body"))
        head = self.head.item() if isinstance(self.head, np.generic) else self.head
        if not isinstance(head, (str, int, float, bool)):
            head = _part(head, "head")
            if not head:
                raise ParameterError("Rule: the head is empty; give a class, items or conditions.")
        object.__setattr__(self, "head", head)
        object.__setattr__(self, "counts", dict(self.counts))

    @classmethod
    def of_parts(
        cls,
        body: tuple[Condition, ...],
        head: Label,
        counts: dict[Label, float],
        total: float,
        head_total: float,
    ) -> Self:
        """Create a rule without validating or copying its parts; for code that creates many rules."""
        rule = object.__new__(cls)
        for name, value in zip(_PARTS, (body, head, counts, total, head_total), strict=True):
            object.__setattr__(rule, name, value)
        return rule

    # -- its parts --------------------------------------------------------------------------------

    @property
    def says_class(self) -> bool:
        """Whether the head is a class."""
        return isinstance(self.head, (str, int, float, bool))

    @property
    def label(self) -> Label:
        """The class that the rule predicts."""
        if not isinstance(self.head, (str, int, float, bool)):
            raise ParameterError(f"Rule: the head of {str(self)!r} is not a class, so it has no label.")
        return self.head

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The body as conditions; an item is in a basket if its column is above zero."""
        return _as_conditions(self.body)

    def covers(self, table: Table) -> Bools:
        """Test for each row whether the body holds."""
        return _all_hold(self.body, table)

    def holds(self, table: Table) -> Bools:
        """Test for each row whether the head holds, regardless of the body."""
        if isinstance(self.head, (str, int, float, bool)):
            if table.labels is None:
                raise DataError(
                    "Rule: the head is a class, and the table has no classes; read it with "
                    f"{messages.option('target')}."
                )
            classes = table.schema.classes
            code = classes.index(self.head) if self.head in classes else -3  # a code that no row has
            return np.asarray(table.labels == code)
        return _all_hold(self.head, table)

    # -- statistics -------------------------------------------------------------------------------

    @property
    def covered_weight(self) -> float:
        """The weight of the training rows that the rule covers."""
        return math.fsum(self.counts.values())

    @property
    def right(self) -> float:
        """The weight of the covered training rows for which the head is right."""
        return self.counts.get(self.head if isinstance(self.head, (str, int, float, bool)) else True, 0.0)

    @property
    def support(self) -> float:
        """The fraction of all training rows that the rule covers and gets right."""
        return self.right / self.total if self.total > 0 else math.nan

    @property
    def confidence(self) -> float:
        """The fraction of the covered training rows that the rule gets right; NaN if it covers none."""
        return self.right / self.covered_weight if self.covered_weight > 0 else math.nan

    @property
    def lift(self) -> float:
        """How many times more likely the head is when the body holds than overall; NaN if `head_total` is not known."""
        base = self._base
        return self.confidence / base if base > 0 else math.nan

    @property
    def leverage(self) -> float:
        """The fraction of rows in which body and head hold, minus what independence of the two would give."""
        return self.support - self.covered_weight / self.total * self._base if self.total > 0 else math.nan

    @property
    def conviction(self) -> float:
        """How many times more often the rule would be wrong if head and body were independent."""
        wrong = 1.0 - self.confidence
        if math.isnan(wrong) or math.isnan(self._base):
            return math.nan
        return (1.0 - self._base) / wrong if wrong > 0 else math.inf

    @property
    def _base(self) -> float:
        """The fraction of all training rows in which the head holds."""
        return math.nan if self.head_total is None or not self.total > 0 else self.head_total / self.total

    @classmethod
    def from_table(cls, body: Any, head: Any, table: Table) -> Self:
        """Create a rule and count the rows of `table` it covers, by their weights."""
        bare = cls(body, head)
        covered, right, weights = bare.covers(table), bare.holds(table), table.row_weights
        counts: dict[Label, float]
        known = np.ones(len(table), dtype=np.bool_)
        if bare.says_class:
            known = table.class_codes >= 0
            mine = covered & known
            each = np.bincount(table.class_codes[mine], weights[mine], minlength=table.schema.n_classes)
            counts = dict(zip(table.schema.classes, each.tolist(), strict=True))
        else:
            counts = {
                True: float(weights[covered & right].sum()),
                False: float(weights[covered & ~right].sum()),
            }
        return cls(body, head, counts, float(weights[known].sum()), float(weights[right].sum()))

    # -- JSON and text ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-ready values."""
        record: dict[str, Any] = {}
        if isinstance(self.body, frozenset):
            record["body_items"] = sorted(self.body)
        else:
            record["conditions"] = [condition.to_dict() for condition in self.body]
        if isinstance(self.head, frozenset):
            record["head_items"] = sorted(self.head)
        elif isinstance(self.head, tuple):
            record["head_conditions"] = [condition.to_dict() for condition in self.head]
        else:
            record["label"] = self.head
        record["counts"] = [[label, weight] for label, weight in self.counts.items()]
        record["total"] = self.total
        if self.head_total is not None:
            record["head_total"] = self.head_total
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read a rule written by `to_dict`; ParameterError if it is malformed."""
        if not isinstance(record, Mapping):
            raise ParameterError(f"Rule: expected a mapping; got {repr(record)[:200]}.")
        heads = [key for key in ("label", "head_items", "head_conditions") if key in record]
        bodies = [key for key in ("conditions", "body_items") if key in record]
        known = {"counts", "total", "head_total", *heads, *bodies}
        if len(heads) != 1 or len(bodies) != 1 or not record.keys() <= known:
            raise ParameterError(
                "Rule: expected conditions (or body_items), a label (or head_items or head_conditions), counts "
                f"and a total; got {repr(record)[:200]}."
            )
        head = record[heads[0]] if heads[0] == "label" else _part_from_json(record[heads[0]], heads[0])
        if heads[0] == "label" and not isinstance(head, (str, int, float, bool)):
            raise ParameterError(f"Rule: a label must be text, a number or a boolean; got {head!r}.")
        counts = counts_from(record.get("counts", []), "Rule")
        total, of_head = record.get("total", 0.0), record.get("head_total")
        return cls(
            _part_from_json(record[bodies[0]], bodies[0]),
            head,
            counts,
            weight_from(total, "Rule: total"),
            None if of_head is None else weight_from(of_head, "Rule: head_total"),
        )

    def __str__(self) -> str:
        body, head = self.body_words, self.head_words
        text = f"if {body} then {head}" if body else f"always {head}"
        if not self.counts:
            return printable(text)
        figures = f"support {self.right:g}/{self.total:g}, confidence {self.right:g}/{self.covered_weight:g}"
        return f"{printable(text)}  ({figures})"

    @property
    def body_words(self) -> str:
        """The body in words; empty if the rule always holds."""
        return _words(self.body)

    @property
    def head_words(self) -> str:
        """The head in words."""
        return word(self.head) if isinstance(self.head, (str, int, float, bool)) else _words(self.head)


def word(label: Label) -> str:
    """A class as people write it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def counts_from(source: Any, who: str) -> dict[Label, float]:
    """Read weights by class from a mapping or a list of pairs."""
    pairs = list(source.items()) if isinstance(source, Mapping) else source
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], (str, int, float, bool))
        for pair in pairs
    ):
        raise ParameterError(
            f"{who}: counts must be pairs of a class and a weight; got {repr(source)[:200]}."
        )
    counts = {label: weight_from(weight, f"{who}: the count of {label!r}") for label, weight in pairs}
    if len(counts) != len(pairs):
        raise ParameterError(f"{who}: counts name a class twice; got {repr(source)[:200]}.")
    return counts


def weight_from(value: Any, what: str) -> float:
    """Check that `value` is a number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ParameterError(f"{what} must be a number of at least 0; got {value!r}.")
    return value


def _part(part: Any, what: str) -> Any:
    """Check a body or a head and store it as a set of names or a tuple of conditions."""
    if isinstance(part, Condition):
        return (part,)
    if isinstance(part, Set):
        if not all(isinstance(item, str) for item in part):
            raise ParameterError(f"Rule: items are names; the {what} has {sorted(map(repr, part))}.")
        return frozenset(part)
    conditions = tuple(part) if isinstance(part, Iterable) and not isinstance(part, (str, Mapping)) else None
    if conditions is None or not all(isinstance(each, Condition) for each in conditions):
        raise ParameterError(f"Rule: the {what} must be conditions or a set of items; got {part!r}.")
    return conditions


def _part_from_json(values: Any, key: str) -> Any:
    if not isinstance(values, (list, tuple)):
        raise ParameterError(f"Rule: {key} must be a list; got {values!r}.")
    return frozenset(values) if key.endswith("items") else tuple(Condition.from_dict(each) for each in values)


def _as_conditions(part: Body) -> tuple[Condition, ...]:
    return tuple(Condition(item, ">", 0) for item in sorted(part)) if isinstance(part, frozenset) else part


def _all_hold(part: Body, table: Table) -> Bools:
    holds = np.ones(len(table), dtype=np.bool_)
    for condition in _as_conditions(part):
        holds &= condition.holds(table)
    return holds


def _words(part: Body) -> str:
    return ", ".join(sorted(part)) if isinstance(part, frozenset) else " and ".join(map(str, part))
