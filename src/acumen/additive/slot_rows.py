"""Rows as the slots that their columns fall into: what sums over rows are made from.

SlotRows   slots by column, words by row and by word; scores, sums, two-way tables and quadratic forms
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.engines.cores import cores
from acumen.types import Array, Floats, Indices

_SHARED = 100_000
Slots = npt.NDArray[np.uint16]
Words = tuple[Array, Array, Array, Array]


def no_words() -> Words:
    """What rows without texts have."""
    starts, indices = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    return starts, indices, starts, indices


@dataclass(frozen=True, slots=True, eq=False)
class SlotRows:
    """Rows of an additive model; see native/kernels/additive/additive.hpp."""

    slots: Slots  # (columns, rows)
    offset: Array
    words: Words
    kernel: Any

    @classmethod
    def of(cls, slots: Slots, offset: Array, *words: Array) -> SlotRows:
        word_rows = words or no_words()
        offset = np.ascontiguousarray(offset, dtype=np.int64)
        kernel = _native.AdditiveRows(slots, offset, *word_rows)
        return cls(slots, offset, word_rows, kernel)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return int(self.slots.shape[1])

    @property
    def width(self) -> int:
        """How many coefficients rows meet."""
        return int(self.offset[-1]) + max(len(self.words[0]) - 1, 0)

    @property
    def threads(self) -> int:
        """Few rows are not worth waking another thread for."""
        return cores() if self.slots.size > _SHARED else 1

    def take(self, places: Indices) -> SlotRows:
        """Some of the rows."""
        words = self.words
        if len(words[0]):
            from scipy.sparse import csr_matrix

            shape = len(self), len(words[0]) - 1
            by_row = csr_matrix((np.ones(len(words[3]), dtype=np.int8), words[3], words[2]), shape)[places]
            by_word = by_row.tocsc()
            words = (
                by_word.indptr.astype(np.int64), by_word.indices.astype(np.int32),
                by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32),
            )  # fmt: skip
        return SlotRows.of(np.ascontiguousarray(self.slots[:, places]), self.offset, *words)

    def scores(self, coefficients: Floats) -> Floats:
        """The sum of each row's coefficients; (rows, lines) for (width, lines)."""
        scores = np.empty((len(self), coefficients.shape[1]))
        if scores.size:
            self.kernel.scores(np.ascontiguousarray(coefficients), scores, self.threads)
        return scores

    def sums(self, values: Floats) -> Floats:
        """Sums of (rows, lines) over the rows of each coefficient."""
        sums = np.empty((self.width, values.shape[1]))
        self.kernel.sums(np.ascontiguousarray(values), sums, self.threads)
        return sums

    def tables(self, weight: Floats) -> Floats:
        """Sums of a weight over the rows that have both of two coefficients."""
        tables = np.empty((self.width, self.width))
        self.kernel.tables(np.ascontiguousarray(weight), tables, self.threads)
        return tables

    def forms(self, matrix: Floats) -> Floats:
        """x' M x of each row."""
        forms = np.empty(len(self))
        if forms.size:
            self.kernel.forms(np.ascontiguousarray(matrix), forms, self.threads)
        return forms
