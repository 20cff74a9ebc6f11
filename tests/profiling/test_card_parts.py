"""What a card is made of where rows lie apart: cut anywhere and put together, it is that of the whole."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.read import read
from acumen.data.table import NO_WEIGHTS
from acumen.profiling import numeric as of_blocks
from acumen.profiling.duplicates import duplicates, merge_duplicates
from acumen.profiling.findings import StepPattern
from acumen.profiling.levels import TextTally
from acumen.profiling.numeric import Moments, in_pairs, moments_of
from acumen.profiling.row_keys import KeyedRows, distinct_keys, share_of, text_keys
from acumen.profiling.sorted_slices import SliceRequest, SortedNumbers

numbers = st.lists(st.sampled_from([-np.inf, -3.0, -0.0, 0.0, 1.0, 2.5, 7.0, np.inf, np.nan]), max_size=40)
cut = st.integers(0, 40)


@given(st.lists(st.integers(-(10**12), 10**12).map(lambda n: n / 1000), min_size=2, max_size=40))
def test_moments_of_blocks_are_those_of_the_column(values):
    column = np.array(values)
    before, of_blocks.BLOCK = of_blocks.BLOCK, 4
    try:
        mean, sd = moments_of(column, NO_WEIGHTS).mean_and_sd()
    finally:
        of_blocks.BLOCK = before
    scale = float(np.abs(column).max()) or 1.0
    assert mean == pytest.approx(float(column.mean()), rel=1e-12, abs=1e-12 * scale)
    assert sd == pytest.approx(float(column.std(ddof=1)), rel=1e-9, abs=1e-9 * scale)


def test_blocks_of_the_greatest_and_the_least_numbers_do_not_overflow():
    parts = [np.array([1.7e308, -1.7e308]), np.array([5e-324, 1e-320]), np.array([1.7e308])]
    found = in_pairs([Moments.of(part, NO_WEIGHTS) for part in parts])
    assert found.count == 5 and np.isfinite(found.mean_and_sd()[0])


@given(numbers, cut)
def test_steps_of_stretches_add(values, place):
    column = np.array(values, dtype=np.float64)
    assert StepPattern.of(column[:place]) + StepPattern.of(column[place:]) == StepPattern.of(column)


@given(numbers, cut, st.sampled_from([[], [0.0], [-3.0, 1.0, 7.0]]), st.booleans())
def test_slices_of_sorted_parts_come_to_the_whole(values, place, cuts, classed):
    column = np.array(values, dtype=np.float64)
    labels = (np.arange(len(column)) % 3 - 1).astype(np.int32) if classed else None
    whole = SortedNumbers.of(column, labels, NO_WEIGHTS)
    parts = [
        SortedNumbers.of(column[rows], None if labels is None else labels[rows], NO_WEIGHTS)
        for rows in (slice(None, place), slice(place, None))
    ]
    together = SortedNumbers.merge(parts)
    for name in ("values", "mass", "classed", "least", "most"):
        assert np.array_equal(getattr(together, name), getattr(whole, name))
    asked = SliceRequest(np.array([-3.0, 0.0, 7.0]), (), 0.0, False, 99)
    ends = [0, *np.searchsorted(together.values, cuts).tolist(), len(together.values)]
    told = [asked.summarise(together.between(a, b)) for a, b in pairwise(ends)]
    total, expected = told[0], asked.summarise(whole)
    for each in told[1:]:
        total = total + each
    assert (total.distinct, total.apart, total.covered, total.mixed) == (
        expected.distinct,
        expected.apart,
        expected.covered,
        expected.mixed,
    )
    assert np.array_equal(total.counts, expected.counts)
    if not total.mixed:
        assert total.runs == expected.runs


@given(st.integers(1, 5), st.integers(0, 60), st.integers(0, 99))
def test_rows_that_repeat_are_found_among_shares_of_keys(shares, n, seed):
    rng = np.random.default_rng(seed)
    frame = {
        "a": rng.choice([0.0, -0.0, 1.0, np.nan], n + 2),
        "b": rng.choice(["u", "v", None], n + 2).astype(object),
        "y": rng.choice(["p", "q", None], n + 2).astype(object),
    }
    frame["y"][:2] = ["p", "q"]
    frame["b"][:2] = ["u", "v"]
    pandas = pytest.importorskip("pandas")
    table = read(pandas.DataFrame(frame), target="y")
    middle = len(table) // 3
    blocks = [(table.take(slice(0, middle)), 0), (table.take(slice(middle, len(table))), middle)]
    dealt = [KeyedRows.of(block, first).split(shares) for block, first in blocks if len(block)]
    told = [KeyedRows.concatenate([one[i] for one in dealt]).twice(True) for i in range(shares)]
    assert merge_duplicates(told) == duplicates(table)


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=20), st.integers(1, 4))
def test_texts_that_differ_are_counted_among_shares_of_keys(texts, shares):
    known = np.array([text for text in texts if text is not None] + [None], dtype=object)[:-1]
    one, two = text_keys(known)
    where = share_of(one, shares)
    found = sum(len(distinct_keys([(one[where == i], two[where == i])])[0]) for i in range(shares))
    assert found == len(set(known))


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=20), st.integers(0, 20))
def test_lengths_of_texts_add(texts, place):
    column = np.array([*texts, None], dtype=object)[:-1]
    both = TextTally.of(column[:place], NO_WEIGHTS) + TextTally.of(column[place:], NO_WEIGHTS)
    assert both.column("t", 1) == TextTally.of(column, NO_WEIGHTS).column("t", 1)
