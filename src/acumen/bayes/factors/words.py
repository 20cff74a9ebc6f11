"""Text attributes as bags of words: a multinomial over the vocabulary for each class (W002-16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.bayes.factors.factor import Factor, Term
from acumen.bayes.smoothing import log_shares
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run_over
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.preprocessing.words import Vocabulary, WordCounts
from acumen.summaries.algebra import Each
from acumen.summaries.words import TokenCounts
from acumen.types import Array, Floats, Label

_SHOWN = 8


def count(rows: Table) -> tuple[WordCounts, ...]:
    """The words of each text attribute; counts of parts add, and a vocabulary is made of their sum."""
    return tuple(
        WordCounts.of(texts.tolist(), rows.weights, attribute=attribute.name)
        for attribute, texts in rows.text_columns()
    )


def count_parts(parts: Source) -> tuple[WordCounts, ...]:
    """The words of each text attribute over all parts; none where there is no part."""
    word_counts = run_over(_each, parts)
    return () if word_counts is None else word_counts.things


def _each(rows: Table) -> Each[WordCounts]:
    return Each(count(rows))


def vocabulary_arrays(vocabularies: Sequence[Vocabulary]) -> dict[str, Array]:
    """Vocabularies as the named arrays of a plan."""
    return {
        f"vocabulary/{j}/{name}": array
        for j, vocabulary in enumerate(vocabularies)
        for name, array in vocabulary.to_arrays().items()
    }


def restore_vocabularies(
    arrays: Mapping[str, Array], attributes: Sequence[Attribute]
) -> tuple[Vocabulary, ...]:
    """What `vocabulary_arrays` gave, one vocabulary for each of these text attributes."""
    vocabularies = []
    for j, attribute in enumerate(attributes):
        head = f"vocabulary/{j}/"
        vocabulary = Vocabulary.from_arrays(
            {name.removeprefix(head): array for name, array in arrays.items() if name.startswith(head)}
        )
        require(vocabulary.attribute == attribute.name, "a vocabulary belongs to another attribute")
        vocabularies.append(vocabulary)
    return tuple(vocabularies)


def summarise(rows: Table, vocabularies: Sequence[Vocabulary]) -> tuple[TokenCounts, ...]:
    """How often each word occurs in each class."""
    k = rows.schema.n_classes
    return tuple(
        TokenCounts.of(vocabulary.transform(rows), rows.class_codes, rows.weights, k)
        for vocabulary in vocabularies
    )


def solve(counts: Sequence[TokenCounts], vocabularies: Sequence[Vocabulary], alpha: float) -> WordsFactor:
    """Lidstone's estimate of each word's probability in each class."""
    logs = tuple(np.ascontiguousarray(log_shares(c.sums, alpha, "bayes")) for c in counts)
    return WordsFactor(tuple(vocabularies), logs, tuple(c.sums.sum(axis=1) for c in counts), float(alpha))


@dataclass(frozen=True, slots=True)
class WordsFactor(Factor):
    """log P(word | class) for each text attribute; words not in the vocabulary say nothing."""

    vocabularies: tuple[Vocabulary, ...]
    log_word: tuple[Floats, ...]  # (classes, words) for each text attribute
    totals: tuple[Floats, ...]  # words of each class, to show the arithmetic
    alpha: float = 0.0  # what was added to each word, for the same

    def add_logs(self, rows: Table, total: Floats) -> None:
        for vocabulary, logs in zip(self.vocabularies, self.log_word, strict=True):
            if len(vocabulary):
                total += vocabulary.transform(rows) @ logs.T

    def terms(self, row: Table) -> Iterator[Term]:
        for (attribute, _), vocabulary, logs in zip(
            row.text_columns(), self.vocabularies, self.log_word, strict=True
        ):
            counts = vocabulary.transform(row)
            for word, count in zip(counts.indices.tolist(), counts.data.tolist(), strict=True):
                times = "" if count == 1 else f" ({count:g} times)"
                condition = f"{attribute.name} has {vocabulary.words[word]!r}{times}"
                yield Term(attribute.name, condition, count * logs[:, word])

    @property
    def n_parameters(self) -> int:
        return sum(logs.shape[0] * max(logs.shape[1] - 1, 0) for logs in self.log_word)

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        lines: list[str] = []
        for attribute, vocabulary, logs in zip(attributes, self.vocabularies, self.log_word, strict=True):
            lines.append(f"{attribute.name}: {len(vocabulary)} words; the strongest for each class:")
            lines += telling_lines(vocabulary.words, logs, classes, _SHOWN)
        return lines

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for j, (vocabulary, logs) in enumerate(zip(self.vocabularies, self.log_word, strict=True)):
            arrays |= {f"text/{j}/vocabulary/{name}": array for name, array in vocabulary.to_arrays().items()}
            arrays[f"text/{j}/log"] = logs
        for j, total in enumerate(self.totals):
            arrays |= {f"text/{j}/total": total, f"text/{j}/alpha": np.array([self.alpha])}
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> WordsFactor:
        vocabularies, logs, totals, alpha = [], [], [], 0.0
        for j, attribute in enumerate(attributes):
            head = f"text/{j}/vocabulary/"
            inner = {
                name.removeprefix(head): array for name, array in arrays.items() if name.startswith(head)
            }
            vocabulary = Vocabulary.from_arrays(inner)
            require(vocabulary.attribute == attribute.name, "a vocabulary belongs to another attribute")
            vocabularies.append(vocabulary)
            # Zero probability (alpha=0) is minus infinity, which times a count of zero would be NaN.
            logs.append(
                stored_floats(arrays, f"text/{j}/log", (classes, len(vocabulary)), high=0.0, finite=False)
            )
            totals.append(stored_floats(arrays, f"text/{j}/total", (classes,), low=0.0))
            alpha = float(stored_floats(arrays, f"text/{j}/alpha", (1,), low=0.0)[0])
        return cls(tuple(vocabularies), tuple(logs), tuple(totals), alpha)


def telling_lines(words: Sequence[str], logs: Floats, classes: tuple[Label, ...], shown: int) -> list[str]:
    """For each class the words that indicate it most strongly: by the difference of their log probability, `logs` of
    (classes, words), from that of the class where the word is the next most probable.
    """
    if not len(words):
        return []
    lines = []
    top = np.sort(logs, axis=0)
    for c, label in enumerate(classes):
        rival = np.where(logs[c] == top[-1], top[-2] if len(classes) > 1 else 0.0, top[-1])
        with np.errstate(invalid="ignore"):
            lead = np.nan_to_num(logs[c] - rival, nan=0.0, posinf=np.inf, neginf=-np.inf)
        best = np.argsort(-lead, kind="stable")[:shown]
        lines.append(f"  {label}: " + ", ".join(f"{words[w]} {lead[w]:+.1f}" for w in best))
    return lines
