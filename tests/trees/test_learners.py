"""DecisionTree and RandomTree as people use them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import acumen
from acumen.errors import ParameterError
from acumen.trees.candidate_inputs import MOST_PAIRED, inputs_of


def first_question(fitted: acumen.DecisionTree) -> str:
    tree = fitted.model_.tree
    return tree.inputs[int(tree.tests.input[0])].name(fitted.schema_)


# -- what may be tested ---------------------------------------------------------------------------


def test_texts_are_asked_for_words() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["the", "a", "free", "offer", "meeting", "report", "lunch", "money"])
    texts = [" ".join(rng.choice(words, 12)) for _ in range(200)]
    label = ["spam" if "free" in t.split() and "meeting" not in t.split() else "ham" for t in texts]
    rows = acumen.read(pd.DataFrame({"text": texts, "y": label}), target="y", kinds={"text": "text"})
    fitted = acumen.DecisionTree(min_samples_leaf=1, prune="none").fit(rows)
    assert fitted.score(rows) == 1.0
    asked = {c.word for c in fitted.model_.tree.inputs.columns}
    assert {"free", "meeting"} <= asked
    assert len(asked) < len(words)  # words that are never asked for are not kept


def test_pairs_say_in_one_test_what_single_attributes_cannot() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(1, 2, size=(400, 2))
    for form, value in {
        "a * b": X[:, 0] * X[:, 1],
        "a / b": X[:, 0] / X[:, 1],
        "a - b": X[:, 0] - X[:, 1],
    }.items():
        y = value > np.median(value)
        fitted = acumen.DecisionTree(construct="pairs").fit(pd.DataFrame(X, columns=["a", "b"]), y)
        assert first_question(fitted) == form
        assert fitted.n_leaves_ == 2
        assert len(fitted.model_.tree.inputs) == 3  # the attributes and the one pair that is asked
    codes = rng.integers(0, 2, (400, 2))
    frame = pd.DataFrame({"u": np.array(["x", "y"])[codes[:, 0]], "v": np.array(["p", "q"])[codes[:, 1]]})
    fitted = acumen.DecisionTree(construct="pairs").fit(frame, codes[:, 0] != codes[:, 1])
    assert first_question(fitted) == "u and v"
    assert fitted.score(frame, codes[:, 0] != codes[:, 1]) == 1.0


def test_only_the_most_telling_of_many_attributes_are_paired() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 30))
    y = (X[:, [3, 17, 29]].sum(axis=1) > 0).astype(int)
    rows = acumen.read(pd.DataFrame(X).assign(y=y.astype(str)), target="y")
    paired = {c.first for c in inputs_of(rows, pairs=True).columns if c.second >= 0}
    paired |= {c.second for c in inputs_of(rows, pairs=True).columns if c.second >= 0}
    assert len(paired) == MOST_PAIRED
    assert {3, 17, 29} <= paired


def test_sparse_rows_grow_the_tree_of_dense_ones() -> None:
    rng = np.random.default_rng(3)
    X = rng.poisson(0.3, size=(300, 8)).astype(float)
    y = (X[:, 0] + X[:, 1] > X[:, 2]).astype(int)
    one, other = (acumen.DecisionTree().fit(data, y) for data in (X, sp.csr_matrix(X)))
    assert one.to_text() == other.to_text()


# -- weights, costs, estimates ----------------------------------------------------------------------


def test_costs_make_the_dear_class_count_for_more_in_growing() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2_000, 2))
    y = np.where(rng.random(2_000) < 1 / (1 + np.exp(-2 * X[:, 0] + 3)), "ill", "well")
    costs = {("well", "ill"): 20.0, ("ill", "well"): 1.0}
    plain = acumen.DecisionTree(max_depth=2, prune="none").fit(X, y)
    dear = acumen.DecisionTree(max_depth=2, prune="none", costs=costs).fit(X, y)
    assert plain.model_.tree.tests.cuts_of(0) != dear.model_.tree.tests.cuts_of(0)
    assert np.array_equal(plain.model_.tree.counts[0], dear.model_.tree.counts[0])

    def cost(fitted: acumen.DecisionTree) -> float:
        said = fitted.predict(X)
        return 20.0 * np.sum((said == "well") & (y == "ill")) + np.sum((said == "ill") & (y == "well"))

    assert cost(dear) < cost(plain)


@pytest.mark.parametrize(
    ("estimate", "wanted"),
    [("frequency", [0.0, 1.0]), ("laplace", [1 / 5, 4 / 5]), ("m", [0.8 / 5, 4.2 / 5])],
)
def test_leaf_probabilities_are_estimated_as_asked(estimate: str, wanted: list[float]) -> None:
    X, y = [[0.0]] * 2 + [[1.0]] * 3, ["a", "a", "b", "b", "b"]
    fitted = acumen.DecisionTree(leaf_estimate=estimate, prior_weight=2.0, prune="none").fit(X, y)  # type: ignore[arg-type]
    assert fitted.predict_proba([[1.0]])[0] == pytest.approx(wanted)


def test_wrong_costs_of_attributes_end_in_sentences() -> None:
    rows = acumen.datasets.load("iris")
    with pytest.raises(ParameterError, match=r"'petal_widht'.*Did you mean 'petal_width'"):
        acumen.DecisionTree(attribute_costs={"petal_widht": 2}).fit(rows)
    with pytest.raises(ParameterError, match="must be a number above 0; got 0"):
        acumen.DecisionTree(attribute_costs={"petal_width": 0}).fit(rows)


# -- chance -----------------------------------------------------------------------------------------


def test_a_random_tree_depends_on_its_seed_alone() -> None:
    rows = acumen.datasets.load("iris")
    texts = [acumen.RandomTree(random_state=7, n_jobs=jobs).fit(rows).to_text() for jobs in (1, 2)]
    assert texts[0] == texts[1]
    others = {acumen.RandomTree(random_state=seed).fit(rows).to_text() for seed in range(6)}
    assert len(others) > 3


def test_a_random_tree_that_sees_all_attributes_is_the_plain_one() -> None:
    rows = acumen.datasets.load("iris")
    plain = acumen.DecisionTree(measure="gini", split="binary", prune="none").fit(rows)
    for most in (None, 4, 1.0):
        assert acumen.RandomTree(max_features=most, random_state=0).fit(rows).to_text() == plain.to_text()


def test_every_attribute_is_drawn_equally_often() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 10)), rng.integers(0, 2, 60)
    drawn = np.zeros(10)
    for seed in range(600):
        fitted = acumen.RandomTree(max_features=1, max_depth=1, random_state=seed).fit(X, y)
        drawn[fitted.model_.tree.tests.input[0]] += 1
    expected = 60.0
    assert ((drawn - expected) ** 2 / expected).sum() < 27.9  # chi-square, 9 degrees, one in a thousand


def test_attributes_that_cannot_split_are_not_counted_among_those_drawn() -> None:
    X = np.zeros((100, 20))
    X[:, 13] = np.arange(100)
    y = X[:, 13] > 50
    for seed in range(10):
        assert acumen.RandomTree(max_features=1, random_state=seed).fit(X, y).n_leaves_ == 2


@pytest.mark.parametrize(
    ("most", "wanted"), [("sqrt", 3), ("log2", 3), (4, 4), (0.5, 5), (0.01, 1), (None, None)]
)
def test_how_many_attributes_are_drawn(most: object, wanted: int | None) -> None:
    assert acumen.RandomTree(max_features=most)._n_candidates(10) == wanted  # type: ignore[arg-type]
