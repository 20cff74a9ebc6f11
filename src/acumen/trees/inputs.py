"""What a tree may test, as columns of numbers and columns of codes.

    Input    one column: an attribute as it is, whether a text has a word, or a pair of attributes
    Inputs   all of them, and how a table is turned into these columns

Numbers and codes are all that growing and predicting see. A pair of numbers is their product, ratio (missing
where the divisor is zero) or difference; a pair of nominal attributes is a nominal one whose levels are the
pairs of levels, missing where either is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self, get_args

import numpy as np

from acumen.conditions.pair import combine_columns
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes
from acumen.preprocessing.words import Vocabulary
from acumen.types import MISSING, Array, Codes, Floats

Form = Literal["itself", "word", "product", "ratio", "difference", "both"]
FORMS: Final[tuple[str, ...]] = get_args(Form)
#: Of a word: absent and present.
ABSENT, PRESENT = 0, 1


@dataclass(frozen=True, slots=True)
class Input:
    """One column that may be tested.

    `first` and `second` are places in the schema's attributes; `second` is -1 but for pairs.
    """

    form: Form
    first: int
    second: int = -1
    word: str = ""

    def is_numeric(self, schema: Schema) -> bool:
        """Whether it is a column of numbers; else of codes."""
        return self.form in ("product", "ratio", "difference") or (
            self.form == "itself" and schema.attributes[self.first].is_numeric
        )

    def n_levels(self, schema: Schema) -> int:
        """How many codes there are; 0 for numbers."""
        match self.form:
            case "word":
                return 2
            case "both":
                return len(schema.attributes[self.first].levels) * len(schema.attributes[self.second].levels)
            case "itself":
                return len(schema.attributes[self.first].levels)
            case _:
                return 0

    def is_ordered(self, schema: Schema) -> bool:
        """Whether codes are in an order that a test may use."""
        return self.form == "itself" and schema.attributes[self.first].ordered

    def name(self, schema: Schema) -> str:
        """The column as people write it."""
        first = schema.attributes[self.first].name
        second = schema.attributes[self.second].name if self.second >= 0 else ""
        match self.form:
            case "itself":
                return first
            case "word":
                return f"{first} has {self.word!r}"
            case "product":
                return f"{first} * {second}"
            case "ratio":
                return f"{first} / {second}"
            case "difference":
                return f"{first} - {second}"
            case _:
                return f"{first} and {second}"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The columns a tree may test, in the order in which ties between them are broken."""

    columns: tuple[Input, ...]

    @classmethod
    def of(cls, schema: Schema) -> Self:
        """Every numeric, nominal and ordinal attribute as it is."""
        return cls(tuple(Input("itself", j) for j, a in enumerate(schema.attributes) if a.kind != "text"))

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, at: int) -> Input:
        return self.columns[at]

    def of_table(self, rows: Table) -> list[Floats | Codes]:
        """Each column of the table: float64 with NaN for missing, or int32 with codes below zero."""
        attributes = _columns(rows, {j for c in self.columns for j in (c.first, c.second)})
        words: dict[int, Array] = self._words(rows)
        columns: list[Floats | Codes] = []
        for at, column in enumerate(self.columns):
            if column.form == "word":
                columns.append(words[at])
                continue
            first = attributes[column.first]
            if column.form == "itself":
                columns.append(first)
            else:
                columns.append(_pair(column, first, attributes[column.second], rows.schema))
        return columns

    def _words(self, rows: Table) -> dict[int, Array]:
        """The columns that ask for words, with one pass over each text."""
        places_by_text: dict[int, list[int]] = {}
        for at, column in enumerate(self.columns):
            if column.form == "word":
                places_by_text.setdefault(column.first, []).append(at)
        columns: dict[int, Array] = {}
        for j, places in places_by_text.items():
            attribute = rows.schema.attributes[j]
            texts = next(t for a, t in rows.text_columns() if a is attribute)
            missing = np.fromiter((t is None for t in texts), dtype=np.bool_, count=len(texts))
            vocabulary = Vocabulary(tuple(self.columns[at].word for at in places), attribute.name)
            counts = vocabulary.transform(rows).tocsc()
            for slot, at in enumerate(places):
                codes = np.full(len(rows), ABSENT, dtype=np.int32)
                codes[counts.indices[counts.indptr[slot] : counts.indptr[slot + 1]]] = PRESENT
                codes[missing] = MISSING
                columns[at] = codes
        return columns

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        words = [c.word.encode() for c in self.columns]
        return {
            "inputs/form": np.array([FORMS.index(c.form) for c in self.columns], dtype=np.int32),
            "inputs/first": np.array([c.first for c in self.columns], dtype=np.int32),
            "inputs/second": np.array([c.second for c in self.columns], dtype=np.int32),
            "inputs/words": np.frombuffer(b"".join(words), dtype=np.uint8),
            "inputs/word_ends": np.cumsum([len(word) for word in words], dtype=np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        n = len(schema.attributes)
        forms = stored_codes(arrays, "inputs/form", (None,), low=0, below=len(FORMS))
        first = stored_codes(arrays, "inputs/first", forms.shape, low=0, below=max(n, 1))
        second = stored_codes(arrays, "inputs/second", forms.shape, low=-1, below=max(n, 1))
        word = _stored_words(arrays, len(forms))
        columns = tuple(
            Input(FORMS[f], int(a), int(b), w) for f, a, b, w in zip(forms, first, second, word, strict=True)
        )
        for column in columns:
            require(_fits(column, schema), f"an input of form {column.form!r} does not fit its attributes")
        require(len(set(columns)) == len(columns), "two inputs are the same")
        return cls(columns)


def _stored_words(arrays: Mapping[str, Array], n: int) -> list[str]:
    """One word an input, mostly empty: their UTF-8 end to end, and where each ends."""
    raw = stored_array(arrays, "inputs/words", np.uint8, (None,)).tobytes()
    ends = stored_array(arrays, "inputs/word_ends", np.int64, (n,))
    starts = np.concatenate([[0], ends])
    require(
        np.all(np.diff(starts) >= 0) and starts[-1] == len(raw), "the words of inputs do not fit their ends"
    )
    try:
        return [raw[a:b].decode() for a, b in itertools.pairwise(starts.tolist())]
    except UnicodeDecodeError:
        raise ModelFileError(
            "the model file is damaged or forged: the words of inputs are not UTF-8."
        ) from None


def _fits(column: Input, schema: Schema) -> bool:
    """Whether the attributes are of the kinds the form needs."""
    first = schema.attributes[column.first]
    if column.form in ("itself", "word"):
        is_word = column.form == "word"
        return (first.kind == "text") == is_word == bool(column.word) and column.second == -1
    if column.second < 0 or column.word:
        return False
    second = schema.attributes[column.second]
    if column.form == "both":
        return first.is_nominal and second.is_nominal
    return first.is_numeric and second.is_numeric


def _columns(rows: Table, wanted: set[int]) -> dict[int, Array]:
    """The numbers or codes of the attributes at these places, texts left out."""
    place = {id(attribute): j for j, attribute in enumerate(rows.schema.attributes)}
    columns: dict[int, Array] = {place[id(a)]: codes for a, codes in rows.nominal_columns()}
    slots = [slot for slot, a in enumerate(rows.schema.numeric) if place[id(a)] in wanted]
    columns.update((place[id(a)], values) for a, values in rows.numeric_columns(slots))
    return columns


def _pair(column: Input, first: Array, second: Array, schema: Schema) -> Array:
    return combine_columns(column.form, first, second, len(schema.attributes[column.second].levels))
