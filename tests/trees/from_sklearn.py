"""scikit-learn's trees as ours, to hold one against the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import Test, Tests
from acumen.trees.tree import Tree


def schema_for(columns: int, classes: int) -> Schema:
    return Schema(
        tuple(Attribute(f"x{j}") for j in range(columns)),
        Attribute("y", "nominal", tuple(f"c{i}" for i in range(classes))),
    )


def tree_of(fitted: Any) -> Tree:
    """A fitted DecisionTreeClassifier as a Tree."""
    their = fitted.tree_
    order, first = [0], []
    for node in order:  # grows while it is read: children side by side
        first.append(len(order) if their.children_left[node] >= 0 else -1)
        if their.children_left[node] >= 0:
            order += [int(their.children_left[node]), int(their.children_right[node])]
    starts = np.array(first, dtype=np.int32)
    inner = starts >= 0
    counts = np.ascontiguousarray(their.value[order, 0, :] * their.weighted_n_node_samples[order][:, None])
    tests = [
        Test(int(their.feature[n]), (float(their.threshold[n]),)) if inside else None
        for n, inside in zip(order, inner, strict=True)
    ]
    k = counts.shape[1]
    return Tree(
        Inputs.of(schema_for(fitted.n_features_in_, k)),
        Tests.of(tests),
        starts,
        np.where(inner, 2, 0).astype(np.int32),
        np.full(len(order), -1, dtype=np.int32),
        counts,
        np.zeros(len(order) + 1, dtype=np.int32),
        Tests.of([]),
    )
