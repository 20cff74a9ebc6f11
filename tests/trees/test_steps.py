"""How a tree was grown, node by node: the worth of every attribute, against the documents and the slow twin."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.base.kept_rows import MOST_CELLS
from acumen.errors import DataError
from acumen.trees.reading.steps import InputScore, TreeSteps
from iris_tables import sepals
from tables import table_of

pytestmark = pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")


def root(learner: Any) -> dict[str, InputScore]:
    return {each.attribute: each for each in learner.steps().nodes[0].candidates}


def test_w002_03_gains_of_the_loan_table() -> None:
    found = root(acumen.DecisionTree(measure="gain", prune="none").fit(acumen.datasets.load("loan")))
    assert {name: each.gain for name, each in found.items()} == pytest.approx(
        {
            "Age": 0.0830074999,
            "Own_house": 0.4199730940,
            "Has_Job": 0.3236501982,
            "Credit_Rating": 0.3629895625,
        },
        abs=1e-10,
    )
    assert [each.attribute for each in found.values() if each.taken] == ["Own_house"]


def test_w001_11_ratios_of_the_loan_table() -> None:
    learner = acumen.DecisionTree(require_average_gain=False).fit(acumen.datasets.load("loan"))
    assert {name: each.ratio for name, each in root(learner).items()} == pytest.approx(
        {
            "Age": 0.0523719014,
            "Own_house": 0.4325380678,
            "Has_Job": 0.3524465495,
            "Credit_Rating": 0.2318538813,
        },
        abs=1e-10,
    )
    said = learner.describe(steps=True)
    assert (
        "0.970951 - 9/15 x 0.918296 - 6/15 x 0 = 0.419973; over split information 0.970951 = 0.432538" in said
    )


@pytest.mark.parametrize(
    ("measure", "worth"),
    [("gain", 0.5307748582551238), ("gini", 4 / 9 - 0.1440345369), ("cart", 0.7377777778)],
)
def test_w000_13_the_best_cut_of_the_sepals(measure: str, worth: float) -> None:
    learner = acumen.DecisionTree(measure=measure, prune="none", max_depth=1).fit(sepals())
    best = next(each for each in root(learner).values() if each.taken)
    assert best.branches == ("length <= 5.45", "length > 5.45")
    assert best.gain == pytest.approx(worth, abs=1e-9)
    assert best.counts.tolist() == [[45.0, 7.0], [5.0, 93.0]]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["gain-ratio", "gain", "gini", "error", "twoing", "cart"]),
    st.sampled_from(["multiway", "binary"]),
    st.sampled_from(["fractional", "branch", "majority"]),
)
def test_the_test_taken_is_the_best_that_competes(seed: int, measure: str, split: str, missing: str) -> None:
    rng = np.random.default_rng(seed)
    n = 30
    table = table_of(
        {
            "a": rng.choice(["x", "y", "z", None], n).tolist(),
            "b": rng.choice(["u", "v"], n).tolist(),
            "c": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 6, n)).tolist(),
            "d": rng.normal(size=n).round(1).tolist(),
        },
        ["p", "q", "r", *rng.choice(["p", "q", "r"], n - 3).tolist()],
        weights=rng.integers(1, 4, n).astype(float).tolist(),
    )
    learner = acumen.DecisionTree(measure=measure, split=split, missing=missing, prune="none").fit(table)
    steps = learner.steps()
    assert len(steps.nodes) == learner.n_nodes_
    for each in steps.nodes:
        np.testing.assert_allclose(each.counts, learner.tree_.counts[each.node], rtol=1e-9, atol=1e-9)
        taken = [one for one in each.candidates if one.taken]
        competing = [one.score for one in each.candidates if one.score is not None]
        if not learner.tree_.leaves[each.node]:
            assert len(taken) == 1
            assert taken[0].score == pytest.approx(max(competing), rel=1e-9, abs=1e-9)
        else:
            assert not taken and each.leaf


@pytest.mark.parametrize(
    "further", [{"intervals": 3}, {"missing": "surrogate"}, {"method": "histogram", "bins": 4}]
)
@pytest.mark.parametrize("seed", range(6))
def test_cuts_of_other_growers_are_those_that_compete(further: dict[str, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 9, 60), rng.normal(size=60).round(1)])
    y = (np.abs(X[:, 0] - 4) < 2) ^ (rng.random(60) < 0.1)
    for each in acumen.DecisionTree(prune="none", **further).fit(X, y).steps().nodes:
        taken = [one.score for one in each.candidates if one.taken]
        competing = [one.score for one in each.candidates if one.score is not None]
        if taken:
            assert taken == [pytest.approx(max(competing), rel=1e-9, abs=1e-9)]


def test_costs_of_attributes_and_of_classes_are_counted() -> None:
    table = acumen.datasets.load("loan")
    dear = acumen.DecisionTree(measure="gain", attribute_costs={"Own_house": 10.0}, prune="none").fit(table)
    found = root(dear)
    assert found["Own_house"].score == pytest.approx(0.0419973094)
    assert not found["Own_house"].taken
    assert "by its cost and weight 0.041997" in dear.describe(steps=True)
    costly = acumen.DecisionTree(costs={("No", "Yes"): 5.0}, measure="gini").fit(table)
    assert "Classes are weighted by the cost of their errors." in costly.describe(steps=True)


def test_a_pruned_leaf_says_what_could_have_been_tested() -> None:
    rng = np.random.default_rng(0)
    table = table_of({"x": rng.normal(size=60).tolist()}, rng.choice(["p", "q"], 60).tolist())
    learner = acumen.DecisionTree(measure="gini", prune="significance", significance=1e-6).fit(table)
    assert learner.n_leaves_ == 1
    (only,) = learner.steps().nodes
    assert only.leaf.endswith("stopped or pruned here")
    assert only.candidates[0].score is not None


def test_random_trees_say_that_attributes_were_drawn() -> None:
    learner = acumen.RandomTree(random_state=0).fit(acumen.datasets.load("iris"))
    assert "2 of 4 attributes, drawn at random" in learner.describe(steps=True)


def test_rows_are_forgotten_by_files_and_copies_and_can_be_given_again() -> None:
    table = acumen.datasets.load("loan")
    learner = acumen.DecisionTree().fit(table)
    again = pickle.loads(pickle.dumps(learner))
    with pytest.raises(DataError, match="Pass them with data="):
        again.describe(steps=True)
    assert again.describe(steps=True, data=table) == learner.describe(steps=True)
    assert again.describe() == learner.describe()
    other = again.steps(table.take(np.arange(10)))
    assert other.notes == ("By 10 rows; the counts of the tree itself are of 15.",)


def test_tables_of_many_cells_are_not_kept() -> None:
    n = MOST_CELLS // 2 + 1
    X = np.column_stack([np.arange(n), np.arange(n) % 7])
    learner = acumen.DecisionTree(max_depth=1, prune="none").fit(X, np.arange(n) > n // 2)
    with pytest.raises(DataError, match="at most 20,000 cells"):
        learner.steps()
    assert isinstance(learner.steps((X, np.arange(n) > n // 2)), TreeSteps)


def test_long_steps_are_abridged_unless_all_are_asked_for() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 25))
    learner = acumen.DecisionTree(measure="gini", prune="none").fit(X, rng.integers(0, 2, 120))
    short, whole = learner.describe(steps=True), learner.describe(full=True, steps=True)
    assert "more nodes" in short and "more attributes" in short
    assert "more nodes" not in whole and "more attributes" not in whole
