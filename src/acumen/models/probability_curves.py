"""Probabilities from scores: a curve for each class, fitted on scores of rows that were left out.

    platt      1 / (1 + exp(a s + b)), by Newton's method on smoothed targets (Platt 1999; Lin, Lin, Weng 2007)
    isotonic   the rising step function of least squares (pool adjacent violators), joined by straight lines


Of two classes one curve is fitted, on the decision; of more, one for each class against the others, and the
values are divided by their sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.types import Array, Codes, Floats

_LEAST = 1e-12  # no probability is below it, so that logarithms are finite


@dataclass(frozen=True, slots=True)
class Curve:
    """One class's curve: `at` and `height` of its corners (isotonic), or slope and offset (Platt) as `at`."""

    at: Floats
    height: Floats  # empty for Platt's

    def __call__(self, scores: Floats) -> Floats:
        if len(self.height):
            return np.interp(scores, self.at, self.height)
        slope, offset = self.at
        with np.errstate(over="ignore"):
            return 1.0 / (1.0 + np.exp(np.clip(slope * scores + offset, -700.0, 700.0)))


def platt(scores: Floats, positive: Floats, weights: Floats) -> Curve:
    """Fit slope and offset to weighted rows, `positive` being 1 or 0."""
    yes, no = float(weights @ positive), float(weights @ (1.0 - positive))
    target = np.where(positive > 0, (yes + 1.0) / (yes + 2.0), 1.0 / (no + 2.0))
    middle = float(weights @ scores / weights.sum())
    spread = float(np.sqrt(weights @ (scores - middle) ** 2 / weights.sum())) or 1.0
    x = (scores - middle) / spread  # so that both unknowns are of one size
    a, b = 0.0, float(np.log((no + 1.0) / (yes + 1.0)))

    def loss(a: float, b: float) -> float:
        f = a * x + b
        return float(weights @ (np.logaddexp(0.0, f) - (1.0 - target) * f))

    here = loss(a, b)
    for _ in range(100):
        f = a * x + b
        p = 1.0 / (1.0 + np.exp(np.clip(f, -700.0, 700.0)))
        d = weights * (target - p)
        curve = np.maximum(weights * p * (1.0 - p), 1e-300)
        gradient = np.array([d @ x, d.sum()])
        hessian = np.array([[curve @ (x * x), curve @ x], [curve @ x, curve.sum()]]) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        if abs(gradient @ step) < 1e-14 * max(here, 1.0):
            break
        length = 1.0
        while loss(a - length * step[0], b - length * step[1]) > here - 1e-4 * length * (gradient @ step):
            length *= 0.5
            if length < 1e-10:
                break
        if length < 1e-10:
            break
        a, b = a - length * float(step[0]), b - length * float(step[1])
        here = loss(a, b)
    return Curve(np.array([a / spread, b - a * middle / spread]), np.empty(0))


def isotonic(scores: Floats, positive: Floats, weights: Floats) -> Curve:
    """The rising curve of least weighted squares; rows of one score go together."""
    at, where = np.unique(scores, return_inverse=True)
    weight = np.bincount(where, weights)
    mean = np.bincount(where, weights * positive) / weight
    pools: list[list[float]] = []  # each: weight, mean, first, last
    for i, (w, m) in enumerate(zip(weight.tolist(), mean.tolist(), strict=True)):
        pools.append([w, m, i, i])
        while len(pools) > 1 and pools[-2][1] >= pools[-1][1]:
            one, other = pools[-2], pools.pop()
            total = one[0] + other[0]
            pools[-1] = [total, (one[0] * one[1] + other[0] * other[1]) / total, one[2], other[3]]
    corners = [(at[int(i)], pool[1]) for pool in pools for i in sorted({pool[2], pool[3]})]
    points = np.array(corners, dtype=np.float64).reshape(-1, 2)
    return Curve(points[:, 0].copy(), points[:, 1].copy())


def _constant(share: float) -> Curve | None:
    """The curve of a class too rare to be left out: its share, whatever the score; none for one without rows."""
    if not share > 0:
        return None
    share = min(share, 1.0 - _LEAST)
    return Curve(np.array([0.0, float(np.log1p(-share) - np.log(share))]), np.empty(0))


@dataclass(frozen=True, slots=True)
class ProbabilityCurves:
    """A curve for each class (None for those never seen); of two classes one, for the second."""

    curves: tuple[Curve | None, ...]

    @classmethod
    def fit(cls, method: str, scores: Floats, labels: Codes, weights: Floats) -> ProbabilityCurves:
        """Curves from left-out scores, one line per row and one column per class."""
        shape = platt if method == "platt" else isotonic
        k = scores.shape[1]
        if k == 2:
            f = scores[:, 1] - scores[:, 0]
            known = np.isfinite(f)
            if not known.any():  # a class that was never learned from has no score
                return cls((_constant(max(float(weights @ (labels == 1) / weights.sum()), _LEAST)),))
            return cls((shape(f[known], (labels[known] == 1).astype(np.float64), weights[known]),))
        curves: list[Curve | None] = []
        for c in range(k):
            positive = (labels == c).astype(np.float64)
            known = np.isfinite(scores[:, c])
            seen = positive[known]
            usable = known.any() and 0 < seen.sum() < len(seen)
            if usable:
                curves.append(shape(scores[known, c], seen, weights[known]))
            else:
                curves.append(_constant(float(weights @ positive / weights.sum())))
        return cls(tuple(curves))

    def log_proba(self, scores: Floats) -> Floats:
        """Log probabilities of all classes."""
        if len(self.curves) == 1 and scores.shape[1] == 2:
            curve = self.curves[0]
            assert curve is not None
            apart = np.nan_to_num(scores[:, 1] - scores[:, 0], posinf=1e300, neginf=-1e300)
            p = np.clip(curve(apart), _LEAST, 1.0 - _LEAST)
            return np.log(np.column_stack([1.0 - p, p]))
        probabilities = np.zeros_like(scores)
        for c, curve in enumerate(self.curves):
            if curve is not None:
                probabilities[:, c] = np.maximum(
                    curve(np.where(np.isfinite(scores[:, c]), scores[:, c], -1e300)), _LEAST
                )
        total = probabilities.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.log(probabilities / np.where(total > 0, total, 1.0))

    def to_arrays(self) -> dict[str, Array]:
        """Every curve's corners, end to end."""
        arrays: dict[str, Array] = {}
        for c, curve in enumerate(self.curves):
            if curve is not None:
                arrays[f"calibration/{c}/at"], arrays[f"calibration/{c}/height"] = curve.at, curve.height
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], classes: int) -> ProbabilityCurves | None:
        """The calibration of a model file, if it has one."""
        if not any(name.startswith("calibration/") for name in arrays):
            return None
        curves: list[Curve | None] = []
        for c in range(1 if classes == 2 else classes):
            if f"calibration/{c}/at" not in arrays:
                curves.append(None)
                continue
            at = stored_floats(arrays, f"calibration/{c}/at", (None,))
            height = stored_floats(arrays, f"calibration/{c}/height", (None,), low=0.0, high=1.0)
            require((len(at) == 2 and not len(height)) or len(at) == len(height) > 0, "a curve is none")
            require(not len(height) or (np.diff(at) >= 0).all(), "a curve's corners do not ascend")
            require(not len(height) or (np.diff(height) >= 0).all(), "a curve falls")
            curves.append(Curve(at, height))
        require(any(curve is not None for curve in curves), "no class has a curve")
        return cls(tuple(curves))
