"""Pruning beside growing: how long each way takes on a fully grown tree, as a share of the time that growing took.

    python benchmarks/pruning.py            1M x 20 numbers, two classes, a tenth of the labels noise
    python benchmarks/pruning.py 100000     fewer rows

"wanted" is at most half of growing; what needs no rows is far below. scikit-learn's path is timed on its own tree of
100,000 rows beside ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import acumen


def best(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The shortest of several runs, in seconds, and what it made."""
    times, made = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        made = work()
        times.append(time.perf_counter() - start)
    return min(times), made


def beside_growing(rows: int) -> None:
    X, y = make_classification(rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    table = acumen.read(np.column_stack([X, y]), target=20, kinds={20: "nominal"})
    grow, grown = best(lambda: acumen.DecisionTree(measure="gini", split="binary", prune="none").fit(table))
    print(f"grown, {rows:,} x 20: {grow:.2f} s, {grown.n_leaves_:,} leaves")
    ways: dict[str, Callable[[], Any]] = {
        "pessimistic, subtrees raised": lambda: grown.with_pruning("pessimistic", table),
        "pessimistic, without rows": lambda: grown.with_pruning("pessimistic"),
        "reduced-error, all rows held out": lambda: grown.with_pruning("reduced-error", table),
        "cost-complexity, the whole path": grown.pruning_path,
        "mdl": lambda: grown.with_pruning("mdl"),
        "significance": lambda: grown.with_pruning("significance"),
    }
    for name, work in ways.items():
        took, made = best(work)
        leaves = (
            f"{made.n_leaves_:,} leaves" if isinstance(made, acumen.DecisionTree) else f"{len(made):,} trees"
        )
        verdict = "ok" if took <= grow / 2 else "ABOVE"
        print(
            f"  {name:<36} {took * 1e3:9.1f} ms  {100 * took / grow:6.1f} % of growing  {leaves:<16} {verdict}"
        )


def beside_scikit_learn(rows: int = 100_000) -> None:
    X, y = make_classification(rows, 20, n_informative=10, flip_y=0.1, random_state=0)
    ours = acumen.DecisionTree(measure="gini", split="binary", prune="none").fit(X, y)
    theirs = DecisionTreeClassifier().fit(X, y)
    mine, path = best(ours.pruning_path)
    start = time.perf_counter()
    theirs.cost_complexity_pruning_path(X, y)  # grows the tree once more, which is part of its price
    other = time.perf_counter() - start
    start = time.perf_counter()
    DecisionTreeClassifier().fit(X, y)
    other -= time.perf_counter() - start
    print(
        f"path of {rows:,} rows: {len(path)} trees in {mine:.3f} s; scikit-learn, less its growing, {other:.3f} s"
    )


if __name__ == "__main__":
    beside_growing(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    beside_scikit_learn()
