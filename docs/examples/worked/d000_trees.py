"""Text 0, lines 429 to 826: decision trees."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import acumen
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.class_histogram import LevelsFigure
from acumen.render.learning_plot import Band, LearningFigure
from acumen.trees.measures import MEASURES
from worked.hand import after, entropy, gini, sepals

LENGTHS = np.array(
    [[39.0, 6.0], [11.0, 39.0], [0.0, 43.0], [0.0, 12.0]]
)  # levels by class: W000-15 counts them


def counts(mask: Any) -> Any:
    """The class counts where a test holds, and where not."""
    _, y = sepals()
    return np.array([[np.sum(y[side] == c) for c in ("c1", "c2")] for side in (mask, ~mask)], dtype=float)


def W000_12(seen: Any) -> dict[str, Any]:
    from acumen.trees.measures import split_info

    H = split_info(seen.counts.astype(float))
    p = np.linspace(0.001, 0.999, 101)
    curve = np.array([entropy([q, 1 - q]) for q in p])
    near = int(np.abs(p - 1 / 3).argmin())
    figure = LearningFigure(
        p, [Band("entropy", curve)], "share of c1", "bits", chosen=near, title="Entropy of two classes"
    )
    return {
        "p1": 1 / 3,
        "p2": 2 / 3,
        "l1": np.log2(1 / 3),
        "l2": np.log2(2 / 3),
        "H": H,
        "even": entropy([75, 75]),
        "alone": entropy([150, 0]),
        "picture": figure,
    }


def W000_13(seen: Any) -> dict[str, Any]:
    table = seen.stump.model_.tree.counts[1:]
    assert np.array_equal(table, counts(seen.X[:, 0] <= 5.45))
    cuts = np.unique(seen.X[:, 0])
    cuts = (cuts[1:] + cuts[:-1]) / 2
    gains = np.array([entropy([50, 100]) - after(counts(seen.X[:, 0] <= cut)) for cut in cuts])
    figure = LearningFigure(
        cuts,
        [Band("gain", gains)],
        "cut of sepal length",
        "bits gained",
        chosen=int(gains.argmax()),
        title="Where to cut",
    )
    gain = MEASURES["gain"].gain(table)
    H = entropy([50, 100])
    return {
        "yes": table[0],
        "no": table[1],
        "n": 150,
        "nY": int(table[0].sum()),
        "nN": int(table[1].sum()),
        "pY": table[0][0] / table[0].sum(),
        "pN": table[1][0] / table[1].sum(),
        "HY": entropy(table[0]),
        "HN": entropy(table[1]),
        "H": H,
        "split": H - gain,
        "gain": gain,
        "gini": gini([50, 100]) - MEASURES["gini"].gain(table),
        "gini0": gini([50, 100]),
        "chain_HY": entropy([0.865, 0.135]),
        "other": gains[np.abs(cuts - 6.05).argmin()],
        "picture": figure,
    }


def W000_14(seen: Any) -> dict[str, Any]:
    tree = seen.tree.model_.tree
    inner = [node for node in tree.preorder() if not tree.leaves[node]]
    cuts = [tree.tests[node].cuts[0] for node in inner]
    gains = [MEASURES["gain"].gain(tree.counts[list(tree.children(node))]) for node in inner]
    leaf = next(tree.counts[n] for n in tree.preorder() if tree.leaves[n] and tree.counts[n].min() > 0)
    pure = acumen.DecisionTree(measure="gain", stop_size=5, purity=1.0, prune="none").fit(seen.X, seen.y)
    return {
        "cuts": cuts,
        "gains": gains,
        "leaf": leaf,
        "purity": leaf.max() / leaf.sum(),
        "n": len(seen.tree.to_rules()),
        "pure": len(pure.to_rules()),
        "picture": seen.tree.figure(),
    }


def W000_15(seen: Any) -> dict[str, Any]:
    table = seen.cut.groupby(["sepal_length", "setosa"], observed=False).size().to_numpy().reshape(4, 2)
    X, _ = sepals()
    low, high = X[:, 0].min(), X[:, 0].max()
    figure = LevelsFigure(
        ["a1", "a2", "a3", "a4"], table[:, ::-1].T, ["c1", "c2"], "Sepal length in four levels"
    )
    assert np.array_equal(table[:, ::-1], LENGTHS)
    return {
        "c1": table[:, 1],
        "c2": table[:, 0],
        "low": low,
        "high": high,
        "width": (high - low) / 4,
        "cuts": low + (high - low) / 4 * np.arange(1, 4),
        "picture": figure,
    }


def W000_16(seen: Any) -> dict[str, Any]:
    sides = seen.sides.astype(float)
    gain, H = MEASURES["gain"].gain(sides), entropy([50, 100])
    alone = np.array([LENGTHS[0], LENGTHS[1:].sum(axis=0)])
    return {
        "y": sides[0],
        "x": sides[1],
        "nY": sides[0].sum(),
        "nN": sides[1].sum(),
        "HY": entropy(sides[0]),
        "HN": entropy(sides[1]),
        "H": H,
        "split": H - gain,
        "gain": gain,
        "chain_HN": entropy([0.177, 0.823]),
        "best": MEASURES["gain"].gain(alone),
    }


def W000_17(seen: Any) -> dict[str, Any]:
    sets: list[tuple[int, ...]] = [(0,), (1,), (2,), (3,), *itertools.combinations(range(4), 2)][:7]
    sides = [
        np.array([LENGTHS[list(s)].sum(axis=0), np.delete(LENGTHS, s, axis=0).sum(axis=0)]) for s in sets
    ]
    gain = [MEASURES["gain"].gain(each) for each in sides]
    H = entropy([50, 100])
    printed = [0.410, 0.217, 0.207, 0.049, 0.286, 0.058, 0.251]
    names = [" or ".join(f"a{a + 1}" for a in s) for s in sets]
    bars = [Bar(name, g, True, p) for name, g, p in zip(names, gain, printed, strict=True)]
    return {
        "H": H,
        "gain": gain,
        "split": [after(each) for each in sides],
        "gini": [after(each, gini) for each in sides],
        "cart": [MEASURES["cart"].gain(each) for each in sides],
        "picture": BarsFigure(bars, "gain in bits", "Seven questions", mark="as printed"),
    }
