"""One column as a source delivers it, and its conversion to the kind that the schema requires.

A source delivers numbers, codes over levels, or strings. The schema may require another of the three because of the
caller's options, or because the column is the target. Nothing here looks at other columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.choices import NONE, Choices
from acumen.data.forms import written_number
from acumen.errors import DataError
from acumen.types import MISSING, UNKNOWN, Array, Codes, Floats, Kind, Label, Objects, Written

#: Beyond this many levels a column of strings is text, or flagged when it looks like an identifier.
MANY_LEVELS = 100_000
#: A whole-numbered target with at most this many values is taken for class labels.
MANY_CLASSES = 50


#: Prefix of unquoted tokens that may mean missing, among the distinct values of a column.
PERHAPS = "\0"
#: Advice on reading a table so that its cells have the same meaning as in training.
READ_LIKE = "pass the path of the file, or use acumen.read(..., like=model.schema_)."


@dataclass(slots=True)
class RawColumn:
    """A column as the source delivered it: exactly one of `values`, `codes` (with `levels`) and `strings` is set.

    `kind` is the kind that the source suggests. `declared` means that the source itself states it (ARFF, a categorical
    dtype), so levels keep their order and need not occur. `whole` is the type of labels made from a numeric column:
    int, float or bool in arrays and frames, str in text files. `form` is the format of its numbers, and `choices` are
    the options with which it was read before, both as a schema stores them.
    """

    name: str
    kind: Kind
    values: Floats | None = None
    codes: Codes | None = None
    levels: tuple[Label, ...] = ()
    strings: Objects | None = None
    declared: bool = False
    whole: type[Any] = float
    form: str = ""
    choices: Choices = NONE
    written: Written | None = None  # the cells of numbers or dates written for people

    def as_written(self, levels: Sequence[Label]) -> RawColumn:
        """The column as its cells were written; tokens that may mean missing do, unless they are among these levels."""
        if self.written is None:
            return self
        codes, texts = self.written
        known = {str(level) for level in levels}
        plain = tuple(dict.fromkeys(text.removeprefix(PERHAPS) for text in texts))
        place = {text: code for code, text in enumerate(plain)}
        table = [
            MISSING if text.startswith(PERHAPS) and text.removeprefix(PERHAPS) not in known
            else place[text.removeprefix(PERHAPS)]
            for text in texts
        ]  # fmt: skip
        codes_written = np.array([*table, UNKNOWN, MISSING], dtype=np.int32)[codes]
        return RawColumn(self.name, "nominal", codes=codes_written, levels=plain, choices=self.choices)

    def has_missing(self) -> bool:
        """Whether a value is missing."""
        if self.values is not None:
            return bool(np.isnan(self.values).any())
        if self.strings is not None:
            return any(text is None for text in self.strings)
        assert self.codes is not None
        return bool((self.codes == MISSING).any())

    def natural(self) -> Array:
        """The column as one plain array, for carrying ignored columns along."""
        if self.values is not None:
            return self.values
        if self.strings is not None:
            return self.strings
        assert self.codes is not None
        lookup = np.array([*self.levels, None], dtype=object)
        return lookup[np.where(self.codes >= 0, self.codes, len(self.levels))]

    # -- what it could be -------------------------------------------------------------------------

    def distinct(self) -> tuple[Label, ...]:
        """The levels of the column as a nominal one: in declared order, otherwise sorted."""
        if self.codes is not None:
            return self.levels if self.declared else sorted_levels(self.levels)
        if self.strings is not None:
            return sorted_levels({s for s in self.strings if s is not None})
        assert self.values is not None
        values = np.unique(self.values[~np.isnan(self.values)])
        return tuple(label_of(v, self.whole) for v in values.tolist())

    def is_class_like(self) -> bool:
        """Whether it would be a nominal target: not numeric, or whole numbers with few distinct values."""
        if self.values is None:
            return True
        known = self.values[~np.isnan(self.values)]
        if not np.all(np.isfinite(known)) or not np.array_equal(known, np.floor(known)):
            return False
        # The first rows of a long column usually show that it has many values; otherwise check all.
        if len(np.unique(known[:4096])) > MANY_CLASSES:
            return False
        return len(np.unique(known)) <= MANY_CLASSES

    # -- what it becomes --------------------------------------------------------------------------

    def to_floats(self) -> Floats:
        """Convert to numbers; a value that is not a number is an error that names it."""
        if self.values is not None:
            return self.values
        if self.codes is not None:
            table = np.array([*(_number(level, self.name) for level in self.levels), np.nan])
            return table[np.where(self.codes >= 0, self.codes, len(self.levels))]
        assert self.strings is not None
        return np.array([np.nan if s is None else _number(s, self.name) for s in self.strings])

    def to_codes(self, levels: Sequence[Label]) -> Codes:
        """Convert to codes over `levels`; other values become UNKNOWN."""
        if self.codes is not None:
            if tuple(levels) == self.levels:
                return self.codes
            code_of = _finder(levels)
            table = np.array([*map(code_of, self.levels), UNKNOWN, MISSING], np.int32)
            return table[self.codes]  # -1 and -2 reach the last two slots
        if self.strings is not None:
            code_of = _finder(levels)
            codes = [MISSING if s is None else code_of(s) for s in self.strings]
            return np.array(codes, dtype=np.int32)
        assert self.values is not None
        return _codes_of_numbers(self, levels)

    def to_strings(self) -> Objects:
        """Convert to text, None where missing; fails for formatted numbers and dates, whose text is lost."""
        if self.strings is not None:
            return self.strings
        plain = self.natural()
        if self.values is not None:
            if self.form and not np.isnan(self.values).all():
                raise DataError(
                    f"column {self.name!r} of this table was read as numbers or dates, but it is text in the model; "
                    + READ_LIKE
                )
            return np.array([None if np.isnan(v) else str(label_of(v, str)) for v in plain], dtype=object)
        return np.array([None if v is None else str(v) for v in plain], dtype=object)


def merge_levels(column: RawColumn, pairs: Mapping[Label, Label] | None) -> RawColumn:
    """Rename levels of a column, merging those that get the same name; ignores levels that do not occur."""
    if not pairs:
        return column
    if column.values is not None:
        raise DataError(
            f"read: {messages.option('merge')} names column {column.name!r}, which is numeric and has no levels."
        )
    called = {_key(old): new for old, new in pairs.items()}
    if column.strings is not None:
        strings = np.array(
            [None if s is None else called.get(_key(s), s) for s in column.strings], dtype=object
        )
        return replace(column, strings=strings)
    assert column.codes is not None
    names = [called.get(_key(level), level) for level in column.levels]
    kept = tuple(dict.fromkeys(names))
    place = {name: code for code, name in enumerate(kept)}
    table = np.array([*(place[name] for name in names), UNKNOWN, MISSING], dtype=np.int32)
    return replace(column, codes=table[column.codes], levels=kept)


def _codes_of_numbers(column: RawColumn, levels: Sequence[Label]) -> Codes:
    """Convert numbers to codes over levels, which may be numbers or their texts in the format of the column."""
    values, form = column.values, column.form
    assert values is not None
    known = [
        (number, code)
        for code, level in enumerate(levels)
        if (number := number_in(level, form)) is not None and number == number
    ]
    known.sort()
    codes = np.full(len(values), UNKNOWN, dtype=np.int32)
    codes[np.isnan(values)] = MISSING
    if known:
        numbers = np.array([number for number, _ in known])
        place = np.minimum(np.searchsorted(numbers, values), len(numbers) - 1)
        hit = numbers[place] == values
        again = (
            hit & (place + 1 < len(numbers)) & (numbers[np.minimum(place + 1, len(numbers) - 1)] == values)
        )
        if again.any():
            first = int(place[int(np.argmax(again))])
            one, other = (levels[known[each][1]] for each in (first, first + 1))
            raise DataError(
                f"column {column.name!r} of this table was read as numbers, but the model distinguishes {one!r} and "
                f"{other!r}, which are the same number; {READ_LIKE}"
            )
        codes[hit] = np.array([code for _, code in known], dtype=np.int32)[place[hit]]
    return codes


def number_in(level: Label, form: str) -> float | None:
    """Parse a level as a number, if necessary in the format of a column of numbers or dates."""
    number = written_number(form, level) if form and isinstance(level, str) else None
    return _maybe_number(level) if number is None else number


def _finder(levels: Sequence[Label]) -> Callable[[Label], int]:
    """A function from values to codes: the equal level, else one with the same meaning, else UNKNOWN."""
    exact = {(type(level), level): code for code, level in enumerate(levels)}
    alike = {_key(level): code for code, level in reversed(list(enumerate(levels)))}

    def code_of(value: Label) -> int:
        code = exact.get((type(value), value))
        return code if code is not None else alike.get(_key(value), UNKNOWN)

    return code_of


def _key(level: Label) -> Any:
    """A key that is equal for levels of the same value: "1", 1 and 1.0; True and "true"; but not "01" and 1."""
    if isinstance(level, (bool, str)):
        text = str(level)
        return text.lower() if text.lower() in ("true", "false") else text
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def label_of(value: float, whole: type[Any]) -> Label:
    """Convert a number to a label of the type that its source uses."""
    if whole is str:
        return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
    return whole(value)


def _maybe_number(level: Label) -> float | None:
    if isinstance(level, str) and "_" in level:
        return None  # only Python writes numbers with underscores
    try:
        return float(level)
    except ValueError:
        return None


def _number(level: Label, name: str) -> float:
    number = _maybe_number(level)
    if number is None:
        raise DataError(
            f"column {name!r} should be numeric but holds {level!r}; use {messages.option('missing', level)} if it "
            "means missing, or leave the column nominal."
        )
    return number


def sorted_levels(levels: Any) -> tuple[Label, ...]:
    """Sort levels: numbers (also as text) by size, everything else alphabetically, mixed types by type."""
    levels_list = list(levels)
    if all(isinstance(level, str) for level in levels_list):
        numbers = [_maybe_number(level) for level in levels_list]
        if levels_list and all(n is not None and n == n for n in numbers):
            return tuple(level for _, level in sorted(zip(numbers, levels_list, strict=True)))
        return tuple(sorted(levels_list))
    try:
        return tuple(sorted(levels_list))
    except TypeError:
        return tuple(sorted(levels_list, key=lambda level: (type(level).__name__, str(level))))


def string_kind(n_values: int, n_distinct: int, n_with_blank: int) -> Kind:
    """Whether a column of strings is text or nominal.

    It is text if most distinct values contain a blank and most values are distinct, or if there are more than
    MANY_LEVELS levels, unless nearly all values are distinct, as in an identifier.
    """
    if n_distinct and 2 * n_with_blank > n_distinct and 2 * n_distinct > n_values:
        return "text"
    if n_distinct > MANY_LEVELS and not id_like(n_values, n_distinct):
        return "text"
    return "nominal"


def id_like(n_values: int, n_distinct: int) -> bool:
    """Whether nearly all values are distinct, as in an identifier."""
    return n_values >= 20 and n_distinct >= 0.95 * n_values
