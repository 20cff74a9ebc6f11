"""Gradient boosting: rows as codes, how many rounds, and the packed trees that come of it.

    BoostingOptions   the options that trees are grown with
    GradientRows      the rows of one boosting as the kernel takes them
    HeldOutParts      which rows are held out together, decided by their content
    boost_trees       options and rows -> packed trees; "auto" chooses the number of rounds on held-out rows

With "auto" rows are dealt out to five parts, each held out in turn until its loss has long not fallen, and the number
of rounds is that of the least loss on all of them; of few rows all parts go on for as long as the last, of many one
part is enough. All rows are then boosted for so many rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.table import NO_WEIGHTS
from acumen.engines.cores import cores
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.packed_forest import PackedForest
from acumen.types import Array, Codes, Floats

#: Rounds that "auto" goes to at most, and how many may pass without a lower loss.
MOST_ROUNDS: Final = 2_000
PATIENCE: Final = 30
#: Parts that rows are dealt out to; of more rows than these only one part is held out.
PARTS: Final = 5
MANY_ROWS: Final = 20_000
#: Up to so many rows parts differ much in when they stop, and all go on for as long as the last; that takes longer.
FEW_ROWS: Final = 2_000
#: A leaf need not have more than this share of the rows, however small it makes it, or few tables could be split.
LARGEST_LEAF: Final = 0.1
LEAST_LEAF: Final = 2.0
#: What is added to `l2` where levels without an order are put into one by what they say.
LEVEL_L2: Final = 1.0
_boost: Callable[..., dict[str, Any]] = _native.gradient_boost
_NO_NUMBERS: Floats = np.empty(0)
_GRID = 2.0**6
#: Fewer rows are not worth waking another thread for.
_SHARED: Final = 8_192


@dataclass(frozen=True, slots=True)
class BoostingOptions:
    """As `native/kernels/boosting/types.hpp` has them."""

    rounds: int | Literal["auto"]
    rate: float
    leaves: int
    leaf_size: float
    l2: float
    sample: float
    columns: float
    seed: int
    level_l2: float = LEVEL_L2
    patience: int = 0

    def kernel_options(self) -> dict[str, Any]:
        return {
            "rounds": MOST_ROUNDS if self.rounds == "auto" else int(self.rounds), "rate": float(self.rate),
            "leaves": int(self.leaves), "leaf_size": float(self.leaf_size), "l2": float(self.l2),
            "sample": float(self.sample), "columns": float(self.columns), "patience": int(self.patience),
            "seed": int(self.seed), "level_l2": float(self.level_l2),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class GradientRows:
    """Rows as codes, with the lines of their classes or their numbers, and weights on a grid."""

    coded: CodedColumns
    labels: Codes
    response: Floats
    weights: Floats
    lines: int
    monotone: npt.NDArray[np.int8]
    unit: float  # weights are whole multiples of it

    @classmethod
    def of(
        cls,
        coded: CodedColumns,
        labels: Codes,
        response: Floats,
        weights: Floats,
        lines: int,
        monotone: npt.NDArray[np.int8],
    ) -> GradientRows:
        if weights.size and np.ptp(weights) == 0 and weights[0] == 1.0:
            weights = NO_WEIGHTS
        unit = 1.0
        if weights.size and np.any(weights != np.rint(weights)):
            unit = 1.0 / _GRID
            weights = np.maximum(np.rint(weights * _GRID), 1.0) / _GRID
        return cls(coded, labels, response, np.ascontiguousarray(weights), lines, monotone, unit)

    def __len__(self) -> int:
        return max(len(self.labels), len(self.response))

    @property
    def row_weights(self) -> Floats:
        return self.weights if self.weights.size else np.ones(len(self))

    @property
    def size(self) -> float:
        """How many rows there are, those that are counts taken one by one."""
        return float(self.row_weights.sum()) if self.unit == 1.0 else float(len(self))

    def base(self, weights: Floats) -> Floats:
        """What rows start from: the class shares' logarithms, or the mean."""
        total = weights.sum()
        if len(self.response):
            return np.array([float(np.sum(weights * self.response) / total)])
        counts = np.bincount(self.labels, weights, max(self.lines, 2))
        # A class may have no row in a part; half a row keeps its logarithm finite.
        shares = np.log(np.maximum(counts, 0.5) / total)
        return np.array([shares[1] - shares[0]]) if self.lines == 1 else shares - shares.mean()

    def run(
        self, options: BoostingOptions, held: Floats | None = None, tell: Callable[[int], None] | None = None
    ) -> tuple[dict[str, Any], Floats]:
        """What the kernel makes; `held` is how much of each row is judged by and not learned from."""
        weights = self.weights
        apart = _NO_NUMBERS
        if held is not None:
            weights, apart = self.row_weights - held, held
        base = self.base(weights if weights.size else np.ones(len(self)))
        coded = self.coded
        arrays = _boost(
            coded.columns, coded.coding.slots, coded.nominal, coded.low, coded.high, self.labels, self.response,
            np.ascontiguousarray(weights), np.ascontiguousarray(apart), base, self.unit, self.monotone,
            options.kernel_options(), tell, cores() if len(self) >= _SHARED else 1,
        )  # fmt: skip
        return arrays, base


class BoostedTrees(NamedTuple):
    """Packed trees, what rows start from, what each column's splits gained, the held-out loss, and what ended it."""

    packed: PackedForest
    base: Floats
    gain: Floats
    curve: Floats
    stopped: BaseException | None


def boost_trees(
    rows: GradientRows,
    options: BoostingOptions,
    parts: HeldOutParts,
    tell: Callable[[int], None] | None = None,
) -> BoostedTrees:
    """Trees from all rows; `parts` are those that "auto" holds out, each in turn."""
    most = max(LARGEST_LEAF * float(rows.row_weights.sum()), LEAST_LEAF)
    options = replace(options, leaf_size=min(options.leaf_size, most))
    curve = _NO_NUMBERS
    if options.rounds == "auto":
        curve, stopped = held_out_curve(rows, options, parts)
        # The first that is least but for rounding, which depends on the order of rows.
        best = int(np.argmax(curve <= curve.min() * (1 + 1e-12))) + 1 if len(curve) else 1
        if stopped is not None:
            arrays, base = rows.run(replace(options, rounds=1))
            return _pack_trees(arrays, base, rows, curve, stopped)
        options = replace(options, rounds=best)
    arrays, base = rows.run(options, tell=tell)
    return _pack_trees(arrays, base, rows, curve, arrays["stopped"])


def _pack_trees(
    arrays: dict[str, Any], base: Floats, rows: GradientRows, curve: Floats, stopped: BaseException | None
) -> BoostedTrees:
    packed = PackedForest(
        arrays["node"],
        arrays["value"],
        arrays["sets"],
        arrays["start"],
        arrays["set_start"],
        rows.coded.nominal,
    )
    return BoostedTrees(packed, base, arrays["gain"], curve, stopped)


def held_out_curve(
    rows: GradientRows, options: BoostingOptions, parts: HeldOutParts
) -> tuple[Floats, BaseException | None]:
    """The mean loss after each round of rows that were not learned from, over all parts that are held out."""
    if rows.size < 2:  # held out, it would leave nothing to learn from
        return _NO_NUMBERS, None
    some = (parts.part_weights(part) for part in range(PARTS))
    every = (held for held in some if 0 < held.sum() < rows.row_weights.sum())
    apart = list(islice(every, PARTS if rows.size <= MANY_ROWS else 1))
    curves, stopped = _curves(rows, replace(options, patience=PATIENCE), apart)
    if stopped is None and rows.size <= FEW_ROWS and len(set(map(len, curves))) > 1:
        # Cut to the shortest, the curve would end where the luckiest part had its best; what is late to be found, as
        # two attributes that say nothing but together, would be given up with it.
        longest = max(map(len, curves))
        short = [i for i, curve in enumerate(curves) if len(curve) < longest]
        again, stopped = _curves(rows, replace(options, rounds=longest), [apart[i] for i in short])
        for i, curve in zip(short, again, strict=False):
            curves[i] = curve
    if stopped is not None:
        return _NO_NUMBERS, stopped
    heavy = [float(held.sum()) for held in apart]
    end = min(map(len, curves))
    return np.average([curve[:end] for curve in curves], axis=0, weights=heavy), None


def _curves(
    rows: GradientRows, options: BoostingOptions, apart: list[Floats]
) -> tuple[list[Floats], BaseException | None]:
    """The loss after each round of each of the parts, until something ends it."""
    curves: list[Floats] = []
    for held in apart:
        arrays, _ = rows.run(options, held)
        curves.append(np.asarray(arrays["held"]))
        if arrays["stopped"] is not None:
            return curves, arrays["stopped"]
    return curves, None


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTask:
    """What a boosting is asked for, but for its rows: it may be carried out elsewhere."""

    options: BoostingOptions  # its seed is drawn from `rng`, after the parts
    rng: np.random.Generator
    lines: int
    monotone: npt.NDArray[np.int8]

    def run(
        self,
        coded: CodedColumns,
        labels: Codes,
        response: Floats,
        weights: Floats,
        tell: Callable[[int], None] | None = None,
    ) -> BoostedTrees:
        """Boosted on these rows."""
        rows = GradientRows.of(coded, labels, response, weights, self.lines, self.monotone)
        parts = HeldOutParts.of(rows, self.rng)
        options = replace(self.options, seed=int(self.rng.integers(0, 2**63)))
        return boost_trees(rows, options, parts, tell)


class StandardisedTarget(NamedTuple):
    """Numbers about their mean, in units of their standard deviation; that mean, that unit, and what both are of."""

    values: Floats
    centre: float
    unit: float
    scale: float

    @classmethod
    def of(cls, response: Floats, weights: Floats) -> StandardisedTarget:
        # So that squares of large numbers are numbers.
        scale = float(np.abs(response).max(initial=0.0)) or 1.0
        values = response / scale
        centre = float(np.average(values, weights=weights))
        unit = float(np.sqrt(np.average((values - centre) ** 2, weights=weights)))
        unit = unit if unit > 1e-14 * abs(centre) else 1.0
        return cls(np.ascontiguousarray((values - centre) / unit), centre, unit, scale)


class HeldOutParts(NamedTuple):
    """Rows dealt out to parts at random, each class (or order of numbers) evenly.

    The seed and what is in a row decide its place, so the order of rows does not matter. A row of weight 3 is dealt
    out as three equal rows are, which may be in different parts; one whose weight is no count is in one part.
    """

    order: npt.NDArray[np.int64]
    ends: Floats  # in that order, how many rows there are up to each
    weight: Floats  # of one such row
    first: int

    @classmethod
    def of(cls, rows: GradientRows, rng: np.random.Generator) -> HeldOutParts:
        key = rows.labels if len(rows.labels) else rows.response
        weights = rows.row_weights
        order = np.lexsort((weights, _draws(rows.coded.columns, len(rows), int(rng.integers(2**63))), key))
        counted = rows.unit == 1.0
        copies = weights[order] if counted else np.ones(len(rows))
        return cls(
            order,
            np.cumsum(copies),
            np.ones(len(rows)) if counted else weights[order],
            int(rng.integers(PARTS)),
        )

    def part_weights(self, part: int) -> Floats:
        """How much of each row is in a part."""
        place = (part - self.first) % PARTS  # of every five rows, counted in order, this one
        before = np.ceil((np.concatenate([[0.0], self.ends]) - place) / PARTS)
        shares = np.empty(len(self.order))
        shares[self.order] = np.diff(before) * self.weight
        return shares


def _draws(columns: list[Array], n: int, seed: int) -> npt.NDArray[np.uint64]:
    """A number for each row that looks drawn at random and is the same for equal rows."""
    draws = np.full(n, seed, dtype=np.uint64)
    for column in columns:
        draws = _mix_bits(draws ^ column.astype(np.uint64))
    return _mix_bits(draws)


def _mix_bits(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A permutation of all 64-bit numbers without visible order (SplitMix64; Steele, Lea and Flood 2014)."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
