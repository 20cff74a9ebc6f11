"""Ensembles: a forest with its out-of-bag error, boosting round by round, and when either helps.

Run it with `python examples/ensembles.py`; it writes importances.svg, forest.svg and boosting.svg into the current
folder.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import acumen

# -- a table with numbers, levels and gaps ----------------------------------------------------------

rng = np.random.default_rng(0)
n = 800
income = rng.lognormal(3.4, 0.5, n)
debt = income * rng.uniform(0, 1.2, n)
purpose = rng.choice(["car", "house", "holiday", "boat", "school"], n)
bad = (debt / income > 0.7) ^ (np.isin(purpose, ["holiday", "boat"]) & (income < 25)) ^ (rng.random(n) < 0.05)
loans = pd.DataFrame(
    {
        "income": np.where(rng.random(n) < 0.05, np.nan, income.round(1)),
        "debt": debt.round(1),
        "purpose": np.where(rng.random(n) < 0.05, None, purpose),
        "number": rng.integers(0, 10_000, n),  # which says nothing, in many values
        "outcome": np.where(bad, "bad", "good"),
    }
)
table = acumen.read(loans, target="outcome")
train, test = table.split(0.7, random_state=0)

# -- a forest ---------------------------------------------------------------------------------------

forest = acumen.RandomForest(200, random_state=0).fit(train)
print(forest.describe())
print(f"on rows held out: {100 * (1 - forest.score(test)):.1f} % wrong\n")
print(forest.explain(test.take([0])), "\n")
print(forest.to_rules(max_leaf_nodes=5), "\n")
forest.to_svg("importances.svg")
forest.to_svg("forest.svg", what="error")

# -- boosting ---------------------------------------------------------------------------------------

boosted = acumen.AdaBoost(n_estimators=60).fit(train)
print(f"AdaBoost of stumps: {100 * (1 - boosted.score(test)):.1f} % wrong on rows held out")
print("\n".join(str(boosted.trace_).splitlines()[:6]), "\n")
boosted.to_svg("boosting.svg")

# -- when does it help? -----------------------------------------------------------------------------

for learner in (acumen.DecisionTree(), acumen.NaiveBayes()):
    print(acumen.stability(learner, train, n_repeats=15, random_state=0), "\n")

members = {"tree": acumen.DecisionTree(), "bayes": acumen.NaiveBayes(), "line": acumen.Logistic()}
for ensemble in (
    acumen.Bagging(acumen.DecisionTree(), random_state=0),
    acumen.Voting(members),
    acumen.Stacking(members, random_state=0),
):
    wrong = 100 * (1 - ensemble.fit(train).score(test))
    print(f"{type(ensemble).__name__}: {wrong:.1f} % wrong on rows held out")
