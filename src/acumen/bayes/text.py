"""Bayes' rule on words: each class draws its documents' words at random, or decides word by word.

    plan        parts   -> TextBayesPlan             a vocabulary for each text attribute
    summarise   rows    -> TextBayesSummary          how often each word occurs in each class, and in how many documents
    solve       summary -> TextBayesModel            smoothed shares
    scores      rows    -> log P(class, words)

Two kinds of event (McCallum and Nigam 1998). In the multinomial one a document is a sequence of draws: a word's
share is (n + alpha) / (N + alpha V), n being its occurrences in the class, N those of all V words. In the Bernoulli
one each word is there or not: its share is (n + alpha) / (N + 2 alpha), n being the class's documents that hold it
and N all of them, and absent words are evidence too. Words come from text attributes, or the table is numeric and
its attributes are the words, their values the counts. Several text attributes have words of their own.

A missing text is left out; a missing count is none, and so is one below zero in a row to be predicted (in training
it is refused). Words not in the vocabulary say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np

from acumen.bayes.bags_of_words import (
    WordLogs,
    bag_words,
    bernoulli_bag,
    count_bags,
    multinomial_bag,
    require_counts,
    stored_bag,
)
from acumen.bayes.factors import words as word_factor
from acumen.bayes.factors.factor import Term, evidence_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, restored_summary, summary_arrays
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats, stored_log_shares
from acumen.preprocessing.words import Vocabulary
from acumen.summaries.algebra import Summary, SummaryGroup, add_up
from acumen.summaries.counts import LevelCounts
from acumen.summaries.words import TokenCounts
from acumen.types import MISSING, Array, Codes, Floats

Event = Literal["multinomial", "bernoulli"]

_SHOWN, _ALL_SHOWN = 8, 50  # words of each class described


@dataclass(frozen=True, slots=True)
class TextBayesPlan:
    """The words of each text attribute; none where the attributes themselves are the words."""

    vocabularies: tuple[Vocabulary, ...]

    def to_arrays(self) -> dict[str, Array]:
        count = np.array([len(self.vocabularies)], dtype=np.int64)
        return {"vocabularies": count, **word_factor.vocabulary_arrays(self.vocabularies)}


def plan(parts: Source) -> TextBayesPlan:
    """Collect the words of all rows in one pass."""
    return TextBayesPlan(
        tuple(Vocabulary.of(counts, min_count=0) for counts in word_factor.count_parts(parts))
    )


@dataclass(frozen=True, slots=True, eq=False)
class TextBayesSummary(Summary):
    """Class counts, and the words' counts of each bag."""

    schema: Schema
    plan: TextBayesPlan
    classes: LevelCounts
    words: tuple[TokenCounts, ...]

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> TextBayesSummary:
        """There are no levels to widen."""
        return replace(self, schema=schema)


def summarise(rows: Table, plan: TextBayesPlan) -> TextBayesSummary:
    """Count the words of some rows."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    require_counts(rows, "TextBayes")
    bags: list[list[TokenCounts]] = [[] for _ in bag_words(rows.schema, plan.vocabularies)]
    for bag, part, counts, missing in count_bags(rows, plan.vocabularies):
        known = labels[part] if missing is None else np.where(missing, np.int32(MISSING), labels[part])
        weight = weights[part] if weights.size else weights
        bags[bag].append(TokenCounts.of(counts, known, weight, k))
    classes = LevelCounts.of(np.zeros_like(labels), labels, weights, k, 1)
    return TextBayesSummary(rows.schema, plan, classes, tuple(add_up(parts) for parts in bags))


def summarise_parts(rows: Table, plan: TextBayesPlan, parts: Codes, n_parts: int) -> list[TextBayesSummary]:
    """The same for every part in one pass."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    require_counts(rows, "TextBayes")
    counted: list[list[SummaryGroup[TokenCounts]]] = [[] for _ in bag_words(rows.schema, plan.vocabularies)]
    for bag, some, counts, missing in count_bags(rows, plan.vocabularies):
        known = labels[some] if missing is None else np.where(missing, np.int32(MISSING), labels[some])
        weight = weights[some] if weights.size else weights
        counted[bag].append(
            SummaryGroup(tuple(TokenCounts.of_parts(counts, known, weight, k, parts[some], n_parts)))
        )
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    bags = zip(*(add_up(pieces).parts for pieces in counted), strict=True)
    return [
        TextBayesSummary(rows.schema, plan, counts, bag) for counts, bag in zip(classes, bags, strict=True)
    ]


def solve(summary: TextBayesSummary, *, event: Event, alpha: float) -> TextBayesModel:
    """Turn counts into log probabilities."""
    multinomial = event == "multinomial"
    return TextBayesModel(
        log_prior=log_prior(summary.class_totals),
        weight=summary.class_totals,
        vocabularies=summary.plan.vocabularies,
        bags=tuple(
            multinomial_bag(counts, alpha) if multinomial else bernoulli_bag(counts, alpha)
            for counts in summary.words
        ),
    )


@dataclass(frozen=True, slots=True)
class TextBayesModel(Model):
    """Class priors, vocabularies, and the words' probabilities."""

    kind: ClassVar[str] = "text-bayes"
    generative: ClassVar[bool] = True

    log_prior: Floats  # (classes,)
    weight: Floats  # training weight of each class
    vocabularies: tuple[Vocabulary, ...]  # none where attributes are the words
    bags: tuple[WordLogs, ...]

    def scores(self, rows: Table) -> Floats:
        """log P(class, words), one line per row."""
        total = np.tile(self.log_prior, (len(rows), 1))
        for bag, part, counts, missing in count_bags(rows, self.vocabularies):
            self.bags[bag].add_logs(counts, total[part], missing)
        return total

    @property
    def n_parameters(self) -> int:
        return sum(bag.n_parameters for bag in self.bags)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return evidence_of(self.log_prior, self.weight, self._terms(row, schema), winner, rival)

    def _terms(self, row: Table, schema: Schema) -> Iterator[Term]:
        named = bag_words(schema, self.vocabularies)
        for bag, _, counts, missing in count_bags(row, self.vocabularies):
            if missing is None:
                yield from self.bags[bag].terms(counts, *named[bag])

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        pairs = zip(schema.classes, np.exp(self.log_prior), strict=True)
        shares = ", ".join(f"{label}: {share:.4f}" for label, share in pairs)
        event = self.bags[0].event if self.bags else ""
        lines = [
            f"Text Bayes ({event}) for {target}, from {self.weight.sum():g} rows",
            f"P({target})  {shares}",
        ]
        for (name, words), bag in zip(bag_words(schema, self.vocabularies), self.bags, strict=True):
            lines.append(f"{name or 'counts'}: {len(words)} words; the strongest for each class:")
            logs = np.ascontiguousarray(bag.log_present.T)
            lines += word_factor.telling_lines(words, logs, schema.classes, _ALL_SHOWN if full else _SHOWN)
        return "\n".join(lines)

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"log_prior": self.log_prior, "weight": self.weight}
        arrays |= word_factor.vocabulary_arrays(self.vocabularies)
        for j, bag in enumerate(self.bags):
            arrays |= {f"{bag.event}/{j}/{name}": array for name, array in bag.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k = schema.n_classes
        vocabularies = word_factor.restore_vocabularies(arrays, schema.text)
        return cls(
            log_prior=stored_log_shares(arrays, "log_prior", (k,)),
            weight=stored_floats(arrays, "weight", (k,), low=0.0, high=1e300),
            vocabularies=vocabularies,
            bags=tuple(
                stored_bag(arrays, j, len(words), k)
                for j, (_, words) in enumerate(bag_words(schema, vocabularies))
            ),
        )


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> TextBayesPlan:
    """Restore vocabularies, one per text attribute."""
    count = stored_array(arrays, "vocabularies", np.int64, (1,))
    require(count[0] == len(schema.text), "there must be a vocabulary for each text attribute")
    return TextBayesPlan(word_factor.restore_vocabularies(arrays, schema.text))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: TextBayesPlan) -> TextBayesSummary:
    """Restore a summary, validating shapes and counts."""
    summary = restored_summary(summarise(empty_table(schema), plan), arrays)
    for name, array in summary_arrays(summary).items():
        require((array >= 0).all(), f"the summary's {name!r} holds a negative weight")
    return summary
