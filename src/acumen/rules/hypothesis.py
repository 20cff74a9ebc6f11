"""A hypothesis: what rows must be like to be positive.

    NumberRange   the numbers from one to another, both included; AllBut: all values except some
    Conjunction   one test for each attribute ("?" passes everything), and attributes that must be equal
    Hypothesis    alternatives, of which one must hold; or, negated, none may
    Performance   P(h): how often a hypothesis is right about rows

A missing value passes "?" alone; a level that the schema does not know is none of its levels. A negated hypothesis
holds where no alternative does whatever a missing value may be.

Hypotheses combine: `one | other` and `~one`. They are also made of what people write (`hypothesis_of`): `("?", "?",
"N")` with one cell for each attribute, `{"date": "october"}`, conditions and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.data.align import align
from acumen.data.escape import printable
from acumen.data.forms import shown_as
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.rulelist.parsing import parse_rule
from acumen.types import MISSING, Array, Bools, Codes, Floats, Label


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers from `low` to `high`, both included."""

    low: float
    high: float

    def text(self, form: str = "") -> str:
        ends = [
            shown_as(form, end) or repr(float(end)).removesuffix(".0") if form else f"{end:.10g}"
            for end in (self.low, self.high)
        ]
        return ends[0] if self.low == self.high else f"[{ends[0]}, {ends[1]}]"


@dataclass(frozen=True, slots=True)
class AllBut:
    """All values but these."""

    values: tuple[Label, ...]


#: Levels that pass, an interval, all values but some, or None for "?".
Test: TypeAlias = tuple[Label, ...] | NumberRange | AllBut | None


class HypothesisColumns:
    """The columns of a table by place, and equal levels of several attributes under equal numbers."""

    def __init__(self, table: Table) -> None:
        self.rows, self.attributes = len(table), table.schema.attributes
        nominal, numeric = table.nominal_columns(), table.numeric_columns()
        self._columns = [next(nominal)[1] if a.is_nominal else next(numeric)[1] for a in self.attributes]
        self._common: dict[Label, int] = {}

    def __getitem__(self, place: int) -> Array:
        return self._columns[place]

    def is_known(self, place: int) -> Bools:
        """Where there is a value that the schema knows."""
        column = self._columns[place]
        return np.asarray(column >= 0) if self.attributes[place].is_nominal else ~np.isnan(column)

    def missing(self, place: int) -> Bools:
        """Where there is no value; a level that the schema does not know is one."""
        column = self._columns[place]
        return np.asarray(column == MISSING) if self.attributes[place].is_nominal else np.isnan(column)

    def passes(self, place: int, test: Test) -> Bools:
        """Which rows pass a test on one attribute."""
        if test is None:
            return np.ones(self.rows, dtype=np.bool_)
        column, attribute = self._columns[place], self.attributes[place]
        if isinstance(test, NumberRange):
            return np.asarray((column >= test.low) & (column <= test.high))
        if isinstance(test, AllBut):
            if attribute.is_nominal:
                kept_out = [code for code, level in enumerate(attribute.levels) if level in test.values]
                return np.asarray((column != MISSING) & ~np.isin(column, kept_out))
            return ~np.isnan(column) & ~np.isin(column, np.array(test.values))
        allowed = np.array([level in test for level in attribute.levels], dtype=np.bool_)
        return (column >= 0) & np.append(allowed, False)[np.maximum(column, -1)]

    def equal(self, one: int, other: int) -> Bools:
        """Where two attributes have the same value, and have one."""
        same = self._comparable(one) == self._comparable(other)
        return np.asarray(same & self.is_known(one) & self.is_known(other))

    def _comparable(self, place: int) -> Codes | Floats:
        attribute = self.attributes[place]
        if not attribute.is_nominal:
            return self._columns[place]
        numbers = [self._common.setdefault(level, len(self._common)) for level in attribute.levels]
        return np.array([*numbers, -1], dtype=np.int32)[np.maximum(self._columns[place], -1)]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """One test for each attribute, and blocks of attributes that must have the same value."""

    tests: tuple[Test, ...]
    equal: tuple[tuple[int, ...], ...] = ()

    def covers(self, columns: HypothesisColumns, *, doubting: bool = False) -> Bools:
        """Which rows pass all; in doubt also those that might, their missing values being what they may."""
        held = np.ones(columns.rows, dtype=np.bool_)
        for place, test in enumerate(self.tests):
            if test is not None:
                passed = columns.passes(place, test)
                held &= (passed | columns.missing(place)) if doubting else passed
        for block in self.equal:
            for other in block[1:]:
                passed = columns.equal(block[0], other)
                if doubting:
                    passed = passed | columns.missing(block[0]) | columns.missing(other)
                held &= passed
        return held

    def text(self, schema: Schema) -> str:
        """As the literature writes it: (Y, ?, {N, O}); blocks of equal attributes by name."""
        equal = [" = ".join(printable(schema.names[place]) for place in block) for block in self.equal]
        if equal and all(test is None for test in self.tests):
            return " and ".join(equal)
        cells = [_cell(test, a) for test, a in zip(self.tests, schema.attributes, strict=True)]
        return " and ".join([f"({', '.join(cells)})", *equal])

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        tests: dict[str, Any] = {}
        for name, test in zip(schema.names, self.tests, strict=True):
            if isinstance(test, NumberRange):
                tests[name] = {"from": test.low, "to": test.high}
            elif isinstance(test, AllBut):
                tests[name] = {"other than": list(test.values)}
            elif test is not None:
                tests[name] = list(test)
        form: dict[str, Any] = {"tests": tests}
        if self.equal:
            form["equal"] = [[schema.names[place] for place in block] for block in self.equal]
        return form


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Rows are positive where one of the alternatives covers them; where none may, if `negated`."""

    schema: Schema = field(repr=False, compare=False, hash=False)
    alternatives: tuple[Conjunction, ...]
    negated: bool = False

    def covers(self, rows: Table) -> Bools:
        """Which rows of a table it takes for positive."""
        inputs = Schema(self.schema.attributes)
        columns = HypothesisColumns(align(rows, inputs))
        held = np.zeros(columns.rows, dtype=np.bool_)
        for each in self.alternatives:
            held |= each.covers(columns, doubting=self.negated)
        return ~held if self.negated else held

    def __invert__(self) -> Hypothesis:
        return Hypothesis(self.schema, self.alternatives, not self.negated)

    def __or__(self, other: Hypothesis) -> Hypothesis:
        if self.negated or other.negated:
            raise ParameterError(
                "Hypothesis: only hypotheses that are not negated can be joined by |; negate the whole."
            )
        return Hypothesis(self.schema, tuple(dict.fromkeys((*self.alternatives, *other.alternatives))))

    def __str__(self) -> str:
        parts = [each.text(self.schema) for each in self.alternatives]
        if self.negated:
            return " and ".join(f"not {each}" for each in parts) or "everything"
        return " or ".join(parts) or "nothing"

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "text": str(self),
            "negated": self.negated,
            "alternatives": [each.to_dict(self.schema) for each in self.alternatives],
        }


@dataclass(frozen=True, slots=True)
class Performance:
    """How often a hypothesis is right about rows: weights, which are counts unless rows have others."""

    #: Rows covered, and those of them that are positive.
    covered: float
    positive: float
    #: All rows, and those of them about which the hypothesis is right: positive and covered, or neither.
    rows: float
    right: float

    @property
    def share(self) -> float:
        """P(h): the fraction of all rows that are positive and covered, or neither (accuracy)."""
        return self.right / self.rows if self.rows else float("nan")

    @property
    def precision(self) -> float:
        """The share of positives among the rows covered: the other P(h)."""
        return self.positive / self.covered if self.covered else float("nan")

    def __str__(self) -> str:
        return (
            f"right on {self.right:g}/{self.rows:g} rows; of those covered {self.positive:g}/{self.covered:g} "
            "are positive"
        )


def performance_of(covered: Bools, positive: Bools, weights: Floats) -> Performance:
    """P(h) from what is covered and what is positive."""
    return Performance(
        float(weights[covered].sum()),
        float(weights[covered & positive].sum()),
        float(weights.sum()),
        float(weights[covered == positive].sum()),
    )


def covered_by(hypothesis: Any, rows: Table, schema: Schema) -> Bools:
    """The rows that a hypothesis covers, in whatever form it is given."""
    if isinstance(hypothesis, Hypothesis):
        return hypothesis.covers(rows)
    conditions = _conditions(hypothesis, schema)
    if conditions is not None:
        held = np.ones(len(rows), dtype=np.bool_)
        for condition in conditions:
            held &= condition.holds(rows)
        return held
    if isinstance(hypothesis, Callable):  # type: ignore[arg-type]  # a function of rows
        hypothesis = hypothesis(rows)
    if isinstance(hypothesis, np.ndarray) and hypothesis.dtype == np.bool_:
        if hypothesis.shape != (len(rows),):
            raise ParameterError(
                f"performance: a hypothesis given by what it covers needs one truth value for each of {len(rows)} "
                f"rows; got shape {hypothesis.shape}."
            )
        return hypothesis
    return hypothesis_of(hypothesis, schema).covers(rows)


def hypothesis_of(hypothesis: Any, schema: Schema) -> Hypothesis:
    """A hypothesis from cells: one for each attribute, or a mapping from attributes to cells.

    A cell is "?", a value, a set or list of values, or for numbers a pair (low, high).
    """
    if isinstance(hypothesis, Hypothesis):
        return hypothesis
    if isinstance(hypothesis, str):
        text = hypothesis.strip()
        if not (text.startswith("(") and text.endswith(")")):
            raise ParameterError(
                f"performance: write a hypothesis as (Y, ?, N) or as conditions; got {hypothesis!r}."
            )
        hypothesis = [cell.strip() for cell in text[1:-1].split(",")]
    if isinstance(hypothesis, Mapping):
        for name in hypothesis:
            if name not in schema.names:
                raise ParameterError(
                    f"performance: there is no attribute {name!r}.{did_you_mean(str(name), schema.names)}"
                )
        cells = [hypothesis.get(name, "?") for name in schema.names]
    elif isinstance(hypothesis, Sequence):
        cells = list(hypothesis)
    else:
        raise ParameterError(
            "performance: a hypothesis is a Hypothesis, one cell for each attribute, a mapping from attributes to "
            f"cells, conditions, a rule or a function of rows; got {hypothesis!r}."
        )
    if len(cells) != len(schema):
        raise ParameterError(
            f"performance: a hypothesis needs one cell for each of {len(schema)} attributes; got {len(cells)}."
        )
    tests = tuple(_test(cell, a) for cell, a in zip(cells, schema.attributes, strict=True))
    return Hypothesis(schema, (Conjunction(tests),))


def _conditions(hypothesis: Any, schema: Schema) -> tuple[Condition, ...] | None:
    if isinstance(hypothesis, str) and not hypothesis.strip().startswith("("):
        text = (
            hypothesis
            if hypothesis.strip().lower().startswith("if ")
            else f"if {hypothesis} then {schema.classes[0]!r}"
        )
        hypothesis = parse_rule(text, schema)
    if isinstance(hypothesis, Rule):
        return tuple(each for each in hypothesis.body if isinstance(each, Condition))
    if isinstance(hypothesis, Condition):
        return (hypothesis,)
    if (
        isinstance(hypothesis, (list, tuple))
        and hypothesis
        and all(isinstance(each, Condition) for each in hypothesis)
    ):
        return tuple(hypothesis)
    return None


def _test(cell: Any, attribute: Attribute) -> Test:
    if cell is None or (isinstance(cell, str) and cell == "?"):
        return None
    if attribute.is_numeric:
        if isinstance(cell, NumberRange):
            return cell
        pair = cell if isinstance(cell, (tuple, list)) else (cell, cell)
        try:
            low, high = (float(end) for end in pair)
        except (TypeError, ValueError):
            raise ParameterError(
                f"performance: {attribute.name!r} is numeric; its cell is '?', a number or a pair (low, high); "
                f"got {cell!r}."
            ) from None
        return NumberRange(low, high)
    values = cell if isinstance(cell, (tuple, list, set, frozenset)) else (cell,)
    named = {str(level): level for level in attribute.levels}
    chosen = []
    for value in values:
        level = value if value in attribute.levels else named.get(str(value))
        if level is None:
            raise ParameterError(
                f"performance: {attribute.name!r} has no level {value!r}.{did_you_mean(str(value), list(named))}"
            )
        chosen.append(level)
    return tuple(level for level in attribute.levels if level in chosen)


def _cell(test: Test, attribute: Attribute) -> str:
    if test is None:
        return "?"
    if isinstance(test, NumberRange):
        return test.text(attribute.form)
    if isinstance(test, AllBut):
        return "other"
    levels = [printable(str(level).lower() if isinstance(level, bool) else level) for level in test]
    return levels[0] if len(levels) == 1 else f"{{{', '.join(levels)}}}"
