"""One test on one attribute: the atom of every rule, tree branch and explanation.

A condition is typed data and is never parsed back from text: `str` is for people, and the writers of SQL and Python
read `attribute`, `op` and `value`.

    =  !=           a level, or a number                     Age = young
    <=  >           a number, or a level of an ordered attribute
    between         the numbers of (a, b]                    2.45 < petal_length <= 4.9
    in  not in      several levels, or numbers               Credit in {fair, good}
    has  has not    a word that a text contains or not       subject has 'offer'
    missing known   whether there is a value at all

A missing value meets only `missing`, like NULL in SQL. A level outside the schema counts as known and differs from
every level that the condition names.

A condition can also test an `CombinedAttributes`; the values of a pair of nominal attributes are pairs of levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

import numpy as np

from acumen.conditions.pair import CombinedAttributes, combine_columns
from acumen.data.forms import checked_spec, is_moment, shown_as
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import MISSING, Bools, Codes, Floats, Label

Op = Literal["=", "!=", "<=", ">", "between", "in", "not in", "has", "has not", "missing", "known"]
OPS: tuple[str, ...] = get_args(Op)
_ORDERING = ("<=", ">", "between")
#: Larger whole numbers do not fit into a numeric column.
_LARGEST = 2**1023
_OF_TEXT = ("has", "has not", "missing", "known")


@dataclass(frozen=True, slots=True)
class Condition:
    """A test that each row of a table passes or fails.

    Parameters
    ----------
    attribute : str or CombinedAttributes
        The attribute's name, or two names and how to combine them.
    op : str
        One of `=`, `!=`, `<=`, `>`, `between`, `in`, `not in`, `has`, `has not`, `missing`, `known`.
    value : label, number, pair or tuple
        What to compare with: a pair (a, b) for `between`, any number of levels for `in` and `not in`, a
        word for `has` and `has not`, nothing for `missing` and `known`.
    form : str
        The date format of the attribute, if its numbers are days: they are then shown as dates.
    """

    attribute: str | CombinedAttributes
    op: Op
    value: Any = None
    form: str = field(default="", compare=False)  # of the attribute: days are shown as dates

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise ParameterError(f"Condition: op must be one of {', '.join(OPS)}; got {self.op!r}.")
        if self.op in ("missing", "known"):
            if self.value is not None:
                raise ParameterError(f"Condition: {self.op!r} takes no value; got {self.value!r}.")
            return
        if self.op in ("in", "not in", "between"):
            if isinstance(self.value, str) or not isinstance(self.value, Iterable):
                raise ParameterError(f"Condition: {self.op!r} needs several values; got {self.value!r}.")
            values = tuple(self._single(v) for v in self.value)
            if self.op == "between" and not _ascend(values):
                raise ParameterError(f"Condition: 'between' needs two ascending values; got {values!r}.")
            object.__setattr__(self, "value", values)
        else:
            object.__setattr__(self, "value", self._single(self.value))
        if self.op in ("has", "has not") and not isinstance(self.value, str):
            raise ParameterError(f"Condition: {self.op!r} needs a word; got {self.value!r}.")

    def _single(self, value: Any) -> Any:
        """One value of the attribute; of a pair of nominal attributes, two levels."""
        if not isinstance(self.attribute, CombinedAttributes) or self.attribute.is_numeric:
            return _plain(value)
        if isinstance(value, str) or not isinstance(value, Iterable) or len(levels := tuple(value)) != 2:
            raise ParameterError(f"Condition: {self.attribute} takes pairs of levels; got {value!r}.")
        return tuple(_plain(level) for level in levels)

    # -- testing rows -----------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        """Why this condition cannot test rows of `schema`, as a sentence; None if it can."""
        names = (self.attribute,) if isinstance(self.attribute, str) else _names(self.attribute)
        for name in names:
            if name not in schema.names:
                return f"the condition {self} does not fit: there is no input {name!r}."
        if isinstance(self.attribute, CombinedAttributes):
            wanted = "numeric" if self.attribute.is_numeric else "nominal"
            if any(getattr(schema[name], f"is_{wanted}") is False for name in names):
                return f"the condition {self} does not fit: it needs two {wanted} attributes."
            fits = self._fits_numbers() if self.attribute.is_numeric else self._fits_codes()
            return None if fits else str(self._misfit(wanted))
        attribute = schema[self.attribute]
        if attribute.is_numeric:
            return None if self._fits_numbers() else str(self._misfit("numeric"))
        if attribute.is_nominal:
            if self.op in _ORDERING and attribute.ordered:
                known = all(value in attribute.levels for value in self._values)
                return None if known else f"the condition {self} names no level of {attribute.name!r}."
            return None if self._fits_codes() else str(self._misfit("nominal"))
        if attribute.kind == "text":
            return None if self.op in _OF_TEXT else str(self._misfit("text"))
        return f"the condition {self} is on an ignored column; only inputs can be tested."

    def _fits_numbers(self) -> bool:
        return self.op not in ("has", "has not") and all(
            isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST)
            for value in self._values
        )

    def _fits_codes(self) -> bool:
        return self.op not in ("has", "has not", *_ORDERING)

    @property
    def _values(self) -> tuple[Any, ...]:
        """The values to compare with: none, one or several."""
        if self.value is None:
            return ()
        return tuple(self.value) if self.op in ("in", "not in", "between") else (self.value,)

    def holds(self, table: Table) -> Bools:
        """Test each row."""
        if isinstance(self.attribute, CombinedAttributes):
            return self._of_pair(table, self.attribute)
        attribute = table.schema[self.attribute]
        if attribute.is_numeric:
            return self._of_numbers(numbers_of(table, attribute))
        if attribute.is_nominal:
            return self.of_codes(_column(table.nominal_columns(), attribute), attribute)
        if attribute.kind == "text":
            return self._of_text(table, attribute)
        raise DataError(f"the condition {self} is on an ignored column; only inputs can be tested.")

    def of_codes(self, codes: Codes, attribute: Attribute) -> Bools:
        """Test each code of a nominal attribute."""
        if self.op in _ORDERING and attribute.ordered:
            return self._of_ordered(codes, attribute)
        return self._of_codes(codes, attribute.levels)

    def _of_pair(self, table: Table, pair: CombinedAttributes) -> Bools:
        first, second = table.schema[pair.first], table.schema[pair.second]
        if pair.is_numeric:
            if not (first.is_numeric and second.is_numeric):
                raise DataError(f"the condition {self} does not fit: it needs two numeric attributes.")
            return self._of_numbers(
                combine_columns(pair.form, numbers_of(table, first), numbers_of(table, second), 0)
            )
        if not (first.is_nominal and second.is_nominal):
            raise DataError(f"the condition {self} does not fit: it needs two nominal attributes.")
        a, b = (_column(table.nominal_columns(), attribute) for attribute in (first, second))
        levels = tuple((one, other) for one in first.levels for other in second.levels)
        return self._of_codes(combine_columns("both", a, b, len(second.levels)), levels)

    def _of_numbers(self, values: Floats) -> Bools:
        if not self._fits_numbers():
            raise self._misfit("numeric")
        match self.op:
            case "missing":
                return np.isnan(values)
            case "known":
                return ~np.isnan(values)
            case "=":
                return np.asarray(values == self.value)
            case "!=":
                return np.asarray(~np.isnan(values) & (values != self.value))
            case "<=":
                return np.asarray(values <= self.value)
            case ">":
                return np.asarray(values > self.value)
            case "between":
                return np.asarray((values > self.value[0]) & (values <= self.value[1]))
            case "in":
                return np.isin(values, np.array(self.value, dtype=np.float64))
            case "not in":
                return ~np.isnan(values) & ~np.isin(values, np.array(self.value, dtype=np.float64))
            case _:
                raise self._misfit("numeric")

    def _of_codes(self, codes: Codes, levels: tuple[Any, ...]) -> Bools:
        match self.op:
            case "missing":
                return np.asarray(codes == MISSING)
            case "known":
                return np.asarray(codes != MISSING)
            case "=" | "in":
                named = self._codes(levels)
                return np.asarray(codes == named[0]) if len(named) == 1 else _among(codes, named, len(levels))
            case "!=" | "not in":
                return np.asarray((codes != MISSING) & ~_among(codes, self._codes(levels), len(levels)))
            case _:
                raise self._misfit("nominal")

    def _of_ordered(self, codes: Codes, attribute: Attribute) -> Bools:
        """Compare levels by their order; a level outside the schema has no place in it and fails."""
        places = self._codes(attribute.levels)
        wanted = 2 if self.op == "between" else 1
        if len(places) != wanted:
            raise DataError(f"the condition {self} names no level of {attribute.name!r}.")
        match self.op:
            case "<=":
                return np.asarray((codes >= 0) & (codes <= places[0]))
            case ">":
                return np.asarray(codes > places[0])
            case _:
                return np.asarray((codes > places[0]) & (codes <= places[1]))

    def _of_text(self, table: Table, attribute: Attribute) -> Bools:
        texts = _column(table.text_columns(), attribute)
        missing = np.fromiter((text is None for text in texts), dtype=np.bool_, count=len(texts))
        if self.op in ("has", "has not"):
            from acumen.preprocessing.words import Vocabulary

            has = Vocabulary((self.value,), attribute.name).transform(table).getnnz(axis=1) > 0
            return np.asarray(has if self.op == "has" else ~has & ~missing)
        match self.op:
            case "missing":
                return missing
            case "known":
                return ~missing
            case _:
                raise self._misfit("text")

    def _codes(self, levels: tuple[Any, ...]) -> Codes:
        """The codes of the values that are levels."""
        place = {level: code for code, level in enumerate(levels)}
        return np.array([place[level] for level in self._values if level in place], dtype=np.int32)

    def _misfit(self, kind: str) -> DataError:
        return DataError(
            f"the condition {self} does not fit: {str(self.attribute)!r} is {kind} in this table."
        )

    # -- text and JSON ----------------------------------------------------------------------------

    def format_bound(self, bound: float) -> str | None:
        """A bound of this condition as a date or a time; None for ordinary numbers."""
        return _format_value(float(bound), self.form) if is_moment(self.form) else None

    def to_dict(self) -> dict[str, Any]:
        """The condition as JSON-ready values."""
        tested = (
            self.attribute.to_dict() if isinstance(self.attribute, CombinedAttributes) else self.attribute
        )
        record: dict[str, Any] = {"attribute": tested, "op": self.op}
        if self.value is not None:
            record["value"] = _tuples_to_lists(self.value)
        if self.form:
            record["form"] = self.form
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read a condition written by `to_dict`; ParameterError if it is malformed."""
        tested = record.get("attribute") if isinstance(record, Mapping) else None
        attribute = CombinedAttributes.from_dict(tested) if isinstance(tested, Mapping) else tested
        known = {"attribute", "op", "value", "form"}
        if not isinstance(attribute, (str, CombinedAttributes)) or not record.keys() <= known:
            raise ParameterError(
                "Condition: expected an attribute, an op and usually a value; got " + repr(record)[:200] + "."
            )
        if not isinstance(record.get("op"), str):
            raise ParameterError(f"Condition: op must be one of {', '.join(OPS)}; got {record.get('op')!r}.")
        try:
            form = checked_spec(record.get("form", ""))
        except DataError as error:
            raise ParameterError(f"Condition: {error}") from None
        return cls(attribute, record["op"], record.get("value"), form)

    def __str__(self) -> str:
        match self.op:
            case "missing" | "known":
                return f"{self.attribute} is {self.op}"
            case "between":
                low, high = (_format_value(each, self.form) for each in self.value)
                return f"{low} < {self.attribute} <= {high}"
            case "in" | "not in":
                listed = ", ".join(_format_value(each, self.form) for each in self.value)
                return f"{self.attribute} {self.op} {{{listed}}}"
            case "has" | "has not":
                return f"{self.attribute} {self.op} {self.value!r}"
            case _:
                return f"{self.attribute} {self.op} {_format_value(self.value, self.form)}"


def _plain(value: Any) -> Label:
    """A numpy scalar as a plain Python value."""
    scalar = value.item() if isinstance(value, np.generic) else value
    if not isinstance(scalar, (str, int, float, bool)):
        raise ParameterError(f"Condition: a value must be text, a number or a boolean; got {value!r}.")
    return scalar


def _ascend(values: tuple[Label, ...]) -> bool:
    """Whether there are two values in ascending order; the order of levels is known to their attribute only."""
    if len(values) != 2:
        return False
    a, b = values
    return isinstance(a, str) or isinstance(b, str) or a < b


def _names(pair: CombinedAttributes) -> tuple[str, str]:
    return pair.first, pair.second


def _among(codes: Codes, named: Codes, levels: int) -> Bools:
    """Which codes are in `named`; the last two answers are for unknown (-2) and missing (-1)."""
    answers = np.zeros(levels + 2, dtype=np.bool_)
    answers[named] = True
    return np.asarray(answers[codes])


def _tuples_to_lists(value: Any) -> Any:
    """Convert tuples into lists, nested ones too."""
    return [_tuples_to_lists(v) for v in value] if isinstance(value, tuple) else value


def _format_value(value: Any, form: str = "") -> str:
    """A value as people write it; numbers in full, so that the text says exactly what is tested."""
    if form and isinstance(value, float):
        # A date without a time means the whole day, so any cut between two days equals the end of the first.
        day = math.floor(value) if form.split()[0] == "date" and math.isfinite(value) else value
        if (moment := shown_as(form, float(day))) is not None:
            return moment
    if isinstance(value, tuple):
        return f"({', '.join(map(_format_value, value))})"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def numbers_of(table: Table, attribute: Attribute) -> Floats:
    """One numeric column as a dense array, also from a sparse table."""
    if table.sparse is None:
        return _column(table.numeric_columns(), attribute)
    j = table.schema.numeric.index(attribute)
    return np.asarray(table.sparse[:, [j]].todense(), dtype=np.float64).ravel()


def _column(columns: Iterable[tuple[Attribute, Any]], attribute: Attribute) -> Any:
    for candidate, column in columns:
        if candidate is attribute:
            return column
    raise DataError(f"{attribute.name!r} is the target; a condition can test inputs only.")
