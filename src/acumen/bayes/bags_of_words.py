"""Where words come from: text attributes, each under its vocabulary, or numeric attributes that count them.

A bag is one set of words: a text attribute's vocabulary, or the names of all numeric attributes together.

What one bag of words says: log probabilities of its words for each class, and how a document is scored.

multinomial   a word speaks once for each time it occurs
bernoulli     a word speaks by being there and by not being there

Tables are (words, classes), so that what a word says lies together. A probability of exactly 0 (alpha = 0) is
minus infinity; it meets only documents that hold the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from acumen import _native
from acumen.bayes.factors.factor import Term
from acumen.bayes.smoothing import log_shares
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.preprocessing.columns import is_missing_text
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.preprocessing.words import Vocabulary
from acumen.summaries.words import TokenCounts
from acumen.types import Array, Bools, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROWS = 4096  # dense rows made sparse at a time


class BagCounts(NamedTuple):
    """The words of some rows."""

    bag: int
    rows: slice
    counts: csr_matrix
    missing: Bools | None  # rows whose text is missing; None where none is


def objection(schema: Schema) -> str | None:
    """Why a table is not one of words, as half a sentence; None when it is."""
    if schema.nominal:
        return f"it learns from words alone, but {schema.nominal[0].name!r} is {schema.nominal[0].kind}"
    if schema.text and schema.numeric:
        return (
            f"it learns from texts or from counts of words, but {schema.text[0].name!r} is text and "
            f"{schema.numeric[0].name!r} is numeric"
        )
    return None


def bag_words(schema: Schema, vocabularies: Sequence[Vocabulary]) -> list[tuple[str, tuple[str, ...]]]:
    """Each bag's name and words; the bag of counts has no name."""
    if schema.text:
        return [(vocabulary.attribute, vocabulary.words) for vocabulary in vocabularies]
    return [("", schema.names)]


def count_bags(rows: Table, vocabularies: Sequence[Vocabulary]) -> Iterator[BagCounts]:
    """The words of all rows: a bag after the other, each bag's rows in order."""
    from scipy.sparse import csr_matrix

    if rows.schema.text:
        for bag, (vocabulary, texts) in enumerate(zip(vocabularies, rows.text, strict=True)):
            missing = is_missing_text(texts)
            counts = vocabulary.transform(rows)
            yield BagCounts(bag, slice(0, len(rows)), counts, missing if missing.any() else None)
        return
    if rows.sparse is not None:
        yield BagCounts(0, slice(0, len(rows)), rows.sparse, None)
        return
    for start in range(0, max(len(rows), 1), _ROWS):
        part = slice(start, min(start + _ROWS, len(rows)))
        block = rows.numeric.take(part).matrix()
        yield BagCounts(0, part, csr_matrix(block), None)


def require_counts(rows: Table, who: str) -> None:
    """Refuse counts below zero, naming the attribute."""
    held = [rows.sparse.data] if rows.sparse is not None else rows.numeric.columns
    if any((values < 0).any() for values in held):
        name, value = next(
            (attribute.name, column[column < 0][0])
            for attribute, column in rows.numeric_columns()
            if (column < 0).any()
        )
        raise DataError(
            f"Negative values in data passed to {who}: attribute {name!r} holds {value:g}, but counts of words "
            "are at least 0."
        )


@dataclass(frozen=True, slots=True)
class WordLogs:
    """log P(word | class), and for the Bernoulli event the log probability that it is absent."""

    log_present: Floats  # (words, classes)
    log_absent: Floats | None = None  # the same; None for the multinomial event

    @property
    def event(self) -> str:
        return "multinomial" if self.log_absent is None else "bernoulli"

    @property
    def n_parameters(self) -> int:
        words, classes = self.log_present.shape
        return classes * (words if self.log_absent is not None else max(words - 1, 0))

    # -- scoring ----------------------------------------------------------------------------------

    def add_logs(self, counts: csr_matrix, total: Floats, missing: Bools | None = None) -> None:
        """Add log P(words | class) to `total` (documents, classes), in place; missing texts add nothing."""
        if self.log_absent is None:
            _add(counts, self.log_present, False, total)
            return
        # A word that never fails in a class has no log of being absent; it is looked at apart.
        certain = np.isneginf(self.log_absent)
        absent = np.where(certain, 0.0, self.log_absent)
        here = slice(None) if missing is None else np.flatnonzero(~missing)
        total[here] += absent.sum(axis=0)
        _add(counts, self.log_present - absent, True, total)
        if certain.any():
            met = np.zeros_like(total)
            _add(counts, certain.astype(np.float64), True, met)
            failed = met < certain.sum(axis=0)
            if missing is not None:
                failed[missing] = False
            total[failed] = -np.inf

    def terms(self, counts: csr_matrix, attribute: str, words: tuple[str, ...]) -> Iterator[Term]:
        """What each word of one document says, and, for the Bernoulli event, all absent ones together."""
        present = [
            (w, n) for w, n in zip(counts.indices.tolist(), counts.data.tolist(), strict=True) if n > 0
        ]
        for word, count in present:
            name = words[word]
            times = "" if count == 1 else f" ({count:g} times)"
            condition = f"{attribute} has {name!r}{times}" if attribute else f"{name} = {count:g}"
            often = count if self.log_absent is None else 1.0
            yield Term(attribute or name, condition, often * self.log_present[word])
        if self.log_absent is not None:
            others = np.ones(len(words), dtype=np.bool_)
            others[[word for word, _ in present]] = False
            condition = f"{int(others.sum())} absent words"
            yield Term(attribute, condition, self.log_absent[others].sum(axis=0))

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"log_present": self.log_present}
        return arrays if self.log_absent is None else {**arrays, "log_absent": self.log_absent}


def multinomial_bag(counts: TokenCounts, alpha: float) -> WordLogs:
    """Lidstone's estimate of each word's share in each class."""
    return WordLogs(np.ascontiguousarray(log_shares(counts.sums, alpha, "bayes").T))


def bernoulli_bag(counts: TokenCounts, alpha: float) -> WordLogs:
    """Lidstone's estimate of the share of each class's documents that hold a word."""
    there = counts.presence
    gone = np.maximum(counts.documents[:, None] - there, 0.0)
    pair = log_shares(np.stack([there, gone], axis=-1), alpha, "bayes")
    return WordLogs(np.ascontiguousarray(pair[..., 0].T), np.ascontiguousarray(pair[..., 1].T))


def stored_bag(arrays: Mapping[str, Array], j: int, words: int, classes: int) -> WordLogs:
    """The bag at place j from a model file, its probabilities checked."""
    shape = (words, classes)
    if f"bernoulli/{j}/log_present" not in arrays:
        logs = stored_floats(arrays, f"multinomial/{j}/log_present", shape, high=0.0, finite=False)
        total = np.exp(logs).sum(axis=0)
        require(not words or np.all(np.abs(total - 1.0) < 1e-6), "the words' probabilities do not sum to 1")
        return WordLogs(logs)
    present, absent = (
        stored_floats(arrays, f"bernoulli/{j}/{name}", shape, high=0.0, finite=False)
        for name in ("log_present", "log_absent")
    )
    total = np.exp(present) + np.exp(absent)
    require(np.all(np.abs(total - 1.0) < 1e-6), "being there and being absent do not sum to 1")
    return WordLogs(present, absent)


def _add(counts: csr_matrix, table: Floats, presence: bool, total: Floats) -> None:
    starts, indices = counts.indptr, counts.indices
    index = np.int32 if starts.dtype == indices.dtype == np.int32 else np.int64
    _native.add_word_logs(
        np.ascontiguousarray(starts, dtype=index),
        np.ascontiguousarray(indices, dtype=index),
        np.ascontiguousarray(counts.data, dtype=np.float64),
        table,
        presence,
        total,
        cores(),
    )
