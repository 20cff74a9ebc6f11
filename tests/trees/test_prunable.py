"""One grown tree, pruned in every way by its face."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.rulelist.rule_list import RuleList
from acumen.trees.prune import METHODS

ROWS = acumen.datasets.load("iris")
EVEN, ODD = (ROWS.take(np.arange(start, len(ROWS), 2)) for start in (0, 1))


def whole(**parameters: object) -> acumen.DecisionTree:
    return acumen.DecisionTree(prune="none", measure="gini", **parameters).fit(EVEN)


def nodes(tree: acumen.DecisionTree) -> int:
    return len(tree.model_.tree)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_prunes_one_grown_tree(method: str) -> None:
    grown = whole()
    rows = {"pessimistic": EVEN, "reduced-error": ODD, "cost-complexity": ODD}.get(method)
    small = grown.with_pruning(method, rows)
    assert small is not grown and small.prune == method and grown.prune == "none"
    assert nodes(small) <= nodes(grown)
    assert np.mean(small.predict(ODD) == ODD.label_values()) > 0.85
    assert small.predict_proba(ODD).sum(axis=1) == pytest.approx(np.ones(len(ODD)))


@pytest.mark.parametrize("method", ["pessimistic", "mdl", "significance", "none"])
def test_pruning_later_is_pruning_at_once(method: str) -> None:
    at_once = acumen.DecisionTree(prune=method, measure="gini").fit(EVEN)
    later = whole().with_pruning(method, EVEN)
    assert np.array_equal(at_once.predict_proba(ODD), later.predict_proba(ODD))
    assert nodes(at_once) == nodes(later)


def test_a_given_alpha_needs_no_rows() -> None:
    at_once = acumen.DecisionTree(prune="cost-complexity", ccp_alpha=0.02, measure="gini").fit(EVEN)
    later = whole().with_pruning("cost-complexity", ccp_alpha=0.02)
    assert later.ccp_alpha == 0.02 and nodes(at_once) == nodes(later)


def test_the_path_leads_from_the_tree_to_its_root() -> None:
    path = whole().pruning_path()
    assert path.alphas[0] == 0 and path.leaves[-1] == 1
    assert path.errors[-1] == pytest.approx(2 / 3)
    assert "alpha" in str(path) and len(str(path).splitlines()) == len(path) + 1


def test_cross_validated_alpha_and_one_standard_error() -> None:
    best = acumen.DecisionTree(prune="cost-complexity", measure="gini", random_state=0).fit(ROWS)
    modest = acumen.DecisionTree(prune="cost-complexity", measure="gini", one_se=True, random_state=0).fit(
        ROWS
    )
    assert nodes(modest) <= nodes(best) < nodes(acumen.DecisionTree(prune="none", measure="gini").fit(ROWS))
    again = acumen.DecisionTree(prune="cost-complexity", measure="gini", random_state=0).fit(ROWS)
    assert np.array_equal(again.predict_proba(ROWS), best.predict_proba(ROWS))


@pytest.mark.parametrize("method", ["reduced-error", "cost-complexity"])
def test_methods_that_need_other_rows_say_so(method: str) -> None:
    with pytest.raises(ParameterError, match="needs held-out rows"):
        whole().with_pruning(method)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ParameterError, match="prune must be"):
        whole().with_pruning("reduced-eror", EVEN)


def test_costs_are_counted_in_pruning() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + rng.normal(0, 1.0, 400) > 1.0, "rare", "usual")
    plain = acumen.DecisionTree(measure="gini").fit(X, y)
    careful = acumen.DecisionTree(measure="gini", costs={("usual", "rare"): 8.0}).fit(X, y)
    missed = [np.mean(tree.predict(X)[y == "rare"] == "usual") for tree in (plain, careful)]
    assert missed[1] < missed[0]


def test_a_decision_list_of_a_fitted_tree() -> None:
    tree = acumen.DecisionTree().fit(ROWS)
    made = tree.to_decision_list(ROWS)
    assert isinstance(made, RuleList) and made.ordered and len(made) <= len(tree.to_rules())
    assert np.mean(made.predict(ROWS) == ROWS.label_values()) >= 0.95
    X = np.column_stack([ROWS.column(name) for name in ROWS.schema.names])
    same = acumen.DecisionTree().fit(X, ROWS.label_values()).to_decision_list(X, ROWS.label_values())
    assert [rule.counts for rule in same] == [rule.counts for rule in made]


def test_a_decision_list_is_made_with_the_learners_cf_and_class_weight() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + rng.normal(0, 1.0, 400) > 0.5
    bold, wary = (
        acumen.DecisionTree(prune="none", measure="gini", confidence_factor=cf)
        .fit(X, y)
        .to_decision_list(X, y)
        for cf in (0.99, 0.01)
    )
    assert len(wary) < len(bold)
    weighted = acumen.DecisionTree(class_weight={True: 3.0}).fit(X, y)
    repeated = acumen.DecisionTree().fit(X, y, np.where(y, 3.0, 1.0))
    same = repeated.to_decision_list(X, y, np.where(y, 3.0, 1.0))
    assert str(weighted.to_decision_list(X, y)) == str(same)


def test_reduced_error_counts_all_rows_in_the_end() -> None:
    tree = acumen.DecisionTree(prune="reduced-error", random_state=3).fit(ROWS)
    assert tree.model_.tree.counts[0].tolist() == [50.0, 50.0, 50.0]


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_tables_are_pruned_to_a_leaf(method: str) -> None:
    one = ROWS.take(np.arange(1))
    few = Table(EVEN.schema, 3, numeric=[np.full(3, np.nan)] * 4, labels=np.array([0, 1, 1], dtype=np.int32))
    for rows in (one, few):
        tree = acumen.DecisionTree(prune=method, random_state=0).fit(rows)
        assert nodes(tree) == 1
