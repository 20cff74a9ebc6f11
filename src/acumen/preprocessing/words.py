"""Texts as word counts.

    tokens       text -> its words
    WordCounts   the summary: how often each word occurs; summaries of parts add
    Vocabulary   the plan made of it: which words have a column; then texts -> CSR counts

A word is a maximal run of letters, digits, underscores (what Python's `\\w` takes) and combining marks;
words are lower-cased and brought to Unicode's composed form (NFC), so `don't` is the two words `don` and
`t`, and `Café` is one word however its accent is written. A missing text has no words.

ASCII texts, by far the most, go to the kernel as they are. Other texts are lower-cased and composed by
Python first, with a blank for each run of characters that belong to no word; to the kernel every
remaining byte beyond ASCII is then part of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import _native
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.preprocessing.packing import Arrays, pack_json, pack_words, unpack_json, unpack_words
from acumen.types import Array, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Texts = Iterable[str | None]

_ASCII_CUT = re.compile("[0-9a-z_\x80-\U0010ffff]+")


def tokens(text: str) -> list[str]:
    """The words of a text, in order."""
    return _ASCII_CUT.findall(text.lower() if text.isascii() else _plain(text))


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """How often each word occurs in the texts of one attribute, by weight. Counts of parts add.

    Attributes
    ----------
    attribute : str
        The text attribute; counts of different attributes do not add.
    words : tuple of str
        Every word that occurs, in alphabetical (code point) order.
    totals : array of float64
        For each word the summed weight of its occurrences.
    """

    attribute: str
    words: tuple[str, ...]
    totals: Floats

    @classmethod
    def of(cls, texts: Texts, weights: Floats = NO_WEIGHTS, *, attribute: str = "") -> WordCounts:
        """Count the words of some texts; texts of weight 0 are ignored."""
        words, totals = _native.count_words(
            _as_text_list(texts), np.ascontiguousarray(weights, dtype=np.float64)
        )
        return cls(attribute, tuple(words), totals)

    def __add__(self, other: WordCounts) -> WordCounts:
        if not isinstance(other, WordCounts):
            return NotImplemented
        if self.attribute != other.attribute:
            raise SchemaMismatch(
                f"WordCounts: counts of {self.attribute!r} do not add to counts of {other.attribute!r}."
            )
        summed = dict(zip(self.words, self.totals.tolist(), strict=True))
        for word, total in zip(other.words, other.totals.tolist(), strict=True):
            summed[word] = summed.get(word, 0.0) + total
        words = tuple(sorted(summed))
        return WordCounts(self.attribute, words, np.array([summed[word] for word in words], dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a text attribute that have a column, the most frequent first.

    Words of equal frequency stand in alphabetical order.
    """

    words: tuple[str, ...]
    attribute: str = ""

    @classmethod
    def of(cls, counts: WordCounts, *, min_count: float = 1, max_words: int | None = None) -> Vocabulary:
        """The words that occur at least `min_count` times in all, at most `max_words` of them."""
        if not min_count >= 0:
            raise ParameterError(f"Vocabulary: min_count must be a number of at least 0; got {min_count!r}.")
        if max_words is not None and (not isinstance(max_words, (int, np.integer)) or max_words < 0):
            raise ParameterError(
                f"Vocabulary: max_words must be a whole number of at least 0, or None; got {max_words!r}."
            )
        # The words come in alphabetical order, which a stable sort keeps among equals.
        order = np.argsort(-counts.totals, kind="stable")
        order = order[counts.totals[order] >= min_count][:max_words]
        return cls(tuple(counts.words[i] for i in order), counts.attribute)

    @classmethod
    def fit(
        cls, table: Table, attribute: str | None = None, *, min_count: float = 1, max_words: int | None = None
    ) -> Vocabulary:
        """The vocabulary of a table's text attribute (by name, unless there is only one)."""
        names = [a.name for a in table.schema.text]
        if attribute is None and len(names) != 1:
            raise DataError(
                f"Vocabulary: the table has {len(names)} text attributes; say by name which one to count."
            )
        name = names[0] if attribute is None else attribute
        counts = WordCounts.of(_column(table, name), table.weights, attribute=name)
        return cls.of(counts, min_count=min_count, max_words=max_words)

    def __len__(self) -> int:
        return len(self.words)

    def transform(self, source: Table | Texts) -> csr_matrix:
        """How often each word occurs in each text: a CSR matrix of (texts, words).

        `source` is a table, of which the attribute is read, or the texts themselves.
        """
        from scipy.sparse import csr_matrix

        texts = _as_text_list(_column(source, self.attribute) if isinstance(source, Table) else source)
        ends, columns, counts = _native.word_rows(texts, self.words)
        if len(columns) < np.iinfo(np.int32).max:
            ends = ends.astype(np.int32)  # scipy would widen the columns to the ends' type
        return csr_matrix((counts, columns, ends), shape=(len(texts), len(self.words)))

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays for a model file."""
        words, ends = pack_words(self.words)
        return {"about": pack_json({"attribute": self.attribute}), "words": words, "words_ends": ends}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Vocabulary:
        """Read what `to_arrays` gave, checking every part."""
        about = unpack_json("Vocabulary", arrays, attribute=str)
        return cls(unpack_words("Vocabulary", arrays, "words"), about["attribute"])


def normed_log_counts(counts: csr_matrix) -> csr_matrix:
    """log(1 + count), each row then divided by its Euclidean length; a row without words stays 0."""
    data = np.log1p(counts.data)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(rows, weights=data * data, minlength=counts.shape[0]))
    data /= length[rows]
    return type(counts)((data, counts.indices, counts.indptr), shape=counts.shape)


def _column(table: Table, name: str) -> Sequence[str | None]:
    for attribute, texts in table.text_columns():
        if attribute.name == name:
            return texts  # type: ignore[return-value]  # an array of str and None
    wanted = table.schema[name]
    raise DataError(f"Vocabulary: attribute {name!r} is {wanted.kind}; word counts need a text attribute.")


def _as_text_list(texts: Any) -> list[str]:
    """The texts as the kernel takes them."""
    if isinstance(texts, str):  # which would be read as texts of one letter each
        raise DataError("word counts need a list of texts; got a single one. Put it in a list.")
    listed = texts.tolist() if isinstance(texts, np.ndarray) else texts
    return ["" if text is None else text if text.isascii() else _plain(text) for text in listed]


def _plain(text: str) -> str:
    """A text beyond ASCII: lower-cased, composed, and blank where no word is."""
    return _not_in_words().sub(" ", unicodedata.normalize("NFC", text.lower()))


@cache
def _not_in_words() -> re.Pattern[str]:
    """Runs of characters that are neither `\\w` nor combining marks."""
    planes = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))  # beyond these there is no mark
    marks = [code for code in planes if unicodedata.category(chr(code))[0] == "M"]
    # A run of neighbours has a constant difference between code and rank.
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
    return re.compile(r"[^\w" + "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs) + "]+")
