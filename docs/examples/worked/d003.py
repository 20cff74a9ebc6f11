"""Text 3: perceptrons, a hinge, cosines, F measures."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.render.learning_plot import Band, LearningFigure
from worked.d001_lines import of_and, perceptron


def W003_01(seen: Any) -> dict[str, Any]:
    w, epochs, updates = perceptron([0, 0, 0], tie=True, extra=-1.0)
    model = seen.model
    other = acumen.Perceptron(order="given", tie="positive", scale=False).fit(seen.rows)
    return {
        "stuck": int((np.zeros(4) * [-1, -1, -1, 1] < 0).sum()),
        "first": 1,
        "w": model.weights_,
        "epochs": model.n_epochs_,
        "updates": model.n_updates_,
        "h0": w[0],
        "h1": w[1],
        "h2": w[2],
        "hepochs": epochs,
        "hupdates": updates,
        "other": other.n_updates_,
        "picture": of_and(model, seen.rows, "AND from zero"),
    }


def W003_02(seen: Any) -> dict[str, Any]:
    w = np.array([1.0, 0.5])
    values = seen.X @ w
    wrong = np.sign(values) != seen.y
    error = seen.space.distance(seen.space.values(seen.space.weights))
    return {
        "values": ", ".join(f"{v:g}" for v in values),
        "a": abs(values[wrong][0]),
        "b": abs(values[wrong][1]),
        "error": error,
        "hand": 0.5 * np.abs(values * (np.sign(values) - seen.y)).sum(),
        "norm": np.linalg.norm(w),
        "distance": error / np.linalg.norm(w),
        "double": 2 * error,
    }


def W003_03(seen: Any) -> dict[str, Any]:
    said = np.sign(seen.X @ [1.0, 0.5])
    return {
        "said": ", ".join(f"{v:.0f}" for v in said),
        "true": ", ".join(f"{v:.0f}" for v in seen.y),
        "mistakes": seen.space.error(seen.space.values(seen.space.weights)),
        "double": np.abs(said - seen.y).sum(),
        "zero_one": np.abs((said > 0).astype(int) - (seen.y > 0).astype(int)).sum(),
    }


def W003_04(seen: Any) -> dict[str, Any]:
    X, y, w, problem = seen.X, seen.y, seen.w, seen.problem

    def cost(at: Any) -> float:
        return float(at @ at / 2 + 0.7 * np.maximum(0, 1 - y * (X @ at)).sum())

    slope = w - X.T @ problem.pull(X @ w)
    near = np.array([(cost(w + h) - cost(w - h)) / 2e-6 for h in np.eye(3) * 1e-6])
    m = np.linspace(-1, 2.5, 71)
    return {
        "cost": problem.primal(float(w @ w), X @ w),
        "hand": cost(w),
        "inside": int((y * (X @ w) < 1).sum()),
        "slope": slope,
        "near": near,
        "worst": max(float(np.abs(slope - near).max()), 1e-16),
        "picture": LearningFigure(
            m, [Band("hinge", np.maximum(0, 1 - m))], "y·w·x", "loss of a row", title="A hinge"
        ),
    }


def W003_05(seen: Any) -> dict[str, Any]:
    X = seen.rows.numeric.matrix()
    found = 1 - acumen.distances.Cosine().between(seen.rows)

    def cosine(a: Any, b: Any) -> float:
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

    return {
        "same": found[0, 1],
        "right": round(float(found[0, 2]), 15),
        "h1": cosine(X[0], X[1]),
        "h0": cosine(X[0], X[2]),
        "other": cosine(np.array([1.0, 2.0]), np.array([2.0, 1.0])),
    }


def W003_06(seen: Any) -> dict[str, Any]:
    rates = seen.rates
    p, r = 0.5, 0.7

    def f(beta: float) -> float:
        return (1 + beta**2) * p * r / (beta**2 * p + r)

    return {
        "f1": rates.fbeta(1),
        "f2": rates.fbeta(2),
        "fh": rates.fbeta(0.5),
        "pf": rates.PF,
        "h1": f(1),
        "h2": f(2),
        "hh": f(0.5),
        "hpf": 7 / 20,
        "f0": rates.fbeta(0),
        "finf": rates.fbeta(1000),
        "picture": acumen.confusion(seen.rows["actual"], seen.rows["said"]).figure(),
    }


def W003_07(seen: Any) -> dict[str, Any]:
    rates = seen.found.rates("yes")
    other = acumen.confusion(["+", "-", "-"], ["+", "-", "-"]).rates("+")
    return {
        "tp": rates.TP,
        "fp": rates.FP,
        "precision": rates.precision,
        "recall": rates.recall,
        "f1": rates.f1,
        "n": 1,
        "one": other.precision,
        "one_recall": other.recall,
        "picture": seen.found.figure(),
    }
