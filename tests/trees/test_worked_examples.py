"""The documents' worked examples on decision trees, to all their digits, errata heeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.trees import node_tests as of_nodes
from acumen.trees.measures import MEASURES, split_info

LENGTHS = ("Very Short", "Short", "Long", "Very Long")


def iris() -> tuple[Any, Any]:
    """Sepal length and width, and whether a flower is setosa (c1) or not (c2)."""
    rows = acumen.datasets.load("iris")
    X = np.column_stack([rows.column("sepal_length"), rows.column("sepal_width")])
    return X, np.where(rows.label_values() == "Iris-setosa", "c1", "c2")


def sides(X: Any, y: Any, test: Any) -> Any:
    """The class counts where the test holds and where not."""
    return np.array([[np.sum(y[side] == c) for c in ("c1", "c2")] for side in (test, ~test)], dtype=float)


def entropy(counts: Any) -> float:
    return split_info(np.asarray(counts, dtype=float))


def loan_counts(name: str, attribute: str) -> Any:
    rows = acumen.datasets.load(name)
    column, labels = rows.column(attribute), rows.label_values()
    return np.array(
        [
            [np.sum((column == level) & (labels == c)) for c in ("Yes", "No")]
            for level in dict.fromkeys(column.tolist())
        ],
        dtype=float,
    )


# -- document 000 -------------------------------------------------------------------------------------


def test_w000_12_the_entropy_of_a_third() -> None:
    assert entropy([50, 100]) == pytest.approx(0.9182958340544896, abs=1e-15)


def test_w000_13_the_best_split_of_sepal_length() -> None:
    X, y = iris()
    table = sides(X, y, X[:, 0] <= 5.45)
    assert table.tolist() == [[45, 7], [5, 93]]
    assert table[:, 0] / table.sum(axis=1) == pytest.approx([0.8653846154, 0.0510204082], abs=1e-10)
    assert [entropy(b) for b in table] == pytest.approx([0.5699613760, 0.2907158655], abs=1e-10)
    gain = MEASURES["gain"].gain(table)
    assert entropy([50, 100]) - gain == pytest.approx(0.3875209758, abs=1e-10)
    assert gain == pytest.approx(0.5307748582551238, abs=1e-14)
    gini = 1 - (1 / 3) ** 2 - (2 / 3) ** 2
    assert gini - MEASURES["gini"].gain(table) == pytest.approx(0.1440345369, abs=1e-10)
    assert MEASURES["cart"].gain(table) == pytest.approx(0.7377777778, abs=1e-10)
    root = acumen.DecisionTree(measure="gain", max_depth=1, prune="none").fit(X, y).model_.tree
    assert root.tests[0] == of_nodes.Test(0, (5.45,)) and root.counts[1:].tolist() == table.tolist()


@pytest.mark.parametrize(("eta", "pi"), [(5, 0.95), (1, 0.95), (6, 44 / 45), (3, 0.977)])
def test_w000_14_the_tree_of_six_rules(eta: float, pi: float) -> None:
    X, y = iris()
    learner = acumen.DecisionTree(measure="gain", stop_size=eta, purity=pi, prune="none").fit(X, y)
    tree = learner.model_.tree
    leaves = [tree.counts[node].tolist() for node in tree.preorder() if tree.leaves[node]]
    assert leaves == [[1, 0], [0, 6], [44, 1], [0, 90], [5, 0], [0, 3]]
    gains = {
        tree.tests[node].cuts[0]: MEASURES["gain"].gain(tree.counts[list(tree.children(node))])  # type: ignore[union-attr]
        for node in range(len(tree))
        if not tree.leaves[node]
    }
    assert {round(cut, 9): round(gain, 10) for cut, gain in gains.items()} == {
        5.45: 0.5307748583,
        2.8: 0.3572669998,
        4.7: 0.5916727786,
        3.45: 0.2128028856,
        6.5: 0.9544340029,
    }
    assert len(learner.to_rules()) == 6


def discretised() -> Table:
    """Sepal length in four levels (W000-06)."""
    X, y = iris()
    codes = np.searchsorted([5.2, 6.1, 7.0], X[:, 0]).astype(np.int32)
    schema = acumen.Schema(
        (acumen.Attribute("length", "nominal", LENGTHS),), acumen.Attribute("class", "nominal", ("c1", "c2"))
    )
    return Table(schema, len(y), nominal=[codes], labels=(y == "c2").astype(np.int32))


def length_counts() -> Any:
    rows = discretised()
    (_, codes), *_ = rows.nominal_columns()
    return np.array(
        [[np.sum((codes == a) & (rows.labels == c)) for c in (0, 1)] for a in range(4)], dtype=float
    )


def test_w000_15_the_class_counts_of_length_levels() -> None:
    assert length_counts().T.tolist() == [[39, 11, 0, 0], [6, 39, 43, 12]]


def subset(levels: tuple[int, ...]) -> Any:
    counts = length_counts()
    rest = [a for a in range(4) if a not in levels]
    return np.array([counts[list(levels)].sum(axis=0), counts[rest].sum(axis=0)])


def test_w000_16_the_split_by_a1_and_a3() -> None:
    table = subset((0, 2))
    assert table[:, 0].tolist() == [39, 11] and table.sum(axis=1).tolist() == [88, 62]
    assert [entropy(b) for b in table] == pytest.approx([0.9906649266, 0.6743988871], abs=1e-10)
    gain = MEASURES["gain"].gain(table)
    assert gain == pytest.approx(0.0583542038, abs=1e-10)
    assert entropy([50, 100]) - gain == pytest.approx(0.8599416303, abs=1e-10)


@pytest.mark.parametrize(
    ("levels", "split", "gain", "gini", "cart"),
    [
        ((0,), 0.5086907152, 0.4096051188, 0.200635, 0.640000),
        ((1,), 0.8965888667, 0.0217069674, 0.431600, 0.151111),
        ((2,), 0.7111295150, 0.2071663191, 0.355140, 0.382222),
        ((3,), 0.8690238874, 0.0492719467, 0.425121, 0.106667),
        ((0, 1), 0.6320672265, 0.2862286076, 0.315789, 0.488889),
        ((0, 2), 0.8599416303, 0.0583542038, 0.410191, 0.257778),
        ((0, 3), 0.6670276766, 0.2512681574, 0.293530, 0.533333),
    ],
)
def test_w000_17_every_subset_of_levels(
    levels: tuple[int, ...], split: float, gain: float, gini: float, cart: float
) -> None:
    table = subset(levels)
    assert MEASURES["gain"].gain(table) == pytest.approx(gain, abs=1e-10)
    assert entropy([50, 100]) - MEASURES["gain"].gain(table) == pytest.approx(split, abs=1e-10)
    assert 4 / 9 - MEASURES["gini"].gain(table) == pytest.approx(gini, abs=1e-6)
    assert MEASURES["cart"].gain(table) == pytest.approx(cart, abs=1e-6)


@pytest.mark.parametrize("measure", ["gain", "gini", "cart"])
def test_w000_17_the_best_subset_is_a1(measure: Any) -> None:
    rows = discretised()
    tree = (
        acumen.DecisionTree(measure=measure, split="binary", max_depth=1, prune="none").fit(rows).model_.tree
    )
    assert tree.tests[0] == of_nodes.Test(0, branches=(0, 1, 1, 1))


# -- document 001 -------------------------------------------------------------------------------------


def test_w001_09_impurities_of_three_classes() -> None:
    parted = np.diag(
        [0.2, 0.3, 0.5]
    )  # what is gained where each class is alone is all the impurity there was
    assert MEASURES["gini"].gain(parted) == pytest.approx(0.62)
    assert MEASURES["gini"].gain(parted) == pytest.approx(sum(p * (1 - p) for p in (0.2, 0.3, 0.5)))
    assert MEASURES["error"].gain(parted) == pytest.approx(0.5)
    assert MEASURES["gain"].gain(parted) == pytest.approx(entropy([2, 3, 5]))


def test_w001_10_three_cuts_make_four_intervals() -> None:
    values = np.array([-1.0, 1.0, 2.9, 3.0, 5.0])
    # the document's intervals have their lower end, ours the upper one: its V is our cuts just below
    cuts = tuple(np.nextafter([1.0, 3.0, 5.0], -np.inf).tolist())
    test = of_nodes.Tests.of([of_nodes.Test(0, cuts)])
    assert test.route(0, values).tolist() == [0, 1, 1, 2, 3]
    y = ["a", "b", "b", "c", "d"]
    tree = acumen.DecisionTree(measure="gain", intervals=4, max_depth=1, prune="none").fit(values[:, None], y)
    assert tree.model_.tree.branches[0] == 4 and tree.predict(values[:, None]).tolist() == y


def test_w001_11_the_gain_ratio_is_gain_over_split_information() -> None:
    table = loan_counts("loan", "Own_house")
    gain, info = MEASURES["gain"].gain(table), split_info(table.sum(axis=1))
    assert gain / info == pytest.approx(0.4325380678, abs=1e-10)
    before = entropy(table.sum(axis=0))
    assert before - (before - gain) / info != pytest.approx(
        gain / info
    )  # the printed expression, read literally


# -- document 002 -------------------------------------------------------------------------------------


def test_w002_02_entropies() -> None:
    assert entropy([5, 5]) == pytest.approx(1.0)
    assert entropy([2, 8]) == pytest.approx(0.7219280949, abs=1e-10)
    assert entropy([10, 0]) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("attribute", "after", "gain", "ratio"),
    [
        ("Age", 0.8879430946, 0.0830074999, 0.0523719014),
        ("Own_house", 0.5509775004, 0.4199730940, 0.4325380678),
        ("Has_Job", 0.6473003963, 0.3236501982, 0.3524465495),
        ("Credit_Rating", 0.6079610319, 0.3629895625, 0.2318538813),
    ],
)
def test_w002_03_gains_of_the_loan_table(attribute: str, after: float, gain: float, ratio: float) -> None:
    table = loan_counts("loan", attribute)
    assert entropy(table.sum(axis=0)) == pytest.approx(0.9709505945, abs=1e-10)
    found = MEASURES["gain"].gain(table)
    assert found == pytest.approx(gain, abs=1e-10)
    assert entropy(table.sum(axis=0)) - found == pytest.approx(after, abs=1e-10)
    assert found / split_info(table.sum(axis=1)) == pytest.approx(ratio, abs=1e-10)


def test_w002_04_the_other_loan_table_differs_in_credit_alone() -> None:
    table = loan_counts("loan-b", "Credit_Rating")
    found = MEASURES["gain"].gain(table)
    assert found == pytest.approx(0.4702989275, abs=1e-10)
    assert entropy(table.sum(axis=0)) - found == pytest.approx(0.5006516670, abs=1e-10)
    assert found / split_info(table.sum(axis=1)) == pytest.approx(0.3003960526, abs=1e-10)
    for attribute in ("Age", "Own_house", "Has_Job"):
        assert loan_counts("loan-b", attribute).tolist() == loan_counts("loan", attribute).tolist()


def test_w002_05_id3_on_both_loan_tables() -> None:
    rows = acumen.datasets.load("loan")
    learner = acumen.DecisionTree(measure="gain", prune="none").fit(rows)
    tree = learner.model_.tree
    names = [rows.schema.names[i] for i in tree.tests.input if i >= 0]
    assert names == ["Own_house", "Has_Job"]
    leaves = [tree.counts[n].tolist() for n in tree.preorder() if tree.leaves[n]]
    yes = rows.schema.classes.index("Yes")
    assert sorted((leaf[yes], leaf[1 - yes]) for leaf in leaves) == [(0, 6), (3, 0), (6, 0)]
    asked = rows.take(np.arange(1, 2))  # young, no job, no house, good
    assert learner.predict(asked).tolist() == ["No"]
    other = acumen.datasets.load("loan-b")
    second = acumen.DecisionTree(measure="gain", prune="none").fit(other).model_.tree
    assert other.schema.names[second.tests.input[0]] == "Credit_Rating"
    assert np.sum(second.leaves) == 8


@pytest.mark.parametrize("name", ["loan", "loan-b"])
def test_w002_06_the_rules_and_their_right_supports(name: str) -> None:
    rules = acumen.DecisionTree(prune="none").fit(acumen.datasets.load(name)).to_rules()
    found = {
        (frozenset(str(c) for c in rule.conditions), rule.label): (
            rule.right,
            rule.covered_weight,
            rule.total,
        )
        for rule in rules
    }
    assert found == {
        (frozenset({"Own_house = true"}), "Yes"): (6, 6, 15),
        (frozenset({"Own_house = false", "Has_Job = true"}), "Yes"): (3, 3, 15),
        (frozenset({"Own_house = false", "Has_Job = false"}), "No"): (6, 6, 15),
    }
