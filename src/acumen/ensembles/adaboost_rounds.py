"""Rounds of boosting: one learner after another, each minding more the rows its predecessors got wrong.

    Boosting      how it is to be done
    boost_stumps  rows as codes -> stumps, by a kernel that keeps codes and weights where they are
    boost         any learner, by weights or by rows drawn by them

Document 002's AdaBoost.M1 divides the weights of rows a classifier has right by (1 - e) / e and gives it the vote
ln((1 - e) / e), which after normalisation is document 000's update too. SAMME (Zhu et al. 2009) adds ln(K - 1) to the
vote and goes on while the error is below 1 - 1/K.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.ensembles.adaboost_model import AdaBoostModel, BoostingTrace, Round
from acumen.ensembles.bootstrap_draws import NO_GROUPS, draw_times
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.committee import class_of_member
from acumen.ensembles.forest import ForestRows
from acumen.ensembles.members import fit_relative, weighted_rows
from acumen.ensembles.packed_forest import PackedForest
from acumen.errors import DataError
from acumen.types import Floats

Variant = Literal["m1", "samme"]
Method = Literal["reweight", "resample"]
#: Told how many rounds are done.
Tell: TypeAlias = Callable[[int], None] | None
#: A vote is at most that of this error, which is what a classifier without one gets.
LEAST_ERROR = 1e-9
_NEAR = 1e-11
_ENDS = ("all rounds were run", "a classifier without an error ended it", "the error reached its limit")


class AdaBoostOptions(NamedTuple):
    """How it is to be done."""

    rounds: int
    method: Method
    variant: Variant
    retries: int

    def limit(self, classes: int) -> float:
        """The error at which a classifier is of no use."""
        return 1.0 - 1.0 / max(classes, 2) if self.variant == "samme" else 0.5

    def factors(self, error: float, classes: int) -> tuple[float, float]:
        """What the weights of right and of wrong rows are multiplied by; their sum stays as it is."""
        k = classes if self.variant == "samme" else 2
        return 1 / (k * (1 - error)), (k - 1) / (k * error)

    def vote(self, error: float, classes: int) -> float:
        kept = max(error, LEAST_ERROR)
        more = np.log(classes - 1) if self.variant == "samme" and classes > 1 else 0.0
        return float(np.log((1 - kept) / kept) + more)


def boost_stumps(
    table: Table, how: AdaBoostOptions, prior: Floats, seed: int, tell: Tell = None
) -> tuple[AdaBoostModel, BoostingTrace, BaseException | None]:
    """By the kernel; and whether Ctrl-C ended it."""
    rows = ForestRows.of(table, CodedColumns.of(table, 255))
    coded = rows.coded
    arrays = _native.boost_stumps(
        coded.columns, coded.coding.slots, coded.nominal, coded.low, coded.high, rows.labels,
        np.ascontiguousarray(table.weights), rows.classes, how.rounds, how.variant == "samme", how.method == "resample",
        how.retries, seed, tell, cores(),
    )  # fmt: skip
    stumps = PackedForest(
        arrays["node"], arrays["value"], arrays["sets"], arrays["start"], arrays["set_start"], coded.nominal
    )
    both = np.clip(np.column_stack([arrays["error"], arrays["combined"]]), 0.0, 1.0)
    draws = arrays["drawn"] if how.method == "resample" else np.zeros_like(arrays["drawn"])
    trace = BoostingTrace(both[:, 0], arrays["vote"], both[:, 1], draws, how.method, _ENDS[arrays["end"]])
    model = AdaBoostModel(arrays["vote"], prior, both, (), coded.coding, stumps)
    return model, trace, arrays["stopped"]


def resample_times(rng: np.random.Generator, weights: Floats) -> Floats:
    """How often each row comes where as many as there are are drawn by weight; bagging's draw while all weigh alike."""
    n = len(weights)
    if np.ptp(weights) == 0:
        return draw_times(rng, np.ones(n), NO_GROUPS, 1.0)
    places = np.searchsorted(np.cumsum(weights), rng.random(n), "right")
    return np.bincount(np.minimum(places, n - 1), minlength=n).astype(np.float64)


def boost(
    table: Table,
    how: AdaBoostOptions,
    prior: Floats,
    rng: np.random.Generator,
    new: Callable[[int], Any],
    tell: Tell = None,
) -> tuple[AdaBoostModel, BoostingTrace, list[Any], BaseException | None]:
    """By any learner, `new(seed)` giving a fresh one; and whether Ctrl-C ended it."""
    labels, k = table.class_codes, table.schema.n_classes
    row_weights = table.row_weights / table.row_weights.sum()
    size = float(table.row_weights.sum())
    weights, limit = row_weights.copy(), how.limit(k)
    vote_sums = np.zeros((len(table), k))
    every = np.arange(len(table))
    learned: list[Any] = []
    lines: list[Round] = []
    end = _ENDS[0]
    stopped: BaseException | None = None
    try:
        for t in range(how.rounds):
            draws = 0
            while True:
                member = new(int(rng.integers(2**31)))
                if how.method == "resample":
                    draws += 1
                    times = resample_times(rng, weights)
                    drawn_rows = weighted_rows(table, times, member)
                else:
                    drawn_rows = weighted_rows(table, weights * size, member) if t else table
                try:
                    if how.method == "reweight" and t:
                        fit_relative(member, drawn_rows, size)
                    else:
                        member.fit(drawn_rows)
                except DataError:
                    if not learned:
                        raise
                    error, answers = 1.0, labels  # a draw that cannot be learned from is of no use
                else:
                    answers = class_of_member(member.predictor_.model, table)
                    error = float(weights[answers != labels].sum())
                if error < limit - _NEAR or how.method == "reweight" or draws > how.retries:
                    break
            useless = error >= limit - _NEAR
            if useless and learned:
                end = _ENDS[2]
                break
            vote = 1.0 if useless else how.vote(error, k)
            vote_sums[every, answers] += vote
            combined = float(row_weights[vote_sums.argmax(axis=1) != labels].sum())
            learned.append(member)
            lines.append(Round(error, vote, combined, draws))
            if tell is not None:
                tell(len(lines))
            if useless or error <= _NEAR:
                end = _ENDS[2 if useless else 1]
                break
            of_right, of_wrong = how.factors(error, k)
            weights = weights * np.where(answers == labels, of_right, of_wrong)
            weights /= weights.sum()
    except KeyboardInterrupt as interrupt:
        if not learned:
            raise
        stopped = interrupt
    columns = list(zip(*lines, strict=True))
    errors, votes, together = (np.array(column, dtype=np.float64) for column in columns[:3])
    both = np.clip(np.column_stack([errors, together]), 0.0, 1.0)
    trace = BoostingTrace(
        both[:, 0], votes, both[:, 1], np.array(columns[3], dtype=np.int32), how.method, end
    )
    models = tuple(member.predictor_.model for member in learned)
    return AdaBoostModel(votes, prior, both, models), trace, learned, stopped
