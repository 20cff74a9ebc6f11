"""Laws that hold for every kind of summary."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from acumen.errors import DataError, SchemaMismatch
from acumen.summaries import (
    ClassMoments,
    JointCounts,
    LevelCounts,
    ScatterMatrices,
    Summary,
    TokenCounts,
    add_up,
)
from summary_cases import CLASSES, LEVELS, PARTS, Rows, close, layouts, some_rows

EDGES = np.array([-10.0, -1.0, 0.0, 5.0, 50.0])


def counted(rows: Rows) -> csr_matrix:
    return csr_matrix(np.maximum(rows.codes, 0).astype(float))


def hard(rows: Rows) -> tuple:
    return rows.labels, rows.weights, CLASSES


def edges(rows: Rows) -> list:
    return [EDGES] * (len(rows.values) if isinstance(rows.values, list) else rows.values.shape[1])


OF: dict[str, Callable[[Rows], Summary]] = {
    "levels": lambda r: LevelCounts.of(r.codes[:, 0], *hard(r), LEVELS),
    "moments": lambda r: ClassMoments.of(r.values, *hard(r)),
    "scatter": lambda r: ScatterMatrices.of(r.values, *hard(r)),
    "shared": lambda r: ScatterMatrices.of(r.values, *hard(r), shared=True),
    "joint": lambda r: JointCounts.of(r.codes, *hard(r)),
    "words": lambda r: TokenCounts.of(counted(r), *hard(r)),
}
OF_PARTS: dict[str, Callable[[Rows], list]] = {
    "levels": lambda r: LevelCounts.of_parts(r.codes[:, 0], *hard(r), LEVELS, r.parts, PARTS),
    "moments": lambda r: ClassMoments.of_parts(r.values, *hard(r), r.parts, PARTS),
    "scatter": lambda r: ScatterMatrices.of_parts(r.values, *hard(r), r.parts, PARTS),
    "shared": lambda r: ScatterMatrices.of_parts(r.values, *hard(r), r.parts, PARTS, shared=True),
    "joint": lambda r: JointCounts.of_parts(r.codes, *hard(r), r.parts, PARTS),
    "words": lambda r: TokenCounts.of_parts(counted(r), *hard(r), r.parts, PARTS),
}
OF_SOFT: dict[str, Callable[[Rows, np.ndarray], Summary]] = {
    "levels": lambda r, s: LevelCounts.of_soft(r.codes[:, 0], s, LEVELS),
    "moments": lambda r, s: ClassMoments.of_soft(r.values, s),
    "scatter": lambda r, s: ScatterMatrices.of_soft(r.values, s),
    "shared": lambda r, s: ScatterMatrices.of_soft(r.values, s, shared=True),
    "joint": lambda r, s: JointCounts.of_soft(r.codes, s),
    "words": lambda r, s: TokenCounts.of_soft(counted(r), s),
}
law = settings(max_examples=25, deadline=None)
kinds = pytest.mark.parametrize("kind", OF)


def same(a: Summary, b: Summary, rel: float = 1e-12) -> bool:
    """Equal up to rounding. A pair table says the same as a plain one when nothing is missing."""
    if isinstance(a, ScatterMatrices):
        pairs = zip(a._pairs(), b._pairs(), strict=True)
        known = a._pairs()[0] > 0
        means = [np.where(known, x, 0.0) for x in (a._pairs()[1], b._pairs()[1])]
        return (
            same(a.moments, b.moments, rel)
            and close(a.scatter, b.scatter, rel)
            and close(a.weight, b.weight, rel)
            and close(*next(pairs), rel)
            and close(*means, rel)
        )
    mine, theirs = a.arrays(), b.arrays()
    return mine.keys() == theirs.keys() and all(
        close(mine[key], theirs[key], rel) for key in mine if not key.endswith("rest")
    )


@kinds
@law
@given(rows=some_rows(), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_adding_parts_is_reading_all(kind: str, rows: Rows, cuts: list[int]) -> None:
    borders = [0, *sorted(min(c, len(rows)) for c in cuts), len(rows)]
    parts = [OF[kind](rows.take(slice(a, b))) for a, b in itertools.pairwise(borders)]
    assert same(add_up(parts), OF[kind](rows))


@pytest.mark.parametrize("kind", ["levels", "joint", "words"])
@law
@given(rows=some_rows(whole=True), cut=st.integers(0, 12))
def test_whole_counts_add_exactly(kind: str, rows: Rows, cut: int) -> None:
    assert OF[kind](rows.take(slice(0, cut))) + OF[kind](rows.take(slice(cut, None))) == OF[kind](rows)


@kinds
@law
@given(rows=some_rows(), seed=st.integers(0, 99))
def test_order_of_parts_is_irrelevant(kind: str, rows: Rows, seed: int) -> None:
    parts = [OF[kind](rows.take(slice(i, i + 3))) for i in range(0, max(1, len(rows)), 3)]
    order = np.random.default_rng(seed).permutation(len(parts))
    assert same(add_up([parts[i] for i in order]), add_up(parts))


@kinds
@law
@given(rows=some_rows(whole=True))
def test_a_weight_is_a_repetition(kind: str, rows: Rows) -> None:
    repeats = rows.weights.astype(int) if rows.weights.size else np.ones(len(rows), dtype=int)
    repeated = rows.take(np.repeat(np.arange(len(rows)), repeats))
    repeated.weights = np.empty(0)
    assert same(OF[kind](rows), OF[kind](repeated))


@kinds
@law
@given(rows=some_rows())
def test_a_row_of_weight_zero_is_absent(kind: str, rows: Rows) -> None:
    present = rows.take(rows.weights > 0) if rows.weights.size else rows
    assert same(OF[kind](rows), OF[kind](present))


@kinds
@law
@given(rows=some_rows())
def test_parts_of_one_pass_equal_parts_taken_apart(kind: str, rows: Rows) -> None:
    for p, made in enumerate(OF_PARTS[kind](rows)):
        assert same(made, OF[kind](rows.take(rows.parts == p)))


@kinds
@law
@given(rows=some_rows())
def test_soft_labels_that_are_sure_equal_hard_ones(kind: str, rows: Rows) -> None:
    rows = rows.take((rows.labels >= 0) & (rows.labels < CLASSES))
    weights = rows.weights if rows.weights.size else np.ones(len(rows))
    shares = np.eye(CLASSES)[rows.labels] * weights[:, None]
    assert same(OF_SOFT[kind](rows, shares), OF[kind](rows))


@kinds
@law
@given(rows=some_rows(), seed=st.integers(0, 99))
def test_soft_labels_equal_rows_split_over_classes(kind: str, rows: Rows, seed: int) -> None:
    shares = np.random.default_rng(seed).dirichlet(np.ones(CLASSES), size=len(rows))
    shares[::3, 0] = 0.0
    split = rows.take(np.repeat(np.arange(len(rows)), CLASSES))
    split.labels = np.tile(np.arange(CLASSES, dtype=np.int32), len(rows))
    split.weights = shares.ravel()
    assert same(OF_SOFT[kind](rows, shares), OF[kind](split))


@pytest.mark.parametrize("kind", [kind for kind in OF if kind != "words"])
@law
@given(rows=some_rows())
def test_memory_layout_is_irrelevant_to_the_byte(kind: str, rows: Rows) -> None:
    expected = {key: array.tobytes() for key, array in OF[kind](rows).arrays().items()}
    for values, codes in zip(layouts(rows.values), layouts(rows.codes), strict=True):
        if kind == "levels":
            codes = np.column_stack(codes) if isinstance(codes, list) else codes
        made = OF[kind](Rows(values, codes, rows.labels, rows.weights, rows.parts))
        assert {key: array.tobytes() for key, array in made.arrays().items()} == expected


@kinds
def test_no_rows_come_to_nothing_that_adds(kind: str) -> None:
    rng = np.random.default_rng(3)
    rows = Rows(
        rng.normal(size=(9, 2)),
        rng.integers(0, LEVELS, (9, 2)).astype(np.int32),
        rng.integers(0, CLASSES, 9).astype(np.int32),
        np.empty(0),
        np.zeros(9, dtype=np.int32),
    )
    nothing, all_rows = OF[kind](rows.take(slice(0, 0))), OF[kind](rows)
    assert nothing + all_rows == all_rows
    assert all_rows + nothing == all_rows
    assert len(OF_PARTS[kind](rows.take(slice(0, 0)))) == PARTS


@kinds
def test_summaries_under_other_classes_do_not_add(kind: str) -> None:
    zeros = np.zeros(2, dtype=np.int32)
    rows = Rows(np.ones((2, 1)), np.zeros((2, 1), dtype=np.int32), zeros, np.empty(0), zeros)
    narrow = OF_SOFT[kind](rows, np.ones((2, 2)))
    wide = OF_SOFT[kind](rows, np.ones((2, 3)))
    with pytest.raises(SchemaMismatch, match="one has 2 classes, the other 3"):
        narrow + wide


@kinds
def test_lengths_that_differ_are_refused_in_a_sentence(kind: str) -> None:
    rows = Rows(
        np.ones((3, 1)),
        np.zeros((3, 1), dtype=np.int32),
        np.zeros(2, dtype=np.int32),
        np.empty(0),
        np.zeros(2, dtype=np.int32),
    )
    with pytest.raises(DataError, match="rows"):
        OF[kind](rows)
    rows.labels, rows.weights = np.zeros(3, dtype=np.int32), np.ones(2)
    with pytest.raises(DataError, match="weights"):
        OF[kind](rows)
    rows.weights = np.array([1.0, -1.0, np.nan])
    with pytest.raises(DataError, match="at least 0"):
        OF[kind](rows)
