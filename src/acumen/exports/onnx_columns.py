"""The columns of a table as tensors of a graph, and conditions on them.

inputs    one for each attribute: numbers as double, NaN for missing; levels as text, empty for missing; levels that
          are numbers or truth values as double too
number    a numeric attribute, or a pair of them
code      a nominal attribute as whole numbers: a level's code, then one for levels nobody knows, one for missing
holds     a Condition as truth values
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.align import value_replacements
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.exports.onnx_graph import ML, OnnxGraph
from acumen.types import MISSING, UNKNOWN, Bools


@dataclass(slots=True)
class InputTensors:
    """The inputs of a graph under a schema; each tensor is made once."""

    graph: OnnxGraph
    schema: Schema
    values: dict[Any, str] = field(default_factory=dict)

    def declare(self) -> None:
        """One input for each attribute."""
        package = self.graph.package
        for a in self.schema.attributes:
            kind = package.TensorProto.STRING if by_text(a) else package.TensorProto.DOUBLE
            self.graph.inputs.append(package.helper.make_tensor_value_info(a.name, kind, [None, 1]))

    def _once(self, key: Any, make: Any) -> str:
        if key not in self.values:
            self.values[key] = make()
        return self.values[key]

    # -- values -----------------------------------------------------------------------------------

    def number(self, tested: str | CombinedAttributes) -> str:
        """(rows, 1) doubles, NaN where missing."""
        return self._once(("number", tested), lambda: self._number(tested))

    def _number(self, tested: str | CombinedAttributes) -> str:
        g = self.graph
        if isinstance(tested, CombinedAttributes):
            a, b = self.number(tested.first), self.number(tested.second)
            if tested.form == "ratio":
                nothing = g.add("Equal", b, g.constant([[0.0]]))
                return g.choose(nothing, g.constant([[np.nan]]), g.add("Div", a, b))
            return g.add("Mul" if tested.form == "product" else "Sub", a, b)
        number = tested
        for text, other in value_replacements(self.schema[tested]).items():
            same = g.add("Equal", number, g.constant([[float(text)]]))
            number = g.choose(same, g.constant([[np.nan if other is None else float(other)]]), number)
        return number

    def finite(self, tested: str | CombinedAttributes) -> str:
        """Where there is a number, neither missing nor infinite."""
        g = self.graph
        most = g.constant([[sys.float_info.max]])
        return self._once(
            ("finite", tested), lambda: g.add("LessOrEqual", g.add("Abs", self.number(tested)), most)
        )

    def code(self, name: str) -> str:
        """(rows, 1) whole numbers: levels, `len(levels)` for unknown, one more for missing."""
        return self._once(("code", name), lambda: self._code(self.schema[name]))

    def _code(self, a: Attribute) -> str:
        g, n = self.graph, len(a.levels)
        place = {level: code for code, level in enumerate(a.levels)}
        for text, other in value_replacements(a).items():
            place[text] = n + 1 if other is None else place.get(other, n)
        if by_text(a):
            keys = {str(level): code for level, code in place.items()}
            keys.setdefault("", n + 1)
            return g.add(
                "LabelEncoder", a.name, domain=ML, keys_strings=list(keys), values_int64s=list(keys.values()),
                default_int64=n,
            )  # fmt: skip
        values = np.array([[float(level) for level in place]])
        apart = np.array([[code - n for code in place.values()]], dtype=np.float64)
        hit = g.number(g.add("Equal", a.name, g.constant(values)))
        matches = g.over_columns("ReduceSum", g.add("Mul", hit, g.constant(apart)))
        known = g.add("Add", matches, g.constant([[float(n)]]))
        return g.place(g.choose(g.add("IsNaN", a.name), g.constant([[n + 1.0]]), known))

    def both(self, first: str, second: str) -> tuple[str, tuple[int, int]]:
        """Two codes as one, and how many each has."""
        g = self.graph
        size = len(self.schema[first].levels) + 2, len(self.schema[second].levels) + 2
        return g.add("Add", g.add("Mul", self.code(first), g.whole([[size[1]]])), self.code(second)), size

    # -- conditions -------------------------------------------------------------------------------

    def body(self, conditions: Sequence[Condition]) -> str:
        """Where all conditions hold; (rows, 1) truth values."""
        g = self.graph
        if not conditions:
            first = self.schema.attributes[0]
            there = g.place(self.finite(first.name)) if first.is_numeric else self.code(first.name)
            return self._once("always", lambda: g.add("GreaterOrEqual", there, g.whole([[0]])))
        holds_all = self.holds(conditions[0])
        for one in conditions[1:]:
            holds_all = g.add("And", holds_all, self.holds(one))
        return holds_all

    def holds(self, one: Condition) -> str:
        return self._once(one, lambda: self._holds(one))

    def _holds(self, one: Condition) -> str:
        refuse_words(one)
        tested, g = one.attribute, self.graph
        if isinstance(tested, CombinedAttributes) and not tested.is_numeric:
            codes, size = self.both(tested.first, tested.second)
            table = holds_of_codes(one, self.schema, (tested.first, tested.second)).reshape(
                size[0] * size[1], 1
            )
            return g.looked_up(g.constant(table, np.bool_), codes)
        if isinstance(tested, str) and self.schema[tested].is_nominal:
            table = holds_of_codes(one, self.schema, (tested,)).reshape(-1, 1)
            return g.looked_up(g.constant(table, np.bool_), self.code(tested))
        return self._of_number(one)

    def _of_number(self, one: Condition) -> str:
        g = self.graph
        x = self.number(one.attribute)

        def compare(kind: str, value: Any) -> str:
            return g.add(kind, x, g.constant([[float(value)]]))

        missing = g.add("IsNaN", x)
        match one.op:
            case "missing":
                return missing
            case "known":
                return g.negate(missing)
            case "<=":
                return compare("LessOrEqual", one.value)
            case ">":
                return compare("Greater", one.value)
            case "between":
                return g.add("And", compare("Greater", one.value[0]), compare("LessOrEqual", one.value[1]))
            case _:
                values = one.value if one.op in ("in", "not in") else (one.value,)
                holds_any = compare("Equal", values[0])
                for value in values[1:]:
                    holds_any = g.add("Or", holds_any, compare("Equal", value))
                if one.op in ("=", "in"):
                    return holds_any
                return g.add("And", g.negate(holds_any), g.negate(missing))


def by_text(a: Attribute) -> bool:
    """Whether a column is given as texts; else as numbers, truth values as 1 and 0."""
    if a.is_numeric:
        return False
    words = {isinstance(level, str) for level in a.levels}
    if a.kind != "text" and words == {True, False}:
        raise DataError(
            f"to_onnx: the levels of {a.name!r} are texts and numbers, and a column of a graph is either; rename them."
        )
    return a.kind == "text" or words != {False}


def refuse_words(one: Condition) -> None:
    """DataError for conditions on words."""
    if one.op in ("has", "has not"):
        raise DataError(
            f"to_onnx: the condition {str(one)!r} asks for a word of a text, and ONNX has no words that cut texts as "
            "acumen does. Learn without the text column."
        )


def code_rows(schema: Schema, names: Sequence[str]) -> Table:
    """A row for every combination of codes of some nominal attributes, unknown and missing last, as `both` counts."""
    sizes = [len(schema[name].levels) for name in names]
    codes = [np.append(np.arange(n, dtype=np.int32), [UNKNOWN, MISSING]).astype(np.int32) for n in sizes]
    grid = np.meshgrid(*codes, indexing="ij")
    some = Schema(tuple(schema[name] for name in names))
    return Table(
        some, int(np.prod([n + 2 for n in sizes])), nominal=[np.ascontiguousarray(g.ravel()) for g in grid]
    )


def holds_of_codes(one: Condition, schema: Schema, names: Sequence[str]) -> Bools:
    return np.asarray(one.holds(code_rows(schema, names)), dtype=np.bool_)
