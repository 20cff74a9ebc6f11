"""Pairs of attributes whose effect is more than the sum of two shapes: found, and kept apart from the shapes.

    find_pairs   residuals of the shapes in two-way tables of groups -> the most informative pairs
    purify       move the part of a pair that depends on one attribute only into that attribute's shape

A pair's table of residuals is fitted by rows plus columns; what is left, squared over its variance, is chi-square
where there is no interaction. (The residuals' own shapes were smoothed, so the degrees of freedom are an upper bound.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from acumen.additive.layout import PairCells, Shape, SlotLayout, SlotRows
from acumen.additive.losses import Answer, Loss
from acumen.additive.newton import NewtonPoint
from acumen.summaries.algebra import Each
from acumen.types import Array, Codes, Floats

#: Groups that a shape has in a pair, at most, missing values aside.
GROUPS = 8
#: Pairs there may be.
MOST_PAIRS = 10
_ALPHA = 0.01


@dataclass(frozen=True, slots=True)
class Interaction:
    """What the table of a pair's residuals says."""

    cells: PairCells
    chi2: float
    freedom: float
    p_value: float  # of all pairs looked at: times their number


def find_pairs(place: NewtonPoint, dispersion: float, wanted: int | Literal["auto"]) -> list[Interaction]:
    """The pairs that say most, at most 10; "auto" takes those that chance would hardly give."""
    ground = place.ground
    layout = ground.layout
    if len(layout.shapes) < 2 or wanted == 0:
        return []
    weight = ground.weight
    groups = [
        _groups(shape, weight[block]) for shape, block in zip(layout.shapes, layout.blocks, strict=False)
    ]
    sizes = [int(g[0].max()) + 1 for g in groups]
    offset = np.cumsum([1, *sizes], dtype=np.int64)
    held = (ground.lines - 1) / ground.lines if ground.lines > 1 else 1.0
    every = list(combinations(range(len(layout.shapes)), 2))
    chi2, freedom = np.zeros(len(every)), np.zeros(len(every))
    both = place.row_answers.sum(_residuals, [g[0] for g in groups], offset).things
    for pulls, bends in zip(both[::2], both[1::2], strict=True):
        for at, (a, b) in enumerate(every):
            first, second = (slice(int(offset[j]), int(offset[j + 1])) for j in (a, b))
            remaining, spent = _interaction_rest(pulls[first, second], bends[first, second])
            chi2[at] += held * remaining / dispersion
            freedom[at] += held * spent
    from scipy.special import gammaincc

    chance = np.where(freedom > 0, gammaincc(np.maximum(freedom, 1e-9) / 2, chi2 / 2), 1.0)
    order = np.argsort(-(chi2 - 2.0 * freedom), kind="stable")
    interactions: list[Interaction] = []
    for at in order.tolist():
        several = float(min(1.0, chance[at] * len(every)))
        if wanted == "auto" and several > _ALPHA:
            continue
        if freedom[at] <= 0 or len(interactions) >= (MOST_PAIRS if wanted == "auto" else wanted):
            continue
        a, b = every[at]
        cells = PairCells(a, b, groups[a][0], groups[b][0], (groups[a][1], groups[b][1]))
        interactions.append(Interaction(cells, float(chi2[at]), float(freedom[at]), several))
    return interactions


def _residuals(rows: SlotRows, loss: Loss, answer: Answer, groups: list[Codes], offset: Array) -> Each[Any]:
    """Two-way tables of slopes and of curvatures, of each line in turn, over groups of slots."""
    coarse = np.stack([group[rows.slots[j]] for j, group in enumerate(groups)]).astype(np.uint16)
    small = SlotRows.of(coarse, offset)
    _, slope, shares = answer
    curve = loss.curvature(shares)
    tables: list[Floats] = []
    for k in range(loss.lines):
        tables.append(small.tables(np.ascontiguousarray(-slope[:, k])))
        tables.append(small.tables(np.ascontiguousarray(curve[:, k])))
    return Each(tuple(tables))


def _groups(shape: Shape, weight: Floats) -> tuple[Codes, int]:
    """The group of each slot, and how many of the first groups lie in an order."""
    group = np.zeros(shape.slots, dtype=np.int32)
    known_weight = weight[: shape.n_values]
    if shape.ordered:
        if shape.n_values <= GROUPS:
            group[: shape.n_values] = np.arange(shape.n_values)
        else:
            reach = np.cumsum(known_weight)
            middle = (reach - known_weight / 2) / max(reach[-1], 1e-300)
            group[: shape.n_values] = np.minimum((middle * GROUPS).astype(np.int32), GROUPS - 1)
            _, inverse = np.unique(group[: shape.n_values], return_inverse=True)
            group[: shape.n_values] = inverse
        count = int(group[: shape.n_values].max(initial=0)) + 1
    else:
        order = np.argsort(-known_weight, kind="stable")
        place = np.empty(shape.n_values, dtype=np.int32)
        place[order] = np.arange(shape.n_values)
        most = GROUPS if shape.n_values > GROUPS + 1 else shape.n_values
        group[: shape.n_values] = np.minimum(place, most)
        count = int(group[: shape.n_values].max(initial=0)) + 1
    ordered = count if shape.ordered else 0
    group[shape.n_values :] = count
    return group, ordered


def _interaction_rest(pull: Floats, bend: Floats) -> tuple[float, float]:
    """What is left of a table of slopes once rows and columns have had their say, and its degrees of freedom."""
    there = bend > 1e-9
    if not there.any():
        return 0.0, 0.0
    a, b = np.nonzero(there)
    weight, value = bend[there], pull[there] / bend[there]
    design = np.zeros((len(a), sum(bend.shape)))
    design[np.arange(len(a)), a] = 1.0
    design[np.arange(len(a)), bend.shape[0] + b] = 1.0
    root = np.sqrt(weight)
    fit, _, rank, _ = np.linalg.lstsq(design * root[:, None], value * root, rcond=1e-10)
    residual = value - design @ fit
    return float(weight @ residual**2), float(len(a) - int(rank))


def purify(layout: SlotLayout, weight: Floats, lines: Floats) -> Floats:
    """Other coefficients (width, any) of the same sums over every row.

    A pair's means over its rows and its columns go to the shapes of its attributes, and the mean of every shape and
    pair to the constant.
    """
    pure = lines.copy()
    blocks = layout.blocks
    for at, cells in enumerate(layout.pairs):
        block = blocks[len(layout.shapes) + at]
        a, b = cells.size
        n = np.maximum(
            weight[block], 1e-12 * weight[0]
        )  # cells without rows have a say only among themselves
        design = np.hstack([np.kron(np.eye(a), np.ones((b, 1))), np.kron(np.ones((a, 1)), np.eye(b))])
        root = np.sqrt(n)[:, None]
        sides = np.linalg.pinv(design * root, rcond=1e-9) @ (root * pure[block])  # (a + b, any)
        pure[block] -= design @ sides
        pure[blocks[cells.first]] += sides[:a][cells.rows]
        pure[blocks[cells.second]] += sides[a:][cells.columns]
    for block in blocks[: len(layout.shapes) + len(layout.pairs)]:
        mean = weight[block] @ pure[block] / weight[0]
        pure[block] -= mean
        pure[0] += mean
    return pure
