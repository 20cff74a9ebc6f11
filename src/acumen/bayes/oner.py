"""OneR: one attribute, one rule for each of its values.

    plan        parts   -> OneRPlan       vocabularies, where there are text attributes
    summarise   rows    -> OneRSummary    class counts of every level, distinct number and word
    solve       summary -> OneRModel      the attribute whose rules err least (Holte 1993)

Every attribute is turned into a few cells: a nominal one's levels, a numeric one's buckets (`buckets.py`), for
a text whether it has its best word; a missing value is a cell of its own. Each cell says its most frequent
class. The attribute whose cells are wrong on the least training weight is the model; of equally good ones
the first. Infinite numbers are not counted when buckets are cut, which counts them as errors; in prediction they
belong to the outer buckets.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.bayes.factors import words
from acumen.bayes.majority import count_classes
from acumen.bayes.oner_model import AttributeCells, OneRModel, buckets
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.models.summary_arrays import empty_table, restored_summary, summary_arrays
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.stored_arrays import require
from acumen.preprocessing.words import Vocabulary
from acumen.summaries.algebra import Summary, plan_difference
from acumen.summaries.counts import LevelCounts
from acumen.summaries.words import TokenCounts
from acumen.types import Array, Bools, Floats

_TIE = 1e-12  # of the total weight: errors this near are equal


@dataclass(frozen=True, slots=True)
class OneRPlan:
    """The words that are counted in each text attribute."""

    vocabularies: tuple[Vocabulary, ...]

    def to_arrays(self) -> dict[str, Array]:
        return words.vocabulary_arrays(self.vocabularies)


def needs_plan(schema: Schema) -> bool:
    """Whether rows must be seen before they can be summarised."""
    return bool(schema.text)


def plan(parts: Source) -> OneRPlan:
    """Compute the vocabularies over all rows, if there is text."""
    return OneRPlan(tuple(Vocabulary.of(counts, min_count=0) for counts in words.count_parts(parts)))


@dataclass(frozen=True, slots=True, eq=False)
class OneRSummary(Summary):
    """Class counts, attribute by attribute."""

    schema: Schema
    plan: OneRPlan
    classes: LevelCounts  # one level
    nominal: tuple[LevelCounts, ...]
    numeric: tuple[ValueCounts, ...]
    words: tuple[TokenCounts, ...]
    missing: tuple[LevelCounts, ...]  # one level, "missing", for each numeric and then each text attribute

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def _difference(self, other: OneRSummary) -> str | None:
        return self.schema.difference(other.schema) or plan_difference(self.plan, other.plan)

    def _merge(self, other: OneRSummary) -> OneRSummary:
        return OneRSummary(
            self.schema,
            self.plan,
            self.classes + other.classes,
            *(
                tuple(map(operator.add, getattr(self, name), getattr(other, name)))
                for name in ("nominal", "numeric", "words", "missing")
            ),
        )

    def widen(self, schema: Schema) -> OneRSummary:
        """The same counts under a schema with more levels."""
        wider = tuple(
            counts.widen(len(attribute.levels))
            for attribute, counts in zip(schema.nominal, self.nominal, strict=True)
        )
        return replace(self, schema=schema, nominal=wider)


def summarise(rows: Table, plan: OneRPlan) -> OneRSummary:
    """Count some rows."""
    labels, weights, classes = rows.class_codes, rows.weights, rows.schema.classes
    k = len(classes)
    numeric, missing = [], []
    for attribute, values in rows.numeric_columns():
        numeric.append(ValueCounts.of(attribute.name, values, labels, weights, classes))
        missing.append(_count_missing(np.isnan(values), rows))
    for _, texts in rows.text_columns():
        missing.append(_count_missing(np.array([text is None for text in texts], dtype=np.bool_), rows))
    return OneRSummary(
        schema=rows.schema,
        plan=plan,
        classes=count_classes(rows),
        nominal=tuple(
            LevelCounts.of(codes, labels, weights, k, len(attribute.levels))
            for attribute, codes in rows.nominal_columns()
        ),
        numeric=tuple(numeric),
        words=words.summarise(rows, plan.vocabularies),
        missing=tuple(missing),
    )


def _count_missing(missing: Bools, rows: Table) -> LevelCounts:
    return LevelCounts.of(
        missing.astype(np.int32) - 1, rows.class_codes, rows.weights, rows.schema.n_classes, 1
    )


def solve(summary: OneRSummary, *, min_bucket: float, alpha: float) -> OneRModel:
    """Choose the attribute and compute the probabilities of its cells."""
    totals = summary.class_totals
    every = cells_of(summary, min_bucket)
    wrong = np.array([cells.errors(totals) for cells in every])
    chosen = 0
    if len(wrong):
        chosen = int(np.flatnonzero(wrong <= wrong.min() + _TIE * totals.sum())[0])
    names = summary.schema.names
    cells = every[chosen] if every else AttributeCells("", np.zeros((1, len(totals))))
    return OneRModel.of(names.index(cells.attribute) if every else -1, cells, totals, wrong, alpha)


def cells_of(summary: OneRSummary, min_bucket: float) -> list[AttributeCells]:
    """The cells of every attribute, in the schema's order."""
    nominal, numeric = iter(summary.nominal), iter(summary.numeric)
    texts = iter(zip(summary.words, summary.plan.vocabularies, strict=True))
    n = len(summary.numeric)
    missing_number, missing_text = iter(summary.missing[:n]), iter(summary.missing[n:])
    cells_by_attribute = []
    for attribute in summary.schema.attributes:
        if attribute.is_nominal:
            cells_by_attribute.append(
                AttributeCells(attribute.name, np.ascontiguousarray(next(nominal).table[:-1].T))
            )
        elif attribute.is_numeric:
            gaps, counts = buckets(next(numeric), min_bucket)
            last = next(missing_number).known_counts.T
            first = counts if len(counts) else np.zeros_like(last)
            cells_by_attribute.append(AttributeCells(attribute.name, np.concatenate([first, last]), gaps))
        else:
            counts_of_words, vocabulary = next(texts)
            cells_by_attribute.append(
                _best_word(attribute.name, counts_of_words, vocabulary, next(missing_text).known_counts[:, 0])
            )
    return cells_by_attribute


def _best_word(name: str, counts: TokenCounts, vocabulary: Vocabulary, missing: Floats) -> AttributeCells:
    """The cells of the word that errs least: the text has it, has it not, is missing."""
    known = np.maximum(counts.documents - missing, 0.0)
    if not len(vocabulary):
        return AttributeCells(name, np.stack([np.zeros_like(known), known, missing]))
    has = counts.presence
    without = np.maximum(known[:, None] - has, 0.0)
    right = has.max(axis=0) + without.max(axis=0)
    best = int(np.flatnonzero(right >= right.max() - _TIE * counts.documents.sum())[0])
    return AttributeCells(
        name, np.stack([has[:, best], without[:, best], missing]), word=vocabulary.words[best]
    )


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> OneRPlan:
    """Restore a plan, validating every part."""
    return OneRPlan(words.restore_vocabularies(arrays, schema.text))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: OneRPlan) -> OneRSummary:
    """Restore a summary, validating shapes and weights."""
    summary: Any = restored_summary(summarise(empty_table(schema), plan), arrays)
    for name, array in summary_arrays(summary).items():
        if name.endswith("values"):
            require((np.diff(array) > 0).all(), f"the summary's {name!r} do not ascend")
        else:
            require((array >= 0).all(), f"the summary's {name!r} holds a negative weight")
    return summary
