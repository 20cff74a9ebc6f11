"""Distances between rows, for the parameter `distance` of KNN and clusterers.

Euclidean, Manhattan, Minkowski, Chebyshev, Mahalanobis, Cosine     of numbers
SimpleMatching, Ordinal                                             of levels and ranks
Symmetric, Odds, Presence, Absence, Jaccard                         of zeros and ones
Gower, Mixture, ValueDifference                                     of all kinds together
Words, Function                                                     of texts; a function of one's own

>>> import acumen
>>> table = acumen.read([[1.0, 2.0], [4.0, 6.0]])
>>> acumen.distances.Euclidean().between(table)[0].tolist()
[0.0, 5.0]
"""

from __future__ import annotations

from acumen.geometry.distance import Distance, FittedDistance
from acumen.geometry.distance_state import resolve
from acumen.geometry.distances import (
    Chebyshev,
    Cosine,
    Euclidean,
    Function,
    Mahalanobis,
    Manhattan,
    Minkowski,
)
from acumen.geometry.level_distances import (
    Absence,
    Gower,
    Jaccard,
    Mixture,
    Odds,
    Ordinal,
    Presence,
    SimpleMatching,
    Symmetric,
    ValueDifference,
    Words,
)

__all__ = [
    "Absence",
    "Chebyshev",
    "Cosine",
    "Distance",
    "Euclidean",
    "FittedDistance",
    "Function",
    "Gower",
    "Jaccard",
    "Mahalanobis",
    "Manhattan",
    "Minkowski",
    "Mixture",
    "Odds",
    "Ordinal",
    "Presence",
    "SimpleMatching",
    "Symmetric",
    "ValueDifference",
    "Words",
    "resolve",
]
