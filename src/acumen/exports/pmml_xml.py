"""Elements of a PMML 4.4 document: the dictionary of fields, derived fields, predicates and expressions.

    Document    what a document is made of, while it is made
    predicate   conditions as predicates, which are unknown where a value is missing
    expression  conditions as expressions, false where a value is missing

Written with the standard library alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from xml.etree import ElementTree as ET

from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.align import value_replacements
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError
from acumen.types import Label

NAMESPACE: Final = "http://www.dmg.org/PMML-4_4"
_OPERATORS: Final = {"<=": "lessOrEqual", ">": "greaterThan", "=": "equal", "!=": "notEqual"}
_ARITHMETIC: Final = {"product": "*", "ratio": "/", "difference": "-"}


def element(tag: str, *children: ET.Element, **attributes: Any) -> ET.Element:
    """An element; attributes that are None are left out."""
    attributes_given = {name: writable(str(value)) for name, value in attributes.items() if value is not None}
    node = ET.Element(tag, attributes_given)
    node.extend(children)
    return node


def writable(text: str) -> str:
    """A text that XML can hold."""
    for c in text:
        if (c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff":
            raise DataError(
                f"to_pmml: the text {text!r} holds a character that XML cannot write; rename it first."
            )
    return text


def number(value: float) -> str:
    """A number that is read back as the very same one."""
    if not math.isfinite(value):
        raise DataError(f"to_pmml: {value} is no number that PMML can hold.")
    return repr(float(value))


def level(value: Label) -> str:
    """A level or class as PMML writes it."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def data_type(levels: Sequence[Label]) -> str:
    """What levels are."""
    kinds = {type(value) for value in levels}
    return (
        {bool: "boolean", int: "integer", float: "double"}.get(kinds.pop(), "string")
        if len(kinds) == 1
        else "string"
    )


def array(values: Sequence[Label]) -> ET.Element:
    """A list of levels or numbers."""
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    node = element("Array", n=len(values), type="real" if numbers else "string")
    if numbers:
        node.text = " ".join(number(float(v)) for v in values)
    else:
        escaped = (level(v).replace("\\", "\\\\").replace('"', '\\"') for v in values)
        node.text = " ".join(f'"{writable(text)}"' for text in escaped)
    return node


@dataclass(slots=True)
class Document:
    """Fields of a schema, and those derived from them."""

    schema: Schema
    unknown: str = "asMissing"  # how levels that nobody knows are taken
    derived: list[ET.Element] = field(default_factory=list)
    names: dict[Any, str] = field(default_factory=dict)

    # -- fields -----------------------------------------------------------------------------------

    def data_field(self, a: Attribute) -> ET.Element:
        synonyms = value_replacements(a)
        if others := [value for value, other in synonyms.items() if other is not None]:
            raise DataError(
                f"to_pmml: the value {others[0]!r} of {a.name!r} is merged with another, which PMML cannot say. Give "
                "both one name in the file, and learn again."
            )
        values = [element("Value", value=level(value)) for value in a.levels]
        values += [element("Value", value=level(value), property="missing") for value in synonyms]
        if a.is_numeric:
            return element("DataField", *values, name=a.name, optype="continuous", dataType="double")
        optype = "ordinal" if a.ordered else "categorical"
        return element("DataField", *values, name=a.name, optype=optype, dataType=data_type(a.levels))

    def mining_schema(self, used: Sequence[Attribute]) -> ET.Element:
        fields = [
            element(
                "MiningField",
                name=a.name,
                usageType="active",
                invalidValueTreatment=None if a.is_numeric else self.unknown,
            )
            for a in used
        ]
        target = self.schema.target
        assert target is not None
        return element("MiningSchema", element("MiningField", name=target.name, usageType="target"), *fields)

    def outputs(self, what: str) -> ET.Element:
        """The prediction, and the probability of each class, or the confidence of what is said; "" for neither."""
        target = self.schema.target
        assert target is not None
        kind = "double" if target.is_numeric else data_type(target.levels)
        optype = "continuous" if target.is_numeric else "categorical"
        fields = [
            element(
                "OutputField",
                name=self._free("prediction"),
                optype=optype,
                dataType=kind,
                feature="predictedValue",
            )
        ]
        if what == "confidence":
            name = self._free("confidence")
            fields.append(
                element(
                    "OutputField", name=name, optype="continuous", dataType="double", feature="confidence"
                )
            )
        if what == "probability":
            fields += [
                element(
                    "OutputField", name=self._free(f"P({label})"), optype="continuous", dataType="double",
                    feature="probability", value=level(label),
                )
                for label in self.schema.classes
            ]  # fmt: skip
        return element("Output", *fields)

    def _free(self, name: str) -> str:
        taken = {*self.schema.columns, *self.names.values()}
        while name in taken:
            name += "_"
        return name

    def derive(self, key: Any, name: str, expression: ET.Element, *, categorical: str | None = None) -> str:
        """The name of a derived field, made once; of numbers unless a type of levels is given."""
        if key not in self.names:
            self.names[key] = free = self._free(name)
            optype = "categorical" if categorical else "continuous"
            node = element(
                "DerivedField", expression, name=free, optype=optype, dataType=categorical or "double"
            )
            self.derived.append(node)
        return self.names[key]

    def transformations(self) -> list[ET.Element]:
        return [element("LocalTransformations", *self.derived)] if self.derived else []

    def field_of(self, tested: str | CombinedAttributes) -> str:
        """The field of an attribute, or of what is made of two numbers."""
        if isinstance(tested, str):
            return tested
        a, b = (element("FieldRef", field=name) for name in (tested.first, tested.second))
        node = element("Apply", a, b, function=_ARITHMETIC[tested.form])
        if tested.form == "ratio":
            zero = element("Apply", element("FieldRef", field=tested.second), constant(0.0), function="equal")
            nothing = element("Constant", dataType="double", missing="true")
            node = element("Apply", zero, nothing, node, function="if")
        return self.derive(tested, str(tested), node)

    # -- conditions -------------------------------------------------------------------------------

    def predicate(self, conditions: Sequence[Condition]) -> ET.Element:
        """That all conditions hold."""
        parts = [self.one(condition) for condition in conditions]
        return both(parts) if parts else element("True")

    def one(self, condition: Condition) -> ET.Element:
        """One condition."""
        tested, op, value = condition.attribute, condition.op, condition.value
        refuse_words(condition)
        if isinstance(tested, CombinedAttributes) and not tested.is_numeric:
            return self._of_levels(condition, tested)
        name = self.field_of(tested)
        if op in ("missing", "known"):
            return element(
                "SimplePredicate", field=name, operator="isMissing" if op == "missing" else "isNotMissing"
            )
        if isinstance(tested, str) and self.schema[tested].is_nominal:
            return self._among(name, condition, self.schema[tested])
        if op == "between":
            return both([self._comparison(name, ">", value[0]), self._comparison(name, "<=", value[1])])
        if op in ("in", "not in"):
            return element(
                "SimpleSetPredicate",
                array(value),
                field=name,
                booleanOperator="isIn" if op == "in" else "isNotIn",
            )
        return self._comparison(name, op, value)

    def _comparison(self, name: str, op: str, value: Any) -> ET.Element:
        if isinstance(value, float) and math.isinf(value):
            always = (value > 0) == (op == "<=")
            known = element("SimplePredicate", field=name, operator="isNotMissing")
            return known if always else element("False")
        text = (
            number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else level(value)
        )
        return element("SimplePredicate", field=name, operator=_OPERATORS[op], value=text)

    def _among(self, name: str, one: Condition, a: Attribute) -> ET.Element:
        if one.op in ("=", "!="):
            return element("SimplePredicate", field=name, operator=_OPERATORS[one.op], value=level(one.value))
        if one.op == "not in":
            return element("SimpleSetPredicate", array(one.value), field=name, booleanOperator="isNotIn")
        return element(
            "SimpleSetPredicate", array(allowed_levels(one, a.levels)), field=name, booleanOperator="isIn"
        )

    def _of_levels(self, one: Condition, pair: CombinedAttributes) -> ET.Element:
        """A condition on two levels at once."""
        missing = [
            element("SimplePredicate", field=name, operator="isMissing") for name in (pair.first, pair.second)
        ]
        if one.op == "missing":
            return either(missing)
        known = [
            element("SimplePredicate", field=name, operator="isNotMissing")
            for name in (pair.first, pair.second)
        ]
        if one.op == "known":
            return both(known)
        together: dict[Any, list[Any]] = {}
        for first, second in one.value if one.op in ("in", "not in") else (one.value,):
            together.setdefault(first, []).append(second)
        hits = [(first, seconds, one.op in ("=", "in")) for first, seconds in together.items()]
        if one.op in ("=", "in"):
            return either(
                [both([self._level(pair.first, f), self._levels(pair.second, s)]) for f, s, _ in hits]
            )
        # in none of them: of each first level that is named the second is another one
        return both(
            [
                *known,
                *(
                    either(
                        [
                            element("SimplePredicate", field=pair.first, operator="notEqual", value=level(f)),
                            element(
                                "SimpleSetPredicate", array(s), field=pair.second, booleanOperator="isNotIn"
                            ),
                        ]
                    )
                    for f, s, _ in hits
                ),
            ]
        )

    def _level(self, name: str, value: Label) -> ET.Element:
        return element("SimplePredicate", field=name, operator="equal", value=level(value))

    def _levels(self, name: str, values: Sequence[Label]) -> ET.Element:
        return element("SimpleSetPredicate", array(values), field=name, booleanOperator="isIn")


def allowed_levels(one: Condition, levels: tuple[Label, ...]) -> tuple[Label, ...]:
    """The levels that a condition allows."""
    if one.op in ("=", "in"):
        return tuple(one.value) if one.op == "in" else (one.value,)
    if one.op == "between":
        return levels[levels.index(one.value[0]) + 1 : levels.index(one.value[1]) + 1]
    at = levels.index(one.value) + 1
    return levels[:at] if one.op == "<=" else levels[at:]


def both(parts: Sequence[ET.Element]) -> ET.Element:
    """That all predicates hold."""
    return parts[0] if len(parts) == 1 else element("CompoundPredicate", *parts, booleanOperator="and")


def either(parts: Sequence[ET.Element]) -> ET.Element:
    """That one of the predicates holds."""
    if not parts:
        return element("False")
    return parts[0] if len(parts) == 1 else element("CompoundPredicate", *parts, booleanOperator="or")


def constant(value: float) -> ET.Element:
    node = element("Constant", dataType="double")
    node.text = number(value)
    return node


def refuse_words(one: Condition) -> None:
    """DataError for conditions on words."""
    if one.op in ("has", "has not"):
        raise DataError(
            f"to_pmml: the condition {str(one)!r} asks for a word of a text, which PMML cannot cut as acumen does. "
            "Learn without the text column, or use to_python."
        )
