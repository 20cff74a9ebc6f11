"""Kernels that count words, against words written out."""

from __future__ import annotations

from collections import Counter

import numpy as np

from acumen import _native

TEXTS = ["late late cold", "", "warm late", "Cold, warm; cold!"]


def test_count_words_sums_the_weights_of_occurrences() -> None:
    weights = np.array([1.0, 5.0, 2.0, 0.5])
    words, sums = _native.count_words(TEXTS, weights)
    expected: Counter[str] = Counter()
    for text, weight in zip(TEXTS, weights.tolist(), strict=True):
        for word in "".join(c if c.isalpha() else " " for c in text.lower()).split():
            expected[word] += weight
    assert dict(zip(words, sums.tolist(), strict=True)) == expected
    assert words == sorted(words)


def test_word_rows_count_the_words_of_a_vocabulary() -> None:
    ends, words, counts = _native.word_rows(TEXTS, ["cold", "late"])
    dense = np.zeros((4, 2))
    for row in range(4):
        first, last = (int(ends[row]), int(ends[row + 1])) if len(ends) == 5 else (0, 0)
        dense[row, words[first:last]] = counts[first:last]
    assert dense.tolist() == [[1, 2], [0, 0], [0, 1], [2, 0]]


def test_parse_offsets_reads_the_numbers_between_offsets() -> None:
    cells = ["1.5", "", "-2e3", "no number", "7"]
    data = np.frombuffer("".join(cells).encode(), dtype=np.uint8).copy()
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int64)
    known = np.array([1, 1, 1, 1, 0], dtype=np.uint8)
    found = _native.parse_offsets(offsets, data, known)
    assert np.array_equal(found, [1.5, np.nan, -2000.0, np.nan, np.nan], equal_nan=True)
