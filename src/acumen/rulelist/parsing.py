"""Parse rules from text, as people write them and as lists print them.

    if Own_house = true then Yes; if 2.45 < petal_length <= 4.9 and Credit in {fair, good} then No; otherwise No

A rule ends with a semicolon or at the end of its line; keywords may be in any case. Names, levels and classes come from
the schema: the parser takes the longest one that matches, as stored or as printed, or any text in quotes. It skips a
number before a rule and counts after it, as printed lists have them. Errors point at the word that cannot be read.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule, word
from acumen.data.escape import printable
from acumen.data.schema import Attribute, Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.types import Label

T = TypeVar("T")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf\b)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?")
_WORD = re.compile(r"[^\s;,{}()]+")
_BEHIND = re.compile(r"\((?:support|confidence)[^)]*\)")
_NUMBERED = re.compile(r"\d+\.(?=\s)")
_LESS = re.compile(r"\s*<(?!=)\s*")
_SIGNS = ("<=", ">=", "!=", "<>", "==", "<", ">", "=")


def parse_rules(text: str, schema: Schema) -> tuple[tuple[Rule, ...], Label | None]:
    """Parse the rules of a text and its default class; None if it has no "otherwise" line."""
    return _Parser(text, schema).rules()


def parse_rule(text: str, schema: Schema) -> Rule:
    """Parse a single rule."""
    rules, otherwise = parse_rules(text, schema)
    if len(rules) != 1 or otherwise is not None:
        raise ParameterError(f"parse: expected one rule, such as 'if a = b then c'; got {text!r}.")
    return rules[0]


class _Parser:
    def __init__(self, text: str, schema: Schema) -> None:
        if not isinstance(text, str):
            raise ParameterError(f"RuleList.parse: text must be a string; got {text!r}.")
        if not isinstance(schema, Schema):
            raise ParameterError(
                "RuleList.parse: schema must be the Schema of the rows to classify, such as table.schema; got "
                f"{type(schema).__name__}."
            )
        if not schema.classes:
            raise ParameterError("RuleList.parse: the schema has no classes for rules to predict.")
        self.text, self.schema, self.at = text, schema, 0
        self.names: dict[str, str] = _by_spelling(schema.names)

    # -- lists and rules --------------------------------------------------------------------------

    def rules(self) -> tuple[tuple[Rule, ...], Label | None]:
        parsed: list[Rule] = []
        while self._to_next():
            start = self.at
            if self._take("otherwise"):
                label = self._label()
                self._end()
                if self._to_next():
                    self._fail("nothing may follow the 'otherwise' line", self.at)
                return tuple(parsed), label
            if self._take("always"):
                label = self._label()
                self._end()
                if not parsed and not self._to_next():  # a list without rules
                    return (), label
                parsed.append(Rule((), label))
                continue
            if self._take("if"):
                body = self._body()
                parsed.append(Rule(body, self._label()))
            else:
                self._fail("a rule must begin with 'if', or the last line with 'otherwise'", start)
            self._end()
        if not parsed:
            raise ParameterError(
                "RuleList.parse: the text has no rules; write for example 'if a = b then c; otherwise d'."
            )
        return tuple(parsed), None

    def _to_next(self) -> bool:
        """Move to where the next rule begins; False at the end of the text."""
        while self.at < len(self.text) and (self.text[self.at].isspace() or self.text[self.at] == ";"):
            self.at += 1
        if (number := _NUMBERED.match(self.text, self.at)) is not None:
            self.at = number.end()
            self._blank()
        return self.at < len(self.text)

    def _end(self) -> None:
        self._blank()
        if (behind := _BEHIND.match(self.text, self.at)) is not None:
            self.at = behind.end()
            self._blank()
        if self.at < len(self.text) and self.text[self.at] not in ";\n\r":
            self._fail("a rule must end with ';' or at the end of its line", self.at)

    def _body(self) -> tuple[Condition, ...]:
        conditions = [self._condition()]
        while True:
            start = self._blank()
            if self._take("then"):
                return tuple(conditions)
            if self._take("or"):
                self._fail("'or' is not supported; write two rules, or use in {a, b}", start, 2)
            if not self._take("and"):
                self._fail("expected 'and' or 'then' here", start)
            conditions.append(self._condition())

    # -- conditions -------------------------------------------------------------------------------

    def _condition(self) -> Condition:
        between = self._between(self._blank())
        if between is not None:
            return between
        attribute = self._attribute()
        at = self._blank()
        if self._take("is"):
            for op in ("missing", "known"):
                if self._take(op):
                    return self._check_fit(Condition(attribute.name, op), at)
            self._fail("expected 'missing' or 'known' here", self._blank())
        if self._take("has"):
            lacks = self._take("not")
            return self._check_fit(
                Condition(attribute.name, "has not" if lacks else "has", self._take_quoted_or_word()), at
            )
        negated = self._take("not")
        if self._take("in"):
            values = self._values(attribute)
            return self._check_fit(Condition(attribute.name, "not in" if negated else "in", values), at)
        if negated:
            self._fail("expected 'in' here", self._blank())
        return self._comparison(attribute, at)

    def _between(self, start: int) -> Condition | None:
        """Read a range, `2 < x <= 3`; None, without moving, if no such condition begins here."""
        number = re.compile(rf"({_MOMENT.pattern}|{_NUMBER.pattern})\s*(<=?)\s*").match(self.text, start)
        if number is None or self._name_at(start) is not None:
            return self._levels_between(start)
        name = self._name_at(number.end())
        if name is not None and not self.schema[name].is_numeric:
            return self._levels_between(start)
        self.at = number.end()
        attribute = self._attribute()
        if not attribute.is_numeric:
            self._fail(f"{attribute.name!r} is not numeric; only a numeric attribute can have a range", start)
        low = self._parsed_number(number.group(1), attribute, start)
        below = self._sign(("<=", "<"))
        high = self._number(attribute)
        if number.group(2) == "<=":
            low = math.nextafter(low, -math.inf)
        if below == "<":
            high = math.nextafter(high, -math.inf)
        if not low < high:
            self._fail("the first number must be below the second", start, len(number.group(1)))
        return Condition(attribute.name, "between", (low, high), attribute.form)

    def _levels_between(self, start: int) -> Condition | None:
        """The same for levels that have an order."""
        for attribute in self.schema.attributes:
            written = _by_spelling(attribute.levels) if attribute.is_nominal and attribute.ordered else {}
            first = _longest(self.text, start, written)
            sign = None if first is None else _LESS.match(self.text, start + len(first))
            if first is None or sign is None or self._name_at(sign.end()) != attribute.name:
                continue
            self.at = sign.end()
            self._attribute()
            self._sign(("<=",))
            low, high = written[first], self._level(attribute)
            if not attribute.levels.index(low) < attribute.levels.index(high):
                self._fail("the first level must come before the second", start, len(first))
            return Condition(attribute.name, "between", (low, high))
        return None

    def _comparison(self, attribute: Attribute, at: int) -> Condition:
        sign = self._sign(_SIGNS)
        value = self._value(attribute)
        if sign in ("=", "==", "!=", "<>"):
            return self._check_fit(Condition(attribute.name, "=" if sign in ("=", "==") else "!=", value), at)
        if attribute.is_numeric:
            # At least x means more than the number just below x.
            number = math.nextafter(value, -math.inf) if sign in ("<", ">=") else value
            op = "<=" if sign in ("<", "<=") else ">"
            return Condition(attribute.name, op, number, attribute.form)  # type: ignore[arg-type]
        if not attribute.ordered:
            self._fail(f"the levels of {attribute.name!r} have no order; use = or in", at)
        place = attribute.levels.index(value) - (1 if sign in ("<", ">=") else 0)
        if place < 0:
            self._fail(f"no level of {attribute.name!r} comes before {value!r}", at)
        op = "<=" if sign in ("<", "<=") else ">"
        return Condition(attribute.name, op, attribute.levels[place])  # type: ignore[arg-type]

    def _check_fit(self, condition: Condition, at: int) -> Condition:
        sentence = condition.objection(self.schema)
        if sentence is not None:
            self._fail(sentence.rstrip("."), at)
        return condition

    # -- words ------------------------------------------------------------------------------------

    def _blank(self) -> int:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1
        return self.at

    def _take(self, wanted: str) -> bool:
        """Skip a word, in any case, if it is next."""
        start = self._blank()
        end = start + len(wanted)
        if self.text[start:end].lower() != wanted or (end < len(self.text) and _part_of_word(self.text[end])):
            return False
        self.at = end
        return True

    def _sign(self, allowed: Iterable[str]) -> str:
        start = self._blank()
        for sign in allowed:
            if self.text.startswith(sign, start):
                self.at = start + len(sign)
                return sign
        return self._fail(f"expected one of {' '.join(allowed)} here", start)

    def _take_quoted(self) -> str | None:
        start = self._blank()
        if start >= len(self.text) or self.text[start] not in "'\"":
            return None
        end = self.text.find(self.text[start], start + 1)
        if end < 0:
            self._fail("the quote that begins here has no end", start)
        self.at = end + 1
        return self.text[start + 1 : end]

    def _take_quoted_or_word(self) -> str:
        if (quoted := self._take_quoted()) is not None:
            return quoted
        start = self._blank()
        found_word = _WORD.match(self.text, start)
        if found_word is None:
            self._fail("expected a word here", start)
        self.at = found_word.end()
        return found_word.group()

    def _name_at(self, at: int) -> str | None:
        """The attribute whose name begins at a position."""
        name = _longest(self.text, at, self.names)
        return None if name is None else self.names[name]

    def _take_one_of(self, known: Mapping[str, Any]) -> str | None:
        """Skip one of these spellings, or any text in quotes; None if neither is next."""
        start = self._blank()
        match = _longest(self.text, start, known)
        if match is None:
            return self._take_quoted()
        self.at = start + len(match)
        return match

    def _attribute(self) -> Attribute:
        start = self._blank()
        written = self._take_one_of(self.names)
        name = None if written is None else self.names.get(written, written)
        if name is None or name not in self.schema.names:
            seen = name if name is not None else _word_at(self.text, start)
            if not seen or (name is None and seen in ("then", "and")):
                self._fail("expected an attribute here", start, max(len(seen), 1))
            self._fail(
                f"there is no attribute {seen!r}.{did_you_mean(seen, self.schema.names)}".rstrip("."),
                start,
                len(seen),
            )
        return self.schema[name]

    def _label(self) -> Label:
        return self._one_of(self.schema.classes, "class")

    def _level(self, attribute: Attribute) -> Label:
        return self._one_of(attribute.levels, f"level of {attribute.name!r}")

    def _one_of(self, known: tuple[Label, ...], what: str) -> Label:
        written = _by_spelling(known)
        start = self._blank()
        match = self._take_one_of(written)
        if match is None and "" in written:  # a label that prints as nothing
            return written[""]
        if match is None or match not in written:
            seen = match if match is not None else _word_at(self.text, start)
            if not seen:
                self._fail(f"expected a {what} here", start)
            self._fail(
                f"{seen!r} is not a {what}.{did_you_mean(seen, written)}".rstrip("."),
                start,
                max(len(seen), 1),
            )
        return written[match]

    def _values(self, attribute: Attribute) -> tuple[Any, ...]:
        start = self._blank()
        if not self.text.startswith("{", start):
            self._fail("expected values in { } here", start)
        self.at = start + 1
        values = [self._value(attribute)]
        while True:
            start = self._blank()
            if self.text.startswith("}", start):
                self.at = start + 1
                return tuple(values)
            if not self.text.startswith(",", start):
                self._fail("expected ',' or '}' here", start)
            self.at = start + 1
            values.append(self._value(attribute))

    def _value(self, attribute: Attribute) -> Any:
        if attribute.is_numeric:
            return self._number(attribute)
        if attribute.is_nominal:
            return self._level(attribute)
        return self._fail(f"{attribute.name!r} is text; test for a word with 'has'", self._blank())

    def _number(self, attribute: Attribute) -> float:
        start = self._blank()
        match = (_MOMENT.match(self.text, start) if attribute.form else None) or _NUMBER.match(
            self.text, start
        )
        if match is None:
            seen = _word_at(self.text, start)
            self._fail(f"expected a number here, not {seen!r}", start, max(len(seen), 1))
        self.at = match.end()
        return self._parsed_number(match.group(), attribute, start)

    def _parsed_number(self, text: str, attribute: Attribute, at: int) -> float:
        try:
            return parse_number(text, attribute)
        except ValueError:
            self._fail(f"{text!r} is not a date", at, len(text))

    def _fail(self, what: str, at: int, length: int | None = None) -> NoReturn:
        """Raise the error, which shows the line and points at the word."""
        if length is None:
            length = len(_word_at(self.text, at))
        begin = max(self.text.rfind("\n", 0, at), self.text.rfind(";", 0, at)) + 1
        ends = [end for sign in "\n;" if (end := self.text.find(sign, at)) >= 0]
        line = self.text[begin : min(ends, default=len(self.text))]
        blanks = len(line) - len(line.lstrip())
        shown, place = line.strip(), max(at - begin - blanks, 0)
        length = max(1, min(length, len(shown) - place)) if place < len(shown) else 1
        raise ParameterError(
            f"RuleList.parse: {what} (character {at + 1}).\n  {shown}\n  {' ' * place}{'^' * length}"
        )


def parse_number(text: str, attribute: Attribute) -> float:
    """Read a number as the attribute shows it; dates and times become days. ValueError if it is not a number."""
    if not (attribute.form and _MOMENT.fullmatch(text)):
        return float(text)
    if "-" not in text:
        time = datetime.time.fromisoformat(text)
        return (time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6) / 86_400
    moment = datetime.datetime.fromisoformat(text)
    return (moment - datetime.datetime(1970, 1, 1)).total_seconds() / 86_400


def _part_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _word_at(text: str, at: int) -> str:
    match = _WORD.match(text, at)
    return match.group() if match else text[at : at + 1]


def _by_spelling(known: Iterable[T]) -> dict[str, T]:
    """Names, levels or classes by each of their spellings; of two with the same spelling, the first."""
    by_spelling: dict[str, T] = {}
    every = list(known)
    forms: tuple[Callable[[Any], str], ...] = (str, word, printable, lambda each: printable(each).strip())
    for form in forms:
        for each in every:
            by_spelling.setdefault(form(each), each)
    return by_spelling


def _longest(text: str, at: int, known: Iterable[str]) -> str | None:
    """The longest of these that begins at a position and does not end within a word."""
    fits = [
        name
        for name in known
        if name
        and text.startswith(name, at)
        and not (
            at + len(name) < len(text) and _part_of_word(name[-1]) and _part_of_word(text[at + len(name)])
        )
    ]
    return max(fits, key=len, default=None)
