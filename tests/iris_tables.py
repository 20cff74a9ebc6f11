"""The iris flowers as the worked examples use them: UCI's rows, sepals only or principal components, two classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import acumen
from acumen.data.table import Table
from acumen.types import Floats
from tables import table_of

#: Rows of the recovered test set, counted from 1: versicolor, setosa, virginica.
TEST_ROWS = (
    *(52, 58, 65, 80, 82, 88, 89, 92, 93, 94),
    *(3, 6, 15, 29, 31, 37, 40, 43, 47),
    *(107, 108, 109, 110, 114, 124, 127, 134, 139, 146, 147),
)


def measurements() -> Floats:
    """All 150 rows, four columns."""
    return np.array(acumen.datasets.load("iris").numeric.matrix())


def two_classes(values: Floats, names: Sequence[str], first: str) -> Table:
    """c1 is the species named, c2 the others."""
    species = acumen.datasets.load("iris").label_values()
    labels = ["c1" if s == f"Iris-{first}" else "c2" for s in species]
    columns = {name: values[:, j].tolist() for j, name in enumerate(names)}
    return table_of(columns, labels, classes=("c1", "c2"))


def sepals() -> Table:
    """Length and width of sepals, setosa against the rest."""
    return two_classes(measurements()[:, :2], ("length", "width"), "setosa")


def components() -> Table:
    """The first two principal components, versicolor against the rest."""
    values = measurements()
    values = values - values.mean(axis=0)
    first = [-0.3615896774, 0.0822688899, -0.8565721053, -0.3588439262]
    _, vectors = np.linalg.eigh(np.cov(values.T, bias=True))
    axes = vectors[:, [-1, -2]]
    axes = axes * np.sign([axes[0, 0] * first[0], axes[0, 1]])  # the signs that fit the printed figures
    return two_classes(values @ axes, ("pc1", "pc2"), "versicolor")
