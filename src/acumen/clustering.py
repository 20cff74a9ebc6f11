"""Measures of clusters: of one clustering, of its agreement with another, and of its stability.

by itself         silhouette, davies_bouldin, calinski_harabasz, dunn, description_length
against another   rand, adjusted_rand, mutual_information, purity
of a search       stability, cophenetic_correlation
to be seen        picture

>>> import acumen
>>> iris = acumen.datasets.load("iris")
>>> found = acumen.KMeans(3, random_state=0).fit(iris)
>>> round(acumen.clustering.adjusted_rand(found.labels_, iris.labels), 3)
0.592
"""

from __future__ import annotations

from acumen.clusters.agreement import adjusted_rand, mutual_information, purity, rand
from acumen.clusters.pictures import picture
from acumen.clusters.quality import (
    Silhouette,
    calinski_harabasz,
    davies_bouldin,
    description_length,
    dunn,
    silhouette,
)
from acumen.clusters.stability import Stability, cophenetic_correlation, stability

__all__ = [
    "Silhouette",
    "Stability",
    "adjusted_rand",
    "calinski_harabasz",
    "cophenetic_correlation",
    "davies_bouldin",
    "description_length",
    "dunn",
    "mutual_information",
    "picture",
    "purity",
    "rand",
    "silhouette",
    "stability",
]
