"""Rules read from text, as people write them and as lists print them.

    if Own_house = true then Yes; if 2.45 < petal_length <= 4.9 and Credit in {fair, good} then No; otherwise No

Rules end with a semicolon or a line; words may be in any case. Names, levels and classes are those of the schema, the
longest that fits as it is or as it is printed, or anything in quotes. A number before a rule and counts behind it, as
printed lists have them, are passed over. What cannot be read is pointed at.
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
    """The rules of a text, and what is said otherwise; None where the text does not say it."""
    return _Parser(text, schema).rules()


def parse_rule(text: str, schema: Schema) -> Rule:
    """One rule."""
    found, otherwise = parse_rules(text, schema)
    if len(found) != 1 or otherwise is not None:
        raise ParameterError(f"parse: one rule is wanted, as in 'if a = b then c'; got {text!r}.")
    return found[0]


class _Parser:
    def __init__(self, text: str, schema: Schema) -> None:
        if not isinstance(text, str):
            raise ParameterError(f"RuleList.parse: rules are read from text; got {text!r}.")
        if not isinstance(schema, Schema):
            raise ParameterError(
                "RuleList.parse: give the schema of the rows that the rules are for, such as table.schema; got "
                f"{type(schema).__name__}."
            )
        if not schema.classes:
            raise ParameterError("RuleList.parse: the schema has no classes, which rules say.")
        self.text, self.schema, self.at = text, schema, 0
        self.names: dict[str, str] = _written(schema.names)

    # -- lists and rules --------------------------------------------------------------------------

    def rules(self) -> tuple[tuple[Rule, ...], Label | None]:
        found: list[Rule] = []
        while self._to_next():
            start = self.at
            if self._take("otherwise"):
                label = self._label()
                self._end()
                if self._to_next():
                    self._fail("nothing may follow what is said otherwise", self.at)
                return tuple(found), label
            if self._take("always"):
                label = self._label()
                self._end()
                if not found and not self._to_next():  # a list without rules
                    return (), label
                found.append(Rule((), label))
                continue
            if self._take("if"):
                body = self._body()
                found.append(Rule(body, self._label()))
            else:
                self._fail("a rule begins with 'if', the last line with 'otherwise'", start)
            self._end()
        if not found:
            raise ParameterError(
                "RuleList.parse: there is no rule in the text; write 'if a = b then c; otherwise d'."
            )
        return tuple(found), None

    def _to_next(self) -> bool:
        """Go to where the next rule begins; False at the end of the text."""
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
            self._fail("a rule ends with ';' or the line", self.at)

    def _body(self) -> tuple[Condition, ...]:
        made = [self._condition()]
        while True:
            start = self._blank()
            if self._take("then"):
                return tuple(made)
            if self._take("or"):
                self._fail("there is no 'or'; make two rules of it, or ask by in {a, b}", start, 2)
            if not self._take("and"):
                self._fail("'and' or 'then' is wanted here", start)
            made.append(self._condition())

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
                    return self._fitting(Condition(attribute.name, op), at)
            self._fail("'missing' or 'known' is wanted here", self._blank())
        if self._take("has"):
            lacks = self._take("not")
            return self._fitting(
                Condition(attribute.name, "has not" if lacks else "has", self._quoted_or_word()), at
            )
        negated = self._take("not")
        if self._take("in"):
            values = self._values(attribute)
            return self._fitting(Condition(attribute.name, "not in" if negated else "in", values), at)
        if negated:
            self._fail("'in' is wanted here", self._blank())
        return self._compared(attribute, at)

    def _between(self, start: int) -> Condition | None:
        """A value with two ends, `2 < x <= 3`; None, and nothing is passed, where no such condition begins here."""
        number = re.compile(rf"({_MOMENT.pattern}|{_NUMBER.pattern})\s*(<=?)\s*").match(self.text, start)
        if number is None or self._name_at(start) is not None:
            return self._levels_between(start)
        name = self._name_at(number.end())
        if name is not None and not self.schema[name].is_numeric:
            return self._levels_between(start)
        self.at = number.end()
        attribute = self._attribute()
        if not attribute.is_numeric:
            self._fail(f"{attribute.name!r} is no number, and only numbers lie between two others", start)
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
        """The same of levels that have an order."""
        for attribute in self.schema.attributes:
            written = _written(attribute.levels) if attribute.is_nominal and attribute.ordered else {}
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

    def _compared(self, attribute: Attribute, at: int) -> Condition:
        sign = self._sign(_SIGNS)
        value = self._value(attribute)
        if sign in ("=", "==", "!=", "<>"):
            return self._fitting(Condition(attribute.name, "=" if sign in ("=", "==") else "!=", value), at)
        if attribute.is_numeric:
            # What is at least a number is more than the number before it.
            number = math.nextafter(value, -math.inf) if sign in ("<", ">=") else value
            op = "<=" if sign in ("<", "<=") else ">"
            return Condition(attribute.name, op, number, attribute.form)  # type: ignore[arg-type]
        if not attribute.ordered:
            self._fail(f"the levels of {attribute.name!r} have no order; ask by = or in", at)
        place = attribute.levels.index(value) - (1 if sign in ("<", ">=") else 0)
        if place < 0:
            self._fail(f"no level of {attribute.name!r} lies before {value!r}", at)
        op = "<=" if sign in ("<", "<=") else ">"
        return Condition(attribute.name, op, attribute.levels[place])  # type: ignore[arg-type]

    def _fitting(self, condition: Condition, at: int) -> Condition:
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
        """Go past a word, in any case, if it stands here."""
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
        return self._fail(f"one of {' '.join(allowed)} is wanted here", start)

    def _quoted(self) -> str | None:
        start = self._blank()
        if start >= len(self.text) or self.text[start] not in "'\"":
            return None
        end = self.text.find(self.text[start], start + 1)
        if end < 0:
            self._fail("a quote that begins here does not end", start)
        self.at = end + 1
        return self.text[start + 1 : end]

    def _quoted_or_word(self) -> str:
        if (found := self._quoted()) is not None:
            return found
        start = self._blank()
        found_word = _WORD.match(self.text, start)
        if found_word is None:
            self._fail("a word is wanted here", start)
        self.at = found_word.end()
        return found_word.group()

    def _name_at(self, at: int) -> str | None:
        """The attribute whose name stands at a place."""
        found = _longest(self.text, at, self.names)
        return None if found is None else self.names[found]

    def _known(self, known: Mapping[str, Any]) -> str | None:
        """Go past one of these as it is written, or past anything in quotes; None where neither stands here."""
        start = self._blank()
        found = _longest(self.text, start, known)
        if found is None:
            return self._quoted()
        self.at = start + len(found)
        return found

    def _attribute(self) -> Attribute:
        start = self._blank()
        found = self._known(self.names)
        name = None if found is None else self.names.get(found, found)
        if name is None or name not in self.schema.names:
            seen = name if name is not None else _word_at(self.text, start)
            if not seen or (name is None and seen in ("then", "and")):
                self._fail("an attribute is wanted here", start, max(len(seen), 1))
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
        written = _written(known)
        start = self._blank()
        found = self._known(written)
        if found is None and "" in written:  # which is printed as nothing at all
            return written[""]
        if found is None or found not in written:
            seen = found if found is not None else _word_at(self.text, start)
            if not seen:
                self._fail(f"a {what} is wanted here", start)
            self._fail(
                f"{seen!r} is no {what}.{did_you_mean(seen, written)}".rstrip("."), start, max(len(seen), 1)
            )
        return written[found]

    def _values(self, attribute: Attribute) -> tuple[Any, ...]:
        start = self._blank()
        if not self.text.startswith("{", start):
            self._fail("values in { } are wanted here", start)
        self.at = start + 1
        made = [self._value(attribute)]
        while True:
            start = self._blank()
            if self.text.startswith("}", start):
                self.at = start + 1
                return tuple(made)
            if not self.text.startswith(",", start):
                self._fail("',' or '}' is wanted here", start)
            self.at = start + 1
            made.append(self._value(attribute))

    def _value(self, attribute: Attribute) -> Any:
        if attribute.is_numeric:
            return self._number(attribute)
        if attribute.is_nominal:
            return self._level(attribute)
        return self._fail(f"{attribute.name!r} is text; ask whether it has a word", self._blank())

    def _number(self, attribute: Attribute) -> float:
        start = self._blank()
        found = (_MOMENT.match(self.text, start) if attribute.form else None) or _NUMBER.match(
            self.text, start
        )
        if found is None:
            seen = _word_at(self.text, start)
            self._fail(f"a number is wanted here, not {seen!r}", start, max(len(seen), 1))
        self.at = found.end()
        return self._parsed_number(found.group(), attribute, start)

    def _parsed_number(self, text: str, attribute: Attribute, at: int) -> float:
        try:
            return parse_number(text, attribute)
        except ValueError:
            self._fail(f"{text!r} is no date", at, len(text))

    def _fail(self, what: str, at: int, length: int | None = None) -> NoReturn:
        """The error, which shows the line and points at the word."""
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
    """A number of an attribute as it is shown: of moments a date or a time, as days; ValueError where it is none."""
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
    found = _WORD.match(text, at)
    return found.group() if found else text[at : at + 1]


def _written(known: Iterable[T]) -> dict[str, T]:
    """Names, levels or classes by each way in which they are written; where two are written alike, the first."""
    made: dict[str, T] = {}
    every = list(known)
    forms: tuple[Callable[[Any], str], ...] = (str, word, printable, lambda each: printable(each).strip())
    for form in forms:
        for each in every:
            made.setdefault(form(each), each)
    return made


def _longest(text: str, at: int, known: Iterable[str]) -> str | None:
    """The longest of these that stands at a place and does not end within a word."""
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
