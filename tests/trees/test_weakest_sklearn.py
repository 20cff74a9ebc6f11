"""Cost-complexity pruning against scikit-learn's, whose risk is the mean impurity of the leaves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from acumen.trees.cost_complexity import PruningPath
from trees.from_sklearn import tree_of


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_scikit_learns_for_gini(seed: int) -> None:
    X, y = make_classification(
        400, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=seed
    )
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    theirs = grown.cost_complexity_pruning_path(X, y)
    tree = tree_of(grown)
    shares = tree.counts / tree.weight[:, None]
    risk = tree.weight / tree.weight[0] * (1 - (shares**2).sum(axis=1))
    path = PruningPath.of(tree, risk=risk)
    # theirs lists steps of equal alpha one by one
    alphas = theirs.ccp_alphas
    last = np.append(np.diff(alphas) > 1e-10, True)
    assert np.allclose(path.alphas, alphas[last], atol=1e-10)
    assert np.allclose(path.errors, theirs.impurities[last], atol=1e-10)
    for alpha in alphas[last][::7]:
        small = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha + 1e-9).fit(X, y)
        assert path.tree_at(alpha + 1e-9).leaves.sum() == small.get_n_leaves()
