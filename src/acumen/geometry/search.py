"""The nearest rows, by whichever index finds them fastest; all find the same.

    NeighbourSearch   rows under a distance: votes, curves over k, the neighbours themselves
    WAYS              the indexes by name
    way_for           the index that "auto" means, or the requested one if it can be used

The nearest k rows are all whose distance is not beyond that at which the weight of the rows within reaches k, distances
that differ by less than one part in 10^12 being equal: they do not depend on the order of the rows, nor on rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from acumen import _native, messages
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.geometry.distance import FittedDistance
from acumen.geometry.distance_form import NO_CODES, NO_ROWS, NOTHING, DistanceForm
from acumen.geometry.raw_rows import RawRows
from acumen.types import Array, Codes, Floats

Index = Literal["auto", "kd", "blocked", "vantage", "brute"]
Say = Literal["uniform", "distance", "kernel"]
WAYS: Final = ("auto", "kd", "blocked", "vantage", "brute")

#: Rows below which nothing is gained by an index.
_FEW = 256
#: Pairs of rows compared one by one at most: 10 minutes to 2 hours of a processor's time, as columns and learners go.
MOST_PAIRS: Final = 10**11
#: Columns up to which boxes leave most rows unseen; beyond, products of all rows are quicker.
_BOXED, _BOXED_OTHERWISE = 7, 8


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """What neighbours vote with: classes, or numbers."""

    labels: Codes = field(default_factory=lambda: NO_CODES)
    numbers: Floats = field(default_factory=lambda: NOTHING.ravel())
    totals: Floats = field(
        default_factory=lambda: NOTHING.ravel()
    )  # the weight of each class; none of numbers


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What the neighbours of each row say."""

    votes: Floats  # (rows, classes), or (rows, 1): the mean
    winner: Codes
    reach: Floats  # the distance of the k-th neighbour
    within: Floats  # the weight of the rows that vote


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The neighbours of each row: row i has those from `ends[i]` to `ends[i + 1]`, nearest first."""

    ends: Array
    rows: Array
    distances: Floats

    def of(self, row: int) -> slice:
        """Where the neighbours of a row stand."""
        return slice(int(self.ends[row]), int(self.ends[row + 1]))


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """What is left out for each row that asks, and how its numbers are scaled instead.

    `own`: which row it is (a weight of one of it is left out); `part`: rows of the same part are left out; `factor`: in
    place of the form's factors, a line for each; `codes`: in place of the rows' own.
    """

    own: Array = field(default_factory=lambda: NO_ROWS)
    part: Codes = field(default_factory=lambda: NO_CODES)
    factor: Floats = field(default_factory=lambda: NOTHING)
    codes: Codes | None = None


class NeighbourSearch:
    """Rows among which the nearest are looked for."""

    def __init__(
        self,
        fitted: FittedDistance,
        raw: RawRows,
        weights: Floats | None = None,
        *,
        index: Index = "auto",
        part: Codes = NO_CODES,
        form: DistanceForm | None = None,
    ) -> None:
        self.fitted, self.raw = fitted, raw
        # Ones are written out where they are asked for, and not kept.
        self._weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.part, self.form = part, fitted.form if form is None else form
        self.rows = fitted.encode(raw, asks=False)
        self.way = way_for(self, index)
        self._index: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_index": None}  # made again where it is asked for

    @property
    def weights(self) -> Floats:
        """What each row weighs."""
        return np.ones(len(self.raw)) if self._weights is None else self._weights

    def forget(self) -> None:
        """Let go of the kernel's index, which is as large as the rows; it is made again where it is asked for."""
        self._index = None

    @property
    def index(self) -> Any:
        """The kernel's own, made when it is first needed."""
        if self._index is None:
            self._index = _native.Neighbours(
                self.rows.values, self.rows.codes, NOTHING.ravel() if self._weights is None else self._weights,
                self.part, self.way, **self.form.arguments(),
                n_threads=cores(),
            )  # fmt: skip
        return self._index

    def require_pairs(self, who: str, remedy: str, pairs: float | None = None) -> None:
        """Refuse to compare all rows with each other, or so many pairs, where it takes too long without an index."""
        n = len(self.raw)
        pairs = float(n) * n if pairs is None else pairs
        if self.way == "brute" and pairs > MOST_PAIRS:
            raise DataError(
                f"{who}: {n:,} rows would take {pairs:.1e} distances between pairs of them, as no index helps here; "
                f"at most {MOST_PAIRS:.0e} are computed. Take a sample of the rows, or {remedy}."
            )

    # -- asking -----------------------------------------------------------------------------------

    def votes(
        self, asked: RawRows, k: float, say: Say, targets: Targets, apart: Apart | None = None
    ) -> Votes:
        """What the nearest k rows of each row say."""
        n, wide = len(asked), max(len(targets.totals), 1)
        votes = Votes(np.zeros((n, wide)), np.zeros(n, dtype=np.int32), np.zeros(n), np.zeros(n))
        for part, query in self._queries(asked, apart):
            self.index.votes(
                **query, k=float(k), say=say, labels=targets.labels, numbers=targets.numbers, totals=targets.totals,
                votes=votes.votes[part], winner=votes.winner[part], reach=votes.reach[part], within=votes.within[part],
                n_threads=cores(),
            )  # fmt: skip
        return votes

    def curve(
        self,
        asked: RawRows,
        max_k: int,
        say: Say,
        targets: Targets,
        truth: Targets,
        heavy: Floats,
        apart: Apart,
    ) -> tuple[Floats, Floats]:
        """The weighted sums of the errors of k = 1, 2, ... over all rows, and of their squares."""
        sums, squares = np.zeros(max_k), np.zeros(max_k)
        for part, query in self._queries(asked, apart):
            self.index.curve(
                **query, say=say, labels=targets.labels, numbers=targets.numbers, totals=targets.totals,
                truth_labels=truth.labels[part] if len(truth.labels) else truth.labels,
                truth_numbers=truth.numbers[part] if len(truth.numbers) else truth.numbers,
                query_weight=heavy[part], sums=sums, squares=squares, n_threads=cores(),
            )  # fmt: skip
        return sums, squares

    def lists(self, asked: RawRows, k: float, apart: Apart | None = None) -> Lists:
        """The nearest k rows themselves."""
        ends, rows, distances = [np.zeros(1, dtype=np.int64)], [NO_ROWS], [NOTHING.ravel()]
        for _, query in self._queries(asked, apart):
            lists = self.index.lists(**query, k=float(k), n_threads=cores())
            ends.append(lists[0][1:] + ends[-1][-1])
            rows.append(lists[1])
            distances.append(lists[2])
        return Lists(np.concatenate(ends), np.concatenate(rows), np.concatenate(distances))

    def between(self, asked: RawRows) -> Floats:
        """Every distance."""
        distances = np.zeros((len(asked), len(self.raw)))
        plain = self if self.way == "brute" else NeighbourSearch(self.fitted, self.raw, index="brute")
        for part, query in plain._queries(asked, None):
            plain.index.between(**query, made=distances[part], n_threads=cores())
        return distances

    def _queries(self, asked: RawRows, apart: Apart | None) -> Iterator[tuple[slice, dict[str, Any]]]:
        step, without = self.fitted.blocks(len(asked), len(self.raw)), apart or Apart()
        for start in range(0, len(asked), step):
            part = slice(start, min(start + step, len(asked)))
            some = asked if step >= len(asked) else asked.take(np.arange(part.start, part.stop))
            rows = self.fitted.encode(some, asks=True)
            extra = self.fitted.distance.outside(self.fitted, some, self.raw)
            yield (
                part,
                {
                    "values": rows.values,
                    "codes": rows.codes if without.codes is None else without.codes[part],
                    "factor": without.factor[part] if len(without.factor) else NOTHING,
                    "extra": NOTHING if extra is None else np.ascontiguousarray(extra),
                    "own": without.own[part] if len(without.own) else NO_ROWS,
                    "part": without.part[part] if len(without.part) else NO_CODES,
                },
            )

    # -- one pair ---------------------------------------------------------------------------------

    def shares(self, asked: RawRows, row: int) -> dict[str, float]:
        """What share of the distance from the first row asked to one of the rows each attribute has."""
        form, names = self.form, self.fitted.layout.names
        if self.fitted.distance.turns or not names:
            return {}
        query = self.fitted.encode(asked.take(np.array([0])), asks=True)
        away = np.abs(query.values[0] - self.rows.values[row]) * form.factor
        if form.capped:
            away = np.minimum(away, 1.0)
        parts = away ** {"squared": 2.0, "power": form.power}.get(form.rule, 1.0) * form.weight
        parts = np.concatenate([np.nan_to_num(parts, nan=0.0), self._level_parts(query.codes[0], row)])
        if form.extra:
            outside = self.fitted.distance.outside(
                self.fitted, asked.take(np.array([0])), self.raw.take(np.array([row]))
            )
            names = (*names, "words")
            parts = np.append(parts, 0.0 if outside is None else np.nan_to_num(outside[0, 0]))
        if form.rule == "largest":
            parts = np.where(parts == parts.max(initial=0.0), parts, 0.0)
        total = float(parts.sum())
        shares: dict[str, float] = {}
        for name, part in zip(names, parts.tolist(), strict=True):
            shares[name] = shares.get(name, 0.0) + (part / total if total > 0 else 0.0)
        return shares

    def _level_parts(self, query: Codes, row: int) -> Floats:
        form, parts = self.form, np.zeros(len(query))
        for j, (mine, theirs) in enumerate(zip(query.tolist(), self.rows.codes[row].tolist(), strict=True)):
            if mine == -1 or theirs == form.levels[j]:
                continue
            part = (
                float(form.tables[j][mine, theirs])
                if np.isnan(form.differ[j])
                else float(form.differ[j] * (mine != theirs))
            )
            parts[j] = part if part > 0 else 0.0
        return parts


def way_for(search: NeighbourSearch, index: Index) -> str:
    """The index to use; DataError where the one asked for cannot be used on such rows."""
    form, rows = search.form, search.rows
    numbers = not form.levels and not form.extra and rows.values.shape[1] > 0
    # The least of numbers is NaN where one is, and needs no array beside them.
    whole = not (rows.values.size and np.isnan(rows.values.min())) and not any(
        (rows.codes[:, j] == size).any() for j, size in enumerate(form.levels)
    )
    usable = {
        "kd": numbers and whole and len(rows) > 0,
        "blocked": form.plain and numbers and whole and len(rows) > 0,
        "vantage": search.fitted.metric and whole and len(rows) > 0,
        "brute": True,
    }
    if index == "auto":
        if len(rows) < _FEW or not usable["kd"]:
            return "brute"
        if rows.values.shape[1] <= (_BOXED if usable["blocked"] else _BOXED_OTHERWISE):
            return "kd"
        return "blocked" if usable["blocked"] else "brute"
    if not usable[index]:
        reason = {
            "kd": "a k-d tree is for numbers without missing values",
            "blocked": "blocks of products are for Euclidean distances of numbers without missing values",
            "vantage": "a vantage-point tree is for metrics, and this distance is none on these rows",
        }[index]
        raise DataError(f"index {index!r}: {reason}; use {messages.setting('index', 'auto')} or 'brute'.")
    return index
