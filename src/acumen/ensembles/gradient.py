"""Gradient boosting: rows as codes, how many rounds, and the packed trees that come of it.

    BoostingOptions   what trees are grown under
    Sloped            the rows of one boosting as the kernel takes them
    boosted           options and rows -> packed trees; with rounds="auto" as many as rows held out ask for

With "auto" few rows are dealt out to five parts, each held out in turn while the rounds go on, and the number of rounds
is that of the least loss on all of them; of many rows one part is enough. All rows are then boosted for so many rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import cores
from acumen.ensembles.coding import Coded
from acumen.ensembles.packed import PackedForest
from acumen.types import Codes, Floats

#: Rounds that "auto" goes to at most, and how many may pass without a lower loss.
MOST_ROUNDS: Final = 2_000
PATIENCE: Final = 30
#: Parts that rows are dealt out to; of more rows than these only one part is held out.
PARTS: Final = 5
MANY_ROWS: Final = 20_000
#: What is added to `l2` where levels without an order are put into one by what they say.
LEVEL_L2: Final = 1.0
_boost: Callable[..., dict[str, Any]] = _native.gradient_boost
_NO_NUMBERS: Floats = np.empty(0)
_NO_CODES: Codes = np.empty(0, dtype=np.int32)
_GRID = 2.0**6
#: Fewer rows are not worth waking another thread for.
_SHARED: Final = 8_192


@dataclass(frozen=True, slots=True)
class BoostingOptions:
    """As `native/kernels/boost_types.hpp` has them."""

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

    def given(self) -> dict[str, Any]:
        return {
            "rounds": MOST_ROUNDS if self.rounds == "auto" else int(self.rounds), "rate": float(self.rate),
            "leaves": int(self.leaves), "leaf_size": float(self.leaf_size), "l2": float(self.l2),
            "sample": float(self.sample), "columns": float(self.columns), "patience": int(self.patience),
            "seed": int(self.seed), "level_l2": float(self.level_l2),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Sloped:
    """Rows as codes, with the lines of their classes or their numbers, and weights on a grid."""

    coded: Coded
    labels: Codes
    response: Floats
    weights: Floats
    lines: int
    monotone: npt.NDArray[np.int8]
    unit: float  # weights are whole multiples of it

    @classmethod
    def of(
        cls,
        table: Table,
        coded: Coded,
        labels: Codes,
        response: Floats,
        lines: int,
        monotone: npt.NDArray[np.int8],
    ) -> Sloped:
        weights = table.weights
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

    def base(self, weights: Floats) -> Floats:
        """What rows start from: the class shares' logarithms, or the mean."""
        total = weights.sum()
        if len(self.response):
            return np.array([float(weights @ self.response / total)])
        counts = np.bincount(self.labels, weights, max(self.lines, 2))
        # A class may have no row in a part; half a row keeps its logarithm finite.
        shares = np.log(np.maximum(counts, 0.5) / total)
        return np.array([shares[1] - shares[0]]) if self.lines == 1 else shares - shares.mean()

    def run(
        self, options: BoostingOptions, held: Floats | None = None, tell: Callable[[int], None] | None = None
    ) -> tuple[dict[str, Any], Floats]:
        """What the kernel makes; `held` is true of rows that are judged by and not learned from."""
        weights = self.weights
        apart = _NO_NUMBERS
        if held is not None:
            every = self.row_weights
            weights, apart = np.where(held > 0, 0.0, every), np.where(held > 0, every, 0.0)
        base = self.base(weights if weights.size else np.ones(len(self)))
        coded = self.coded
        made = _boost(
            coded.columns, coded.coding.slots, coded.nominal, coded.low, coded.high, self.labels, self.response,
            np.ascontiguousarray(weights), np.ascontiguousarray(apart), base, self.unit, self.monotone,
            options.given(), tell, cores() if len(self) >= _SHARED else 1,
        )  # fmt: skip
        return made, base


class Boosted(NamedTuple):
    """Packed trees, what rows start from, what each column's splits gained, the held-out loss, and what ended it."""

    packed: PackedForest
    base: Floats
    gain: Floats
    curve: Floats
    stopped: BaseException | None


def boosted(
    rows: Sloped, options: BoostingOptions, parts: Codes | None, tell: Callable[[int], None] | None = None
) -> Boosted:
    """Trees from all rows; `parts` are those that "auto" holds out, each in turn."""
    curve = _NO_NUMBERS
    if options.rounds == "auto":
        assert parts is not None
        curve, stopped = held_out_curve(rows, options, parts)
        best = int(np.argmin(curve)) + 1 if len(curve) else 1
        if stopped is not None:
            made, base = rows.run(replace(options, rounds=1))
            return _packed(made, base, rows, curve, stopped)
        options = replace(options, rounds=best)
    made, base = rows.run(options, tell=tell)
    return _packed(made, base, rows, curve, made["stopped"])


def _packed(
    made: dict[str, Any], base: Floats, rows: Sloped, curve: Floats, stopped: BaseException | None
) -> Boosted:
    packed = PackedForest(
        made["node"], made["value"], made["sets"], made["start"], made["set_start"], rows.coded.nominal
    )
    return Boosted(packed, base, made["gain"], curve, stopped)


def held_out_curve(
    rows: Sloped, options: BoostingOptions, parts: Codes
) -> tuple[Floats, BaseException | None]:
    """The mean loss after each round of rows that were not learned from, over all parts that are held out."""
    count = int(parts.max()) + 1
    turns = count if len(rows) <= MANY_ROWS else 1
    weights = rows.row_weights
    curves, heavy = [], []
    for part in range(turns):
        held = (parts == part).astype(np.float64)
        heavy.append(float(weights[parts == part].sum()))
        made, _ = rows.run(replace(options, patience=PATIENCE), held)
        curves.append(np.asarray(made["held"]))
        if made["stopped"] is not None:
            return curves[0][:0], made["stopped"]
    short = min(map(len, curves))
    return np.average([c[:short] for c in curves], axis=0, weights=heavy), None


def dealt(labels: Codes, response: Floats, rng: np.random.Generator) -> Codes:
    """Rows dealt out to parts at random, each class (or order of numbers) evenly."""
    key = labels if len(labels) else response
    n = len(key)
    order = np.lexsort((rng.random(n), key))
    made = np.empty(n, dtype=np.int32)
    made[order] = (np.arange(n) + int(rng.integers(PARTS))) % PARTS
    return made
