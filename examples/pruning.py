"""One tree with every method of pruning: leaves and errors of each.

Run it with `python examples/pruning.py`.
"""

from __future__ import annotations

import numpy as np

import acumen

# -- two classes that overlap, with noise in the labels ----------------------------------------------

rng = np.random.default_rng(7)
n = 3_000
X = rng.normal(size=(n, 6))
y = np.where((X[:, 0] > 0) ^ (X[:, 1] + X[:, 2] > 0.5), "in", "out")
y[rng.random(n) < 0.15] = "out"
train, held, test = slice(0, 1_500), slice(1_500, 2_250), slice(2_250, n)

grown = acumen.DecisionTree(measure="gini", split="binary", prune="none").fit(X[train], y[train])
print(f"{'grown':<16} {grown.n_leaves_:4d} leaves, {100 * (1 - grown.score(X[test], y[test])):5.1f} % wrong")
needs = {
    "pessimistic": (X[train], y[train]),
    "reduced-error": (X[held], y[held]),
    "cost-complexity": (X[held], y[held]),
    "mdl": (),
    "significance": (),
}
for method, rows in needs.items():
    small = grown.with_pruning(method, *rows)
    print(
        f"{method:<16} {small.n_leaves_:4d} leaves, {100 * (1 - small.score(X[test], y[test])):5.1f} % wrong"
    )

# -- the sequence of cost-complexity pruning ---------------------------------------------------------

print("\nthe last steps of the way to the root:")
print("\n".join(str(grown.pruning_path()).splitlines()[:1] + str(grown.pruning_path()).splitlines()[-6:]))

# -- and as a list of rules --------------------------------------------------------------------------

tree = acumen.DecisionTree().fit(X[train], y[train])
short = tree.to_decision_list(X[train], y[train])
print(f"\n{len(tree.to_rules())} rules of the tree, {len(short)} in the decision list:")
print(short)
