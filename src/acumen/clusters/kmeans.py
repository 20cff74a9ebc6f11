"""The search of k-means: starts on a sample, the best of them taken to all rows, k chosen by description length.

search        centres of rows in memory or in parts
description   I(D|T) + I(T) in bits: what it takes to tell the groups, and the rows by them
numbered      centres in the order of their first rows
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from acumen.base.grouping import by_first_row
from acumen.clusters.drawing import require_distinct
from acumen.clusters.means import Found, lloyd, nearest
from acumen.clusters.points import NO_FLOATS, Blocks, Points
from acumen.clusters.starts import distinct, drawn_centres, sampled
from acumen.engines.cores import cores
from acumen.engines.threads import run_in_threads
from acumen.rows.persisted import Persisted
from acumen.summaries.algebra import add_up
from acumen.types import Codes, Floats

#: Differences below a thousandth of the rows' own spread are not told: the precision of a description.
PRECISION = 1e-3


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked for."""

    k: int | str
    init: str | Floats
    max_iter: int
    tol: float
    max_k: int
    gamma: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The best centres, and of k = 1, 2, ... the sums of squares and what k was chosen by (empty where it was told)."""

    found: Found
    squares: Floats = field(default_factory=lambda: NO_FLOATS)
    lengths: Floats = field(default_factory=lambda: NO_FLOATS)


def search(
    source: Blocks, n_rows: int, weight: float, asked: Search, starts: Iterator[np.random.Generator], who: str
) -> Chosen:
    """The centres of rows that weigh so much together."""
    generators = list(starts)
    first = generators[0]
    if isinstance(asked.init, np.ndarray):
        require_distinct(who, len(asked.init), len(distinct(source, len(asked.init))), n_rows)
        return Chosen(lloyd(source, asked.init, asked.max_iter, asked.tol))
    most = asked.max_k if asked.k == "mdl" else int(asked.k)
    points = sampled(source, n_rows, weight, most, first)
    rows = distinct(Persisted.of([points]), most)
    if len(rows) < most:
        rows = distinct(source, most)
        if asked.k != "mdl":
            require_distinct(who, most, len(rows), n_rows)
        require_distinct(who, 1, len(rows), n_rows)
        if n_rows > len(points):
            points = Points(rows, NO_FLOATS)  # the sample missed rows that are rare
        most = len(rows)
    if asked.k != "mdl":
        best = _best(points, most, asked, generators)
        chosen = Chosen(best)
    else:
        tried = [_best(points, k, asked, generators) for k in range(1, most + 1)]
        squares = np.array([each.objective for each in tried])
        lengths = np.array([_length(points, each, asked) for each in tried])
        chosen = Chosen(tried[int(np.argmin(lengths))], squares, lengths)
    if n_rows <= len(points):
        return chosen
    return Chosen(
        lloyd(source, chosen.found.centres, asked.max_iter, asked.tol), chosen.squares, chosen.lengths
    )


def _best(points: Points, k: int, asked: Search, starts: list[np.random.Generator]) -> Found:
    """The best of all starts; of equally good ones the first."""

    def tried(rng: np.random.Generator) -> Found:
        own = Persisted.of([Points(points.values, points.weights)])
        centres = drawn_centres(points, k, rng, asked.init == "k-means++")
        return lloyd(own, centres, asked.max_iter, asked.tol)

    # A generator for each k, whatever was drawn before: what k = 3 finds does not depend on k = 2 having been tried.
    seeds = [np.random.default_rng([*rng.bit_generator.seed_seq.generate_state(2), k]) for rng in starts]
    tasks = ((lambda rng=rng: tried(rng)) for rng in seeds)
    return min(run_in_threads(iter(tasks), cores(None)), key=lambda each: each.objective)


def _length(points: Points, found: Found, asked: Search) -> float:
    """What k is chosen by: the sum of squares with a penalty for each group, or the description length in bits."""
    if asked.gamma is not None:
        return found.objective + asked.gamma * len(found.centres)
    labels = nearest(points.values, found.centres)
    weights = points.row_weights
    d = int(np.count_nonzero(np.nanmax(np.abs(points.values), axis=0, initial=0.0) > 0))
    sizes = weighed(labels, weights, len(found.centres))
    spread = float(np.nansum(points.values**2 * weights[:, None]))
    return description(found.objective, sizes, d, spread)


def description(squares: float, sizes: Floats, d: int, spread: float) -> float:
    """I(D|T) + I(T) in bits: the group of each row and where it lies in it, then centres and sizes of groups.

    n H(labels) + n d / 2 log2(2 pi e s^2 / p^2) + (k d + k - 1) / 2 log2 n, where s^2 is the mean square of what is
    left and p, the precision, a thousandth of the rows' own spread (`spread`: their sum of squares about the mean).
    """
    n, k, d = float(sizes.sum()), len(sizes), max(d, 1)
    shares = sizes[sizes > 0] / n
    precision = PRECISION**2 * spread / (n * d)
    if not precision > 0:
        return 0.0 if k == 1 else float(k)  # nothing differs: more groups tell nothing
    left = max(squares / (n * d), precision)
    told = -n * float((shares * np.log2(shares)).sum()) + n * d / 2 * np.log2(
        2 * math.pi * math.e * left / precision
    )
    return float(told + (k * d + k - 1) / 2 * np.log2(max(n, 2.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """Centres in the order of their first rows, what the rows of each weigh, and the group of each row."""

    centres: Floats
    sizes: Floats
    labels: Codes  # empty unless they are kept


def numbered(source: Blocks, centres: Floats, keep: bool) -> Numbered:
    """Centres in the order of their first rows; those left out that are nearest to no row.

    A row between two centres belongs to the first, so another order may give it to another: orders are tried until one
    is its own. That takes no more tries than there are centres, since each settles one more of them. The group of each
    row is told with `keep`.
    """
    for _ in range(len(centres) + 1):
        order, sizes, labels = _met(source, centres, keep)
        if order == list(range(len(centres))):
            break
        centres = np.ascontiguousarray(centres[order])
    return Numbered(centres, sizes, labels)


def _met(source: Blocks, centres: Floats, keep: bool) -> tuple[list[int], Floats, Codes]:
    """The centres in the order in which rows come to them, what their rows weigh, and the group of each row."""
    order: dict[int, None] = {}
    sizes, kept = [], [np.empty(0, dtype=np.int32)]
    for met, size, labels in source.each(partial(_grouped, centres=centres, keep=keep)):
        order.update(dict.fromkeys(met))
        sizes.append(size)
        kept.append(labels)
    total: Floats = add_up(sizes)
    return list(order), total, np.concatenate(kept)


def _grouped(block: Points, centres: Floats, keep: bool) -> tuple[list[int], Floats, Codes]:
    """The groups in the order of their first rows, what they weigh, and if they are kept the groups of the rows."""
    labels = nearest(block.values, centres)
    size = weighed(labels, block.row_weights, len(centres))
    return by_first_row(labels)[1].tolist(), size, labels if keep else labels[:0]


def weighed(labels: Codes, weights: Floats, k: int) -> Floats:
    """What the rows of each group weigh."""
    there = labels >= 0
    made: Floats = np.bincount(labels[there], weights[there], k).astype(np.float64)
    return made
