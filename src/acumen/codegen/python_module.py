"""A model as the source of a Python module that needs nothing: `predict(row)` and mostly `predict_proba(row)`.

    Writer        gathers which helpers are called
    condition     a Condition as an expression over `row`, a mapping from attributes to values
    first_match   rules of which the first that holds answers
    sums          sums of terms: the class of the largest, or a number
    module        docstring, constants, functions and helpers put together

A missing value (None, NaN, or not there) fulfils `missing` and nothing else, as in a Condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.codegen.python_source import comment, helpers, literal
from acumen.codegen.terms import Count, LevelCases, Square, Term, TermSum
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.align import value_replacements
from acumen.data.columns import _maybe_number
from acumen.data.date_parts import part_of
from acumen.data.schema import Schema
from acumen.models.predictor import AnyPredictor, Predictor
from acumen.render.text import many
from acumen.types import Codes, Floats, Label

_SIGNS = {"product": "*", "ratio": "/", "difference": "-"}

_BY_RULE = '''
def predict(row):
    """The class of a row: a mapping from attributes to values, None for missing."""
    return CLASSES[RULES[_rule(row)][0]]


def predict_proba(row):
    """The probability of each of CLASSES for a row."""
    return list(RULES[_rule(row)][1])
'''

_BY_SUMS = '''
def scores(row):
    """How much speaks for each of CLASSES, for a row: a mapping from attributes to values, None for missing."""
    return [{scores}]


def predict(row):
    """The class of a row."""
    found = scores(row)
    return CLASSES[found.index(max(found))]
'''

_PROBA_OF_LOGS = '''
def predict_proba(row):
    """The probability of each of CLASSES for a row."""
    found = scores(row)
    top = max(found)
    if top == -inf:
        return [1 / len(CLASSES)] * len(CLASSES)
    shares = [exp(s - top) for s in found]
    return [s / sum(shares) for s in shares]
'''

_PROBA_OF_VOTES = '''
def predict_proba(row):
    """The probability of each of CLASSES for a row."""
    found = scores(row)
    return [s / sum(found) for s in found]
'''

_BY_SUM = '''
def predict(row):
    """The number of a row: a mapping from attributes to values, None for missing."""
    return {sum}
'''

_BY_COSTS = '''
def predict(row):
    """The class of least expected cost of a row."""
    proba = predict_proba(row)
    costs = [sum(c * p for c, p in zip(line, proba)) for line in COSTS]
    return CLASSES[costs.index(min(costs))]
'''


@dataclass(slots=True)
class Writer:
    """Conditions and terms as expressions, and the helpers they call."""

    schema: Schema
    used: set[str] = field(default_factory=set)
    levels: dict[str, tuple[Label, ...]] = field(default_factory=dict)

    def call(self, helper: str, *arguments: str) -> str:
        self.used.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def body(self, conditions: Sequence[Condition]) -> str:
        """That all conditions hold."""
        return " and ".join(map(self.condition, conditions)) or "True"

    def condition(self, one: Condition) -> str:
        """One condition."""
        if one.op in ("has", "has not"):
            test = self.call("_has", "row", literal(one.attribute), literal(one.value))
            return f"{test} == {1 if one.op == 'has' else 0}"
        value = self.value(one.attribute)
        match one.op:
            case "missing":
                return f"{value} is None"
            case "known":
                return f"{value} is not None"
            case "=":
                return f"{value} == {literal(one.value)}"
            case "!=":
                return f"{value} not in (None, {literal(one.value)})"
            case "in":
                return f"{value} in {literal(one.value)}"
            case "not in":
                return f"{value} not in {literal((None, *one.value))}"
        levels = self.schema[one.attribute].levels if isinstance(one.attribute, str) else ()
        if levels:
            at = [levels.index(v) for v in (one.value if one.op == "between" else (one.value,))]
            first = 0 if one.op == "<=" else at[0] + 1
            last = at[-1] + 1 if one.op != ">" else len(levels)
            return f"{value} in {literal(levels[first:last])}"
        match one.op:
            case "<=":
                return self.call("_below", value, literal(one.value))
            case ">":
                return self.call("_above", value, literal(one.value))
            case _:
                low, high = map(literal, one.value)
                return f"{self.call('_above', value, low)} and {self.call('_below', value, high)}"

    def value(self, attribute: str | CombinedAttributes) -> str:
        """The value of what is tested, None where it is missing."""
        if isinstance(attribute, CombinedAttributes):
            first, second = self.value(attribute.first), self.value(attribute.second)
            if attribute.form == "both":
                return self.call("_both", first, second)
            return self.call("_pair", repr(_SIGNS[attribute.form]), first, second)
        if self.schema[attribute].is_numeric:
            return self.number(attribute)
        if (part := part_of(attribute, self.schema)) is not None:
            return self.call("_part", "row", *map(literal, part))
        levels = self.schema[attribute].levels
        if all(map(_only_itself, levels)):
            return self.call("_value", "row", literal(attribute))
        self.levels[attribute] = levels
        return self.call("_level", "row", literal(attribute))

    def number(self, name: str) -> str:
        """The number of an attribute; of dates and times, their days, or a part of them."""
        if (part := part_of(name, self.schema)) is not None:
            return self.call("_part", "row", *map(literal, part))
        helper = "_days" if self.schema[name].is_moment else "_number"
        return self.call(helper, "row", literal(name))

    def sum(self, whole: TermSum) -> str:
        """A sum of terms, in lines of their own."""
        lines = [literal(float(whole.constant)), *map(self.term, whole.terms)]
        return "sum((\n        " + ",\n        ".join(lines) + ",\n    ))"

    def term(self, term: Term) -> str:
        if isinstance(term, LevelCases):
            cases = [f"({self.body(body)}, {literal(float(weight))})" for body, weight in term.cases]
            return self.call("_first", literal(float(term.otherwise)), *cases)
        if isinstance(term, Count):
            return f"{literal(float(term.weight))} if {self.body(term.body)} else 0.0"
        if isinstance(term, Square):
            far = term.beyond
            numbers = (
                term.weight, term.centre, term.start, term.absent, far.half_distance, far.slope, far.level
            )  # fmt: skip
            return self.call("_square", self.value(term.attribute), *(literal(float(v)) for v in numbers))
        return self.call(
            "_slope", self.value(term.attribute), *(literal(float(v)) for v in (term.weight, term.centre, term.absent))
        )  # fmt: skip


# -- whole modules --------------------------------------------------------------------------------


def first_match(
    predictor: Predictor, bodies: Sequence[Sequence[Condition]], decided: Codes, proba: Floats
) -> str:
    """Rules of which the first that holds answers; the last line of `decided` and `proba` is for no rule."""
    writer = Writer(predictor.schema)
    lines = ["def _rule(row):", '    """The place in RULES of the rule that answers."""']
    for at, conditions in enumerate(bodies):
        label_comment = comment(predictor.classes[decided[at]])
        lines += [f"    if {writer.body(conditions)}:", f"        return {at}  # {label_comment}"]
    lines.append(f"    return {len(bodies)}  # {comment(predictor.classes[decided[-1]])}")
    rules = [
        f"    ({c}, {literal(tuple(p))})," for c, p in zip(decided.tolist(), proba.tolist(), strict=True)
    ]
    constants = [
        "#: The class of each rule, and the probability of each class; the last are for rows that no rule holds for.",
        "RULES = (",
        *rules,
        ")",
    ]
    about = f"{many(len(bodies), 'rule')}"
    return module(predictor, about, constants, [_BY_RULE, "\n".join(["", *lines])], writer)


def sums(predictor: AnyPredictor, each: Sequence[TermSum], *, logs: bool = True) -> str:
    """The class of the largest sum, or the number that one sum gives.

    `logs` says that the sums are log probabilities up to a constant; else they are votes, if probabilities at all.
    """
    writer = Writer(predictor.schema)
    if not isinstance(predictor, Predictor):
        return module(predictor, "a sum of terms", [], [_BY_SUM.format(sum=writer.sum(each[0]))], writer)
    texts = ", ".join(writer.sum(one) for one in each)
    functions, constants = [_BY_SUMS.format(scores=texts)], []
    if predictor.model.probabilistic:
        functions.append(_PROBA_OF_LOGS if logs else _PROBA_OF_VOTES)
        writer.used |= {"exp"} if logs else set()
    if predictor.costs is not None:
        constants.append(f"COSTS = {matrix(predictor.costs)}")
        functions.append(_BY_COSTS)
    return module(predictor, "sums of terms", constants, functions, writer)


def module(
    predictor: AnyPredictor, about: str, constants: Sequence[str], functions: Sequence[str], writer: Writer
) -> str:
    """The source of a module; its functions may call what `writer` has used."""
    target = predictor.schema.target.name if predictor.schema.target else "class"
    needs = ["import datetime"] if writer.used & {"_days", "_part"} else []
    functions_of_math = [
        *(["exp", "inf"] if "exp" in writer.used else []),
        *(["log"] if "_square" in writer.used else []),
    ]
    needs += [f"from math import {', '.join(functions_of_math)}"] if functions_of_math else []
    needs += ["import unicodedata"] if "_has" in writer.used else []
    classes = [f"CLASSES = {literal(predictor.classes)}"] if isinstance(predictor, Predictor) else []
    synonyms = {a.name: taken for a in predictor.schema.attributes if (taken := value_replacements(a))}
    if synonyms:
        classes += ["#: Values that count as others, or as missing.", f"TOLD = {synonyms!r}"]
    if writer.levels:
        level_lines = [f"    {literal(name)}: {literal(levels)}," for name, levels in writer.levels.items()]
        classes += ["#: Levels that other values may mean.", "LEVELS = {", *level_lines, "}"]
    parts = [
        f'"""{_docstring(target, about)}"""',
        "",
        *needs,
        *([""] if needs else []),
        *classes,
        *constants,
        "",
        *functions,
        helpers(writer.used - {"exp"}, told=bool(synonyms)),
    ]
    return _tidy("\n".join(parts))


def _only_itself(level: Label) -> bool:
    """Whether no other value means a level: a word that is neither a number nor a truth value."""
    return isinstance(level, str) and level.lower() not in ("true", "false") and _maybe_number(level) is None


def _docstring(target: str, about: str) -> str:
    return f"Predicts {comment(target)} by {about}.".replace("\\", " ").replace('"', "'")


def matrix(values: Floats) -> str:
    """A matrix as a tuple of tuples."""
    return literal(tuple(tuple(line) for line in np.asarray(values).tolist()))


def _tidy(text: str) -> str:
    """Two blank lines between functions, none at the end."""
    kept: list[str] = []
    for line in text.split("\n"):
        if line.startswith("def ") or line or (kept and kept[-1]):
            while line.startswith("def ") and kept and not kept[-1]:
                kept.pop()
            kept += ["", "", line] if line.startswith("def ") else [line]
    return "\n".join(kept).rstrip() + "\n"
