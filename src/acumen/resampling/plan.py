"""What every resampling plan has.

Split     one training set and its test rows
ResamplingPlan    splits(n_rows, labels, random_state), len_for(n_rows)
streams   one random stream a repeat, spawned from the seed and not from the schedule
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.types import Array, Bools, Codes, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One training set and the rows to test on.

    Attributes
    ----------
    train, test : arrays of row numbers, ascending
        A bootstrap sample names a row as often as it was drawn.
    repeat, fold : int
        The place in the plan, both from 0.
    validation : array of row numbers or None
        For choosing among models; only `ThreeWay` sets it.
    """

    train: Indices
    test: Indices
    repeat: int = 0
    fold: int = 0
    validation: Indices | None = None


class ResamplingPlan(ABC):
    """A way to split rows into training and test sets; plans are frozen values."""

    __slots__ = ()

    @abstractmethod
    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        """Iterate over the splits.

        Parameters
        ----------
        n_rows : int
        labels : array, optional
            The class of each row (codes, or labels of any type), for stratified plans. Without it a
            stratified plan deals out rows as they come.
        random_state : int, SeedSequence, Generator, RandomState or None
            The seed; None takes fresh entropy. Each repeat has a stream of its own, so that the r-th
            repeat is the same however many there are.
        """

    @abstractmethod
    def len_for(self, n_rows: int) -> int:
        """The number of splits for a table of n rows."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(getattr(self, n), getattr(other, n)) for n in _names(self))

    def __hash__(self) -> int:
        plain = (value for name in _names(self) if not isinstance(value := getattr(self, name), np.ndarray))
        return hash((type(self).__name__, *plain))


def _names(plan: ResamplingPlan) -> list[str]:
    return [field.name for field in fields(plan)]  # type: ignore[arg-type]


# -- random streams ---------------------------------------------------------------------------------


def streams(random_state: Any, who: str) -> Iterator[np.random.Generator]:
    """An endless row of generators: the r-th depends on the seed and r alone."""
    root = _root(random_state, who)
    r = 0
    while True:
        key = (*root.spawn_key, r)
        yield np.random.default_rng(np.random.SeedSequence(root.entropy, spawn_key=key))
        r += 1


def require_seed(random_state: Any, who: str) -> None:
    """Refuse what is no seed, in a sentence; generators are left as they are."""
    if not isinstance(random_state, (np.random.Generator, np.random.RandomState)):
        _root(random_state, who)


def _root(random_state: Any, who: str) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if random_state is None:
        return np.random.SeedSequence()
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return np.random.SeedSequence(int(random_state))
    raise ParameterError(
        f"{who}: random_state must be a whole number of at least 0, a generator or None; got {random_state!r}."
    )


# -- checks -----------------------------------------------------------------------------------------


def require_whole(who: str, name: str, value: Any, low: int) -> None:
    """Raise ParameterError unless `value` is a whole number of at least `low`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < low:
        raise ParameterError(f"{who}: {name} must be a whole number of at least {low}; got {value!r}.")


def require_share(who: str, name: str, value: Any) -> None:
    """Raise ParameterError unless `value` lies between 0 and 1, both excluded."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not 0 < value < 1:
        raise ParameterError(f"{who}: {name} must be a number between 0 and 1; got {value!r}.")


def require_flag(who: str, name: str, value: Any) -> None:
    """Raise ParameterError unless `value` is true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{who}: {name} must be true or false; got {value!r}.")


def require_rows(who: str, n_rows: Any, least: int, why: str) -> None:
    """Raise unless there are at least `least` rows; `why` ends the sentence."""
    require_whole(who, "n_rows", n_rows, 0)
    if n_rows < least:
        raise ParameterError(f"{who}: there must be at least {least} rows {why}; got {n_rows}.")


def as_groups(who: str, groups: Any) -> Array | None:
    """`groups` as an array that cannot be written to."""
    if groups is None:
        return None
    array = np.array(groups)
    if array.ndim != 1:
        raise ParameterError(f"{who}: groups must be one value a row; got an array of shape {array.shape}.")
    array.flags.writeable = False
    return array


def codes_of(who: str, name: str, values: Any, n_rows: int) -> Indices:
    """Codes from 0 of labels or groups of any type; missing ones are a value of their own."""
    array = np.asarray(values)
    if array.shape != (n_rows,):
        raise DataError(
            f"{who}: there are {n_rows} rows, but {name} has the shape {array.shape}; give one a row."
        )
    if array.dtype.kind == "O":
        seen: dict[Any, int] = {}
        # Two NaNs are not equal, but they are both missing.
        listed = (None if v != v else v for v in array.tolist())
        return np.fromiter((seen.setdefault(v, len(seen)) for v in listed), dtype=np.intp, count=n_rows)
    return np.unique(array, return_inverse=True)[1].astype(np.intp, copy=False)


# -- rows and groups assigned to parts ------------------------------------------------------------
#
# Rows and groups dealt out to parts, so that each part has its share of every class.
#
# in_turn        rows to k parts, like cards
# by_share       rows to two parts, a stated number to the second
# groups_dealt   whole groups to parts of stated shares


def shuffled_by_stratum(n_rows: int, strata: Indices | None, rng: np.random.Generator) -> Indices:
    """The rows in random order, those of one stratum together."""
    order = rng.permutation(n_rows)
    if strata is None:
        return order
    narrow = strata.astype(np.int16) if strata.max(initial=0) < 2**15 else strata  # sorted in linear time
    return order[np.argsort(narrow[order], kind="stable")]


def in_turn(n_rows: int, k: int, strata: Indices | None, rng: np.random.Generator) -> Codes:
    """The part of each row: sizes differ by at most one, and so do the counts of every stratum.

    The shuffled rows of one stratum after the other are dealt out without a pause between strata; which
    part is served first is drawn, so that no part always has the odd row.
    """
    codes = np.empty(n_rows, dtype=np.int32)
    turns = np.arange(n_rows) % k
    codes[shuffled_by_stratum(n_rows, strata, rng)] = rng.permutation(k)[turns]
    return codes


def by_share(n_rows: int, m: int, strata: Indices | None, rng: np.random.Generator) -> Bools:
    """Which `m` of the rows are chosen; of a stratum of s rows, s*m/n rounded up or down.

    Systematic sampling over the rows shuffled by stratum, from a random start: the p-th of them is chosen
    if (p*m + start)/n passes a whole number there.
    """
    start = int(rng.integers(n_rows))
    steps = (np.arange(n_rows + 1, dtype=np.int64) * m + start) // n_rows
    chosen = np.empty(n_rows, dtype=np.bool_)
    chosen[shuffled_by_stratum(n_rows, strata, rng)] = np.diff(steps) > 0
    return chosen


def groups_dealt(
    groups: Indices, shares: Sequence[float], strata: Indices | None, rng: np.random.Generator
) -> Codes:
    """The part of each row, no group being in two parts, and no part being empty.

    Groups are taken in random order; each goes where it least disturbs the shares, in rows and in every
    stratum: where the sum over parts and strata of (count / total)^2 / share grows least. With one
    stratum and equal shares, parts differ by no more rows than the largest group has.
    """
    n_groups = int(groups.max()) + 1
    strata = np.zeros(len(groups), dtype=np.intp) if strata is None else strata
    n_strata = int(strata.max()) + 1
    counts = np.bincount(groups * n_strata + strata, minlength=n_groups * n_strata)
    table = counts.reshape(n_groups, n_strata).astype(np.float64)
    # The size counts like one more stratum, so that rare classes do not decide it alone.
    table = np.column_stack([table, table.sum(axis=1)])
    table /= table.sum(axis=0)
    share = np.asarray(shares)
    held = np.zeros((len(share), n_strata + 1))
    empty = np.ones(len(share), dtype=np.bool_)
    part_of = np.empty(n_groups, dtype=np.int32)
    for groups_left, g in zip(range(n_groups, 0, -1), rng.permutation(n_groups), strict=True):
        growth = (2 * held @ table[g] + table[g] @ table[g]) / share
        if groups_left <= empty.sum():
            growth[~empty] = np.inf
        part = int(np.argmin(growth))
        part_of[g] = part
        held[part] += table[g]
        empty[part] = False
    return part_of[groups]
