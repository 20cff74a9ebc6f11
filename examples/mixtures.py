"""Model-based clustering: Gaussian mixtures, k-modes, a million rows as subclusters, and a grid for queries.

Run it with `python examples/mixtures.py`.
"""

from __future__ import annotations

import numpy as np

import acumen

# -- clouds: how many, and how likely each is --------------------------------------------------------

iris = acumen.datasets.load("iris")
clouds = acumen.GaussianMixture("bic", random_state=0, max_components=5).fit(iris)
print(clouds.model_.describe(clouds.schema_))
print("BIC of k = 1, 2, ...:", clouds.criterion_values_.round(1).tolist())
doubtful = np.sort(clouds.predict_proba(iris), axis=1)[:, -1].argsort()[:3]
print("rows in doubt:", clouds.predict_proba(iris.take(doubtful)).round(3).tolist())

# -- gaps are marginalised ---------------------------------------------------------------------------

points = np.column_stack([column for _, column in iris.numeric_columns()])
points[np.random.default_rng(0).random(points.shape) < 0.2] = np.nan
gappy = acumen.GaussianMixture(2, random_state=0).fit(points)
print(
    "agreement with a fifth of the values missing:",
    round(acumen.clustering.adjusted_rand(clouds.labels_, gappy.labels_), 2),
)

# -- modes and prototypes ----------------------------------------------------------------------------

loan = acumen.datasets.load("loan")
modes = acumen.KModes(2, random_state=0).fit(loan)
print(modes.modes_)
weather = acumen.datasets.load("weather")
mixed = acumen.KPrototypes(2, random_state=0).fit(weather)
print(mixed.model_.describe(mixed.schema_))

# -- many rows as a few subclusters ------------------------------------------------------------------

rng = np.random.default_rng(1)
centres = 6 * rng.normal(size=(4, 2))
rows = centres[rng.integers(0, 4, 50_000)] + rng.normal(size=(50_000, 2))
tree = acumen.Birch(n_clusters=4, max_subclusters=300).fit(rows)
print(
    f"{len(tree.subclusters_)} subclusters of radius {tree.threshold_:.2g} at most; groups {tree.model_.sizes.tolist()}"
)

# -- a grid, and what a region holds -----------------------------------------------------------------

grid = acumen.Sting().fit(rows)
print(grid.model_.describe(grid.schema_))
x, y = grid.schema_.names
print(grid.query({x: (0.0, None), y: (None, 2.5)}))
print(grid.query({x: (0.0, None), y: (None, 2.5)}, level=3))
