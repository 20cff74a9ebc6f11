"""One rule: what must hold, what is then said, and the training rows behind it.

    body    conditions that must all hold, or a set of items that must all be in a basket
    head    a class; or a set of items; or conditions that then hold too
    counts  the training weight behind the rule: of each class, or of rows where the head holds (True) or not (False)

Decision lists, trees' leaves, class association rules and rules between items are all of this type. A rule with a
class as its head can stand in a `RuleList`, which predicts.
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
    """If the body holds, then the head.

    Parameters
    ----------
    body : sequence of Condition, or set of items
        Nothing at all means that the rule always holds.
    head : label, set of items, Condition or sequence of Conditions
    counts : mapping of label to number
        Of a rule for a class the weight of each class among the training rows behind it: all that it covers, or, in
        an ordered list, those that no earlier rule covers. Of another rule the weight of the covered rows in which
        the head holds (True) and does not (False).
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
                raise ParameterError("Rule: a head must say something; got an empty one.")
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
        """The same for whoever makes many of what is known to be right: nothing is looked at or copied."""
        made = object.__new__(cls)
        for name, value in zip(_PARTS, (body, head, counts, total, head_total), strict=True):
            object.__setattr__(made, name, value)
        return made

    # -- its parts --------------------------------------------------------------------------------

    @property
    def says_class(self) -> bool:
        """Whether the head is a class."""
        return isinstance(self.head, (str, int, float, bool))

    @property
    def label(self) -> Label:
        """The class that is said."""
        if not isinstance(self.head, (str, int, float, bool)):
            raise ParameterError(f"Rule: the head of {str(self)!r} is no class, so it has no label.")
        return self.head

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The body as conditions; that an item is in a basket is that its column is above zero."""
        return _as_conditions(self.body)

    def covers(self, table: Table) -> Bools:
        """For each row whether the body holds."""
        return _all_hold(self.body, table)

    def holds(self, table: Table) -> Bools:
        """For each row whether the head holds, whether or not the body does."""
        if isinstance(self.head, (str, int, float, bool)):
            if table.labels is None:
                raise DataError(
                    "Rule: the head is a class, and the table has no classes; read it with "
                    f"{messages.option('target')}."
                )
            classes = table.schema.classes
            code = classes.index(self.head) if self.head in classes else -3  # which no row has
            return np.asarray(table.labels == code)
        return _all_hold(self.head, table)

    # -- what is behind it ------------------------------------------------------------------------

    @property
    def covered(self) -> float:
        """The weight of the training rows behind the rule."""
        return math.fsum(self.counts.values())

    @property
    def right(self) -> float:
        """The weight of those among them for which the head is right."""
        return self.counts.get(self.head if isinstance(self.head, (str, int, float, bool)) else True, 0.0)

    @property
    def support(self) -> float:
        """The share of all training rows that the rule covers and gets right."""
        return self.right / self.total if self.total > 0 else math.nan

    @property
    def confidence(self) -> float:
        """The share of the covered training rows that the rule gets right; NaN where it covers none."""
        return self.right / self.covered if self.covered > 0 else math.nan

    @property
    def lift(self) -> float:
        """How many times likelier the head is where the body holds than anywhere; NaN where that is not known."""
        base = self._base
        return self.confidence / base if base > 0 else math.nan

    @property
    def leverage(self) -> float:
        """The share of rows that body and head have together beyond what independence would give them."""
        return self.support - self.covered / self.total * self._base if self.total > 0 else math.nan

    @property
    def conviction(self) -> float:
        """How many times more often the rule would be wrong, were head and body independent."""
        wrong = 1.0 - self.confidence
        if math.isnan(wrong) or math.isnan(self._base):
            return math.nan
        return (1.0 - self._base) / wrong if wrong > 0 else math.inf

    @property
    def _base(self) -> float:
        """The share of the head among all training rows."""
        return math.nan if self.head_total is None or not self.total > 0 else self.head_total / self.total

    @classmethod
    def counted(cls, body: Any, head: Any, table: Table) -> Self:
        """The rule with the rows of a table behind it, by their weights."""
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

    # -- leaving and coming back ------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        made: dict[str, Any] = {}
        if isinstance(self.body, frozenset):
            made["body_items"] = sorted(self.body)
        else:
            made["conditions"] = [condition.to_dict() for condition in self.body]
        if isinstance(self.head, frozenset):
            made["head_items"] = sorted(self.head)
        elif isinstance(self.head, tuple):
            made["head_conditions"] = [condition.to_dict() for condition in self.head]
        else:
            made["label"] = self.head
        made["counts"] = [[label, weight] for label, weight in self.counts.items()]
        made["total"] = self.total
        if self.head_total is not None:
            made["head_total"] = self.head_total
        return made

    @classmethod
    def from_dict(cls, made: Mapping[str, Any]) -> Self:
        """The rule that `to_dict` gave this form; ParameterError where it is none."""
        if not isinstance(made, Mapping):
            raise ParameterError(f"Rule: its form is a mapping; got {repr(made)[:200]}.")
        heads = [key for key in ("label", "head_items", "head_conditions") if key in made]
        bodies = [key for key in ("conditions", "body_items") if key in made]
        known = {"counts", "total", "head_total", *heads, *bodies}
        if len(heads) != 1 or len(bodies) != 1 or not made.keys() <= known:
            raise ParameterError(
                "Rule: its form has conditions (or body_items), a label (or head_items or head_conditions), counts "
                f"and a total; got {repr(made)[:200]}."
            )
        head = made[heads[0]] if heads[0] == "label" else _restored(made[heads[0]], heads[0])
        if heads[0] == "label" and not isinstance(head, (str, int, float, bool)):
            raise ParameterError(f"Rule: a label must be text, a number or a boolean; got {head!r}.")
        counts = counts_from(made.get("counts", []), "Rule")
        total, of_head = made.get("total", 0.0), made.get("head_total")
        return cls(
            _restored(made[bodies[0]], bodies[0]),
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
        behind = f"support {self.right:g}/{self.total:g}, confidence {self.right:g}/{self.covered:g}"
        return f"{printable(text)}  ({behind})"

    @property
    def body_words(self) -> str:
        """What must hold, in words; nothing where the rule always holds."""
        return _words(self.body)

    @property
    def head_words(self) -> str:
        """What is said, in words."""
        return word(self.head) if isinstance(self.head, (str, int, float, bool)) else _words(self.head)


def word(label: Label) -> str:
    """A class as people write it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def counts_from(made: Any, who: str) -> dict[Label, float]:
    """Weights by class, out of a list of pairs."""
    pairs = list(made.items()) if isinstance(made, Mapping) else made
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], (str, int, float, bool))
        for pair in pairs
    ):
        raise ParameterError(f"{who}: counts must be pairs of a class and a weight; got {repr(made)[:200]}.")
    found = {label: weight_from(weight, f"{who}: the count of {label!r}") for label, weight in pairs}
    if len(found) != len(pairs):
        raise ParameterError(f"{who}: counts name a class twice; got {repr(made)[:200]}.")
    return found


def weight_from(value: Any, what: str) -> float:
    """A number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ParameterError(f"{what} must be a number of at least 0; got {value!r}.")
    return value


def _part(given: Any, what: str) -> Any:
    """A body or a head as it is kept: a set of names, or a tuple of conditions."""
    if isinstance(given, Condition):
        return (given,)
    if isinstance(given, Set):
        if not all(isinstance(item, str) for item in given):
            raise ParameterError(f"Rule: items are names; the {what} has {sorted(map(repr, given))}.")
        return frozenset(given)
    made = tuple(given) if isinstance(given, Iterable) and not isinstance(given, (str, Mapping)) else None
    if made is None or not all(isinstance(each, Condition) for each in made):
        raise ParameterError(f"Rule: a {what} is conditions, or a set of items; got {given!r}.")
    return made


def _restored(made: Any, key: str) -> Any:
    if not isinstance(made, (list, tuple)):
        raise ParameterError(f"Rule: {key} must be a list; got {made!r}.")
    return frozenset(made) if key.endswith("items") else tuple(Condition.from_dict(each) for each in made)


def _as_conditions(part: Body) -> tuple[Condition, ...]:
    return tuple(Condition(item, ">", 0) for item in sorted(part)) if isinstance(part, frozenset) else part


def _all_hold(part: Body, table: Table) -> Bools:
    made = np.ones(len(table), dtype=np.bool_)
    for condition in _as_conditions(part):
        made &= condition.holds(table)
    return made


def _words(part: Body) -> str:
    return ", ".join(sorted(part)) if isinstance(part, frozenset) else " and ".join(map(str, part))
