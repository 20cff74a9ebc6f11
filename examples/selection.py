"""Model selection: unbiased tuning, learning curves, and principal components.

Run it with `python examples/selection.py`.
"""

from __future__ import annotations

import acumen

iris = acumen.datasets.load("iris")
grid = {"covariance": ["shared", "full"], "shrinkage": [0.9, 0.5, 0.1, 0.0]}  # simplest first

print("Settings chosen by cross-validation; the simplest within one standard error of the best:")
tuned = acumen.Tuned(acumen.FullBayes(), grid, selection_rule="one-se", random_state=1).fit(iris)
print(tuned.results_)
print("taken:", tuned.best_params_)

print("\nHow good is that? Chosen anew in every training set, the estimate is honest:")
print(acumen.assess(tuned, iris, acumen.KFold(5), random_state=2))

print("\nBy a criterion instead, each setting fitted once:")
print(acumen.Tuned(acumen.FullBayes(), {"covariance": ["shared", "full"]}, measure="bic").fit(iris).results_)

print("\nWould more rows help?")
print(acumen.learning_curve(acumen.NaiveBayes(), iris, method=acumen.KFold(10, n_repeats=2), random_state=1))

print("\nWhere does it begin to overfit?")
print(acumen.sweep(acumen.NaiveBayes(numeric="histogram"), iris, "bins", [2, 4, 8, 30, 100], random_state=1))

print("\nThe directions in which the flowers differ most:")
view = acumen.PrincipalComponents(2).fit(iris)
print(view.describe())
print("as a table to learn from:", view.transform(iris))

acumen.save(tuned, "iris.acm")
print("\nkept in the file:", type(acumen.load("iris.acm")).__name__)
