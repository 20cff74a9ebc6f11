"""Regression: least squares, ridge and lasso, a curve, and which of them is really better.

Run it with `python examples/regression.py`.
"""

from __future__ import annotations

import numpy as np

import acumen

iris = acumen.datasets.load("iris", target="petal_width")

print("Least squares, with intervals:")
line = acumen.LinearRegression().fit(iris)
print(line)

print("\nWhy a flower gets its number:")
print(line.explain({"petal_length": 5.1, "sepal_length": 6.0, "class": "Iris-virginica"}))

print("\nHow strongly to hold the coefficients, all strengths and folds from one pass:")
tuned = acumen.Tuned(acumen.Ridge(), {"alpha": [100.0, 10.0, 1.0, 0.1]}, random_state=0).fit(iris)
print(tuned.results_)

print("\nThe lasso drops columns one by one:")
path = acumen.Lasso().path(iris, alphas=8)
for alpha, used in zip(path.alphas, path.n_used, strict=True):
    print(f"  alpha {alpha:8.5f}: {used} of {len(path.names)} columns")

print("\nIs it really better?")
learners = [line, acumen.Ridge(), acumen.Lasso(alpha=0.01)]
print(acumen.compare(learners, iris, acumen.KFold(10, n_repeats=3), random_state=0))

print("\nA curve, its degree chosen on rows left out:")
rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, 120)
y = x**3 - x + 0.1 * rng.normal(size=120)
curve = acumen.PolynomialRegression(random_state=0).fit(x[:, None], y)
print(curve.describe())
