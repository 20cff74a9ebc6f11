"""Fit the intervals of a rule's numbers to the rows, without changing what the rule predicts.

    trim_rule    move ends inwards as long as no correctly predicted row is lost; confidence never falls
    widen_rule   move ends outwards value by value while confidence stays as high as it was, or as required

An end lies in the middle between the last value inside and the first one outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from acumen.conditions.condition import Condition, numbers_of
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.preprocessing.discretise.intervals import part
from acumen.types import Bools, Floats

_INTERVALS = ("<=", ">", "between")


@dataclass(frozen=True)
class _Interval:
    """A condition on a number as its two ends; infinite where it has none."""

    condition: Condition
    low: float
    high: float

    @classmethod
    def of(cls, condition: Condition) -> _Interval:
        if condition.op == "between":
            return cls(condition, float(condition.value[0]), float(condition.value[1]))
        value = float(condition.value)
        return cls(condition, -math.inf, value) if condition.op == "<=" else cls(condition, value, math.inf)

    def to_condition(self) -> Condition:
        if self.low == -math.inf and self.high == math.inf:
            return replace(self.condition, op="known", value=None)
        if self.low == -math.inf:
            return replace(self.condition, op="<=", value=self.high)
        if self.high == math.inf:
            return replace(self.condition, op=">", value=self.low)
        return replace(self.condition, op="between", value=(self.low, self.high))


def trim_rule(rule: Rule, table: Table) -> Rule:
    """The rule with intervals as narrow as the rows it gets right, counted on the table."""
    body = list(rule.conditions)
    for at, values in _numeric(body, table):
        here = Rule(tuple(body), rule.head)
        good = here.covers(table) & here.holds(table)
        if not good.any():
            continue
        each = np.unique(values[~np.isnan(values)])
        inside = values[good]
        interval = _Interval.of(body[at])
        low, high = _below(each, float(inside.min())), _above(each, float(inside.max()))
        body[at] = replace(interval, low=max(interval.low, low), high=min(interval.high, high)).to_condition()
    return Rule.from_table(body, rule.head, table)


def widen_rule(rule: Rule, table: Table, *, min_confidence: float | None = None) -> Rule:
    """The rule with intervals as wide as it stays as sure as it is, or as told; counted on the table."""
    body = list(rule.conditions)
    now = Rule.from_table(body, rule.head, table)
    least = now.confidence if min_confidence is None else float(min_confidence)
    if not 0 <= least <= 1:
        raise ParameterError(f"widened: min_confidence must be a number from 0 to 1; got {min_confidence!r}.")
    growing = True
    while growing:
        growing = False
        for at, values in _numeric(body, table):
            each = np.unique(values[~np.isnan(values)])
            for wider in _wider(_Interval.of(body[at]), each):
                tried = Rule.from_table([*body[:at], wider.to_condition(), *body[at + 1 :]], rule.head, table)
                if tried.confidence >= least and tried.covered_weight > now.covered_weight:
                    body, now, growing = list(tried.conditions), tried, True
                    break
    return now


def _numeric(body: list[Condition], table: Table) -> Iterator[tuple[int, Floats]]:
    for at, condition in enumerate(body):
        if condition.op in _INTERVALS and isinstance(condition.attribute, str):
            attribute = table.schema[condition.attribute]
            if attribute.is_numeric:
                yield at, numbers_of(table, attribute)


def _wider(interval: _Interval, each: Floats) -> Iterator[_Interval]:
    """The interval with one more value at either end."""
    above: Bools = each > interval.high
    if above.any():
        yield replace(interval, high=_above(each, float(each[above].min())))
    below: Bools = each <= interval.low
    if below.any():
        yield replace(interval, low=_below(each, float(each[below].max())))


def _below(each: Floats, value: float) -> float:
    """An end just below a value."""
    lower = each[each < value]
    return part(float(lower.max()), value, "right") if len(lower) else -math.inf


def _above(each: Floats, value: float) -> float:
    """An end just above a value."""
    upper = each[each > value]
    return part(value, float(upper.min()), "right") if len(upper) else math.inf
