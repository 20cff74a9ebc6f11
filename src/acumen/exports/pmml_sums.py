"""Sums of terms as a RegressionModel, naive Bayes as a NaiveBayesModel.

    Slope    a derived field: the number from its centre, and what stands for it where it is missing
    Count    of a single level a CategoricalPredictor
    Choice   a derived field for each class: Discretize or MapValues; of two attributes MapValues over their places
    others   a derived field that works its condition out: 1 or 0

Probabilities are the softmax of sums of logarithms, and the simplemax of votes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from acumen.codegen.terms import Count, LevelCases, Slope, Square, Term, TermSum
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.errors import DataError
from acumen.exports.places import Places, attributes_of, table_of
from acumen.exports.pmml_xml import Document, allowed_levels, constant, element, level, number, refuse_words

#: The intercept of a class that is never the answer.
_NEVER = -1e300
_CELLS = 1 << 16
Model = tuple[str, dict[str, str], list[ET.Element]]


def sums_model(
    document: Document, sums: Sequence[TermSum], labels: Sequence[str | None], normalisation: str
) -> Model:
    """A RegressionTable for each class."""
    writer = _Tables(document, sums)
    tables = []
    for c, (whole, label) in enumerate(zip(sums, labels, strict=True)):
        numeric, categorical = writer.predictors(c)
        intercept = number(_NEVER if whole.constant == -np.inf else whole.constant)
        tables.append(
            element("RegressionTable", *numeric, *categorical, intercept=intercept, targetCategory=label)
        )
    return "RegressionModel", {"normalizationMethod": normalisation}, tables


class _Tables:
    """The predictors of each sum; derived fields are shared where they are the same."""

    def __init__(self, document: Document, sums: Sequence[TermSum]) -> None:
        self.document, self.sums = document, sums

    def predictors(self, c: int) -> tuple[list[ET.Element], list[ET.Element]]:
        numeric: list[ET.Element] = []
        categorical: list[ET.Element] = []
        tables: dict[tuple[str, ...], list[Term]] = {}
        for term in self.sums[c].terms:
            if isinstance(term, Slope):
                numeric.append(self._slope(term))
            elif isinstance(term, Square):
                numeric.append(_once(self._square(term)))
            elif isinstance(term, Count) and _single_level(term, self.document):
                one = term.body[0]
                categorical.append(
                    element(
                        "CategoricalPredictor",
                        name=one.attribute,
                        value=level(one.value),
                        coefficient=number(term.weight),
                    )
                )
            elif isinstance(term, Count):
                numeric.append(self._weighted_predictor(term))
            else:
                tables.setdefault(attributes_of(term), []).append(term)
        for names, terms in tables.items():
            numeric += self._tables(names, terms)
        return numeric, categorical

    def _slope(self, term: Slope) -> ET.Element:
        absent = term.absent / term.weight if term.weight else 0.0
        source = element("FieldRef", field=self.document.field_of(term.attribute))
        node = element("Apply", source, constant(term.centre), function="-", mapMissingTo=number(absent))
        name = self.document.derive(
            ("-", term.attribute, term.centre, absent), f"{term.attribute} from {term.centre:.6g}", node
        )
        return element("NumericPredictor", name=name, coefficient=number(term.weight))

    def _square(self, term: Square) -> str:
        def away() -> ET.Element:
            source = element("FieldRef", field=self.document.field_of(term.attribute))
            return element("Apply", source, constant(term.centre), function="-")

        # Weighed first: the square alone of a number beyond 1e154 is infinite.
        bent = element(
            "Apply", element("Apply", away(), constant(term.weight), function="*"), away(), function="*"
        )
        node = element("Apply", bent, constant(term.start), function="+", mapMissingTo=number(term.absent))
        return self.document.derive(term, f"{term.attribute} around {term.centre:.6g}", node)

    def _weighted_predictor(self, term: Count) -> ET.Element:
        name = self.document.derive(
            term.body,
            "if " + " and ".join(map(str, term.body)),
            _if(self._body(term.body), 1.0, constant(0.0)),
        )
        return element("NumericPredictor", name=name, coefficient=number(term.weight))

    def _tables(self, names: tuple[str, ...], terms: Sequence[Term]) -> list[ET.Element]:
        document = self.document
        places = [Places.of(name, document.schema, [terms]) for name in names] if "" not in names else []
        size = int(np.prod([place.size for place in places]))
        if len(places) == 1:
            return [_once(self._of_one(places[0], terms))]
        if len(places) == 2 and size <= _CELLS:
            return [_once(self._of_two(places, terms))]
        elements = []
        for term in terms:
            assert isinstance(term, LevelCases)
            chain: ET.Element = constant(term.otherwise)
            for body, weight in reversed(term.cases):
                chain = _if(self._body(body), weight, chain)
            elements.append(_once(document.derive(term, "the first rule that holds", chain)))
        return elements

    def _of_one(self, place: Places, terms: Sequence[Term]) -> str:
        values = table_of([place], [terms])[:, 0]
        expression = _map_levels(place, values) if place.attribute.is_nominal else _bins(place, values)
        return self.document.derive((place.name, values.tobytes()), f"what {place.name} adds", expression)

    def _of_two(self, places: Sequence[Places], terms: Sequence[Term]) -> str:
        """A table over the places of both, each of which is a derived field that is never missing."""
        values = table_of(places, [terms])[:, 0].reshape(places[0].size, places[1].size)
        usual = float(np.median(values))
        usual = (
            max(set(values.ravel().tolist()), key=values.ravel().tolist().count)
            if values.size < 4096
            else usual
        )
        rows = [
            _row(str(a), str(b), number(float(values[a, b])))
            for a in range(places[0].size)
            for b in range(places[1].size)
            if values[a, b] != usual
        ]
        fields = [self._place(place) for place in places]
        pairs = [
            element("FieldColumnPair", field=f, column=c)
            for f, c in zip(fields, ("first", "second"), strict=True)
        ]
        node = element(
            "MapValues", *pairs, element("InlineTable", *rows), outputColumn="value", dataType="double",
            defaultValue=number(usual),
        )  # fmt: skip
        names = " and ".join(place.name for place in places)
        return self.document.derive((names, values.tobytes()), f"what {names} add together", node)

    def _place(self, place: Places) -> str:
        codes = [str(i) for i in range(place.size)]
        if place.attribute.is_nominal:
            rows = [_row(level(v), codes[i]) for i, v in enumerate(place.attribute.levels)]
            pair = element("FieldColumnPair", field=place.name, column="first")
            expression = element(
                "MapValues", pair, element("InlineTable", *rows), outputColumn="value", dataType="string",
                defaultValue=codes[-2], mapMissingTo=codes[-1],
            )  # fmt: skip
        else:
            expression = intervals(place, codes)
            expression.set("mapMissingTo", codes[-1])
            expression.set("dataType", "string")
        key = ("place", place.name, place.cuts.tobytes())
        return self.document.derive(key, f"place of {place.name}", expression, categorical="string")

    # -- conditions worked out ----------------------------------------------------------------------

    def _body(self, conditions: Sequence[Condition]) -> ET.Element:
        parts = [self._holds(one) for one in conditions]
        if not parts:
            return element("Apply", constant(0.0), constant(0.0), function="equal")
        return parts[0] if len(parts) == 1 else element("Apply", *parts, function="and")

    def _holds(self, one: Condition) -> ET.Element:
        """A condition as an expression that is true or false, never missing."""
        refuse_words(one)
        tested = one.attribute
        if isinstance(tested, CombinedAttributes) and not tested.is_numeric:
            raise DataError("to_pmml: a condition on two levels at once has no expression in PMML here.")
        name = self.document.field_of(tested)
        field = element("FieldRef", field=name)
        if one.op in ("missing", "known"):
            return element("Apply", field, function="isMissing" if one.op == "missing" else "isNotMissing")
        if isinstance(tested, str) and self.document.schema[tested].is_nominal:
            values: tuple[Any, ...]
            if one.op in ("!=", "not in"):
                values = one.value if one.op == "not in" else (one.value,)
                listed = [_text(value) for value in values]
                return element("Apply", field, *listed, function="isNotIn", mapMissingTo="false")
            listed = [_text(value) for value in allowed_levels(one, self.document.schema[tested].levels)]
            return element("Apply", field, *listed, function="isIn", mapMissingTo="false")

        def compare(function: str, value: float) -> ET.Element:
            again = element("FieldRef", field=name)
            return element("Apply", again, constant(float(value)), function=function, mapMissingTo="false")

        match one.op:
            case "<=":
                return compare("lessOrEqual", one.value)
            case ">":
                return compare("greaterThan", one.value)
            case "between":
                two = compare("greaterThan", one.value[0]), compare("lessOrEqual", one.value[1])
                return element("Apply", *two, function="and")
            case "=" | "!=":
                return compare("equal" if one.op == "=" else "notEqual", one.value)
            case _:
                listed = [constant(float(value)) for value in one.value]
                function = "isIn" if one.op == "in" else "isNotIn"
                return element("Apply", field, *listed, function=function, mapMissingTo="false")


def _single_level(term: Count, document: Document) -> bool:
    if len(term.body) != 1 or not isinstance(term.body[0].attribute, str):
        return False
    return term.body[0].op == "=" and document.schema[term.body[0].attribute].is_nominal


def _once(name: str) -> ET.Element:
    return element("NumericPredictor", name=name, coefficient="1.0")


def _if(holds: ET.Element, value: float, otherwise: ET.Element) -> ET.Element:
    return element("Apply", holds, constant(value), otherwise, function="if")


def _text(value: Any) -> ET.Element:
    node = element("Constant", dataType="string" if isinstance(value, str) else None)
    node.text = level(value)
    return node


def _row(*cells: str) -> ET.Element:
    """Cells in columns `first`, perhaps `second`, and `value`."""
    tags = ("first", "second")[: len(cells) - 1]
    node = element("row")
    for tag, text in zip((*tags, "value"), cells, strict=True):
        ET.SubElement(node, tag).text = text
    return node


def _map_levels(place: Places, values: Any) -> ET.Element:
    rows = [_row(level(v), number(float(values[i]))) for i, v in enumerate(place.attribute.levels)]
    pair = element("FieldColumnPair", field=place.name, column="first")
    return element(
        "MapValues", pair, element("InlineTable", *rows), outputColumn="value", dataType="double",
        defaultValue=number(float(values[-2])), mapMissingTo=number(float(values[-1])),
    )  # fmt: skip


def _bins(place: Places, values: Any) -> ET.Element:
    expression = intervals(place, [number(float(v)) for v in values])
    expression.set("mapMissingTo", number(float(values[-1])))
    expression.set("dataType", "double")
    return expression


def intervals(place: Places, texts: Sequence[str]) -> ET.Element:
    """Intervals (a, b] with what each becomes; neighbours that become the same are one."""
    cuts = place.cuts.tolist()
    bins, start = [], None
    for i in range(len(cuts) + 1):
        end = cuts[i] if i < len(cuts) else None
        if end is not None and texts[i] == texts[i + 1]:
            continue
        if start is None and end is None:  # an interval must have a margin
            interval = element("Interval", closure="closedOpen", leftMargin=number(-sys.float_info.max))
        else:
            interval = element(
                "Interval", closure="openClosed" if end is not None else "openOpen",
                leftMargin=None if start is None else number(start), rightMargin=None if end is None else number(end),
            )  # fmt: skip
        bins.append(element("DiscretizeBin", interval, binValue=texts[i]))
        start = end
    return element("Discretize", *bins, field=place.name)
