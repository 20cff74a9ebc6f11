"""What rules may test: attributes every rule must test, those none may, and directions of those that count one way.

must_use        every rule has a condition on each of them
must_not_use    no rule has one
monotone        {"income": 1}: the higher the income, the later the class in the order of the classes. Rules for the
                last class may then only ask for more of it (>), those for the first only for less (<=), those for
                classes between for both; -1 is the other way round
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.types import Label

_DIRECTIONS = {1: 1, -1: -1, "up": 1, "down": -1}
_BELOW, _ABOVE = 1, 2
BOTH = _BELOW | _ABOVE


@dataclass(frozen=True, slots=True)
class RuleConstraints:
    """The three together, for one schema."""

    must_use: tuple[str, ...] = ()
    must_not_use: tuple[str, ...] = ()
    monotone: Mapping[str, int] = field(default_factory=dict)
    classes: tuple[Label, ...] = ()

    @classmethod
    def of(cls, learner: Any, schema: Schema) -> Self:
        """Those of a learner; ParameterError, in a sentence, where they do not fit the table."""
        who = type(learner).__name__
        must = _names(learner.must_use, "must_use", schema, who)
        never = _names(learner.must_not_use, "must_not_use", schema, who)
        both = [name for name in must if name in never]
        if both:
            raise ParameterError(
                f"{who}: {both[0]!r} is in must_use and in must_not_use; remove it from one of them."
            )
        return cls(must, never, _directions(learner.monotone, schema, who), schema.classes)

    def without(self, ignored: Sequence[str]) -> RuleConstraints:
        """The same where no rule tests these either."""
        both = [name for name in ignored if name in self.must_use]
        if both:
            raise ParameterError(f"{both[0]!r} is in must_use but also ignored; remove one of the two.")
        return replace(self, must_not_use=(*self.must_not_use, *ignored))

    def directions(self, name: str, label: Label) -> int:
        """Which comparisons rules for a class may make: 1 for <=, 2 for >, 3 for both."""
        way = self.monotone.get(name, 0)
        if not way or len(self.classes) < 2:
            return BOTH
        if label == self.classes[-1]:
            return _ABOVE if way > 0 else _BELOW
        if label == self.classes[0]:
            return _BELOW if way > 0 else _ABOVE
        return BOTH

    def allows(self, condition: Condition, label: Label) -> bool:
        """Whether a rule for a class may have this condition."""
        name = condition.attribute
        if not isinstance(name, str):
            return not ({name.first, name.second} & set(self.must_not_use))
        if name in self.must_not_use:
            return False
        ways = {"<=": _BELOW, ">": _ABOVE, "between": BOTH}.get(condition.op, 0)
        return ways & ~self.directions(name, label) == 0

    def tests_required(self, body: Iterable[Condition]) -> bool:
        """Whether a rule tests all that it must."""
        tested = {condition.attribute for condition in body}
        return all(name in tested for name in self.must_use)

    def __bool__(self) -> bool:
        return bool(self.must_use or self.must_not_use or self.monotone)


def _names(value: Any, what: str, schema: Schema, who: str) -> tuple[str, ...]:
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else value
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise ParameterError(f"{who}: {what} must be names of attributes; got {value!r}.")
    unique = tuple(dict.fromkeys(names))
    for name in unique:
        _require(name, what, schema, who)
    return unique


def _directions(monotone: Any, schema: Schema, who: str) -> dict[str, int]:
    directions: dict[str, int] = {}
    for name, way in (monotone or {}).items():
        _require(name, "monotone", schema, who)
        attribute = schema[name]
        if not (attribute.is_numeric or attribute.ordered):
            raise ParameterError(
                f"{who}: monotone names {name!r}, whose values have no order; give numbers or ordered levels."
            )
        known = _DIRECTIONS.get(way.item() if isinstance(way, np.generic) else way)
        if known is None:
            raise ParameterError(
                f"{who}: monotone[{name!r}] must be 1 (or 'up') or -1 (or 'down'); got {way!r}."
            )
        directions[name] = known
    return directions


def _require(name: Any, what: str, schema: Schema, who: str) -> None:
    if name not in schema.names:
        raise ParameterError(
            f"{who}: {what} names {name!r}, which is no attribute of the table."
            + did_you_mean(str(name), schema.names)
        )
