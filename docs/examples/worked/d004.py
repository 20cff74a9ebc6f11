"""Text 4: resampling, criteria, gradients, several classes, least squares, Fisher, perceptrons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import acumen
from acumen.assessment.statistics.bootstrap import aic, bic, bootstrap_632, bootstrap_632_plus
from acumen.render.class_histogram import HistogramFigure
from acumen.render.learning_plot import Band, LearningFigure
from worked.d001_lines import of_and, perceptron
from worked.hand import sepal_table


def W004_01(seen: Any) -> dict[str, Any]:
    return {
        "a": bootstrap_632(0.1, 0.3),
        "b": bootstrap_632(0.0, 0.3),
        "ha": 0.632 * 0.3 + 0.368 * 0.1,
        "hb": 0.632 * 0.3,
        "plus": bootstrap_632_plus(0.0, 0.3, 0.5),
    }


def W004_02(seen: Any) -> dict[str, Any]:
    return {
        "out": math.exp(-1),
        "share": -math.expm1(-1),
        "drawn": len(set(seen.split.train.tolist())) / 10_000,
        "twice": -math.expm1(-2),
    }


def W004_03(seen: Any) -> dict[str, Any]:
    x = seen.setosa.column("sepal_width")
    LL = -25 * (math.log(2 * math.pi * x.var()) + 1)
    spread = ((x - 3) ** 2).mean()
    edges = np.arange(2.25, 4.6, 0.2)
    return {
        "var": x.var(),
        "LL": seen.L,
        "hLL": LL,
        "aic": aic(seen.L, 2),
        "haic": 4 - 2 * LL,
        "bic": bic(seen.L, 2, 50),
        "hbic": 2 * math.log(50) - 2 * LL,
        "fixed": aic(-25 * (math.log(2 * math.pi * spread) + 1), 1),
        "picture": HistogramFigure(edges, [np.histogram(x, edges)[0]], ["setosa"], "Sepal width"),
    }


def W004_04(seen: Any) -> dict[str, Any]:
    w = np.array([0.5, 0.5])
    left = seen.X @ w - seen.y
    bad = 2 / 4 * seen.X.T @ left**2
    g = seen.squared(w)[1]
    best = acumen.optimise.gradient_descent(seen.squared, [0.5, 0.5], tol=1e-9, max_iter=100_000).point
    t = np.linspace(0, 0.1, 41)
    bands = [
        Band("down the gradient", [seen.squared(w - s * g)[0] for s in t]),
        Band("as printed", [seen.squared(w - s * bad)[0] for s in t]),
    ]
    return {
        "res": ", ".join(f"{v:g}" for v in left),
        "sum": left.sum(),
        "g": g,
        "bad": bad,
        "bad0": bad[0],
        "bad1": bad[1],
        "best": best,
        "picture": LearningFigure(t, bands, "step", "mean squared loss", title="One step"),
    }


def W004_05(seen: Any) -> dict[str, Any]:
    found = seen.found
    rng = np.random.default_rng(4)
    said = rng.choice(seen.predictions, 200_000)
    truth = rng.normal(1.0, 0.3, 200_000)
    return {
        "bias": found.bias,
        "var": found.variance,
        "noise": found.noise,
        "loss": found.loss,
        "hb": 0.2**2,
        "hv": 0.5**2,
        "hl": 0.04 + 0.25 + 0.09,
        "simulated": float(((said - truth) ** 2).mean()),
        "committee": 0.2**2 + 0.09,
    }


def W004_06(seen: Any) -> dict[str, Any]:
    from dataclasses import replace

    from acumen.render.margin_plot import MarginFigure

    line = replace(
        seen.logistic.model_, coefficients=np.array([[3.0, 4.0]]), offset=np.array([-5.0]), centre=np.zeros(2)
    )
    points = np.array([[3.0, 4.0], [0.0, 0.0]])
    f = line.linear(points)[:, 0]
    x = np.linspace(-1, 5, 60)
    h = 3 * x + 4 * x[:, None] - 5
    return {
        "f": f[0],
        "norm": 5.0,
        "r": f[0] / 5,
        "origin": f[1] / 5,
        "hand": (3 * 3 + 4 * 4 - 5) / math.hypot(3, 4),
        "picture": MarginFigure(
            x,
            x,
            h,
            ["below", "above"],
            points,
            np.array([1, 0]),
            np.zeros(2, dtype=bool),
            "x1",
            "x2",
            "3x₁ + 4x₂ = 5",
        ),
    }


def W004_07(seen: Any) -> dict[str, Any]:
    rest = [seen.one_vs_rest(k, all_classes=False).shape[1] for k in seen.sizes]
    one = [seen.one_vs_one(k).shape[1] for k in seen.sizes]
    k = np.arange(2, 13)
    bands = [Band("against the rest", k), Band("each against each", k * (k - 1) // 2)]
    return {
        "rest": rest,
        "one": one,
        "hr": 3 - 1,
        "ho": 3 * 2 // 2,
        "hundred": 100 * 99 // 2,
        "picture": LearningFigure(k, bands, "classes", "classifiers", title="How many classifiers"),
    }


def W004_08(seen: Any) -> dict[str, Any]:
    w = seen.model.coef_[1] - seen.model.coef_[0]
    design = np.column_stack([seen.X, np.ones(150)])
    hand = np.linalg.lstsq(design, np.where(seen.y == "c1", -1.0, 1.0), rcond=None)[0]
    direction = acumen.Fisher().fit(seen.X, seen.y).directions_[0]
    many = np.vstack([seen.X, [[20.0, 3.0]]])
    other = acumen.LeastSquares().fit(many, np.append(seen.y, "c2"))
    return {
        "w": w,
        "b": seen.model.intercept_[1] - seen.model.intercept_[0],
        "h0": hand[0],
        "h1": hand[1],
        "hb": hand[2],
        "wrong": int((seen.model.predict(seen.X) != seen.y).sum()),
        "d": w / np.linalg.norm(w),
        "apart": float(np.abs(w / np.linalg.norm(w) - direction).max()),
        "far": int((other.predict(seen.X) != seen.y).sum()),
        "picture": acumen.regions(acumen.LeastSquares(), sepal_table()),
    }


def W004_09(seen: Any) -> dict[str, Any]:
    c1, c2 = seen.X[seen.y == "c1"], seen.X[seen.y == "c2"]
    m1, m2 = c1.mean(axis=0), c2.mean(axis=0)
    S = sum((c - c.mean(axis=0)).T @ (c - c.mean(axis=0)) for c in (c1, c2))
    w = seen.model.directions_[0]
    within = w @ S @ w
    d = w @ (m1 - m2)
    return {
        "J": seen.model.ratio_,
        "bad": (w @ np.outer(m1 - m2, m1 + m2) @ w) / within,
        "d": d,
        "d2": d**2,
        "within": within,
        "S1": ((c1 - m1).T @ (c1 - m1))[0, 0],
        "S1_printed": ((c1 - m1).T @ (c1 - m2))[0, 0],
    }


def W004_10(seen: Any) -> dict[str, Any]:
    X, labels = np.array(seen.iris.numeric.matrix()), seen.iris.labels
    m = X.mean(axis=0)
    parts = [X[labels == k] for k in range(3)]
    within = sum((p - p.mean(axis=0)).T @ (p - p.mean(axis=0)) for p in parts)
    plain = sum(np.outer(p.mean(axis=0) - m, p.mean(axis=0) - m) for p in parts)
    bad = np.sort(np.linalg.eigvals(np.linalg.solve(within, plain)).real)[::-1]
    fisher = X.copy()
    fisher[34, 3], fisher[37, 1:3] = 0.2, [3.6, 1.4]
    values = X @ seen.model.directions_[0]
    edges = np.linspace(values.min(), values.max(), 30)
    found = [np.histogram(values[labels == k], edges)[0] for k in range(3)]
    return {
        "e": seen.model.separation_,
        "bad": bad,
        "bad0": bad[0],
        "bad1": bad[1],
        "third": round(50 * float(bad[2]), 9),
        "fisher": acumen.Fisher().fit(fisher, seen.iris.label_values()).separation_[0],
        "picture": HistogramFigure(edges, found, list(seen.iris.schema.classes), "Along the first direction"),
    }


def W004_11(seen: Any) -> dict[str, Any]:
    w, epochs, updates = perceptron([0, 0, 0], tie=False)
    model = seen.model
    other = acumen.Perceptron(order="given", extra=-1, scale=False).fit(seen.rows)
    return {
        "w": model.weights_,
        "epochs": model.n_epochs_,
        "updates": model.n_updates_,
        "h0": w[0],
        "h1": w[1],
        "h2": w[2],
        "hepochs": epochs,
        "hupdates": updates,
        "other": other.n_updates_,
        "picture": of_and(model, seen.rows, "Zero means yes"),
    }


def W004_12(seen: Any) -> dict[str, Any]:
    from acumen.render.groups_plot import GroupsFigure

    model = seen.model
    X, y = seen.rows.numeric.matrix(), seen.rows.label_values()
    return {
        "w": model.weights_,
        "updates": model.n_updates_,
        "bound": model.max_updates_,
        "separated": float(model.separable_),
        "within": model.n_updates_ / model.max_updates_,
        "most": model.get_params()["max_iter"],
        "picture": GroupsFigure(
            X, (y == "b").astype(int), ["a", "b"], x_label="x1", y_label="x2", title="Six rows"
        ),
    }
