"""Nearest neighbours: k by leave-one-out, mixed columns with missing values, reasons, fewer rows, outliers.

Run it with `python examples/neighbours.py`; it writes knn-curve.svg into the current folder.
"""

from __future__ import annotations

import acumen
from acumen import distances

# -- k from the rows themselves ----------------------------------------------------------------------

iris = acumen.datasets.load("iris")
model = acumen.KNN().fit(iris)
print(model)
model.to_svg("knn-curve.svg")
print("simplest within a standard error:", model.one_se_n_neighbors_)

# -- mixed columns, gaps and all ---------------------------------------------------------------------

weather = acumen.datasets.load("weather")
mixed = acumen.KNN(3).fit(weather)  # numbers and levels together: Gower's distance
print(mixed.distance_, mixed.explain(weather.take([0])))
print(distances.Gower(weights={weather.schema.names[0]: 2}).between(weather.head(3)).round(3))

# -- fewer rows, and what that costs -----------------------------------------------------------------

for learner in (acumen.KNN(1), acumen.Condense(), acumen.Edit()):
    kept = len(learner.fit(iris).model_.raw)
    error = acumen.assess(learner, iris, acumen.KFold(5), random_state=0).mean
    print(f"{type(learner).__name__:<9} keeps {kept:>3} rows, error {error:.3f}")

# -- rows that stand apart ---------------------------------------------------------------------------

print(acumen.outlier_scores(iris))
