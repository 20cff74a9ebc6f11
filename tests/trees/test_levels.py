"""Trees grown level by level from histograms: exact over bins, and the same for any cut into parts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.trees import level_rows, levels
from acumen.trees.binning import plan_bins
from acumen.trees.grow import grow
from acumen.trees.inputs import Inputs
from acumen.trees.level_nodes import Nodes
from acumen.trees.levels import grow_by_levels
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree


def mixed_table(n: int, seed: int, *, missing: float = 0.1, classes: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.integers(0, 40, n).astype(float),
            "c": rng.choice(list("pqrst"), n),
            "d": rng.choice(list("uvw"), n),
        }
    )
    guess = rng.choice(list("xyz")[:classes], n)
    frame["y"] = np.where(frame["a"] + (frame["c"] == "p") > 0.5, "x", guess)
    frame.loc[rng.random(n) < missing, "a"] = np.nan
    frame.loc[rng.random(n) < missing, "c"] = None
    return acumen.read(frame, target="y", kinds={"c": "nominal", "d": "nominal"})


def sample_of(table: Table, weights: Any = None) -> tuple[Sample, Inputs]:
    inputs = Inputs.of(table.schema)
    made = Sample.of(table, inputs)
    return Sample(made.columns, made.labels, np.empty(0) if weights is None else weights), inputs


def shape(tree: Tree, node: int = 0) -> Any:
    """A tree as nested tuples, whatever the order of its nodes; counts to nine digits."""
    counts = tuple(np.round(tree.counts[node], 9).tolist())
    test = tree.tests[node]
    if test is None:
        return counts
    return (
        counts,
        test.input,
        test.branches,
        int(tree.otherwise[node]),
        *(shape(tree, child) for child in tree.children(node)),
    )


MEASURES = ("gain-ratio", "gain", "gini", "cart", "error", "twoing")


@pytest.mark.parametrize("missing", ["branch", "majority"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("few", [0, 50])
def test_with_a_bin_for_each_value_the_tree_is_the_exact_one(
    missing: Any, measure: Any, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "_FEW", few)
    for seed in range(4):
        table = mixed_table(200 + 40 * seed, seed, classes=2 + seed % 2)
        rows, inputs = sample_of(table)
        for split in ("multiway", "binary"):
            options = GrowOptions(
                measure=measure, split=split, missing=missing, max_leaf_nodes=9 if seed == 3 else None
            )
            exact = grow(rows.columns, inputs, table.schema, rows.labels, rows.weights, options=options)
            made = grow_by_levels([rows], inputs, table.schema, options=options, bins=1000)
            assert shape(made) == shape(exact)


@pytest.mark.parametrize("intervals", [2, 4])
def test_rows_shared_out_weigh_what_they_do_in_exact_growing(intervals: int) -> None:
    table = mixed_table(300, 7)
    rows, inputs = sample_of(table)
    options = GrowOptions(min_samples_leaf=5, intervals=intervals)
    exact = grow(rows.columns, inputs, table.schema, rows.labels, rows.weights, options=options)
    made = grow_by_levels([rows], inputs, table.schema, options=options, bins=1000)
    assert shape(made) == shape(exact)


@given(
    cuts=st.lists(st.integers(0, 5), max_size=3),
    weighted=st.booleans(),
    held=st.booleans(),
    measure=st.sampled_from(MEASURES),
)
@settings(max_examples=15)
def test_the_tree_is_the_same_for_any_cut_into_parts(
    cuts: list[int], weighted: bool, held: bool, measure: Any
) -> None:
    table = mixed_table(400, 3)
    rng = np.random.default_rng(5)
    rows, inputs = sample_of(table, rng.random(400) + 0.1 if weighted else None)
    block = 64
    places = [0, *sorted({block * c for c in cuts} - {0}), len(rows)]
    parts = [rows.take(np.arange(a, b)) for a, b in pairwise(places)]
    options = GrowOptions(measure=measure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acumen.trees.binning.BLOCK_ROWS", block)
        if not held:
            patch.setattr(level_rows, "HELD_BYTES", -1)
            patch.setattr(levels, "_CELLS", 1)  # one node a pass
        one, other = (
            grow_by_levels(source, inputs, table.schema, options=options, bins=16)
            for source in ([rows], parts)
        )
    for name, array in one.to_arrays().items():
        np.testing.assert_array_equal(array, other.to_arrays()[name], err_msg=name)


@given(
    values=st.lists(st.floats(-1e300, 1e300) | st.sampled_from([np.nan, np.inf, -np.inf, 0.5]), min_size=1),
    bins=st.integers(2, 5),
)
def test_a_code_is_the_interval_a_test_would_find(values: list[float], bins: int) -> None:
    column = np.array(values)
    frame = pd.DataFrame({"x": np.arange(len(values), dtype=float), "y": ["a"] * len(values)})
    table = acumen.read(frame, target="y", kinds={"x": "numeric"})
    rows = Sample([column], np.zeros(len(values), dtype=np.int32), np.empty(0))
    plan = plan_bins([rows], Inputs.of(table.schema), table.schema, bins)
    (edges,) = plan.edges
    assert (
        edges is not None
        and len(edges) < bins
        and np.isfinite(edges).all()
        and (edges[1:] > edges[:-1]).all()
    )
    codes = plan.codes([column])[0]
    known = ~np.isnan(column)
    np.testing.assert_array_equal(codes[~known], len(edges) + 1)
    np.testing.assert_array_equal(codes[known], (column[known, None] > edges).sum(axis=1))


@pytest.mark.parametrize(
    "learner",
    [
        acumen.DecisionTree(method="histogram", bins=8),
        acumen.DecisionTree(
            method="histogram", measure="gini", split="binary", prune="mdl", class_weight="balanced"
        ),
        acumen.DecisionTree(method="histogram", construct="pairs", costs=[[0, 3, 1], [1, 0, 1], [1, 1, 0]]),
        acumen.RandomTree(method="histogram", random_state=3),
    ],
)
def test_a_stream_gives_the_tree_of_all_rows(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acumen.engines.blocks.BLOCK_ROWS", 64)
    table = mixed_table(500, 11)
    whole = learner.fit(table).model_.to_arrays()
    for places in ([0, 500], [0, 1, 130, 131, 500], [0, 250, 500]):
        parts = [table.take(slice(a, b)) for a, b in pairwise(places)]
        streamed = learner.fit_stream(parts).model_.to_arrays()
        for name, array in whole.items():
            np.testing.assert_array_equal(array, streamed[name], err_msg=name)


def test_a_stream_of_texts_has_the_words_of_all_parts() -> None:
    texts = ["good offer", "bad day", "offer now", "nice day", None, "offer", "day", "good day"] * 4
    frame = pd.DataFrame(
        {"t": texts, "x": np.arange(32.0), "y": ["s", "h", "s", "h", "h", "s", "h", "h"] * 4}
    )
    table = acumen.read(frame, target="y", kinds={"t": "text"})
    learner = acumen.DecisionTree(method="histogram")
    whole = learner.fit(table).describe()
    assert "t has 'day'" in whole
    assert learner.fit_stream([table.take(slice(0, 10)), table.take(slice(10, 32))]).describe() == whole


def test_what_a_stream_cannot_do_is_said() -> None:
    table = mixed_table(50, 1)
    assert not hasattr(acumen.DecisionTree(), "fit_stream")
    with pytest.raises(DataError, match="only once"):
        acumen.DecisionTree(method="histogram").fit_stream(iter([table]))
    with pytest.raises(ParameterError, match="needs held-out rows"):
        acumen.DecisionTree(method="histogram", prune="reduced-error").fit_stream([table])
    with pytest.raises(DataError, match="surrogates"):
        acumen.DecisionTree(method="histogram", missing="surrogate", split="binary").fit(table)
    with pytest.raises(DataError, match="labelled"):
        acumen.DecisionTree(method="histogram").fit_stream([table.take(slice(0, 0))])


def test_binned_trees_are_about_as_good_as_exact_ones() -> None:
    table = acumen.datasets.load("iris")
    exact, binned = (
        acumen.assess(acumen.DecisionTree(method=method, bins=32), table, random_state=1).mean
        for method in ("exact", "histogram")
    )
    assert abs(exact - binned) < 0.05


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_left_of_a_parent_is_what_counting_its_other_child_gives(
    missing: float, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mixed_table(3000, 5, missing=missing)
    weights = np.random.default_rng(1).random(3000) if weighted else None
    sample, inputs = sample_of(table, weights)
    monkeypatch.setattr(levels, "_FEW", 0)  # every node by its cells
    options = GrowOptions(max_depth=6)
    pairs = []
    found = Nodes.siblings

    def noted(self: Nodes, before: Any) -> Any:
        made = found(self, before)
        pairs.append(len(made[0]))
        return made

    def grown() -> dict[str, Any]:
        tree = grow_by_levels([sample], inputs, table.schema, options=options, bins=64)
        return {name: array.tobytes() for name, array in tree.to_arrays().items()}

    monkeypatch.setattr(Nodes, "siblings", noted)
    subtracted = grown()
    none = np.empty(0, dtype=np.int64)
    monkeypatch.setattr(Nodes, "siblings", lambda self, before: (none, none, none))
    assert subtracted == grown()
    assert sum(pairs) > (0 if missing else 3)
