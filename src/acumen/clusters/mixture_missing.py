"""Missing values in a mixture: densities of known values, expectations of missing ones.

    MissingPatterns   the rows that know the same attributes
    gap_logs          log share + log density over known attributes
    gap_sums          what the rows add to a component's sums: expected differences, and the remaining variance

Little and Rubin (2002, 11.6): with o known and m missing, E[x_m] = mean_m + C_mo C_oo^-1 (x_o - mean_o) and the rest of
the variance is C_mm - C_mo C_oo^-1 C_om.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.types import Bools, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class MissingPatterns:
    """Rows that know the same attributes, and not all of them."""

    known: Bools
    rows: Indices
    weights: Floats

    @classmethod
    def detect(cls, values: Floats, weights: Floats) -> tuple[Self, ...]:
        """The rows with gaps, by what they know, in the order of first rows."""
        missing = np.isnan(values)
        rows = np.flatnonzero(missing.any(axis=1))
        if not rows.size:
            return ()
        patterns, which = np.unique(missing[rows], axis=0, return_inverse=True)
        which = which.ravel()
        own_weights = weights if weights.size else np.ones(len(values))
        lots = [rows[which == p] for p in range(len(patterns))]
        return tuple(
            cls(~pattern, lot, own_weights[lot]) for pattern, lot in zip(patterns, lots, strict=True)
        )


def gap_logs(
    gap: MissingPatterns, values: Floats, shares: Floats, means: Floats, covariances: Floats
) -> Floats:
    """Of each row (lines) under each component."""
    return _logs(gap, values, shares, means, covariances)[0]


def _logs(
    gap: MissingPatterns, values: Floats, shares: Floats, means: Floats, covariances: Floats
) -> tuple[Floats, Floats]:
    """The logs, and the differences of known values from the means: (components, rows, known)."""
    o = np.flatnonzero(gap.known)
    away = values[gap.rows][:, o][None] - means[:, None, o]
    if covariances.ndim == 2:
        known_block = covariances[:, o]
        squares = (away**2 / known_block[:, None, :]).sum(axis=2)
        log_det = -0.5 * np.log(known_block).sum(axis=1)
    else:
        root = np.linalg.cholesky(covariances[:, o[:, None], o[None, :]])
        turned = np.linalg.solve(root, np.swapaxes(away, 1, 2))
        squares = (turned**2).sum(axis=1)
        log_det = -np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    with np.errstate(divide="ignore"):
        constants = np.log(shares) + log_det - len(o) / 2 * np.log(2 * np.pi)
    return (constants[:, None] - squares / 2).T, away


def gap_sums(
    gap: MissingPatterns, values: Floats, shares: Floats, means: Floats, covariances: Floats, weight: Floats,
    first: Floats, second: Floats,
) -> float:  # fmt: skip
    """Add the rows to the sums; their log-likelihood. Rows of which nothing is known add nothing."""
    if not gap.known.any():
        return 0.0
    logs, away = _logs(gap, values, shares, means, covariances)
    most = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - most)
    total = chances.sum(axis=1, keepdims=True)
    share = (chances / total * gap.weights[:, None]).T  # (components, rows)
    k, d = means.shape
    o, m = np.flatnonzero(gap.known), np.flatnonzero(~gap.known)
    whole = np.zeros((k, len(gap.rows), d))
    whole[:, :, o] = away
    pattern_weight = share.sum(axis=1)
    weight += pattern_weight
    if covariances.ndim == 2:
        first += (share[:, None, :] @ whole)[:, 0]
        second += (share[:, None, :] @ whole**2)[:, 0]
        second[:, m] += pattern_weight[:, None] * covariances[:, m]
    else:
        across = covariances[:, m[:, None], o[None, :]]
        slope = np.swapaxes(
            np.linalg.solve(covariances[:, o[:, None], o[None, :]], np.swapaxes(across, 1, 2)), 1, 2
        )
        whole[:, :, m] = away @ np.swapaxes(slope, 1, 2)
        residual = covariances[:, m[:, None], m[None, :]] - slope @ np.swapaxes(across, 1, 2)
        first += (share[:, None, :] @ whole)[:, 0]
        second += np.swapaxes(whole * share[:, :, None], 1, 2) @ whole
        second[:, m[:, None], m[None, :]] += pattern_weight[:, None, None] * residual
    return float((gap.weights * (most + np.log(total))[:, 0]).sum())
