"""What OneR leaves behind: one attribute's cells, with the class counts of each.

Numeric attributes cut into buckets, each with one class, as 1R cuts them.

R. C. Holte, Very simple classification rules perform well on most commonly used datasets, Machine Learning
11, 1993, section 2.2. Going through the distinct values in ascending order, a bucket is closed after the
first value at which

    the weight of its most frequent class is at least `min_bucket`, and
    that class is not among the most frequent ones of the next value;

the last bucket takes what is left. Neighbouring buckets of one class are then joined. Where two classes are
equally frequent in a bucket the class of the bucket before it wins, so that fewer buckets are left; else
the class that comes first. The values' own order is all that counts, never the order of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from acumen import _native
from acumen.bayes.majority import prior_evidence, stored_totals
from acumen.codegen.export import FirstMatch
from acumen.conditions.condition import Condition, numbers_of
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.discretise.intervals import part
from acumen.preprocessing.stored_arrays import (
    require,
    stored_array,
    stored_codes,
    stored_floats,
    stored_log_shares,
)
from acumen.preprocessing.words import Vocabulary
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.types import MISSING, Array, Codes, Floats

_BUCKET_ROUNDING = 1e-9


def buckets(column: ValueCounts, min_bucket: float) -> tuple[Floats, Floats]:
    """The neighbouring values between which buckets meet, (buckets - 1, 2), and the class weights in each
    bucket, (buckets, classes).
    """
    weights = column.weights[:, :-1]
    seen = weights.sum(axis=1) > 0
    values, weights = column.values[seen], np.ascontiguousarray(weights[seen])
    if not len(values):
        return np.empty((0, 2)), np.empty((0, weights.shape[1]))
    # Six rows that weigh one by a division come to a little less than six.
    starts, counts = _merge_buckets(
        weights, _native.bucket_starts(weights, min_bucket * (1.0 - _BUCKET_ROUNDING))
    )
    at = starts[1:].astype(np.intp)
    return np.stack([values[at - 1], values[at]], axis=1), counts


def edges_between(gaps: Floats) -> Floats:
    """The middle of each gap, so that each bucket is `(a, b]`; slow, hence only for buckets that are kept."""
    return np.array([part(low, high, "right") for low, high in gaps.tolist()], dtype=np.float64)


def _merge_buckets(weights: Floats, starts: Array) -> tuple[Array, Floats]:
    """Neighbouring buckets of one class as one."""
    counts = np.add.reduceat(weights, starts, axis=0)
    most = counts.max(axis=1)
    majority = counts.argmax(axis=1)
    # What a bucket says depends on the one before it only where classes are equally frequent, which is rare.
    for at in np.flatnonzero((counts == most[:, None]).sum(axis=1) > 1).tolist():
        if at and counts[at, majority[at - 1]] == most[at]:
            majority[at] = majority[at - 1]
    first = np.flatnonzero(np.concatenate([[True], majority[1:] != majority[:-1]]))
    return starts[first], np.add.reduceat(counts, first, axis=0)


_RUNNERS_UP = 5
_HAS, _HAS_NOT, _NO_TEXT = range(3)

#: Of the total weight: a difference of sums this small is none.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class AttributeCells:
    """One attribute as cells: `counts` is (cells, classes), the last cell for missing values."""

    attribute: str
    counts: Floats
    gaps: Floats = field(default_factory=lambda: np.empty((0, 2)))  # the values between which buckets meet
    word: str = ""  # that splits texts

    def errors(self, totals: Floats) -> float:
        """The weight of the rows that are not of their cell's most frequent class; exactly 0 where there are none."""
        within = float((self.counts.sum(axis=1) - self.counts.max(axis=1)).sum())
        outside = float(totals.sum() - self.counts.sum())  # infinite numbers are in no cell
        return within + (outside if outside > _ROUNDING * float(totals.sum()) else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class OneRModel(FirstMatch, Model):
    """P(class | cell) of one attribute; where a cell had no rows, the class frequencies."""

    kind: ClassVar[str] = "one-r"

    attribute: int  # its place in the schema; -1 where the schema has no attributes
    counts: Floats  # (cells, classes): training weight, the last cell for missing values
    log_share: Floats  # (cells, classes)
    edges: Floats
    word: str
    weight: Floats  # training weight of each class
    errors: Floats  # training weight each attribute of the schema would get wrong

    @classmethod
    def of(
        cls, attribute: int, cells: AttributeCells, totals: Floats, errors: Floats, alpha: float
    ) -> OneRModel:
        """Smooth the shares by `alpha` over the classes that have rows at all (Laplace: 1)."""
        smoothed = cells.counts + float(alpha) * (totals > 0)
        rows = cells.counts.sum(axis=1, keepdims=True) > 0
        smoothed = np.where(rows, smoothed, totals)
        with np.errstate(divide="ignore"):
            shares = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        return cls(attribute, cells.counts, shares, edges_between(cells.gaps), cells.word, totals, errors)

    def scores(self, rows: Table) -> Floats:
        """log P(class | the row's cell); a level never seen gets the class frequencies."""
        table = np.concatenate([self.log_share, log_prior(self.weight)[None]])
        return table[self.cells(rows)]

    def cells(self, rows: Table) -> Codes:
        """The cell of each row; the number of cells for a level that the schema does not know."""
        if self.attribute < 0:
            return np.zeros(len(rows), dtype=np.int32)
        attribute = rows.schema.attributes[self.attribute]
        last = len(self.counts) - 1
        if attribute.is_nominal:
            codes = rows.nominal.columns[rows.schema.nominal.index(attribute)]
            return np.where(codes >= 0, codes, np.where(codes == MISSING, last, last + 1)).astype(np.int32)
        missing = Condition(attribute.name, "missing").holds(rows)
        if attribute.is_numeric:
            places = np.searchsorted(self.edges, numbers_of(rows, attribute), side="left")
            return np.where(missing, last, places).astype(np.int32)
        cells = np.full(len(rows), _HAS_NOT, dtype=np.int32)
        if self.word:
            counts = Vocabulary((self.word,), attribute.name).transform(rows)
            cells[counts.getnnz(axis=1) > 0] = _HAS
        cells[missing] = _NO_TEXT
        return cells

    @property
    def n_parameters(self) -> int:
        """Shares in every cell that has rows, and the edges between buckets."""
        occupied = int(np.count_nonzero(self.counts.sum(axis=1)))
        return occupied * (self.counts.shape[1] - 1) + len(self.edges)

    # -- for people -------------------------------------------------------------------------------

    def condition(self, attribute: Attribute, cell: int) -> Condition:
        """What puts a row into a cell. That a text lacks the word is left to the order of the rules."""
        name, last = attribute.name, len(self.counts) - 1
        if cell == last:
            return Condition(name, "missing")
        if attribute.is_nominal:
            return Condition(name, "=", attribute.levels[cell])
        if attribute.kind == "text":
            return Condition(name, "has", self.word) if cell == _HAS else Condition(name, "known")
        if not len(self.edges):
            return Condition(name, "known")
        if cell == 0:
            return Condition(name, "<=", self.edges[0], attribute.form)
        if cell == len(self.edges):
            return Condition(name, ">", self.edges[-1], attribute.form)
        return Condition(name, "between", (self.edges[cell - 1], self.edges[cell]), attribute.form)

    def to_rules(self, schema: Schema) -> RuleList:
        """One rule for each cell that had training rows; the default is the most frequent class."""
        classes = schema.classes
        default = classes[int(self.weight.argmax())]
        rules = []
        for cell, counts in enumerate(self.counts):
            if self.attribute >= 0 and counts.sum() > 0:
                condition = self.condition(schema.attributes[self.attribute], cell)
                by_class = dict(zip(classes, counts.tolist(), strict=True))
                rules.append(
                    Rule((condition,), classes[int(counts.argmax())], by_class, float(self.weight.sum()))
                )
        return RuleList(tuple(rules), default, classes)

    def branches(self, schema: Schema) -> tuple[list[tuple[Condition, ...]], Floats]:
        """The cells that had training rows; all others have the class frequencies."""
        if self.attribute < 0:
            return [], self.log_share[:1]
        cells = np.flatnonzero(self.counts.sum(axis=1) > 0).tolist()
        attribute = schema.attributes[self.attribute]
        scores = np.concatenate([self.log_share[cells], log_prior(self.weight)[None]])
        return [(self.condition(attribute, cell),) for cell in cells], scores

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        prior = prior_evidence(self.weight, winner, rival)
        if self.attribute < 0:
            return (prior,)
        attribute, cell = schema.attributes[self.attribute], int(self.cells(row)[0])
        if cell == len(self.counts) or not self.counts[cell].sum():
            unseen = f"{attribute.name} has a value never seen in training"
            return (prior, Evidence(attribute.name, unseen, 0.0, 0.0))
        covered = float(self.counts[cell].sum())
        with np.errstate(invalid="ignore"):
            total = float(self.log_share[cell, winner] - self.log_share[cell, rival])
            beyond = float(np.nan_to_num(total - prior.log_odds, nan=0.0, posinf=np.inf, neginf=-np.inf))
        words: Condition | str = self.condition(attribute, cell)
        if attribute.kind == "text" and cell == _HAS_NOT and self.word:
            words = f"{attribute.name} has no {self.word!r}"
        confidence = float(self.counts[cell, winner]) / covered
        return (prior, Evidence(attribute.name, words, beyond, covered, confidence))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target, total = (schema.target.name if schema.target else "class"), float(self.weight.sum())
        rules = str(self.to_rules(schema))
        if self.attribute < 0:
            return f"One rule for {target}, from {total:g} rows without attributes\n{rules}"
        name, wrong = schema.names[self.attribute], float(self.errors[self.attribute])
        lines = [
            f"One rule for {target}, on {name}, from {total:g} rows",
            f"wrong on {wrong:g} of {total:g} training rows ({100 * wrong / total:.1f} %)",
        ]
        others = [j for j in np.argsort(self.errors, kind="stable").tolist() if j != self.attribute]
        shown = others if full else others[:_RUNNERS_UP]
        if shown:
            errors_text = ", ".join(f"{schema.names[j]} {self.errors[j]:g}" for j in shown)
            more = "" if len(shown) == len(others) else f" and {len(others) - len(shown)} more"
            lines.append(f"next best: {errors_text}{more}")
        return "\n".join([*lines, rules])

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "attribute": np.array([self.attribute], dtype=np.int32),
            "counts": self.counts,
            "log_share": self.log_share,
            "edges": self.edges,
            "word": np.array([*self.word.encode()], dtype=np.uint8),
            "weight": self.weight,
            "errors": self.errors,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        at = int(stored_codes(arrays, "attribute", (1,), low=-1, below=len(schema))[0])
        require(at >= 0 or not len(schema), "no attribute is chosen")
        attribute = schema.attributes[at] if at >= 0 else None
        edges = stored_floats(arrays, "edges", (None,))
        require((np.diff(edges) > 0).all(), "the edges do not ascend")
        try:
            word = stored_array(arrays, "word", np.uint8, (None,)).tobytes().decode()
        except UnicodeDecodeError:
            require(False, "the word is not UTF-8")
        require(not len(edges) or (attribute and attribute.is_numeric), "only numbers have edges")
        require(not word or (attribute and attribute.kind == "text"), "only texts have a word")
        cells = 1
        if attribute is not None:
            extra = len(attribute.levels) if attribute.is_nominal else len(edges) + 1
            cells += 2 if attribute.kind == "text" else extra
        shape = (cells, schema.n_classes)
        return cls(
            attribute=at,
            counts=stored_floats(arrays, "counts", shape, low=0.0, high=1e300),
            log_share=stored_log_shares(arrays, "log_share", shape),
            edges=edges,
            word=word,
            weight=stored_totals(arrays, schema),
            errors=stored_floats(arrays, "errors", (len(schema),), low=0.0),
        )
