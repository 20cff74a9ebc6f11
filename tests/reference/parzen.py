"""The slow twin of the windows' kernel: one pair of rows after the other, in logs only at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acumen.bayes.parzen_windows import WindowRows, Windows


def density(
    training: WindowRows,
    windows: Windows,
    c: int,
    x: Sequence[float],
    codes: Sequence[int],
    left_out: int = -1,
) -> float:
    """P(row | class c): the mean of windows on the class's training rows."""
    rows = range(training.starts[c], training.starts[c + 1])
    total = sum(training.weight[i] for i in rows)
    found = 0.0
    for i in rows:
        weight = training.weight[i] - (min(training.weight[i], 1.0) if i == left_out else 0.0)
        found += weight * window(training, windows, c, i, x, codes)
    return found / total if total else 0.0


def window(
    training: WindowRows, windows: Windows, c: int, i: int, x: Sequence[float], codes: Sequence[int]
) -> float:
    """The product over the attributes the row knows."""
    made = 1.0
    for j, value in enumerate(x):
        if not math.isfinite(value):
            continue
        at, width = training.values[j, i], windows.width[c, j]
        if math.isnan(at):
            at, width = windows.centre[c, j], windows.spread[c, j]
        if windows.box:
            made *= (abs(value - at) <= width / 2) / width
        else:
            made *= math.exp(-0.5 * ((value - at) / width) ** 2) / (width * math.sqrt(2 * math.pi))
    for j, code in enumerate(codes):
        if not 0 <= code < windows.log_level[j].shape[1]:
            continue
        own = training.codes[j, i]
        if own < 0:
            made *= math.exp(windows.log_level[j][c, code])
        else:
            made *= math.exp((windows.log_same if own == code else windows.log_other)[c, j])
    return made


def log_densities(
    training: WindowRows,
    windows: Windows,
    values: np.ndarray,
    codes: np.ndarray,
    left_out: Sequence[int] | None = None,
) -> np.ndarray:
    """(rows, classes), minus infinity for no density at all."""
    k = len(training.starts) - 1
    out = [-1] * len(values) if left_out is None else left_out
    found = [
        [density(training, windows, c, x, v, o) for c in range(k)]
        for x, v, o in zip(values, codes, out, strict=True)
    ]
    with np.errstate(divide="ignore"):
        return np.log(np.array(found).reshape(len(values), k))
