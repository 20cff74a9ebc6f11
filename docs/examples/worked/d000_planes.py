"""Text 0, lines 924 to 1121: linear and kernel discriminants."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.kernels import Polynomial
from acumen.render.class_histogram import HistogramFigure
from worked.hand import sepals


def scatters(X: Any, y: Any) -> tuple[Any, Any, Any]:
    """The difference of means and each class's scatter."""
    parts = [X[y == c] for c in ("c1", "c2")]
    means = [part.mean(axis=0) for part in parts]
    first, second = ((part - mean).T @ (part - mean) for part, mean in zip(parts, means, strict=True))
    return means[0] - means[1], first, second


def W000_18(seen: Any) -> dict[str, Any]:
    m, S1, S2 = scatters(seen.X, seen.y)
    rough = np.array([-1.26, 0.55])
    return {
        "m": m,
        "B": np.outer(m, m),
        "S1": S1,
        "S2": S2,
        "S": seen.model.summary_.scatter.scatter[0],
        "chainB": np.outer(rough, rough),
        "cutB": np.floor(1000 * rough[0] ** 2) / 1000,
    }


def ratio(w: Any, X: Any, y: Any) -> float:
    """Fisher's J of a direction."""
    m, S1, S2 = scatters(X, y)
    return float((w @ m) ** 2 / (w @ (S1 + S2) @ w))


def W000_19(seen: Any) -> dict[str, Any]:
    w = seen.model.directions_[0]
    values = seen.X @ w
    edges = np.linspace(values.min(), values.max(), 25)
    found = [np.histogram(values[seen.y == c], edges)[0] for c in ("c1", "c2")]
    return {
        "J": seen.model.ratio_,
        "w": w,
        "Jx": ratio(np.array([1.0, 0.0]), seen.X, seen.y),
        "Jy": ratio(np.array([0.0, 1.0]), seen.X, seen.y),
        "picture": HistogramFigure(edges, found, ["c1", "c2"], "Along Fisher's direction"),
    }


def W000_20(seen: Any) -> dict[str, Any]:
    m, _, _ = scatters(seen.X, seen.y)
    inverse = np.linalg.inv(seen.model.summary_.scatter.scatter[0])
    w = inverse @ m
    return {
        "m": m,
        "Si": inverse,
        "w": w,
        "norm": np.linalg.norm(w),
        "SiB": inverse @ np.outer(m, m),
        "wrong": np.array([[0.066, -0.029], [-0.100, 0.044]]) @ [-1.246, 0.546],
    }


def quadratic(X: Any, y: Any) -> tuple[float, float, float, float, float]:
    """Projected means and scatters, and J, under (x.z)^2."""
    model = acumen.KernelFisher(kernel=Polynomial(2, offset=0), alpha=0.0, scale=False).fit(X, y)
    a = model.model_.coefficients[:, 0]
    K = Polynomial(2, offset=0)(X)
    values = K @ a / np.sqrt(a @ K @ a)
    first, second = values[y == "c1"], values[y == "c2"]
    s1, s2 = (float(((part - part.mean()) ** 2).sum()) for part in (first, second))
    m1, m2 = float(first.mean()), float(second.mean())
    return m1, m2, s1, s2, (m1 - m2) ** 2 / (s1 + s2)


def W000_21(seen: Any) -> dict[str, Any]:
    m1, m2, s1, s2, J = quadratic(seen.X, seen.y)
    species = seen.iris.label_values()
    other = {name: np.where(species == f"Iris-{name}", "c1", "c2") for name in ("virginica", "setosa")}
    table = acumen.PrincipalComponents(2, signs=(-1, 1)).fit(seen.iris).transform(seen.iris)
    frame = table.to_pandas().drop(columns="class")
    frame["class"] = seen.y
    return {
        "m1": m1,
        "m2": m2,
        "s1": s1,
        "s2": s2,
        "J": J,
        "rank": np.linalg.matrix_rank(Polynomial(2, offset=0)(seen.X)),
        "J_virginica": quadratic(seen.X, other["virginica"])[-1],
        "J_setosa": quadratic(seen.X, other["setosa"])[-1],
        "J_sepals": quadratic(sepals()[0], other["virginica"])[-1],
        "picture": acumen.regions(seen.model, acumen.read(frame, target="class")),
    }


def W000_22(seen: Any) -> dict[str, Any]:
    w = seen.w / np.linalg.norm(seen.w)
    poly = np.sqrt(2) * w[0]
    return {"w": w, "poly": poly, "right": poly + w[1] + w[2], "printed": 0.511 + 0.761 - 0.4}
