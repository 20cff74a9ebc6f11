"""Gibbs sampling: draw one attribute at a time given all others, in many parallel chains.

    gibbs             chains of rows, after a discarded burn-in
    Chains.estimate   the frequency of each combination of some nodes, its standard error, and whether chains agree

Chains start at random and are independent, so the spread of their means gives the error of the overall mean, whatever
the autocorrelation within each. R (Gelman and Rubin's, of split chains) near 1 means that they agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.resampling.plan import require_seed
from acumen.types import Codes, Floats

#: The chains disagree if R is above this.
_AGREE = 1.05
_TRIES = 200


@dataclass(frozen=True, slots=True, eq=False)
class ChainEstimate:
    """Frequencies over all chains, their standard errors, and a note whether they can be trusted."""

    mean: Floats
    error: Floats
    r_hat: float
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """(sweeps, nodes, chains) codes; `zeros`: whether some rows are impossible."""

    codes: Codes
    zeros: bool = False

    def estimate(self, keep: Sequence[int], sizes: Sequence[int]) -> ChainEstimate:
        """Estimate the distribution of some nodes together."""
        shape = tuple(sizes[v] for v in keep)
        sweeps, _, chains = self.codes.shape
        at = np.zeros((sweeps, chains), dtype=np.intp)
        for v in keep:
            at = at * sizes[v] + self.codes[:, v]
        halves = np.array_split(np.arange(sweeps), 2)
        counts = np.stack([_counts(at[half], prod(shape)) / max(len(half), 1) for half in halves])
        lengths = np.array([len(half) for half in halves], dtype=np.float64)
        means = np.tensordot(lengths / sweeps, counts, axes=1)  # (chains, cells)
        mean = means.mean(axis=0)
        error = means.std(axis=0, ddof=1) / np.sqrt(chains) if chains > 1 else np.full_like(mean, np.nan)
        r_hat = _r_hat(counts.reshape(-1, prod(shape)), float(lengths.min()))
        for v, size in enumerate(sizes):  # chains that disagree on any other node cannot be trusted either
            frequencies = [_counts(self.codes[half, v], size) / max(len(half), 1) for half in halves]
            r_hat = max(r_hat, _r_hat(np.concatenate(frequencies), float(lengths.min())))
        agree = r_hat <= _AGREE
        note = f"{chains} chains of {sweeps:,} sweeps; R = {r_hat:.3f}: " + (
            "they agree." if agree else "they do not agree, so do not rely on this answer; use more sweeps."
        )
        if self.zeros:
            note += " Some factors contain zeros, which may keep chains from ever mixing, whatever R says."
        return ChainEstimate(mean.reshape(shape), error.reshape(shape), r_hat, note)


def _counts(at: Any, cells: int) -> Floats:
    """(chains, cells) from (sweeps, chains) cells."""
    chains = at.shape[1]
    flat = at + np.arange(chains) * cells
    return np.bincount(flat.ravel(), minlength=chains * cells).reshape(chains, cells).astype(np.float64)


def _r_hat(means: Floats, length: float) -> float:
    """The largest R over the cells; of an indicator the variance within is m (1 - m)."""
    within = (means * (1 - means)).mean(axis=0) * length / max(length - 1, 1.0)
    between = means.var(axis=0, ddof=1)
    if (between[within <= 1e-9] > 1e-9).any():
        return np.inf  # each chain stays where it is, and they are in different places
    known = within > 1e-9
    ratio = (within[known] * (length - 1) / length + between[known]) / within[known]
    return float(np.sqrt(ratio.max(initial=1.0)))


def gibbs(
    factors: Sequence[tuple[tuple[int, ...], Floats]],
    sizes: Sequence[int],
    known: Mapping[int, int],
    *,
    sweeps: int = 2000,
    chains: int = 32,
    burn_in: float = 0.2,
    random_state: Any = None,
) -> Chains:
    """Draw the chains; the first fraction `burn_in` of the sweeps is discarded."""
    for name, value, least in (("sweeps", sweeps, 4), ("chains", chains, 2)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise ParameterError(f"query: {name} must be a whole number of at least {least}; got {value!r}.")
    if not isinstance(burn_in, (int, float, np.integer, np.floating)) or not 0 <= burn_in < 1:
        raise ParameterError(f"query: burn_in must be a number from 0 to below 1; got {burn_in!r}.")
    require_seed(random_state, "query")
    rng = np.random.default_rng(random_state)
    free = [v for v in range(len(sizes)) if v not in known]
    with np.errstate(divide="ignore"):
        logs = [(scope, np.log(table)) for scope, table in factors]
    near = {v: [_with_axis_last(scope, table, v) for scope, table in logs if v in scope] for v in free}
    state = _start(logs, sizes, known, chains, rng)
    skipped = int(burn_in * sweeps)
    kept = np.empty((sweeps - skipped, len(sizes), chains), dtype=np.int32)
    for sweep in range(sweeps):
        drawn = rng.random((len(free), chains))
        for row, v in enumerate(free):
            score = np.zeros((chains, sizes[v]))
            for others, table in near[v]:
                score += table[tuple(state[u] for u in others)]
            score -= score.max(axis=1, keepdims=True)
            upto = np.exp(score, out=score).cumsum(axis=1)
            state[v] = (drawn[row] * upto[:, -1] >= upto.T).sum(axis=0)
        if sweep >= skipped:
            kept[sweep - skipped] = state
    return Chains(kept, any((table == 0).any() for _, table in factors))


def _with_axis_last(scope: tuple[int, ...], table: Floats, v: int) -> tuple[tuple[int, ...], Floats]:
    """The scope's other nodes, and the table with this node's axis moved last."""
    at = scope.index(v)
    return tuple(u for u in scope if u != v), np.moveaxis(table, at, -1)


def _start(
    logs: Sequence[tuple[tuple[int, ...], Floats]],
    sizes: Sequence[int],
    known: Mapping[int, int],
    chains: int,
    rng: np.random.Generator,
) -> Codes:
    """Rows drawn at random until each is possible."""
    state = np.empty((len(sizes), chains), dtype=np.int32)
    pending = np.arange(chains)
    for _ in range(_TRIES):
        for v, size in enumerate(sizes):
            state[v, pending] = known[v] if v in known else rng.integers(size, size=len(pending))
        score = np.zeros(chains)
        for scope, table in logs:
            score += table[tuple(state[u] for u in scope)]
        pending = np.flatnonzero(~np.isfinite(score))
        if not pending.size:
            return state
    raise DataError(
        "query: found no possible row to start Gibbs sampling from; zeros in factors, or the given values, rule "
        "out too many rows. Use method='exact'."
    )
