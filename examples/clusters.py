"""Clustering: the number of clusters, what is typical of each, rules that describe them, and pictures.

Run it with `python examples/clusters.py`; it writes groups.svg, measures.svg and dendrogram.svg into this folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import acumen
from acumen import clustering

iris = acumen.datasets.load("iris")

# -- how many groups -----------------------------------------------------------------------------------

found = acumen.choose_n_clusters(acumen.KMeans(random_state=0), iris, n_clusters=range(2, 7))
print(found)
Path("measures.svg").write_text(found.to_figure()._repr_svg_(), encoding="utf-8")

rng = np.random.default_rng(0)
print(
    "rows without groups:",
    acumen.choose_n_clusters(
        acumen.KMeans(random_state=0), rng.random((100, 2)), n_clusters=range(2, 5)
    ).sentence,
)

# -- groups about medoids, told --------------------------------------------------------------------------

model = acumen.KMedoids(3, random_state=0).fit(iris)
print(model.profile(iris))  # the class played no part, and is told of with its chance
print(model.to_rules(iris))
Path("groups.svg").write_text(clustering.picture(model, iris)._repr_svg_(), encoding="utf-8")

# -- mixed columns -----------------------------------------------------------------------------------------

loan = acumen.datasets.load("loan")
groups = acumen.Agglomerative(3).fit(loan)  # levels: Gower's distance
print(groups.profile(loan).names)
groups.to_svg("dendrogram.svg")

# -- any form, and noise -----------------------------------------------------------------------------------

angle, ring = rng.uniform(0, 2 * np.pi, 400), np.repeat([1.0, 3.0], 200)
rings = np.column_stack([ring * np.cos(angle), ring * np.sin(angle)]) + 0.06 * rng.normal(size=(400, 2))
for learner in (
    acumen.KMeans(2, random_state=0),
    acumen.DBSCAN(eps=0.4, scale=False),
    acumen.Chameleon(2, random_state=0),
):
    labels = learner.fit(rings).labels_
    print(type(learner).__name__, "agrees with the rings:", round(clustering.adjusted_rand(labels, ring), 2))
