"""Text 0, lines 75 to 415: Bayes' rule with densities and with counts, and nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.render.class_histogram import HistogramFigure
from acumen.render.groups_plot import GroupsFigure
from worked.hand import FAR, normal, sepal_table, sepals

EDGES = {"sepal length": [5.2, 6.1, 7.0], "sepal width": [2.8, 3.6]}


def classes() -> tuple[Any, Any]:
    """The rows of c1 and of c2."""
    X, y = sepals()
    return X[y == "c1"], X[y == "c2"]


def joint(cuts: tuple[list[float], list[float]] = ([5.2, 6.1, 7.0], [2.8, 3.6])) -> Any:
    """How many rows of each class each cell holds, counted by hand."""
    found = np.zeros((2, len(cuts[0]) + 1, len(cuts[1]) + 1))
    for place, rows in enumerate(classes()):
        np.add.at(found[place], tuple(np.searchsorted(c, rows[:, j]) for j, c in enumerate(cuts)), 1)
    return found


def clouds(title: str) -> GroupsFigure:
    """The flowers in the plane, the middle of each class marked."""
    X, y = sepals()
    means = np.array([rows.mean(axis=0) for rows in classes()])
    return GroupsFigure(
        X,
        (y == "c2").astype(int),
        ["c1: setosa", "c2: the others"],
        means,
        "mean",
        "sepal length",
        "sepal width",
        title,
    )


def W000_01(seen: Any) -> dict[str, Any]:
    X = np.array(seen.iris.numeric.matrix())
    edges = np.arange(1.9, 4.6, 0.2)
    species = seen.iris.label_values()
    names = list(dict.fromkeys(species.tolist()))
    counts = [np.histogram(X[species == name, 1], edges)[0] for name in names]
    fisher = X[:50, :2].copy()
    fisher[37] = [4.9, 3.6]
    return {
        "total": seen.widths.sum(),
        "n": len(seen.widths),
        "mean": seen.widths.mean(),
        "fisher": fisher[:, 1].mean(),
        "f1": normal(FAR, X[:50, :2].mean(axis=0), np.cov(X[:50, :2].T, bias=True)),
        "f1_fisher": normal(FAR, fisher.mean(axis=0), np.cov(fisher.T, bias=True)),
        "picture": HistogramFigure(edges, counts, names, "Sepal width"),
    }


def W000_02(seen: Any) -> dict[str, Any]:
    p1, p2 = np.exp(seen.model.model_.log_prior)
    even = acumen.FullBayes(priors={"c1": 0.5, "c2": 0.5}).fit(seen.X, seen.y)
    return {
        "n": len(seen.y),
        "n1": int((seen.y == "c1").sum()),
        "p1": p1,
        "p2": p2,
        "given": seen.model.predict_proba([FAR])[0, 1],
        "even": even.predict_proba([FAR])[0, 1],
    }


def W000_03(seen: Any) -> dict[str, Any]:
    c1, c2 = classes()
    mu = acumen.FullBayes().fit(seen.X, seen.y).model_.mean
    least = int(c1[:, 0].argmin())
    return {
        "sum1": c1[:, 0].sum(),
        "sum2": c2[:, 0].sum(),
        "n1": len(c1),
        "n2": len(c2),
        "mu1": mu[0],
        "mu2": mu[1],
        "smallest": least + 1,
        "without": np.delete(c1[:, 0], least).mean(),
        "picture": clouds("Two classes and their means"),
    }


def W000_04(seen: Any) -> dict[str, Any]:
    c1, _ = classes()
    away = c1 - c1.mean(axis=0)
    cov = acumen.FullBayes().fit(seen.X, seen.y).model_.covariance
    return {
        "n1": len(c1),
        "scatter": away.T @ away,
        "cov1": cov[0],
        "cov2": cov[1],
        "unbiased": c1[:, 0].var(ddof=1),
        "picture": acumen.regions(acumen.FullBayes(), sepal_table()),
    }


def W000_05(seen: Any) -> dict[str, Any]:
    model = seen.model.model_
    mu, cov = model.mean, model.covariance
    d1, d2 = ((FAR - mu[c]) @ np.linalg.solve(cov[c], FAR - mu[c]) for c in (0, 1))
    scores = seen.model.predict_proba([FAR])[0]
    f1, f2 = (normal(FAR, mu[c], cov[c]) for c in (0, 1))
    rounded = normal(FAR, [5.006, 3.418], [[0.1218, 0.0983], [0.0983, 0.1423]])
    return {
        "d1": d1,
        "d2": d2,
        "det1": np.linalg.det(cov[0]),
        "f1": f1,
        "f2": f2,
        "j1": f1 / 3,
        "j2": f2 * 2 / 3,
        "p2": scores[1],
        "chain_f1": rounded,
        "chain_j1": round(rounded, 10) * 0.33,
        "chain_j2": 2.589e-5 * 0.67,
        "moved": seen.model.predict_proba([[5.5, 4.25]])[0, 1],
        "picture": acumen.regions(acumen.FullBayes(), sepal_table()),
    }


def W000_06(seen: Any) -> dict[str, Any]:
    found = np.zeros((2, 4, 3))
    for (a, b), weight in zip(seen.model.model_.joint.keys, seen.model.model_.joint.weight, strict=True):
        found[:, a, b] = weight
    assert np.array_equal(found, joint())
    edges = [4.3, 5.2, 6.1, 7.0, 7.9]
    counts = found.sum(axis=2)
    return {
        "joint": found,
        "margin": counts[0],
        "share": counts[0] / 50,
        "three": joint(([5.5, 6.7], [2.8, 3.6]))[0].sum(axis=1),
        "picture": HistogramFigure(edges, counts, ["c1", "c2"], "Sepal length in four intervals"),
    }


def W000_07(seen: Any) -> dict[str, Any]:
    c1, c2 = joint()[:, 1, 1]
    l1, l2 = np.exp(seen.model.model_.shares(asked(seen.model, (5.3, 3.0))))[0]
    smooth = acumen.HistogramBayes(bins={"x0": 4, "x1": 3}, alpha=1).fit(seen.X, seen.y)
    return {
        "n1": 50,
        "n2": 100,
        "c1": c1,
        "c2": c2,
        "both": c1 + c2,
        "l1": l1,
        "l2": l2,
        "j1": l1 / 3,
        "j2": l2 * 2 / 3,
        "chain_j1": 0.06 * 0.33,
        "chain_j2": 0.15 * 0.67,
        "p2": seen.model.predict_proba([[5.3, 3.0]])[0, 1],
        "smooth": smooth.predict_proba([[5.3, 3.0]])[0, 1],
    }


def asked(model: Any, row: Any) -> Any:
    """A row as a table of the model's own attributes."""
    from acumen.data.schema import Schema
    from acumen.data.table import Table

    return Table(
        Schema(model.schema_.attributes), 1, numeric=[np.array([value], dtype=float) for value in row]
    )


def W000_08(seen: Any) -> dict[str, Any]:
    l1, l2 = np.exp(seen.model.model_.shares(asked(seen.model, FAR)))[0]
    tenth = acumen.HistogramBayes(bins={"x0": 4, "x1": 3}, alpha=0.1).fit(seen.X, seen.y)
    return {
        "n1": 50,
        "n2": 100,
        "cells": 12,
        "l1": l1,
        "l2": l2,
        "j1": l1 / 3,
        "j2": l2 * 2 / 3,
        "chain_j1": 0.33 / 62,
        "chain_j2": 0.00893 * 0.67,
        "p2": seen.model.predict_proba([FAR])[0, 1],
        "tenth": tenth.predict_proba([FAR])[0, 1],
    }


def W000_09(seen: Any) -> dict[str, Any]:
    numeric = seen.model.model_.numeric
    m, v = numeric.mean, numeric.variance
    (a1, b1), (a2, b2) = ([normal(FAR[j], m[c][j], v[c][j]) for j in (0, 1)] for c in (0, 1))
    r1 = normal(6.75, 5.006, 0.1218) * normal(4.25, 3.418, 0.1423)
    r2 = normal(6.75, 6.262, 0.435) * normal(4.25, 2.872, 0.1096)
    full = acumen.FullBayes().fit(seen.X, seen.y).model_
    full2 = normal(FAR, full.mean[1], full.covariance[1])
    return {
        "m": m,
        "v": v,
        "a1": a1,
        "b1": b1,
        "a2": a2,
        "b2": b2,
        "f1": a1 * b1,
        "f2": a2 * b2,
        "j1": a1 * b1 / 3,
        "j2": a2 * b2 * 2 / 3,
        "chain_f1": r1,
        "chain_f2": r2,
        "chain_j1": 4.014e-7 * 0.33,
        "chain_j2": 9.585e-5 * 0.67,
        "full2": full2,
        "times": a2 * b2 / full2,
        "picture": acumen.regions(acumen.NaiveBayes(), sepal_table()),
    }


def W000_10(seen: Any) -> dict[str, Any]:
    counts = joint()
    length, width = counts.sum(axis=2)[:, 2], counts.sum(axis=1)[:, 2]  # Long
    a1 = 1 / (50 + 4)
    # The model's own shares: the log of each level's share in each class.
    logs = seen.model.model_.nominal.log_level
    f1, f2 = np.exp(logs[0][:, 2] + logs[1][:, 2])
    every = acumen.NaiveBayes(alpha=1).fit(seen.X, seen.y).model_.nominal.log_level
    every1, every2 = np.exp(every[0][:, 2] + every[1][:, 2])
    return {
        "n1": 50,
        "n2": 100,
        "k": 4,
        "a1": a1,
        "w1": width[0],
        "b1": width[0] / 50,
        "l2": length[1],
        "w2": width[1],
        "f1": f1,
        "f2": f2,
        "j1": f1 / 3,
        "j2": f2 * 2 / 3,
        "chain_j1": 4.81e-3 * 0.33,
        "chain_j2": 8.60e-3 * 0.67,
        "every1": every1,
        "every2": every2,
    }


def W000_11(seen: Any) -> dict[str, Any]:
    model = seen.model.model_
    found = model.search.lists(model.fitted.raw(asked(seen.model, FAR)), 6)
    near = [f"row {row + 1}" for row in found.rows]
    X = np.vstack([seen.X[found.rows], FAR])
    labels = np.append((seen.y[found.rows] == "c2").astype(int), 2)
    picture = GroupsFigure(
        X,
        labels,
        ["c1", "c2", "asked about"],
        x_label="sepal length",
        y_label="sepal width",
        title="The six nearest rows",
    )
    assert near[:3] == ["row 110", "row 125", "row 145"]
    share = seen.model.predict_proba([FAR])[0]
    six = acumen.KNN(6, scale=False).fit(seen.X, seen.y).predict_proba([FAR])[0]
    return {
        "d2": found.distances**2,
        "r": found.distances[4],
        "r6": found.distances[5],
        "twice": found.rows[1:3] + 1,
        "p2": share[1],
        "k1": round(5 * share[0]),
        "k2": round(5 * share[1]),
        "six": 6 * six[1],
        "picture": picture,
    }
