"""What several pages compute by hand, with numpy alone: so that acumen's answer has something to be held against."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.types import Floats

#: The point that the first text asks about again and again.
FAR = np.array([6.75, 4.25])


def entropy(counts: Any) -> float:
    """Entropy in bits of counts or shares."""
    shares = np.asarray(counts, dtype=float) / np.sum(counts)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum() + 0.0)


def gini(counts: Any) -> float:
    """The Gini index of counts or shares."""
    shares = np.asarray(counts, dtype=float) / np.sum(counts)
    return float(1 - (shares**2).sum())


def after(sides: Any, impurity: Any = entropy) -> float:
    """The impurity left behind a split: that of each side, by its rows."""
    sides = np.asarray(sides, dtype=float)
    return float(sum(side.sum() / sides.sum() * impurity(side) for side in sides))


def normal(x: Any, mean: Any, covariance: Any) -> float:
    """The density of a normal distribution at a point; in one dimension numbers will do."""
    mean, covariance = np.atleast_1d(mean), np.atleast_2d(covariance)
    away = np.atleast_1d(x) - mean
    across = away @ np.linalg.solve(covariance, away)
    return float(np.exp(-across / 2) / np.sqrt(np.linalg.det(2 * np.pi * covariance)))


def sepals() -> tuple[Floats, Any]:
    """Length and width of sepals; setosa is c1, the others are c2."""
    iris = acumen.datasets.load("iris")
    return np.array(iris.numeric[:, :2]), np.where(iris.label_values() == "Iris-setosa", "c1", "c2")


def sepal_table() -> acumen.Table:
    """The same as a table whose attributes have names, for pictures."""
    X, y = sepals()
    columns = {"sepal length": X[:, 0], "sepal width": X[:, 1], "class": y}
    import pandas as pd

    return acumen.read(pd.DataFrame(columns), target="class")


def boundaries(**edges: float) -> dict[str, float]:
    """Numbers that go on as they are."""
    return edges
