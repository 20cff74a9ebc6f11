"""Pairwise Markov networks, learned by regularised pseudo-likelihood.

    log P(x) = sum of b_i(x_i) + sum over edges of t_ij(x_i, x_j) - log Z

Z is a sum over all possible rows, so instead of the likelihood the product of P(x_i | all others) is maximised (Besag
1975), which does not need Z. The problem is convex, and consistent: it has the same solution in the limit of many rows.

    learn_pairs   codes -> edges and parameters

Edges: a group penalty on each t_ij as a whole drops most pairs; along a path of penalties, the edges whose refit has
the lowest BIC of the pseudo-likelihood are chosen. A small ridge makes the parameters unique. The solver is proximal
gradient descent with momentum (Beck and Teboulle 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError
from acumen.types import Bools, Codes, Floats

_PATH = np.geomspace(0.7, 0.02, 12)
_MOST_STEPS = 400
_TOLERANCE = 1e-9
#: Maximum distinct rows times the squared total of levels: a quarter of a second for each of a thousand steps.
MOST_WORK = 4 * 10**9


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Edges, the parameters b of each node and t of each edge, and the log pseudo-likelihood of the rows."""

    edges: tuple[tuple[int, int], ...]
    single: tuple[Floats, ...]
    double: tuple[Floats, ...]
    log_pseudo: float


class _DistinctRows:
    """Distinct rows as level indicators, and their weights."""

    def __init__(self, codes: Codes, sizes: Sequence[int], weights: Floats) -> None:
        kept, which = np.unique(codes.T, axis=0, return_inverse=True)
        require_time(len(kept), sizes)
        row_weights = weights if weights.size else np.ones(codes.shape[1])
        summed = np.bincount(which.ravel(), weights=row_weights, minlength=len(kept))
        self.total = float(summed.sum())
        # As rounded fractions, so that the unit of the weights makes no difference.
        self.weight = np.round(summed / self.total, 13)
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.sizes = tuple(sizes)
        self.node = np.repeat(np.arange(len(sizes)), sizes)
        self.hot = np.zeros((len(kept), int(self.starts[-1])))
        known = kept >= 0
        rows, nodes = np.nonzero(known)
        self.hot[rows, self.starts[nodes] + kept[rows, nodes]] = 1.0
        # A missing value has no term of its own, and affects others as its attribute does on average.
        self.known = known[:, self.node]
        for v in range(len(sizes)):
            block = slice(self.starts[v], self.starts[v + 1])
            counts = self.weight @ self.hot[:, block]
            share = counts / counts.sum() if counts.sum() > 0 else np.full(sizes[v], 1.0 / sizes[v])
            self.hot[~known[:, v], block] = share
        self._counted = self.weight[:, None] * self.known

    def loss(self, b: Floats, t: Floats) -> tuple[float, Floats]:
        """The mean negative log pseudo-likelihood, and the residuals of each indicator."""
        logits = self.hot @ t
        logits += b
        starts = self.starts[:-1]
        logits -= np.maximum.reduceat(logits, starts, axis=1)[:, self.node]
        logits -= np.log(np.add.reduceat(np.exp(logits), starts, axis=1))[:, self.node]
        counted = self._counted
        value = -float(np.sum(logits * self.hot * counted))
        np.exp(logits, out=logits)
        logits -= self.hot
        logits *= counted
        return value, logits


def require_time(rows: int, sizes: Sequence[int]) -> None:
    """Raise DataError if learning would take hours."""
    levels = sum(sizes)
    if rows * levels**2 > MOST_WORK:
        raise DataError(
            f"MarkovNetwork: fitting {rows:,} distinct rows with {levels:,} levels in total ({max(sizes):,} in the "
            f"largest attribute) would take too long: rows times the square of levels may be at most "
            f"{MOST_WORK:,}. Leave out attributes with many levels, merge levels, or use fewer rows."
        )


def learn_pairs(
    codes: Codes,
    sizes: Sequence[int],
    weights: Floats,
    allowed: Bools | None,
    penalty: float | None,
    ridge: float,
) -> Pairs:
    """Learn a pairwise network; `allowed` are the given edges, None to learn them.

    A `penalty` of None is chosen by BIC. `ridge` is the precision of a normal prior about 0.
    """
    if not sizes:  # an empty row has probability 1
        return Pairs((), (), (), 0.0)
    rows = _DistinctRows(codes, sizes, weights)
    d = len(sizes)
    rho = ridge / rows.total
    every = ~np.eye(d, dtype=np.bool_)
    b, t = _descend(rows, np.zeros((d, d), dtype=np.bool_), 0.0, rho)
    if allowed is not None:
        b, t = _descend(rows, allowed, 0.0, rho, (b, t))
        return _pairs_of(rows, b, t, allowed)
    if penalty is not None:
        b, t = _descend(rows, every, penalty, rho, (b, t))
        return _pairs_of(rows, b, t, _norms(rows, t) > 0)
    top = float(_norms(rows, _slope(rows, b, t)[1]).max(initial=0.0))
    best = _pairs_of(rows, b, t, np.zeros((d, d), dtype=np.bool_))
    least, tried = -2 * best.log_pseudo, {best.edges}
    start = b, t
    for share in _PATH if top > 1e-12 else ():
        start = _descend(rows, every, share * top, rho, start, 1e-7)
        joined = _norms(rows, start[1]) > 0
        edges = tuple((int(u), int(v)) for u, v in np.argwhere(np.triu(joined)))
        if edges in tried:
            continue
        tried.add(edges)
        candidate = _pairs_of(rows, *_descend(rows, joined, 0.0, rho, start, 1e-7), joined)
        free = sum((sizes[u] - 1) * (sizes[v] - 1) for u, v in edges)
        price = -2 * candidate.log_pseudo + free * np.log(max(rows.total, 2.0))
        if price < least - 1e-9:
            best, least = candidate, price
        elif price > least + 20 * np.log(max(rows.total, 2.0)) * max(len(edges) - len(best.edges), 1):
            break  # BIC is rising clearly: more edges will not pay
    joined = np.zeros((d, d), dtype=np.bool_)
    for u, v in best.edges:
        joined[u, v] = joined[v, u] = True
    return _pairs_of(rows, *_descend(rows, joined, 0.0, rho, (b, t)), joined)


def _slope(rows: _DistinctRows, b: Floats, t: Floats) -> tuple[Floats, Floats]:
    """The gradient of the loss at (b, t): by b, and by t as a symmetric matrix."""
    residual = rows.loss(b, t)[1]
    return residual.sum(axis=0), _symmetric(rows, rows.hot.T @ residual)


def _symmetric(rows: _DistinctRows, matrix: Floats) -> Floats:
    symmetric = matrix + matrix.T
    symmetric[rows.node[:, None] == rows.node[None, :]] = 0.0
    return symmetric


def _norms(rows: _DistinctRows, t: Floats) -> Floats:
    """The norm of each pair's block."""
    starts = rows.starts[:-1]
    return np.sqrt(np.add.reduceat(np.add.reduceat(t**2, starts, axis=0), starts, axis=1))


def _descend(
    rows: _DistinctRows,
    allowed: Bools,
    penalty: float,
    rho: float,
    start: tuple[Floats, Floats] | None = None,
    tolerance: float = _TOLERANCE,
) -> tuple[Floats, Floats]:
    """Minimise the loss plus the penalty on the blocks of `allowed` pairs plus the ridge."""
    m = int(rows.starts[-1])
    inside = allowed[np.ix_(rows.node, rows.node)]
    b, t = start if start is not None else (np.zeros(m), np.zeros((m, m)))
    t = np.where(inside, t, 0.0)
    yb, yt, momentum, steep = b, t, 1.0, 1.0

    def value_of(b: Floats, t: Floats, loss: float) -> float:
        # Each pair is in the symmetric matrix twice.
        return (
            loss
            + 0.5 * rho * (float(b @ b) + 0.5 * float((t * t).sum()))
            + 0.5 * penalty * float(_norms(rows, t).sum())
        )

    last = value_of(b, t, rows.loss(b, t)[0])
    for _ in range(_MOST_STEPS):
        loss, residual = rows.loss(yb, yt)
        gb = residual.sum(axis=0) + rho * yb
        gt = np.where(inside, _symmetric(rows, rows.hot.T @ residual) + rho * yt, 0.0)
        smooth = loss + 0.5 * rho * (float(yb @ yb) + 0.5 * float((yt * yt).sum()))
        while True:
            nb, nt = yb - gb / steep, _shrink(rows, yt - gt / steep, penalty / steep)
            db, dt = nb - yb, nt - yt
            here = rows.loss(nb, nt)[0] + 0.5 * rho * (float(nb @ nb) + 0.5 * float((nt * nt).sum()))
            bound = smooth + float(gb @ db) + 0.5 * float((gt * dt).sum())
            bound += 0.5 * steep * (float(db @ db) + 0.5 * float((dt * dt).sum()))
            if here <= bound + 1e-12 * max(abs(bound), 1.0) or steep > 1e12:
                break
            steep *= 2.0
        value = here + 0.5 * penalty * float(_norms(rows, nt).sum())
        if value > last:  # overshot: restart the momentum
            if momentum == 1.0:
                break
            yb, yt, momentum = b, t, 1.0
            continue
        after = 0.5 * (1 + np.sqrt(1 + 4 * momentum**2))
        rate = (momentum - 1) / after
        yb, yt = nb + rate * (nb - b), nt + rate * (nt - t)
        b, t, momentum = nb, nt, after
        done = last - value <= tolerance * max(abs(value), 1.0)
        last = value
        steep *= 0.95
        if done:
            break
    return b, t


def _shrink(rows: _DistinctRows, t: Floats, by: float) -> Floats:
    """Shrink the norm of each pair's block by this amount, down to 0."""
    if by <= 0:
        return t
    norms = _norms(rows, t)
    factor = np.maximum(1.0 - by / np.maximum(norms, 1e-300), 0.0)
    return np.asarray(t * factor[np.ix_(rows.node, rows.node)])


def _pairs_of(rows: _DistinctRows, b: Floats, t: Floats, joined: Bools) -> Pairs:
    edges = tuple((int(u), int(v)) for u, v in np.argwhere(np.triu(joined)))
    at = [slice(rows.starts[v], rows.starts[v + 1]) for v in range(len(rows.sizes))]
    single = tuple(b[place] - b[place].max() for place in at)
    double = tuple(t[at[u], at[v]] - t[at[u], at[v]].max() for u, v in edges)
    return Pairs(edges, single, double, -rows.loss(b, t)[0] * rows.total)
