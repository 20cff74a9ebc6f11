"""Text 1, lines 2600 to 3780: windows, maximum entropy, regression, discriminants, perceptrons, margins, kernels."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import acumen
from acumen.kernels import RBF, Polynomial, Sigmoid
from acumen.linear.maxent import LocalDual
from acumen.linear.maxent_features import read_features
from acumen.preprocessing import NumericMatrix
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.learning_plot import Band, LearningFigure


def W001_31(seen: Any) -> dict[str, Any]:
    x, y = seen.rows.numeric.matrix()[:, 0], seen.rows.label_values()
    inside = np.abs(x - 0.2) <= 0.5
    ka, kb = (int(np.sum(inside & (y == c))) for c in "ab")
    na, nb = (int(np.sum(y == c)) for c in "ab")
    bad = np.array([ka, kb]) / (ka + kb) * np.array([na, nb]) / len(y)
    knn = acumen.KNN(5, scale=False).fit(x[:, None], y)
    return {
        "ka": ka,
        "kb": kb,
        "na": na,
        "bad": bad,
        "bad0": bad[0],
        "bad1": bad[1],
        "sum": bad.sum(),
        "p": seen.model.predict_proba([[0.2]])[0],
        "knn": knn.predict_proba([[0.2]])[0, 1],
        "wide": int(np.sum(np.abs(x - 0.2) <= 10 / 2)),
    }


def W001_32(seen: Any) -> dict[str, Any]:
    table = seen.loan
    view = NumericMatrix.fit(table, impute="mean")
    made = read_features(["class", "Age & Has_Job", "Credit_Rating=fair -> No"], view, table.schema, "MaxEnt")
    places = list(range(table.schema.n_classes))
    values = made.values(table, table.schema.classes, places)
    dual = LocalDual(made, view.transform(table), values, table.labels, table.row_weights, places, 2.0)
    point = np.random.default_rng(0).standard_normal(len(dual.features))
    loss, gradient, hessian = dual.second_order(point)  # of minus the log-likelihood
    step = 1e-5
    slopes = [(dual(point + e)[0] - dual(point - e)[0]) / (2 * step) for e in np.eye(len(point)) * step]
    along = np.linspace(-0.3, 1.0, 40)
    curve = np.array([-dual(point - t * gradient)[0] for t in along])
    up, down = (-dual(point - sign * 1e-4 * gradient)[0] + loss for sign in (1, -1))
    eigen = -np.linalg.eigvalsh(hessian)
    tight = acumen.MaxEnt(["class", "Age & Has_Job", "Credit_Rating=fair -> No"], C=0.01).fit(table)
    return {
        "LL": -loss,
        "close": max(np.abs(slopes - gradient).max(), 1e-12),
        "differs": np.abs(slopes - gradient).max(),
        "up": up,
        "down": down,
        "low": eigen.min(),
        "top": eigen.max(),
        "rises": float(up > 0),
        "falls": float(down > 0),
        "concave": float(eigen.max() < 0),
        "convex": float((-eigen).max() < 0),
        "loose": seen.model.log_likelihood(table),
        "tight": tight.log_likelihood(table),
        "picture": LearningFigure(
            along,
            [Band("log-likelihood", curve)],
            "steps along the gradient",
            "log-likelihood",
            title="Uphill",
        ),
    }


def W001_33(seen: Any) -> dict[str, Any]:
    def ridge(alpha: float) -> Any:
        return acumen.Ridge(alpha=alpha, fit_intercept=False, scale=False).fit(seen.X, seen.y).coef_

    half = np.linalg.solve(seen.X.T @ seen.X + 0.5 * np.eye(2), seen.X.T @ seen.y)
    w10 = ridge(10)
    bound = (
        acumen.Ridge(radius=float(w10 @ w10), fit_intercept=False, scale=False)
        .fit(seen.X, seen.y)
        .min_multiplier_
    )
    free = acumen.Ridge(alpha=10, scale=False).fit(seen.X[:, 1:], seen.y)
    x = seen.X[:, 1]
    line = acumen.LinearRegression().fit(x[:, None], seen.y)
    bands = [
        Band("least squares", line.predict(x[:, None])),
        Band("λ = 10", seen.X @ w10),
        Band("the points", seen.y),
    ]
    return {
        "xy": x @ seen.y,
        "w0": ridge(0),
        "w1": ridge(1),
        "w10": w10,
        "half": half,
        "half0": half[0],
        "half1": half[1],
        "norm": w10 @ w10,
        "bound": bound,
        "free": free.coef_[0],
        "picture": LearningFigure(x, bands, "x", "y", title="A line, and the same line shrunk"),
    }


def W001_34(seen: Any) -> dict[str, Any]:
    c1, c2 = seen.X[seen.y == "c1"], seen.X[seen.y == "c2"]
    m = c2.mean(axis=0) - c1.mean(axis=0)
    S = sum((c - c.mean(axis=0)).T @ (c - c.mean(axis=0)) for c in (c1, c2))
    hand = np.linalg.solve(S, m)
    w = (seen.planes.slope[1] - seen.planes.slope[0]) / 150
    return {"m": m, "w": w, "h0": hand[0], "h1": hand[1], "J": (w @ m) ** 2 / (w @ S @ w)}


def perceptron(start: Any, *, tie: bool, extra: float = 1.0) -> tuple[Any, int, int]:
    """AND learned by hand; a product of 0 is a mistake where `tie`, and the positive class otherwise."""
    X = np.array([[0, 0, extra], [0, 1, extra], [1, 0, extra], [1, 1, extra]])
    y = np.array([-1, -1, -1, 1])
    w, epochs, updates = np.array(start, dtype=float), 0, 0
    while True:
        epochs, before = epochs + 1, updates
        for x, side in zip(X, y, strict=True):
            wrong = side * (w @ x) <= 0 if tie else (1 if w @ x >= 0 else -1) != side
            if wrong:
                w, updates = w + side * x, updates + 1
        if updates == before:
            return w, epochs, updates


def of_and(model: Any, rows: Any, title: str) -> Any:
    """The line over the four corners."""
    from acumen.render.margin_plot import MarginFigure

    x = np.linspace(-0.3, 1.3, 60)
    w = model.weights_
    constant = w[2] * (-1 if model.extra == -1 else 1)
    decisions = w[0] * x + w[1] * x[:, None] + constant
    points = rows.numeric.matrix()
    return MarginFigure(
        x,
        x,
        decisions,
        ["0", "1"],
        points,
        (points.min(axis=1) == 1).astype(int),
        np.zeros(4, dtype=bool),
        "x1",
        "x2",
        title,
    )


def W001_35(seen: Any) -> dict[str, Any]:
    w, epochs, updates = perceptron([1, 1, 1], tie=True)
    model = seen.model
    return {
        "second": np.array([1, 1, 0]) @ [0, 1, 1],
        "w": model.weights_,
        "epochs": model.n_epochs_,
        "updates": model.n_updates_,
        "bound": model.max_updates_,
        "h0": w[0],
        "h1": w[1],
        "h2": w[2],
        "hepochs": epochs,
        "hupdates": updates,
        "zeros": acumen.Perceptron(order="given", extra=-1, scale=False).fit(seen.rows).n_updates_,
        "picture": of_and(model, seen.rows, "AND from ones"),
    }


def W001_36(seen: Any) -> dict[str, Any]:
    def fitted(C: float) -> Any:
        return acumen.SVM(kernel="linear", C=C, scale=False, tol=1e-7).fit(seen.points)

    half, mixed = fitted(1.5), fitted(0.5)
    three = half.norm_**2 + 3 * half.slack_.sum()
    return {
        "primal": seen.line.certificate_.primal,
        "dual": seen.line.certificate_.dual,
        "three": three,
        "half": half.certificate_.primal,
        "twice": three / half.certificate_.primal,
        "mixed": mixed.norm_**2 + mixed.slack_.sum(),
        "slack": seen.line.slack_.sum(),
        "slack10": fitted(0.1).slack_.sum(),
        "wide": fitted(0.1).margin_width_,
        "width": seen.line.margin_width_,
        "picture": seen.line.figure(seen.points),
    }


def W001_37(seen: Any) -> dict[str, Any]:
    features = np.column_stack([seen.rows**2, np.sqrt(2) * seen.rows.prod(axis=1)])
    a, b = seen.rows
    return {
        "dot": a @ b,
        "k": Polynomial(2, offset=0)(seen.rows)[0, 1],
        "phi": round(float(features[0] @ features[1]), 9),
        "f1": features[0, 2],
        "f2": features[1, 2],
        "cube": Polynomial(3, offset=0)(seen.rows)[0, 1],
    }


def W001_38(seen: Any) -> dict[str, Any]:
    X = seen.X
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    laplace = np.linalg.eigvalsh(np.exp(-apart / 2)).min()
    rbf, up, down = (kernel.is_psd(X).smallest for kernel in seen.kernels)
    pair = np.array([[0.0, 0, 0], [2.0, 0, 0]])
    names = {"Gaussian": rbf, "without the square": laplace, "tanh, b = 1": up, "tanh, b = −1": down}
    return {
        "rbf": rbf,
        "laplace": laplace,
        "tanh_up": up,
        "tanh_down": down,
        "apart": RBF(sigma=1.0)(pair)[0, 1],
        "apart_printed": np.exp(-2 / 2),
        "small": Sigmoid(1.0, -1.0).is_psd(X / 10).smallest,
        "picture": BarsFigure(
            [Bar(n, float(v)) for n, v in names.items()], "smallest eigenvalue", "Thirty points"
        ),
    }


def ends(equal: bool, a1: float, a2: float, C: float) -> tuple[float, float]:
    """The notes' ends of the line for the second multiplier."""
    if equal:
        return max(0.0, a1 + a2 - C), min(C, a1 + a2)
    return max(0.0, a2 - a1), min(C, C + a2 - a1)


def searched(equal: bool, a1: float, a2: float, C: float) -> tuple[float, float]:
    """The same by trying every second multiplier whose partner stays in the box."""
    second = np.linspace(0, C, 1001)
    first = a1 + a2 - second if equal else a1 + second - a2
    fits = second[(first >= -1e-9) & (first <= C + 1e-9)]
    return float(fits.min()), float(fits.max())


def W001_39(seen: Any) -> dict[str, Any]:
    grid = (0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 0.75, 0.9, 1.0)
    settings = [(e, a, b) for e in (True, False) for a, b in itertools.product(grid, repeat=2)]
    worst = max(abs(np.subtract(ends(e, a, b, 1.0), searched(e, a, b, 1.0))).max() for e, a, b in settings)
    (low_un, high_un), (low_eq, high_eq) = ends(False, 0.4, 0.7, 1.0), ends(True, 0.4, 0.7, 1.0)
    (blow_un, bhigh_un), (blow_eq, bhigh_eq) = searched(False, 0.4, 0.7, 1.0), searched(True, 0.4, 0.7, 1.0)
    low_half, high_half = ends(True, 0.4, 0.3, 0.5)
    return {
        "low_un": low_un,
        "high_un": high_un,
        "low_eq": low_eq,
        "high_eq": high_eq,
        "blow_un": blow_un,
        "bhigh_un": bhigh_un,
        "blow_eq": blow_eq,
        "bhigh_eq": bhigh_eq,
        "worst": worst,
        "n": len(settings),
        "primal": seen.machine.certificate_.primal,
        "low_half": low_half,
        "high_half": high_half,
        "picture": seen.machine.figure(seen.points),
    }


def W001_40(seen: Any) -> dict[str, Any]:
    def left(degree: int) -> float:
        made = acumen.PolynomialRegression(degree=degree).fit(seen.x, seen.y)
        return float(np.sqrt(np.mean((made.predict(seen.x) - seen.y) ** 2)))

    flat = seen.x[:, 0]
    hand = np.polynomial.Polynomial.fit(flat, seen.y, 7)(flat) - seen.y
    degrees = list(range(1, 8))
    swing = np.array([[0.97]])
    return {
        "rms3": left(3),
        "rms5": left(5),
        "rms7": max(left(7), 1e-16),
        "rms_hand": float(np.sqrt(np.mean(hand**2))),
        "swing": seen.model.predict(swing)[0],
        "wave": float(np.sin(2 * np.pi * 0.97) + 0.1 * np.cos(37 * 0.97)),
        "picture": LearningFigure(
            degrees,
            [Band("what is left", [left(d) for d in degrees])],
            "degree",
            "root mean square",
            title="Eight points",
        ),
    }


def W001_41(seen: Any) -> dict[str, Any]:
    lengths = [float(np.linalg.norm(fit.coef_)) for fit in seen.fits]
    errors = [float(np.sqrt(np.mean((fit.predict(seen.X) - seen.y) ** 2))) for fit in seen.fits]
    grid = np.linspace(0, 1, 101)
    wide = np.vander(grid, 8, increasing=True)
    names = ("λ = 0", "λ = 0.001", "λ = 0.1")
    bands = [Band(name, wide @ fit.coef_) for name, fit in zip(names, seen.fits, strict=True)]
    more = acumen.Ridge(alpha=10, fit_intercept=False, scale=False).fit(seen.X, seen.y)
    return {
        "n0": lengths[0],
        "n1": lengths[1],
        "n2": lengths[2],
        "n3": float(np.linalg.norm(more.coef_)),
        "e0": max(errors[0], 1e-16),
        "e1": errors[1],
        "e2": errors[2],
        "falls": float(lengths[0] > lengths[1] > lengths[2]),
        "grows": float(errors[0] < errors[1] < errors[2]),
        "picture": LearningFigure(grid, bands, "x", "y", title="Degree seven, three times"),
    }
