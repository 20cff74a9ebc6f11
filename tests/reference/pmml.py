"""A small evaluator of PMML 4.4, written from its documentation: trees, rule sets, regressions, naive Bayes.

Scores one row at a time: a mapping from fields to values, None for missing. It knows nothing of acumen. `problems`
looks at the order of elements and at attributes and their values, as the schema of PMML 4.4 has them, and whether ids,
numbers of things and classes fit together, which no schema says.
"""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree as ET

Row = dict[str, Any]
_WORDS = (None, "true", "false")
NAMESPACE = "{http://www.dmg.org/PMML-4_4}"


class Document:
    """A parsed document; `score` gives the prediction and the probabilities by class."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text.split("\n", 1)[1])
        for one in self.root.iter():
            assert one.tag.startswith(NAMESPACE), one.tag
            one.tag = one.tag.removeprefix(NAMESPACE)
        self.model = self.root[2]
        self.types = {f.get("name"): f for f in self.root.find("DataDictionary")}
        self.fields = self.model.find("MiningSchema")
        self.derived = {f.get("name"): f for f in self.model.iterfind("LocalTransformations/DerivedField")}
        self.target = next(f.get("name") for f in self.fields if f.get("usageType") == "target")

    def score(self, row: Row) -> tuple[Any, dict[str, float]]:
        values = self._taken(row)
        say = {
            "TreeModel": _tree,
            "RuleSetModel": _rules,
            "RegressionModel": _regression,
            "NaiveBayesModel": _bayes,
        }
        return say[self.model.tag](self, values)

    def _taken(self, row: Row) -> Row:
        """Values as the dictionary and the mining schema take them."""
        made: Row = {}
        for one in self.fields:
            name = one.get("name")
            if one.get("usageType") == "target":
                continue
            value, field = row.get(name), self.types[name]
            listed = {v.get("value"): v.get("property", "valid") for v in field.iterfind("Value")}
            text = _text(value)
            if value is not None and listed.get(text) == "missing":
                value = None
            valid = [v for v, kind in listed.items() if kind == "valid"]
            if value is not None and field.get("optype") != "continuous" and valid and text not in valid:
                how = one.get("invalidValueTreatment", "returnInvalid")
                assert how in ("asMissing", "asIs"), how
                value = None if how == "asMissing" else value
            made[name] = value
        return made

    def value(self, name: str, row: Row) -> Any:
        if name in row:
            return row[name]
        field = self.derived[name]
        found = expression(self, field[0], row)
        if found is not None:
            found = float(found) if field.get("dataType") == "double" else str(found)
        row[name] = found
        return found


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _same(value: Any, written: str) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) == float(written)
    return _text(value) == written


# -- expressions and predicates ---------------------------------------------------------------------


def expression(document: Document, e: ET.Element, row: Row) -> Any:
    match e.tag:
        case "FieldRef":
            found = document.value(e.get("field"), row)
            return e.get("mapMissingTo") if found is None else found
        case "Constant":
            if e.get("missing") == "true":
                return None
            return float(e.text) if e.get("dataType") == "double" else e.text or ""
        case "Apply":
            return _apply(document, e, row)
        case "Discretize":
            value = document.value(e.get("field"), row)
            if value is None:
                return e.get("mapMissingTo")
            for one in e:
                if _within(one[0], value):
                    return one.get("binValue")
            return e.get("defaultValue")
        case "MapValues":
            return _mapped(document, e, row)
    raise AssertionError(e.tag)


def _within(interval: ET.Element, value: float) -> bool:
    left, right, closure = interval.get("leftMargin"), interval.get("rightMargin"), interval.get("closure")
    assert left is not None or right is not None
    low = left is None or value > float(left) or (closure.startswith("closed") and value == float(left))
    return low and (
        right is None or value < float(right) or (closure.endswith("Closed") and value == float(right))
    )


def _mapped(document: Document, e: ET.Element, row: Row) -> Any:
    pairs = [
        (one.get("column"), document.value(one.get("field"), row)) for one in e.iterfind("FieldColumnPair")
    ]
    if any(value is None for _, value in pairs):
        return e.get("mapMissingTo")
    for line in e.find("InlineTable"):
        if all(_same(value, line.find(column).text or "") for column, value in pairs):
            return line.find(e.get("outputColumn")).text
    return e.get("defaultValue")


def _apply(document: Document, e: ET.Element, row: Row) -> Any:
    function = e.get("function")
    if function == "if":
        chosen = e[1] if expression(document, e[0], row) is True else e[2]
        return expression(document, chosen, row)
    given = [expression(document, one, row) for one in e]
    if function in ("isMissing", "isNotMissing"):
        return (given[0] is None) == (function == "isMissing")
    if any(one is None for one in given):
        mapped = e.get("mapMissingTo")
        return {None: None, "true": True, "false": False}[mapped] if mapped in _WORDS else float(mapped)
    match function:
        case "+":
            return given[0] + given[1]
        case "-":
            return given[0] - given[1]
        case "*":
            return given[0] * given[1]
        case "/":
            return given[0] / given[1]
        case "and":
            return all(given)
        case "or":
            return any(given)
        case "equal":
            return given[0] == given[1]
        case "notEqual":
            return given[0] != given[1]
        case "lessOrEqual":
            return given[0] <= given[1]
        case "greaterThan":
            return given[0] > given[1]
        case "isIn" | "isNotIn":
            there = any(_same(given[0], _text(one)) for one in given[1:])
            return there == (function == "isIn")
    raise AssertionError(function)


def predicate(document: Document, e: ET.Element, row: Row) -> bool | None:
    """True, False, or None where it cannot be told."""
    match e.tag:
        case "True":
            return True
        case "False":
            return False
        case "SimplePredicate":
            value, op = document.value(e.get("field"), row), e.get("operator")
            if op in ("isMissing", "isNotMissing"):
                return (value is None) == (op == "isMissing")
            if value is None:
                return None
            if op in ("equal", "notEqual"):
                return _same(value, e.get("value")) == (op == "equal")
            bound = float(e.get("value"))
            return {"lessOrEqual": value <= bound, "greaterThan": value > bound}[op]
        case "SimpleSetPredicate":
            value = document.value(e.get("field"), row)
            if value is None:
                return None
            there = any(_same(value, one) for one in _array(e[0]))
            return there == (e.get("booleanOperator") == "isIn")
        case "CompoundPredicate":
            found = [predicate(document, one, row) for one in e]
            first = e.get("booleanOperator") == "or"
            if first in found:
                return first
            return None if None in found else not first
    raise AssertionError(e.tag)


def _array(e: ET.Element) -> list[str]:
    if e.get("type") != "string":
        found = e.text.split()
    else:
        found = [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r'"((?:[^"\\]|\\.)*)"', e.text)]
    assert len(found) == int(e.get("n"))
    return found


# -- models -----------------------------------------------------------------------------------------


def _shares(node: ET.Element) -> dict[str, float]:
    return {d.get("value"): float(d.get("probability")) for d in node.iterfind("ScoreDistribution")}


def _tree(document: Document, row: Row) -> tuple[Any, dict[str, float]]:
    root = document.model.find("Node")
    if document.model.get("missingValueStrategy") == "weightedConfidence":
        shares = _weighted(document, root, row)
        return max(shares, key=lambda label: shares[label]), shares
    assert document.model.get("missingValueStrategy") == "none"
    node = root
    while children := node.findall("Node"):
        node = next(one for one in children if predicate(document, one[0], row) is True)
    return node.get("score"), _shares(node)


def _weighted(document: Document, node: ET.Element, row: Row) -> dict[str, float]:
    """Confidences; where a predicate cannot be told, of all children that are not false, by their record counts."""
    children = node.findall("Node")
    if not children:
        return _shares(node)
    told = [predicate(document, one[0], row) for one in children]
    if True in told and None not in told[: told.index(True)]:
        return _weighted(document, children[told.index(True)], row)
    assert None in told, "no child is true"
    some = [one for one, t in zip(children, told, strict=True) if t is not False]
    total = sum(float(one.get("recordCount")) for one in some)
    made: dict[str, float] = {}
    for one in some:
        for label, share in _weighted(document, one, row).items():
            made[label] = made.get(label, 0.0) + share * float(one.get("recordCount")) / total
    return made


def _rules(document: Document, row: Row) -> tuple[Any, dict[str, float]]:
    rules = document.model.find("RuleSet")
    assert rules.find("RuleSelectionMethod").get("criterion") == "firstHit"
    for one in rules.iterfind("SimpleRule"):
        if predicate(document, one[0], row) is True:
            assert math.isclose(float(one.get("confidence")), _shares(one)[one.get("score")])
            return one.get("score"), _shares(one)
    return rules.get("defaultScore"), _shares(rules)


def _regression(document: Document, row: Row) -> tuple[Any, dict[str, float]]:
    sums: dict[str, float] = {}
    for table in document.model.iterfind("RegressionTable"):
        total = float(table.get("intercept"))
        for one in table.iterfind("NumericPredictor"):
            total += float(document.value(one.get("name"), row)) * float(one.get("coefficient"))
        for one in table.iterfind("CategoricalPredictor"):
            value = document.value(one.get("name"), row)
            total += (
                float(one.get("coefficient")) if value is not None and _same(value, one.get("value")) else 0.0
            )
        sums[table.get("targetCategory", "")] = total
    how = document.model.get("normalizationMethod")
    if document.model.get("functionName") == "regression":
        return sums[""], {}
    if how == "softmax":
        top = max(sums.values())
        sums = {label: math.exp(total - top) for label, total in sums.items()}
    else:
        assert how == "simplemax"
    whole = sum(sums.values())
    shares = {label: total / whole for label, total in sums.items()}
    return max(shares, key=lambda label: shares[label]), shares


def _bayes(document: Document, row: Row) -> tuple[Any, dict[str, float]]:
    threshold = float(document.model.get("threshold"))
    counts = document.model.iterfind("BayesOutput/TargetValueCounts/TargetValueCount")
    logs = {one.get("value"): math.log(float(one.get("count"))) for one in counts}
    for one in document.model.iterfind("BayesInputs/BayesInput"):
        value = document.value(one.get("fieldName"), row)
        if value is None:
            continue
        if one[0].tag == "TargetValueStats":
            for stat in one[0]:
                mean, variance = (float(stat[0].get(name)) for name in ("mean", "variance"))
                density = math.exp(-((value - mean) ** 2) / (2 * variance)) / math.sqrt(
                    2 * math.pi * variance
                )
                logs[stat.get("value")] += math.log(max(density, threshold))
            continue
        pairs = {pair.get("value"): _counts(pair) for pair in one}
        hit = next(own for written, own in pairs.items() if _same(value, written))
        for label in logs:
            logs[label] += math.log(hit[label] / sum(own[label] for own in pairs.values()))
    top = max(logs.values())
    shares = {label: math.exp(log - top) for label, log in logs.items()}
    whole = sum(shares.values())
    return max(shares, key=lambda label: shares[label]), {
        label: share / whole for label, share in shares.items()
    }


def _counts(pair: ET.Element) -> dict[str, float]:
    return {one.get("value"): float(one.get("count")) for one in pair[0]}


# -- the schema, as far as it is used -----------------------------------------------------------------

_PREDICATE = "(SimplePredicate|CompoundPredicate|SimpleSetPredicate|True|False) "
_EXPRESSION = "(FieldRef|Constant|Apply|Discretize|MapValues) "
_MODEL = "MiningSchema Output (LocalTransformations )?"
#: Of each element: its children in order, as an expression over their tags, and the attributes it must have.
ELEMENTS: dict[str, tuple[str, str]] = {
    "PMML": ("Header DataDictionary (TreeModel|RuleSetModel|RegressionModel|NaiveBayesModel) ", "version"),
    "Header": ("Application ", ""),
    "Application": ("", "name"),
    "DataDictionary": ("(DataField )+", ""),
    "DataField": ("(Value )*", "name optype dataType"),
    "Value": ("", "value"),
    "MiningSchema": ("(MiningField )+", ""),
    "MiningField": ("", "name"),
    "Output": ("(OutputField )+", ""),
    "OutputField": ("", "name dataType"),
    "LocalTransformations": ("(DerivedField )*", ""),
    "DerivedField": (_EXPRESSION, "optype dataType"),
    "FieldRef": ("", "field"),
    "Constant": ("", ""),
    "Apply": (f"({_EXPRESSION})*", "function"),
    "Discretize": ("(DiscretizeBin )*", "field"),
    "DiscretizeBin": ("Interval ", "binValue"),
    "Interval": ("", "closure"),
    "MapValues": ("(FieldColumnPair )*(InlineTable )?", "outputColumn"),
    "FieldColumnPair": ("", "field column"),
    "InlineTable": ("(row )*", ""),
    "TreeModel": (f"{_MODEL}Node ", "functionName"),
    "Node": (f"{_PREDICATE}(ScoreDistribution )*(Node )*", ""),
    "ScoreDistribution": ("", "value recordCount"),
    "SimplePredicate": ("", "field operator"),
    "SimpleSetPredicate": ("Array ", "field booleanOperator"),
    "CompoundPredicate": (f"({_PREDICATE}){{2,}}", "booleanOperator"),
    "True": ("", ""),
    "False": ("", ""),
    "Array": ("", "type"),
    "RuleSetModel": (f"{_MODEL}RuleSet ", "functionName"),
    "RuleSet": ("(RuleSelectionMethod )+(ScoreDistribution )*(SimpleRule )*", ""),
    "RuleSelectionMethod": ("", "criterion"),
    "SimpleRule": (f"{_PREDICATE}(ScoreDistribution )*", "score"),
    "RegressionModel": (f"{_MODEL}(RegressionTable )+", "functionName"),
    "RegressionTable": ("(NumericPredictor )*(CategoricalPredictor )*", "intercept"),
    "NumericPredictor": ("", "name coefficient"),
    "CategoricalPredictor": ("", "name value coefficient"),
    "NaiveBayesModel": (f"{_MODEL}BayesInputs BayesOutput ", "threshold functionName"),
    "BayesInputs": ("(BayesInput )+", ""),
    "BayesInput": ("(TargetValueStats |(PairCounts )+)", "fieldName"),
    "TargetValueStats": ("(TargetValueStat )+", ""),
    "TargetValueStat": ("GaussianDistribution ", "value"),
    "GaussianDistribution": ("", "mean variance"),
    "PairCounts": ("TargetValueCounts ", "value"),
    "TargetValueCounts": ("(TargetValueCount )+", ""),
    "TargetValueCount": ("", "value count"),
    "BayesOutput": ("TargetValueCounts ", "fieldName"),
}


#: What an element may have besides what it must.
OPTIONAL = {
    "PMML": "x-baseVersion", "Header": "copyright description modelVersion", "Application": "version",
    "DataDictionary": "numberOfFields", "DataField": "displayName taxonomy isCyclic", "Value": "displayValue property",
    "MiningField": "usageType optype importance outliers lowValue highValue missingValueReplacement "
    "missingValueTreatment invalidValueTreatment invalidValueReplacement",
    "OutputField": "displayName optype targetField feature value isFinalResult",
    "DerivedField": "name displayName", "FieldRef": "mapMissingTo", "Constant": "dataType missing",
    "Apply": "mapMissingTo defaultValue invalidValueTreatment", "Discretize": "mapMissingTo defaultValue dataType",
    "Interval": "leftMargin rightMargin", "MapValues": "mapMissingTo defaultValue dataType",
    "TreeModel": "modelName algorithmName missingValueStrategy missingValuePenalty noTrueChildStrategy "
    "splitCharacteristic isScorable",
    "Node": "id score recordCount defaultChild", "ScoreDistribution": "confidence probability",
    "SimplePredicate": "value", "Array": "n", "RuleSetModel": "modelName algorithmName isScorable",
    "RuleSet": "recordCount nbCorrect defaultScore defaultConfidence",
    "SimpleRule": "id recordCount nbCorrect confidence weight",
    "RegressionModel": "modelName algorithmName modelType targetFieldName normalizationMethod isScorable",
    "RegressionTable": "targetCategory", "NumericPredictor": "exponent",
    "NaiveBayesModel": "modelName algorithmName isScorable",
}  # fmt: skip
#: What an attribute may be, where it is one of a few words.
CHOICES = {
    "optype": "categorical ordinal continuous",
    "dataType": "string integer float double boolean date time dateTime dateDaysSince[1970] dateTimeSecondsSince[1970]",
    "property": "valid invalid missing",
    "usageType": "active predicted target supplementary group order frequencyWeight analysisWeight",
    "missingValueTreatment": "asIs asMean asMode asMedian asValue returnInvalid",
    "invalidValueTreatment": "returnInvalid asIs asMissing asValue",
    "feature": "predictedValue transformedValue decision probability confidence ruleValue entityId",
    "closure": "openClosed openOpen closedOpen closedClosed",
    "functionName": "classification regression",
    "missingValueStrategy": "lastPrediction nullPrediction defaultChild weightedConfidence aggregateNodes none",
    "noTrueChildStrategy": "returnNullPrediction returnLastPrediction",
    "splitCharacteristic": "binarySplit multiSplit",
    "operator": "equal notEqual lessThan lessOrEqual greaterThan greaterOrEqual isMissing isNotMissing",
    "booleanOperator": "isIn isNotIn or and xor surrogate",
    "type": "int real string",
    "criterion": "weightedSum weightedMax firstHit",
    "modelType": "linearRegression stepwisePolynomialRegression logisticRegression",
    "normalizationMethod": "none simplemax softmax logit probit cloglog exp loglog cauchit",
    "isScorable": "true false",
    "missing": "true false",
}
#: Attributes that are numbers wherever they are; those of `WHOLE` have no fraction.
NUMBERS = (
    "leftMargin rightMargin recordCount confidence probability nbCorrect weight defaultConfidence intercept"
)
NUMBERS += " coefficient threshold mean variance count missingValuePenalty importance lowValue highValue"
WHOLE = ("numberOfFields", "n", "exponent")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def _attribute_problems(one: ET.Element, needed: str) -> list[str]:
    """Attributes that an element may not have, and values that an attribute may not."""
    allowed = {*needed.split(), *OPTIONAL.get(one.tag, "").split()}
    made = [f"{one.tag} may have no {name}" for name in one.attrib if name not in allowed]
    for name, value in one.attrib.items():
        if (name in CHOICES and value not in CHOICES[name].split()) or (
            (name in NUMBERS.split() and not _NUMBER.fullmatch(value))
            or (name in WHOLE and not re.fullmatch(r"-?\d+", value))
        ):
            made.append(f"{one.tag} has {name}={value!r}")
    return made


def _reference_problems(document: Document) -> list[str]:
    """Ids, numbers of things and classes that do not fit together."""
    made = []
    dictionary = document.root.find("DataDictionary")
    if dictionary.get("numberOfFields") not in (None, str(len(dictionary))):
        made.append("numberOfFields is not the number of fields")
    for one in document.root.iter("Array"):
        items = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', one.text or "")
        if one.get("n") not in (None, str(len(items))):
            made.append(f"an Array of {len(items)} says {one.get('n')}")
    ids = [node.get("id") for node in document.root.iter("Node") if node.get("id") is not None]
    made += [f"the id {name} is there twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    for node in document.root.iter("Node"):
        if node.get("defaultChild") not in (None, *(child.get("id") for child in node.iterfind("Node"))):
            made.append(f"{node.get('defaultChild')} is no child of its Node")
    classes = {v.get("value") for v in document.types[document.target].iterfind("Value")}
    said = [
        (one.tag, one.get(name))
        for tags, name in (
            (("ScoreDistribution", "TargetValueStat", "TargetValueCount"), "value"),
            (("RegressionTable",), "targetCategory"),
            (("Node", "SimpleRule"), "score"),
            (("RuleSet",), "defaultScore"),
        )
        for one in document.root.iter()
        if one.tag in tags and one.get(name) is not None
    ]
    return made + [
        f"{tag} says {value}, which is no class" for tag, value in said if classes and value not in classes
    ]


def problems(document: Document) -> list[str]:
    """What is not as the schema has it, and fields that are asked for and not there."""
    made, rows = [], {cell for row in document.root.iter("row") for cell in row}
    known = {*document.types, *document.derived}
    for one in document.root.iter():
        if one in rows or one.tag == "row":
            continue
        children, needed = ELEMENTS[one.tag]
        tags = "".join(f"{child.tag} " for child in one)
        if not re.fullmatch(children, tags):
            made.append(f"{one.tag} holds {tags[:100]}")
        made += [f"{one.tag} has no {name}" for name in needed.split() if name not in one.attrib]
        made += _attribute_problems(one, needed)
        named = (
            one.get("field") or one.get("fieldName") or (one.get("name") if "Predictor" in one.tag else None)
        )
        if named is not None and named not in known:
            made.append(f"{one.tag} names {named}")
    names = [
        f.get("name")
        for f in (*document.types.values(), *document.derived.values(), *document.root.iter("OutputField"))
    ]
    made += [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    return made + _reference_problems(document)
