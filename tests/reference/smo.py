"""Sequential minimal optimisation written as one would explain it: slow, and obviously so."""

from __future__ import annotations

import numpy as np

from acumen.types import Floats


def smo(
    kernel: Floats, z: Floats, low: Floats, high: Floats, epsilon: float, tol: float, most: int = 100_000
) -> Floats:
    """Minimise 1/2 b'Kb - z'b + epsilon sum |b| with sum b = 0, two coordinates at a time."""
    n = len(z)
    b = np.zeros(n)
    for _ in range(most):
        g = kernel @ b - z
        up = [i for i in range(n) if b[i] < high[i]]
        down = [i for i in range(n) if b[i] > low[i]]
        if not up or not down:
            return b
        rise = {i: -g[i] + (epsilon if b[i] < 0 else -epsilon) for i in up}
        fall = {j: g[j] + (epsilon if b[j] > 0 else -epsilon) for j in down}
        i = max(rise, key=lambda r: (rise[r], -r))
        if rise[i] + max(fall.values()) <= tol:
            return b
        gains = {}
        for j in down:
            gap = rise[i] + fall[j]
            curve = max(kernel[i, i] + kernel[j, j] - 2 * kernel[i, j], 1e-12)
            if gap > 0:
                gains[j] = gap * gap / curve
        j = max(gains, key=lambda c: (gains[c], -c))
        curve = max(kernel[i, i] + kernel[j, j] - 2 * kernel[i, j], 1e-12)
        top = 0.0 if b[i] < 0 else high[i]
        bottom = 0.0 if b[j] > 0 else low[j]
        t = min((rise[i] + fall[j]) / curve, top - b[i], b[j] - bottom)
        b[i] += t
        b[j] -= t
    raise AssertionError("the twin did not converge")


def clip_bounds(s: float, a1: float, a2: float, C: float) -> tuple[float, float]:
    """The documents' bounds on the second multiplier; s is y1 y2."""
    if s < 0:
        return max(0.0, a2 - a1), min(C, C + a2 - a1)
    return max(0.0, a1 + a2 - C), min(C, a1 + a2)
