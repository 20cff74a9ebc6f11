"""Words of documents counted by class: how often each occurs, and in how many documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen import _native
from acumen.errors import DataError
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.borrow import Membership, shares_of
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True, eq=False)
class TokenCounts(Summary):
    """Word counts of each class; rows without a label are left out.

    Attributes
    ----------
    sums : array of (classes, words)
        Weighted sums of the counts: what the multinomial model needs.
    presence : array of (classes, words)
        Weight of the documents in which the word occurs (a count above zero): the Bernoulli model's.
    documents : array of (classes,)
        Weight of the documents.
    """

    sums: Floats
    presence: Floats
    documents: Floats

    def __post_init__(self) -> None:
        for name in ("sums", "presence", "documents"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def of(cls, csr_counts: csr_matrix, labels: Codes, weights: Floats | None, classes: int) -> Self:
        """Add up a sparse matrix of documents by words; empty or absent `weights` mean ones."""
        return cls._add(csr_counts, Membership.of(labels, weights, classes, cls.__name__))[0]

    @classmethod
    def of_parts(
        cls,
        csr_counts: csr_matrix,
        labels: Codes,
        weights: Floats | None,
        classes: int,
        parts: Codes,
        n_parts: int,
    ) -> list[Self]:
        """The counts of every part in one pass; a row whose part is outside 0..n_parts-1 is in none."""
        return cls._add(csr_counts, Membership.of(labels, weights, classes, cls.__name__, parts, n_parts))

    @classmethod
    def of_soft(cls, csr_counts: csr_matrix, responsibilities: Floats) -> Self:
        """Counts in which each document belongs to every class by its share, an array of (rows, classes)."""
        shares = shares_of(responsibilities, cls.__name__)
        arrays, (n, words) = _csr(csr_counts, cls.__name__)
        if n != len(shares):
            raise DataError(f"{cls.__name__}: there must be a line of responsibilities for each document.")
        sums, presence = np.zeros((2, shares.shape[1], words))
        _native.add_words_soft(*arrays, shares, sums, presence)
        return cls(sums, presence, shares.sum(axis=0))

    @classmethod
    def _add(cls, csr_counts: Any, rows: Membership) -> list[Self]:
        arrays, (n, words) = _csr(csr_counts, cls.__name__)
        rows.require_rows(n, cls.__name__)
        sums, presence = np.zeros((2, rows.groups, words))
        starts, indices, values = arrays
        _native.add_words(starts, indices, values, *rows.kernel_arguments(), sums, presence)
        documents = np.zeros((rows.n_parts, rows.classes + 1, 2))
        one_level = np.broadcast_to(np.int32(0), n)
        _native.count_levels(one_level, rows.labels, rows.weights, rows.parts, documents)
        k = rows.classes
        return [
            cls(sums[p * k : (p + 1) * k], presence[p * k : (p + 1) * k], documents[p, :-1, 0])
            for p in range(rows.n_parts)
        ]

    @property
    def classes(self) -> int:
        return len(self.sums)

    @property
    def words(self) -> int:
        return int(self.sums.shape[1])

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return type(self)(self.sums * factor, self.presence * factor, self.documents * factor)

    def _difference(self, other: Self) -> str | None:
        if self.classes != other.classes:
            return f"one has {self.classes} classes, the other {other.classes}"
        if self.words != other.words:
            return f"one has {self.words} words, the other {other.words}"
        return None

    def _merge(self, other: Self) -> Self:
        return type(self)(
            self.sums + other.sums, self.presence + other.presence, self.documents + other.documents
        )


def _csr(matrix: Any, who: str) -> tuple[tuple[Any, Any, Any], tuple[int, int]]:
    """Starts, indices and values of a sparse matrix that holds each word of a document once."""
    if getattr(matrix, "format", None) is None:
        kind = type(matrix).__name__
        raise DataError(f"{who}: counts must be a sparse matrix of documents by words; got {kind}.")
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    starts, indices, values = csr.indptr, csr.indices, csr.data
    index = np.int32 if starts.dtype == indices.dtype == np.int32 else np.int64
    if values.dtype not in (np.float64, np.float32, np.int64):
        values = values.astype(np.float64)
    arrays = (
        np.ascontiguousarray(starts, dtype=index),
        np.ascontiguousarray(indices, dtype=index),
        np.ascontiguousarray(values),
    )
    return arrays, (int(csr.shape[0]), int(csr.shape[1]))
