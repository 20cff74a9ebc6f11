"""Growing on tables of some size: threads, weights, missing values, many levels, limits, strange columns."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.engines.cores import limited_to
from acumen.trees.grow import grow
from acumen.trees.inputs import Input, Inputs
from acumen.trees.measures import MEASURES
from acumen.trees.options import GrowOptions
from acumen.trees.tree import Tree
from reference.tree_same import same

MEASURE_NAMES = tuple(MEASURES)


def table(n: int, classes: int, *, missing: float = 0.0, seed: int = 0, levels: int = 12) -> tuple[Any, ...]:
    """Columns of numbers, some tied, and of levels, with labels that depend on all of them."""
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=n), rng.integers(0, 30, n).astype(float), rng.exponential(size=n)]
    codes = [rng.integers(0, levels, n), rng.integers(0, 3, n), rng.integers(0, 5, n)]
    total = numbers[0] + numbers[1] / 10 + np.cos(codes[0]) + (codes[2] > 2) + rng.normal(size=n) / 2
    labels = np.digitize(total, np.quantile(total, np.arange(1, classes) / classes)).astype(np.int32)
    for column in numbers:
        column[rng.random(n) < missing] = np.nan
    coded = [np.where(rng.random(n) < missing, -1, column).astype(np.int32) for column in codes]
    attributes = [Attribute(f"n{j}") for j in range(3)]
    names = [tuple(f"v{i}" for i in range(size)) for size in (levels, 3, 5)]
    attributes += [Attribute("many", "nominal", names[0]), Attribute("few", "nominal", names[1])]
    attributes += [Attribute("ranked", "ordinal", names[2])]
    target = Attribute("class", "nominal", tuple(f"c{i}" for i in range(classes)))
    schema = Schema(tuple(attributes), target)
    return [*numbers, *coded], Inputs.of(schema), schema, labels


def grown(data: tuple[Any, ...], options: GrowOptions, weights: Any = None, threads: int = 1) -> Tree:
    columns, inputs, schema, labels = data
    with limited_to(threads):
        return grow(
            columns, inputs, schema, labels, np.empty(0) if weights is None else weights, options=options
        )


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("missing", ["fractional", "surrogate", "branch", "majority"])
@pytest.mark.parametrize("measure", ["gain-ratio", "gini"])
def test_threads_and_the_order_of_growing_do_not_matter(classes: int, missing: str, measure: str) -> None:
    data = table(6_000, classes, missing=0.05)
    split = "binary" if missing in ("surrogate", "branch") else "multiway"
    options = GrowOptions(measure=measure, split=split, missing=missing, stop_size=20)  # type: ignore[arg-type]
    weights = None if missing == "branch" else np.random.default_rng(1).gamma(3.0, size=6_000) / 3
    tree = grown(data, options, weights)
    assert len(tree) > 100
    for name, array in grown(data, options, weights, threads=3).to_arrays().items():
        assert np.array_equal(array, tree.to_arrays()[name]), name
    # the best node first, without an end, grows in one piece and by other orders of summation
    other = grown(data, replace(options, max_leaf_nodes=10**6), weights)
    assert same(other, tree) is None


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_a_weight_of_two_is_a_row_twice(measure: str) -> None:
    data = table(1_500, 3, missing=0.03, seed=2)
    columns, inputs, schema, labels = data
    times = np.random.default_rng(5).integers(1, 4, len(labels))
    options = GrowOptions(measure=measure, split="binary", stop_size=10, require_average_gain=False)  # type: ignore[arg-type]
    twice = [np.repeat(column, times) for column in columns], inputs, schema, np.repeat(labels, times)
    assert same(grown(data, options, times.astype(float)), grown(twice, options)) is None


def test_the_best_subset_of_levels_is_found_for_two_classes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        codes = rng.integers(0, 9, 400).astype(np.int32)
        labels = (rng.random(400) < rng.random(9)[codes]).astype(np.int32)
        schema = Schema(
            (Attribute("x", "nominal", tuple("abcdefghi")),), Attribute("y", "nominal", ("no", "yes"))
        )
        for measure in ("gini", "gain", "twoing", "cart", "error"):
            options = GrowOptions(measure=measure, split="binary", max_depth=1)  # type: ignore[arg-type]
            tree = grown(([codes], Inputs.of(schema), schema, labels), options)
            assert len(tree) == 3
            counts = np.array([np.bincount(labels[codes == c], minlength=2) for c in range(9)], dtype=float)
            every = [
                np.array(
                    [counts[list(some)].sum(axis=0), counts.sum(axis=0) - counts[list(some)].sum(axis=0)]
                )
                for size in range(1, 5)
                for some in itertools.combinations(range(9), size)
            ]
            best = max(MEASURES[measure].gain(split) for split in every)
            assert MEASURES[measure].gain(tree.counts[1:]) == pytest.approx(best, rel=1e-9)


def test_seven_classes_and_a_thousand_levels_are_split_well() -> None:
    rng = np.random.default_rng(0)
    levels, n = 1_000, 30_000
    codes = rng.integers(0, levels, n).astype(np.int32)
    kind = rng.integers(0, 2, levels)  # two kinds of levels with other classes each
    shares = np.array([[0.3, 0.3, 0.3, 0.1, 0, 0, 0], [0, 0, 0, 0.1, 0.3, 0.3, 0.3]])
    labels = np.array([rng.choice(7, p=shares[kind[c]]) for c in codes], dtype=np.int32)
    schema = Schema(
        (Attribute("x", "nominal", tuple(f"v{i}" for i in range(levels))),),
        Attribute("y", "nominal", tuple("abcdefg")),
    )
    data = [codes], Inputs.of(schema), schema, labels
    tree = grown(data, GrowOptions(measure="gini", split="binary", max_depth=1))
    side = tree.tests.branches_of(0)
    met = side >= 0
    assert max(np.mean(side[met] == kind[met]), np.mean(side[met] != kind[met])) > 0.99
    whole = grown(data, GrowOptions(measure="gini", split="binary"))
    assert whole.leaves.sum() > 100
    one = grown(data, GrowOptions(measure="gini", split="binary", max_depth=1, max_subset=1))
    assert np.count_nonzero(one.tests.branches_of(0) == 0) == 1


def test_several_intervals_are_found_at_once() -> None:
    x = np.repeat([1.0, 2.0, 3.0, 4.0], 10)
    labels = np.repeat([0, 1, 0, 1], 10).astype(np.int32)
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b")))
    data = [x], Inputs.of(schema), schema, labels
    tree = grown(data, GrowOptions(measure="gain", intervals=4))
    assert tree.tests.cuts_of(0).tolist() == [1.5, 2.5, 3.5]
    assert len(tree) == 5
    assert grown(data, GrowOptions(measure="gain", intervals=3)).branches[0] == 3
    # the ratio of two intervals is better than that of three, but that of four is better still
    assert grown(data, GrowOptions(intervals=4)).branches[0] == 4
    # a gain ratio that more intervals would lessen stays with fewer
    plain = np.repeat([0, 1], 20).astype(np.int32)
    assert grown(([x], Inputs.of(schema), schema, plain), GrowOptions(intervals=4)).branches[0] == 2


def test_costly_attributes_are_asked_later() -> None:
    rows = acumen.datasets.load("iris")
    free = acumen.DecisionTree().fit(rows)
    dear = acumen.DecisionTree(attribute_costs={"petal_width": 1000.0, "petal_length": 1000.0}).fit(rows)
    first = [t.model_.tree.inputs[int(t.model_.tree.tests.input[0])].name(t.schema_) for t in (free, dear)]
    assert first[0].startswith("petal")
    assert first[1].startswith("sepal")


def test_infinite_numbers_and_negative_zero_are_ordinary_values() -> None:
    x = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.inf, -np.inf])
    labels = np.array([0, 0, 1, 1, 0, 1, 1, 0], dtype=np.int32)
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b")))
    tree = grown(([x], Inputs.of(schema), schema, labels), GrowOptions(measure="gini"))
    assert np.isfinite(tree.tests.cuts).all()
    assert tree.counts[tree.leaves].min(axis=1).max() == 0.0
    assert sorted(tree.tests.cuts)[:2] == [-0.5, 0.5]


def test_neighbouring_numbers_are_told_apart() -> None:
    x = np.array([1.0, np.nextafter(1.0, 2.0), 5e-324, 1e-323])
    labels = np.array([0, 1, 0, 1], dtype=np.int32)
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b")))
    tree = grown(([x], Inputs.of(schema), schema, labels), GrowOptions(measure="gini"))
    assert tree.counts[tree.leaves].min(axis=1).max() == 0.0


@pytest.mark.parametrize("column", [np.full(20, np.nan), np.ones(20)], ids=["missing", "constant"])
def test_a_column_that_tells_nothing_leaves_one_leaf(column: np.ndarray) -> None:
    labels = np.arange(20, dtype=np.int32) % 2
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b")))
    for missing in ("fractional", "surrogate", "branch", "majority"):
        options = GrowOptions(measure="gini", missing=missing)  # type: ignore[arg-type]
        assert len(grown(([column], Inputs.of(schema), schema, labels), options)) == 1


def test_no_input_and_one_class_leave_one_leaf() -> None:
    schema = Schema((), Attribute("y", "nominal", ("a", "b")))
    labels = np.array([0, 1, 1], dtype=np.int32)
    assert grown(([], Inputs(()), schema, labels), GrowOptions()).counts.tolist() == [[1.0, 2.0]]
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a",)))
    alone = [np.arange(3.0)], Inputs((Input("itself", 0),)), schema, np.zeros(3, dtype=np.int32)
    assert len(grown(alone, GrowOptions())) == 1


def test_a_chain_of_many_nodes_is_grown_and_read() -> None:
    n = 400  # each cut can only part one row from the rest
    x = np.arange(float(n))
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", tuple(f"c{i}" for i in range(n))))
    data = [x], Inputs.of(schema), schema, np.arange(n, dtype=np.int32)
    tree = grown(data, GrowOptions(measure="error"))
    assert tree.leaves.sum() == n
    assert tree.depth.max() == n - 1
