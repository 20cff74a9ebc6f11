"""Text 0, lines 1179 to 1676: hyperplanes and support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.kernels import Polynomial
from worked.hand import sepal_table


def W000_23(seen: Any) -> dict[str, Any]:
    w, b = np.array([5.0, 2.0]), -20.0
    return {
        "slope": (5 - 0) / (2 - 4),
        "w": w,
        "b": b,
        "abs_b": abs(b),
        "w2": w @ w,
        "r": abs(b) / np.sqrt(w @ w),
        "found": abs(seen.line.intercept_[0]) / seen.line.norm_,
        "picture": seen.line.figure(seen.points),
    }


def W000_24(seen: Any) -> dict[str, Any]:
    w, b = np.array([5.0, 2.0]), -20.0
    h = w @ [2, 2] + b
    s = 1 / -h
    far = -(w @ [0.5, 1.5] + b)
    return {
        "h": h,
        "yh": -h,
        "s": s,
        "w": seen.line.coef_[0],
        "b": seen.line.intercept_[0],
        "margin": seen.line.margin_width_ / 2,
        "h9": -far,
        "far": far / np.linalg.norm(w),
        "picture": seen.line.figure(seen.points),
    }


def without(table: Any, rows: list[int]) -> Any:
    """The table without some rows, counted from 1."""
    return table.take(np.setdiff1d(np.arange(len(table)), np.array(rows) - 1))


def W000_25(seen: Any) -> dict[str, Any]:
    line = seen.line
    w = line.coef_[0]
    fewer = acumen.SVM(kernel="linear", C=np.inf, scale=False).fit(without(seen.points, [9]))
    wide = acumen.SVM(kernel="linear", C=np.inf, scale=False).fit(without(seen.points, [13, 14]))
    h = line.decision_function(seen.points)
    rows = np.flatnonzero(np.abs(np.abs(h) - 1) < 1e-4) + 1
    return {
        "w": w,
        "b": line.intercept_[0],
        "norm2": line.alpha_.sum(),
        "dual": line.certificate_.dual,
        "alpha": line.alpha_,
        "margin_rows": ", ".join(f"x{row}" for row in rows),
        "h1": h[0],
        "h13": h[12],
        "w9": fewer.coef_[0],
        "wide": wide.margin_width_,
        "width": line.margin_width_,
        "picture": line.figure(seen.points),
    }


def W000_26(seen: Any) -> dict[str, Any]:
    line = seen.line
    cheap = acumen.SVM(kernel="linear", C=0.1, scale=False).fit(seen.points)
    w = line.coef_[0]
    return {
        "w": w,
        "b": line.intercept_[0],
        "slack": line.slack_.sum(),
        "half": w @ w / 2,
        "primal": line.certificate_.primal,
        "dual": line.certificate_.dual,
        "alpha": line.alpha_,
        "width": line.margin_width_,
        "wide": cheap.margin_width_,
        "inside": int((cheap.alpha_ > 1e-6).sum()),
        "before": int((line.alpha_ > 1e-6).sum()),
        "picture": line.figure(seen.points),
    }


def W000_27(seen: Any) -> dict[str, Any]:
    X = seen.points.numeric.matrix()
    h33, pushed = np.array([[3.0, 3.0], [5.0, 2.5]]) @ seen.line.coef_[0] + seen.line.intercept_[0]
    return {
        "slack": seen.line.slack_,
        "h": seen.line.decision_function(seen.points),
        "total": seen.line.slack_.sum(),
        "h33": h33,
        "x16": X[15, 0],
        "pushed": 1 + pushed,
        "picture": seen.line.figure(seen.points),
    }


def W000_28(seen: Any) -> dict[str, Any]:
    phi, points = seen.phi, seen.points
    four = int(np.flatnonzero((points == [4, 4]).all(axis=1))[0])
    kernel = Polynomial(2, offset=1)(points)
    printed = phi[four].copy()
    printed[5] = 15.91
    return {
        "phi12": phi[0],
        "last": phi[four, 5],
        "fifth": phi[0, 4],
        "k44": kernel[four, four],
        "bad": printed @ printed,
        "h0": Polynomial(2, offset=0)(points)[four, four],
    }


def features(X: Any) -> Any:
    """The features of (1 + x.z)^2."""
    a, b, r = X[:, 0], X[:, 1], np.sqrt(2)
    return np.column_stack([np.ones(len(X)), r * a, r * b, a**2, b**2, r * a * b])


def plane(machine: Any, points: Any) -> tuple[Any, float]:
    """The weights among the features, and the offset."""
    X = points.numeric.matrix()
    y = np.array([float(str(v)) for v in points.label_values()])
    return (machine.alpha_ * y) @ features(X), float(machine.intercept_[0])


def W000_29(seen: Any) -> dict[str, Any]:
    w, b = plane(seen.machine, seen.points)
    tight = acumen.SVM(kernel=Polynomial(2, offset=1), C=1, scale=False).fit(seen.points)
    h1 = seen.machine.decision_function(seen.points)[0]
    return {
        "alpha": seen.machine.alpha_,
        "w": np.where(np.abs(w) < 1e-6, 0.0, w),
        "b": b,
        "h1": h1,
        "bad": h1 - b - 8.841,
        "slack": tight.slack_.sum(),
        "picture": seen.machine.figure(seen.points),
    }


def W000_30(seen: Any) -> dict[str, Any]:
    (c, a, b, aa, bb, ab), offset = plane(seen.machine, seen.points)
    r = np.sqrt(2)
    form, linear = np.array([[aa, r * ab / 2], [r * ab / 2, bb]]), r * np.array([a, b])
    centre = np.linalg.solve(-2 * form, linear)
    depth = c + offset + linear @ centre / 2
    curve = np.linalg.eigvalsh(form)
    semi = np.sqrt(-depth / curve)
    return {
        "centre": centre,
        "depth": depth,
        "curve": curve,
        "semi": semi,
        "whole": 2 * semi,
        "upright": -linear / (2 * np.array([aa, bb])),
        "picture": acumen.SVM(kernel=Polynomial(2, offset=1), C=4, scale=False)
        .fit(seen.points)
        .figure(seen.points),
    }


def ascent(X: Any, y: Any, C: float, epsilon: float) -> tuple[Any, int]:
    """The text's loop, word for word, with K's rows summed as weights: what it returns and its sweeps."""
    rows = np.column_stack([X, np.ones(len(X))])
    squares = (rows**2).sum(axis=1).tolist()
    listed, sides = rows.tolist(), y.tolist()
    alpha, w, sweeps = [0.0] * len(y), [0.0, 0.0, 0.0], 0
    while True:
        moved = 0.0
        for k, (x1, x2, one) in enumerate(listed):
            before = alpha[k]
            now = before + (1 - sides[k] * (w[0] * x1 + w[1] * x2 + w[2])) / squares[k]
            now = min(max(now, 0.0), C)
            if now != before:
                change = (now - before) * sides[k]
                w[0], w[1], w[2] = w[0] + change * x1, w[1] + change * x2, w[2] + change * one
                alpha[k] = now
                moved += (now - before) ** 2
        sweeps += 1
        if moved <= epsilon**2:
            return np.array(w), sweeps


def W000_31(seen: Any) -> dict[str, Any]:
    line = seen.line
    free = acumen.SVM(kernel="linear", C=10, scale=False, tol=1e-6).fit(seen.X, seen.y)
    loop, sweeps = ascent(seen.X, seen.y, 10.0, 1e-4)
    return {
        "w": [*line.coef_[0], line.intercept_[0]],
        "primal": line.certificate_.primal,
        "slack": line.slack_.sum(),
        "loop": loop,
        "sweeps": f"{sweeps:,}",
        "free": [*free.coef_[0], free.intercept_[0]],
        "picture": drawn(10),
    }


def drawn(C: float) -> Any:
    """The line on rows whose attributes have names."""
    table = sepal_table()
    return acumen.SVM(kernel="linear", C=C, bias="folded", scale=False, tol=1e-6).fit(table).figure(table)


def W000_32(seen: Any) -> dict[str, Any]:
    line = seen.line
    ten = acumen.SVM(kernel="linear", C=10, bias="folded", scale=False, tol=1e-6).fit(seen.X, seen.y)
    return {
        "w": [*line.coef_[0], line.intercept_[0]],
        "slack": line.slack_.sum(),
        "width": 2 / np.linalg.norm(line.coef_[0]),
        "wide": 2 / np.linalg.norm(ten.coef_[0]),
        "picture": drawn(1000),
    }
