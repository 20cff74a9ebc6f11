"""Class association rules: mined once, and counted for every fold at the same time.

    ItemRows        a table's attributes as item numbers, numbers cut by MDL
    CarSets     every set of conditions frequent with some class, and its counts
    ClassRules  the rules of them, in canonical order: a sequence of `Rule`

The canonical order is Liu's: confidence, then support, then what was generated first, which is shorter
bodies, then attributes in the table's order, then levels in theirs. It does not depend on how sets were
searched for, so threads and folds cannot change it. Of one set of conditions there is one rule, for its most
frequent class among those it is frequent with (of equal ones the first).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

import numpy as np

from acumen import _native
from acumen.associations.baskets import Longs, conditions_of
from acumen.associations.miner import least_count
from acumen.associations.mining import TooManySets
from acumen.caching import cached_property
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.engines.memory import limit as memory_limit
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.discretise.discretisers import Binning, EntropyMDL
from acumen.render.text import many
from acumen.rulelist.arrays import ArrayRules
from acumen.rulelist.rule_list import RuleList
from acumen.types import Bools, Codes, Floats, Label

#: Weights that are not whole are taken in so many parts of a row: sums of whole numbers do not depend on their order.
_PARTS = 2.0**20
#: C4.5's confidence in an error rate.
CF = 0.25
LIMIT = 20_000_000
#: Sets are numbered in 32 bits.
MOST = 2**31 - 2


@dataclass(frozen=True, eq=False)
class ItemRows:
    """ItemRows as item numbers."""

    lines: Codes  # (rows, attributes that are tested): the item of each, -1 where there is none
    attribute: Codes  # of each item, among those tested
    level: Codes  # of each item, within its attribute
    conditions: tuple[Condition, ...]
    labels: Codes
    weights: Longs  # whole numbers; empty where every row weighs one
    unit: float  # how many of them weigh one row
    classes: tuple[Label, ...]
    totals: Longs  # the weight of each class, in whole parts
    n_cuts: int = 0  # places where numbers could have been cut, which MDL chose among

    @classmethod
    def of(cls, table: Table, binning: Binning | None = None) -> Self:
        """A table's labelled rows; its numbers are cut by MDL unless intervals are given."""
        cut = binning if binning is not None else fit_cuts(table)
        lines, attribute, level, conditions = item_lines(table, cut)
        weights, unit = whole_weights(table.weights)
        k = table.schema.n_classes
        distinct = [len(np.unique(values[np.isfinite(values)])) for _, values in table.numeric_columns()]
        n_cuts = 0 if binning is not None else sum(max(count - 1, 0) for count in distinct)
        item_rows = cls(
            lines,
            attribute,
            level,
            conditions,
            table.class_codes,
            weights,
            unit,
            table.schema.classes,
            np.zeros(k, np.int64),
            n_cuts,
        )
        return replace(item_rows, totals=item_rows.totals_of(slice(None)))

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def totals_of(self, some: Bools | slice) -> Longs:
        """The weight of each class among some rows, in whole parts."""
        labels = self.labels[some]
        weights = self.weights[some] if self.weights.size else np.ones(len(labels), dtype=np.int64)
        totals = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(totals, labels, weights)
        return totals

    def bare(self) -> Self:
        """What rules need to tell of themselves, without the rows."""
        nobody = np.empty(0, dtype=np.int32)  # of its own: a part of an array keeps all of it
        none = np.empty((0, self.lines.shape[1]), dtype=np.int32)
        return replace(self, lines=none, labels=nobody, weights=np.empty(0, dtype=np.int64))


def fit_cuts(table: Table) -> Binning:
    """MDL cuts of a table's numbers; none of a table without."""
    if not table.schema.numeric:
        return Binning(())
    return EntropyMDL().fit(table)


def item_lines(table: Table, cut: Binning) -> tuple[Codes, Codes, Codes, tuple[Condition, ...]]:
    """The items of rows; an attribute that is cut into one interval says nothing and has none."""
    by_name = {one.attribute: one for one in cut.intervals if len(one) > 1}

    codes: dict[str, Codes] = {a.name: column for a, column in table.nominal_columns()}
    codes |= {a.name: by_name[a.name].transform(v) for a, v in table.numeric_columns() if a.name in by_name}
    attributes = [a for a in table.schema if a.name in codes and (a.is_nominal or a.name in by_name)]
    lines = np.full((len(table), len(attributes)), -1, dtype=np.int32)
    of: list[int] = []
    level: list[int] = []
    conditions: list[Condition] = []
    for j, attribute in enumerate(attributes):
        column = codes[attribute.name]
        known = column >= 0
        lines[known, j] = column[known] + len(of)
        tests = conditions_of(attribute, by_name.get(attribute.name))
        conditions += tests
        of += [j] * len(tests)
        level += list(range(len(tests)))
    return lines, np.array(of, dtype=np.int32), np.array(level, dtype=np.int32), tuple(conditions)


def whole_weights(weights: Floats) -> tuple[Longs, float]:
    """Row weights as whole numbers, and how many of them are one row."""
    if not weights.size:
        return np.empty(0, dtype=np.int64), 1.0
    if (np.rint(weights) == weights).all():
        whole = weights.astype(np.int64)
        return (np.empty(0, dtype=np.int64) if (whole == 1).all() else whole), 1.0
    return np.rint(weights * _PARTS).astype(np.int64), _PARTS


@dataclass(frozen=True)
class Thresholds:
    """What a rule must have: supports by class, and confidence."""

    min_support: float
    min_confidence: float
    class_supports: Mapping[Label, float] | None = None

    def least(self, totals: Longs, classes: Sequence[Label], who: str) -> Longs:
        """The least weight of a rule for each class, in whole parts; more than there is switches a class off."""
        whole = int(totals.sum())
        counts = np.full(len(classes), least_count(self.min_support, whole), dtype=np.int64)
        for label, support in (self.class_supports or {}).items():
            if label not in classes:
                raise ParameterError(
                    f"{who}: class_supports names {label!r}, which is no class; there are {list(classes)!r}."
                    + did_you_mean(str(label), map(str, classes))
                )
            number = isinstance(support, (int, float)) and not isinstance(support, bool)
            if not number or not support > 0:
                raise ParameterError(
                    f"{who}: the support of {label!r} must be a number above 0; got {support!r}."
                )
            counts[list(classes).index(label)] = (
                whole + 1 if support > 1 else least_count(float(support), whole)
            )
        return counts


@dataclass(frozen=True, eq=False)
class CarSets:
    """Sets of conditions, with what each has of every class, in each fold."""

    rows: ItemRows  # without the rows themselves
    starts: Longs
    items: Codes
    counts: Longs  # (sets, folds or one, classes)
    free: bool = False

    @classmethod
    def mine(
        cls,
        rows: ItemRows,
        least: Longs,  # (folds or one, classes)
        *,
        max_conditions: int | None,
        folds: Codes | None = None,
        n_folds: int = 0,
        limit: int | None = LIMIT,
        free: bool = False,
        who: str = "CBA",
    ) -> Self:
        """In one pass; with folds, all sets that are frequent without some fold; with `free`, see `rules`."""
        k = rows.n_classes
        wanted = min(limit or MOST, MOST)
        most = min(wanted, _room(rows, k * max(n_folds, 1), max_conditions))
        segment = rows.labels if folds is None else (folds * np.int32(k) + rows.labels).astype(np.int32)
        starts, items, counts, overflow = _native.mine_cars(
            rows.lines, rows.attribute, np.ascontiguousarray(segment), rows.weights, k, n_folds,
            np.ascontiguousarray(least.ravel()), int(max_conditions or 0), most,
            free, cores(),
        )  # fmt: skip
        if overflow:
            more = f"{who}: more than {most:,} sets of conditions are frequent"
            which = f"{more}, for which there is no memory" if most < wanted else more
            raise TooManySets(f"{which}; raise min_support, or give max_conditions.", float(most))
        return cls(rows.bare(), starts, items, counts.reshape(len(starts) - 1, max(n_folds, 1), k), free)

    @cached_property
    def shorter(self) -> Codes:
        """For each set the places of the sets with one condition less; -1 beyond their number, -2 where one
        is not here.
        """
        sizes = np.diff(self.starts)
        most = int(sizes.max(initial=1))
        shorter = _native.shorter_sets(self.starts, self.items, len(self.rows.attribute), most)
        return np.asarray(shorter).reshape(len(sizes), most)

    def rules(self, least: Longs, confidence: float, prune: bool) -> list[ClassRules]:
        """The rules in canonical order: without each fold in turn, or of all rows where `least` is one line.

        Of free sets alone: a rule is none that covers the same rows as one with a condition less. It says the
        same, comes later, and never gets a row right that is left; without this every row of a small table
        brings up all its parts.
        """
        k = self.rows.n_classes
        judged = _native.judge_cars(
            self.starts, self.items, self.rows.attribute, self.counts.ravel(),
            self.shorter.ravel(), np.ascontiguousarray(least.ravel()), confidence, self.rows.unit, CF, prune,
            self.free, k, cores(),
        )  # fmt: skip
        n_tested = len(self.counts) + self.rows.n_cuts
        return [
            ClassRules(self.rows, starts, items, heads, counts.reshape(-1, k), n_tested)
            for starts, items, heads, counts in judged
        ]


def _room(rows: ItemRows, segments: int, max_conditions: int | None) -> int:
    """How many sets there is memory for: each has its items, where they begin, its subsets, and a count for each
    segment; what threads find is put together, so all of it is there twice for a moment.
    """
    length = min(rows.lines.shape[1], max_conditions or rows.lines.shape[1])
    return max(memory_limit() // (2 * (8 * segments + 8 + 8 * length)), 1)


@dataclass(frozen=True, eq=False)
class ClassRules(Sequence[Rule]):
    """Rules for classes in canonical order, each with the counts of all rows it covers."""

    rows: ItemRows
    starts: Longs
    items: Codes
    heads: Codes
    counts: Longs  # (rules, classes), in parts of a row
    n_tested: int = 0  # frequent sets of conditions that the search looked at, and cuts of numbers

    def __len__(self) -> int:
        return len(self.heads)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Rule | Self:
        if isinstance(at, slice):
            return self.take(np.arange(len(self))[at])
        if not -len(self) <= at < len(self):
            raise IndexError(f"there are {many(len(self), 'rule')}, and none at {at}")
        return self.rule(at % len(self))

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules(range(len(self)), self.counts))

    def take(self, some: Any) -> Self:
        """Some of the rules, in the order of their places."""
        places = np.asarray(some, dtype=np.intp)
        lists = _take(self.starts, self.items, places)
        return type(self)(self.rows, *lists, self.heads[places], self.counts[places], self.n_tested)

    def of_totals(self, totals: Longs) -> Self:
        """The same as rules of rows that weigh so much together."""
        return replace(self, rows=replace(self.rows, totals=totals))

    def body(self, at: int) -> tuple[Condition, ...]:
        """A rule's conditions."""
        return tuple(
            self.rows.conditions[i] for i in self.items[self.starts[at] : self.starts[at + 1]].tolist()
        )

    def rule(self, at: int) -> Rule:
        """A rule with all rows it covers behind it."""
        return self.rules([at], self.counts[at : at + 1])[0]

    def rules(self, places: Any, counts: Longs) -> ArrayRules:
        """Some of the rules, with a line of counts by class behind each."""
        about, some = self.rows, np.asarray(places, dtype=np.intp)
        return ArrayRules(
            about.conditions,
            *_take(self.starts, self.items, some),
            self.heads[some],
            counts / about.unit,
            about.classes,
            float(about.totals.sum() / about.unit),
            tuple((about.totals / about.unit).tolist()),
        )

    @property
    def right(self) -> Longs:
        return np.asarray(self.counts[np.arange(len(self)), self.heads])

    @property
    def cover_counts(self) -> Longs:
        return np.asarray(self.counts.sum(axis=1))

    def to_rules(self) -> RuleList:
        """All of them as an ordered list with the most frequent class as its default: it predicts, and goes to
        JSON and back (`to_dict`, `RuleList.from_dict`).
        """
        classes, whole = self.rows.classes, (self.rows.totals / self.rows.unit).tolist()
        return RuleList(
            self.rules(np.arange(len(self)), self.counts), classes[int(self.rows.totals.argmax())], classes, True,
            dict(zip(classes, whole, strict=True)),
        )  # fmt: skip

    def __str__(self) -> str:
        shown = [f"{at + 1}. {self.rule(at)}" for at in range(min(len(self), 40))]
        n_more = len(self) - len(shown)
        return "\n".join([*shown, *([f"... and {n_more} more"] if n_more else [])])


def _take(starts: Longs, items: Codes, some: Any) -> tuple[Longs, Codes]:
    sizes = np.diff(starts)[some]
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
    return ends, np.ascontiguousarray(items[np.repeat(starts[:-1][some], sizes) + within])


def objection(schema: Schema) -> str | None:
    """Why no conditions can be made of a table."""
    if schema.text:
        return f"{schema.text[0].name!r} is text, of which no conditions are made; leave it out."
    return None
