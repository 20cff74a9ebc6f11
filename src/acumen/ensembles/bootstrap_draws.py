"""Bagging any learner: rows or whole groups drawn with replacement, and rows out of bag kept in the order of members.

drawn       how often each row is drawn for a member
BagKeeper   what members say of rows they did not learn from
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from acumen.base.learner import Learner
from acumen.data.table import Table
from acumen.ensembles.out_of_bag import ErrorInterval, OutOfBag, effective_size, mean_interval, share_interval
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.parameters import Described
from acumen.resampling.plan import codes_of
from acumen.types import Array, Codes, Floats, Indices

#: Whole weights are counts of rows, and as many are drawn: with more a row, its number of times is drawn at once.
_ONE_BY_ONE = 8


def draw_times(rng: np.random.Generator, weights: Floats, units: Codes, sample: float) -> Floats:
    """What each row weighs in one draw: how often it came, by weight; of groups, times its own weight."""
    if units.size:
        n = int(units.max()) + 1
        times = np.bincount(rng.integers(0, n, max(1, round(sample * n))), minlength=n)
        return np.asarray(times[units] * weights, dtype=np.float64)
    if np.all(np.abs(weights - 1.0) < 1e-9):
        n = len(weights)
        return np.bincount(rng.integers(0, n, max(1, round(sample * n))), minlength=n).astype(np.float64)
    if sample * weights.sum() > _ONE_BY_ONE * len(weights):
        draws = max(1, round(sample * float(weights.sum())))
        return rng.multinomial(draws, weights / weights.sum()).astype(np.float64)
    edges = np.cumsum(np.rint(weights * 2.0**20))
    places = np.searchsorted(
        edges, rng.random(max(1, round(sample * edges[-1] / 2.0**20))) * edges[-1], side="right"
    )
    return np.bincount(np.minimum(places, len(weights) - 1), minlength=len(weights)).astype(np.float64)


class BagKeeper:
    """Sums over members in their order."""

    def __init__(self, weights: Floats, labels: Codes | None, response: Floats | None, prior: Floats) -> None:
        self.weights, self.labels, self.response, self.prior = weights, labels, response, prior
        self.sum = np.zeros((len(weights), max(len(prior), 1)))
        self.votes = np.zeros(len(weights), dtype=np.int32)
        self.curve: list[float] = []
        self.curve_all: list[float] = []
        self.entering = False  # and stays True where Ctrl-C came while sums were changed
        # by how much each row is wrong: of those without a vote, a class that is not the first
        self._wrong = np.zeros(len(weights)) if labels is None else np.asarray(labels != 0, dtype=np.float64)

    def enter(self, places: Codes, answers: Floats) -> None:
        """What a member says of the rows at these places that it did not learn from."""
        self.entering = True
        self.sum[places] += answers
        self.votes[places] += 1
        self._wrong[places] = self._row_errors(places)
        has_votes = self.votes > 0
        lost = self.weights * self._wrong
        total = float(self.weights[has_votes].sum())
        self.curve.append(float(lost[has_votes].sum()) / total if total else 0.0)
        self.curve_all.append(
            float("nan") if self.labels is None else float(lost.sum()) / float(self.weights.sum())
        )
        self.entering = False

    def _row_errors(self, places: Codes) -> Floats:
        """By how much what is said of rows with a vote is wrong."""
        if self.labels is None:
            assert self.response is not None
            return np.asarray((self.sum[places, 0] / self.votes[places] - self.response[places]) ** 2)
        # ties to the larger class, as the committee has it
        best = (self.sum[places] + 1e-9 * self.prior).argmax(axis=1)
        return np.asarray(best != self.labels[places], dtype=np.float64)

    def out_of_bag(self) -> OutOfBag | None:
        """All of it; None where there was no member, or one was half entered."""
        if not self.curve or self.entering:
            return None
        has_votes = self.votes > 0
        weights = self.weights[has_votes]
        answers = np.full(self.sum.shape, np.nan)
        answers[has_votes] = self.sum[has_votes] / self.votes[has_votes, None]
        if self.labels is None:
            interval = (
                mean_interval(self._wrong[has_votes], weights) if has_votes.any() else ErrorInterval(0.0, 0.0)
            )
            answers = answers[:, 0]
        else:
            interval = share_interval(self.curve[-1], effective_size(weights))
        return OutOfBag(
            np.array(self.curve), np.array(self.curve_all), interval, int(np.count_nonzero(~has_votes)), len(has_votes),
            self.votes, answers,
        )  # fmt: skip


# -- groups of rows drawn as a whole --------------------------------------------------------------
#
# Groups of rows that an ensemble draws as a whole: a column's name, or one value a row.
#
# Grouped   a learner with a parameter `groups`; a row is out of bag only if its whole group is


Groups = Annotated[Any, Described("a column's name, an array of one value a row, or None")]
NO_GROUPS: Codes = np.empty(0, dtype=np.int32)


class Grouped(Learner):
    """Takes the groups out of the rows that count; an attribute that only names groups is not learned from."""

    groups: Any

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The training rows without the column of groups; the groups are stored for `group_codes`."""
        rows, places = super().counted_places(table, factors)
        self._units = NO_GROUPS
        if self.groups is None:
            return rows, places
        who: str = self._name
        if isinstance(self.groups, str):
            values = self._column(rows, who)
            if self.groups in rows.schema.names:
                rows = rows.select([name for name in rows.schema.names if name != self.groups])
        else:
            groups = np.asarray(self.groups)
            if groups.shape != (len(table),):
                raise DataError(
                    f"{who}: there are {len(table)} rows, but groups has the shape {groups.shape}; give one value a "
                    "row, or, where rows are resampled, a column's name, which can be split with them."
                )
            values = groups[places]
        self._units = np.asarray(codes_of(who, "groups", values, len(rows)), dtype=np.int32)
        if len(rows) and int(self._units.max()) < 1:
            raise DataError(f"{who}: there must be at least 2 groups to draw from; got 1.")
        return rows, places

    def _column(self, rows: Table, who: str) -> Array:
        target = rows.schema.target
        names = [name for name in rows.schema.columns if target is None or name != target.name]
        if self.groups not in names:
            raise ParameterError(
                f"{who}: groups names the column {self.groups!r}, which the table does not have."
                + did_you_mean(self.groups, names)
            )
        return rows.column(self.groups)

    def group_codes(self) -> Codes:
        """The group of each row that counts, from 0; empty without groups."""
        units: Codes = self.__dict__.pop("_units", NO_GROUPS)
        return units
