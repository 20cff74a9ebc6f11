"""What one bag of words says: log probabilities of its words for each class, and how a document is scored.

multinomial   a word speaks once for each time it occurs
bernoulli     a word speaks by being there and by not being there

Tables are (words, classes), so that what a word says lies together. A probability of exactly 0 (alpha = 0) is
minus infinity; it meets only documents that hold the word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen import _native
from acumen.bayes.factors.factor import Term
from acumen.bayes.smoothing import log_shares
from acumen.engines.cores import cores
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.summaries.words import TokenCounts
from acumen.types import Array, Bools, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


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
        found = [(w, n) for w, n in zip(counts.indices.tolist(), counts.data.tolist(), strict=True) if n > 0]
        for word, count in found:
            name = words[word]
            times = "" if count == 1 else f" ({count:g} times)"
            condition = f"{attribute} has {name!r}{times}" if attribute else f"{name} = {count:g}"
            often = count if self.log_absent is None else 1.0
            yield Term(attribute or name, condition, often * self.log_present[word])
        if self.log_absent is not None:
            others = np.ones(len(words), dtype=np.bool_)
            others[[word for word, _ in found]] = False
            condition = f"{int(others.sum())} words that are not there"
            yield Term(attribute, condition, self.log_absent[others].sum(axis=0))

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        made: dict[str, Array] = {"log_present": self.log_present}
        return made if self.log_absent is None else {**made, "log_absent": self.log_absent}


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
