"""Rows with gaps, filled by expectation and maximisation: each as all its completions, weighted by their probability.

    completed           rows with gaps -> rows without, and the weight of each
    structural_em       structure and tables learned again from the completions, until nothing changes (Friedman 1997)

The completions of a row are all combinations of levels of what it does not know, so that expected counts are exact for
every family, those that a search only tries out among them. That is only possible where rows have few gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TypeAlias

import numpy as np

from acumen import messages
from acumen.errors import DataError
from acumen.networks.learn import Learned
from acumen.networks.network import Network
from acumen.types import Codes, Floats

#: (parent, child) by name.
Edges: TypeAlias = tuple[tuple[str, str], ...]
#: Completions of one row, and of all rows.
MOST_OF_ROW = 1 << 12
MOST_ROWS = 1 << 22
MOST_STEPS = 100
_TOLERANCE = 1e-9


def completed(network: Network, codes: Codes, weights: Floats, who: str) -> tuple[Codes, Floats]:
    """Every row as its completions; rows without a gap stay as they are, and come first."""
    gaps = codes < 0
    whole = ~gaps.any(axis=0)
    parts, shares = [codes[:, whole]], [weights[whole]]
    rest = np.flatnonzero(~whole)
    if not rest.size:
        return codes, weights
    patterns, which = np.unique(np.packbits(gaps[:, rest], axis=0), axis=1, return_inverse=True)
    total = 0
    for at in range(patterns.shape[1]):
        rows = rest[which.ravel() == at]
        missing = np.flatnonzero(gaps[:, rows[0]])
        lengths = [len(network.nodes[v]) for v in missing]
        cells = prod(lengths)
        total += cells * len(rows)
        if cells > MOST_OF_ROW or total > MOST_ROWS:
            raise DataError(
                f"{who}: rows miss so many values at once that their completions are too many ({cells:,} of one row); "
                f"take {messages.setting('missing', 'available')}, or leave out the columns or rows that are mostly "
                "missing."
            )
        # In parts, so that the tables of few rows are held at a time.
        for start in range(0, len(rows), max(1, (1 << 18) // cells)):
            some = rows[start : start + max(1, (1 << 18) // cells)]
            _, table = network.joint_of(codes[:, some])
            share = (table.reshape(len(some), cells) * weights[some, None]).ravel()
            made = np.repeat(codes[:, some], cells, axis=1)
            for v, line in zip(missing, np.indices(lengths).reshape(len(lengths), cells), strict=True):
                made[v] = np.tile(line.astype(np.int32), len(some))
            keep = share > 0
            parts.append(made[:, keep])
            shares.append(share[keep])
    return np.ascontiguousarray(np.concatenate(parts, axis=1)), np.concatenate(shares)


def structural_em(
    start: Learned,
    codes: Codes,
    weights: Floats,
    learn: Callable[[Codes, Floats, Edges | None], Learned],
    who: str,
) -> tuple[Learned, list[float], bool]:
    """Learn from completions until nothing changes.

    Returns what is learned, the log-likelihood of the rows as they are at each step, and whether it settled.

    `learn` finds a structure where it is given none. A search may leave a structure and come back to it, again and
    again: once it does, that structure stays, and only tables go on.
    """
    if not (codes < 0).any():
        return start, [], True
    weights = weights if weights.size else np.ones(codes.shape[1])
    found, logs = start, [_log_likelihood(start.network, codes, weights)]
    left: set[tuple[tuple[int, ...], ...]] = set()
    kept: Edges | None = None
    for step in range(1, MOST_STEPS + 1):
        after = learn(*completed(found.network, codes, weights, who), kept)
        log = _log_likelihood(after.network, codes, weights)
        same = after.network.parents == found.network.parents
        if not same:
            left.add(found.network.parents)
        if after.network.parents in left:
            kept = after.network.edges
        found = Learned(after.network, after.score, step)
        logs.append(log)
        if same and abs(log - logs[-2]) <= _TOLERANCE * max(abs(log), 1.0):
            return found, logs, True
    return found, logs, False


def _log_likelihood(network: Network, codes: Codes, weights: Floats) -> float:
    return float(np.dot(network.logs(codes), weights))
