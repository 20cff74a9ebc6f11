"""Expectation-maximisation for missing values: each row becomes all its completions, weighted by probability.

    complete_rows       rows with missing values -> complete rows, and the weight of each
    structural_em       structure and tables learned again from the completions, until nothing changes (Friedman 1997)

The completions of a row are all combinations of levels of its missing values, so expected counts are exact for every
family, including those that a search only tries out. This is feasible only if rows have few missing values.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TypeAlias

import numpy as np

from acumen import messages
from acumen.errors import DataError
from acumen.networks.network import Network
from acumen.networks.structure_learning import LearnedNetwork
from acumen.types import Codes, Floats

#: (parent, child) by name.
Edges: TypeAlias = tuple[tuple[str, str], ...]
#: Completions of one row, and of all rows.
MOST_OF_ROW = 1 << 12
MOST_ROWS = 1 << 22
MOST_STEPS = 100
_TOLERANCE = 1e-9


def complete_rows(network: Network, codes: Codes, weights: Floats, who: str) -> tuple[Codes, Floats]:
    """Replace every row by its completions; complete rows stay as they are, and come first."""
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
                f"{who}: some rows have too many missing values to complete ({cells:,} completions of one row); "
                f"use {messages.setting('missing', 'available')}, or leave out the columns or rows that are mostly "
                "missing."
            )
        # In blocks, so that the tables of only a few rows are in memory at a time.
        for start in range(0, len(rows), max(1, (1 << 18) // cells)):
            some = rows[start : start + max(1, (1 << 18) // cells)]
            _, table = network.joint_of(codes[:, some])
            share = (table.reshape(len(some), cells) * weights[some, None]).ravel()
            completions = np.repeat(codes[:, some], cells, axis=1)
            for v, line in zip(missing, np.indices(lengths).reshape(len(lengths), cells), strict=True):
                completions[v] = np.tile(line.astype(np.int32), len(some))
            keep = share > 0
            parts.append(completions[:, keep])
            shares.append(share[keep])
    return np.ascontiguousarray(np.concatenate(parts, axis=1)), np.concatenate(shares)


def structural_em(
    start: LearnedNetwork,
    codes: Codes,
    weights: Floats,
    learn: Callable[[Codes, Floats, Edges | None], LearnedNetwork],
    who: str,
) -> tuple[LearnedNetwork, list[float], bool]:
    """Learn from completions until nothing changes.

    Returns the learned network, the log-likelihood of the incomplete rows at each step, and whether it converged.

    `learn` searches for a structure unless one is passed. A search may leave a structure and return to it again and
    again: once it does, the structure is fixed and only the tables are updated.
    """
    if not (codes < 0).any():
        return start, [], True
    weights = weights if weights.size else np.ones(codes.shape[1])
    current, logs = start, [_log_likelihood(start.network, codes, weights)]
    abandoned: set[tuple[tuple[int, ...], ...]] = set()
    fixed_edges: Edges | None = None
    for step in range(1, MOST_STEPS + 1):
        after = learn(*complete_rows(current.network, codes, weights, who), fixed_edges)
        log = _log_likelihood(after.network, codes, weights)
        same = after.network.parents == current.network.parents
        if not same:
            abandoned.add(current.network.parents)
        if after.network.parents in abandoned:
            fixed_edges = after.network.edges
        current = LearnedNetwork(after.network, after.score, step)
        logs.append(log)
        if same and abs(log - logs[-2]) <= _TOLERANCE * max(abs(log), 1.0):
            return current, logs, True
    return current, logs, False


def _log_likelihood(network: Network, codes: Codes, weights: Floats) -> float:
    return float(np.dot(network.logs(codes), weights))
