"""Growing forests: rows as codes, a seed for each tree, and what the trees say of rows out of bag.

ForestOptions   the options that trees are grown with
ForestRows      the rows of one forest as the kernel takes them
grow_forest     options and rows -> packed trees and their out-of-bag predictions
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import cores
from acumen.engines.memory import limit
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.out_of_bag import ErrorInterval, OutOfBag, effective_size, mean_interval, share_interval
from acumen.ensembles.packed_forest import PackedForest
from acumen.errors import DataError
from acumen.types import Codes, Floats

Seeds = npt.NDArray[np.uint64]
#: A target of larger numbers has no squared error.
MOST = 1e150
_grow: Callable[..., dict[str, Any]] = _native.grow_forest
_permuted: Callable[..., None] = _native.forest_permuted
_GRID = 2.0**20
#: Trees are held while they are laid end to end; what is left of memory is for all else.
_COPIES = 3
_LARGE = 1e301
_NO_NUMBERS: Floats = np.empty(0)
_NO_CODES: Codes = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """As `native/kernels/forests/types.hpp` has them."""

    max_attributes: int
    extra: bool = False
    bootstrap: bool = True
    sample: float = 1.0
    leaf_size: float = 1.0
    purity: float = 1.0
    max_depth: int | None = None
    out_of_bag: bool = True
    patience: int | None = None
    #: Words of 32 bits that the sets of levels of one tree may take; 0 for any number.
    most_words: int = 0

    def kernel_options(self) -> dict[str, Any]:
        return {
            "max_attributes": self.max_attributes, "extra": self.extra, "bootstrap": self.bootstrap,
            "sample": float(self.sample), "leaf_size": float(self.leaf_size), "purity": float(self.purity),
            "max_depth": self.max_depth or 0, "out_of_bag": self.out_of_bag and self.bootstrap,
            "patience": self.patience or 0, "most_words": self.most_words,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ForestRows:
    """Rows as codes, with labels or numbers, weights and groups."""

    coded: CodedColumns
    labels: Codes
    response: Floats
    weights: Floats
    units: Codes
    classes: int

    @classmethod
    def of(cls, table: Table, coded: CodedColumns, units: Codes = _NO_CODES) -> ForestRows:
        """Of all rows of a table; equal weights are none."""
        labels = _NO_CODES if table.labels is None else table.labels
        response = _NO_NUMBERS if table.response is None else table.response
        classes = 0 if table.labels is None else table.schema.n_classes
        return cls.from_codes(coded, labels, response, table.weights, units, classes)

    @classmethod
    def from_codes(
        cls, coded: CodedColumns, labels: Codes, response: Floats, weights: Floats, units: Codes, classes: int
    ) -> ForestRows:
        """Of the columns that rows are made of."""
        if np.abs(response).max(initial=0.0) > MOST:
            raise DataError(
                f"the target holds numbers beyond {MOST:g}, whose squares are no numbers; divide it by a constant."
            )
        if weights.size and np.ptp(weights) == 0 and (weights[0] == 1.0 or weights[0] != np.rint(weights[0])):
            weights = NO_WEIGHTS
        if weights.size:
            # On a grid sums are exact, and the choice between equal splits does not hang on how weights were rounded.
            weights = np.maximum(np.rint(weights * _GRID), 1.0) / _GRID
        return cls(
            coded,
            np.ascontiguousarray(labels),
            np.ascontiguousarray(response),
            np.ascontiguousarray(weights),
            np.ascontiguousarray(units, dtype=np.int32),
            classes,
        )

    @property
    def prior(self) -> Floats:
        """The share of each class."""
        if not self.classes:
            return _NO_NUMBERS
        weights = self.weights if self.weights.size else None
        totals = np.bincount(self.labels, weights, self.classes).astype(np.float64)
        return totals / totals.sum()

    @property
    def row_weights(self) -> Floats:
        return self.weights if self.weights.size else np.ones(max(len(self.labels), len(self.response)))

    def arguments(self) -> tuple[Any, ...]:
        """What the kernel takes of them."""
        coded = self.coded
        return (
            coded.columns, coded.coding.slots, coded.nominal, coded.low, coded.high, self.labels, self.response,
            self.weights, self.units, self.classes,
        )  # fmt: skip


class GrownForest(NamedTuple):
    """Packed trees; what each column was worth in each, if possible on rows out of bag; what they say of these."""

    packed: PackedForest
    gain: Floats
    bag: OutOfBag | None
    #: What ended it early: Ctrl-C, or an alarm clock.
    stopped: BaseException | None


def grow_forest(
    rows: ForestRows, seeds: Seeds, options: ForestOptions, tell: Callable[[int], None] | None = None
) -> GrownForest:
    """A tree for each seed; the same bytes for any number of threads."""
    if (
        rows.coded.nominal.any()
    ):  # a set has two bits for each level of its column, whichever of them it meets
        options = replace(options, most_words=max(limit() // (_COPIES * 4 * len(seeds)), 1 << 16))
    arrays = _grow(*rows.arguments(), rows.prior, seeds, options.kernel_options(), tell, cores())
    packed = PackedForest(
        arrays["node"],
        arrays["value"],
        arrays["sets"],
        arrays["start"],
        arrays["set_start"],
        rows.coded.nominal,
    )
    bag = bag_of(arrays, rows) if options.out_of_bag and options.bootstrap else None
    columns = len(rows.coded.coding)
    gain = np.nan_to_num(arrays["gain"].reshape(len(packed), columns), nan=0.0, posinf=_LARGE, neginf=-_LARGE)
    return GrownForest(packed, gain, bag, arrays["stopped"])


def bag_of(bag: dict[str, Any], rows: ForestRows) -> OutOfBag:
    """What the trees say of rows out of bag, by the sums that the kernel has kept."""
    votes: Codes = bag["votes"]
    has_votes = votes > 0
    weights = rows.row_weights
    with np.errstate(divide="ignore", invalid="ignore"):
        curve = np.where(bag["voted"] > 0, bag["error"] / bag["voted"], 0.0)
        if rows.classes:
            answers = (bag["sum"] + rows.prior) / (votes + 1)[:, None]
            answers[~has_votes] = np.nan
            everything = np.clip((bag["error"] + bag["unvoted_wrong"]) / weights.sum(), 0.0, 1.0)
            curve = np.clip(curve, 0.0, 1.0)
            interval = share_interval(float(curve[-1]), effective_size(weights[has_votes]))
        else:
            answers = bag["sum"][:, 0] / votes
            everything = np.full(len(curve), np.nan)
            curve = np.maximum(curve, 0.0)
            squares = (answers[has_votes] - rows.response[has_votes]) ** 2
            interval = (
                mean_interval(squares, weights[has_votes]) if has_votes.any() else ErrorInterval(0.0, 0.0)
            )
            if has_votes.any():  # the sums that were kept up tree by tree lose digits
                curve[-1] = float(np.sum(weights[has_votes] * squares)) / float(weights[has_votes].sum())
            curve = np.nan_to_num(curve, nan=0.0, posinf=_LARGE)
            interval = ErrorInterval(*np.nan_to_num(interval, nan=0.0, posinf=_LARGE).tolist())
    return OutOfBag(
        curve, everything, interval, int(np.count_nonzero(~has_votes)), len(votes), votes, answers
    )


def permutation_errors(
    rows: ForestRows,
    packed: PackedForest,
    seeds: Seeds,
    options: ForestOptions,
    groups: Sequence[Sequence[int]],
) -> Floats:
    """By how much each tree errs more on its rows out of bag when columns are permuted among them: trees by groups."""
    errors = np.zeros((len(packed), len(groups)))
    column_groups = [list(map(int, group)) for group in groups]
    _permuted(packed, *rows.arguments(), seeds, options.kernel_options(), column_groups, errors, cores())
    return errors


def progress_teller(who: str, total: int, of: str = "trees") -> Callable[[int], None]:
    """Tells on stderr how many of them there are."""
    last = [0]

    def tell(done: int) -> None:
        if done == total or done >= last[0] + max(1, total // 20):
            last[0] = done
            print(f"{who}: {done} of {total} {of}", file=sys.stderr, flush=True)

    return tell
