"""Which columns a tree may test, for a table at hand.

    inputs_of            a table -> Inputs: attributes as they are, words of texts, pairs of attributes if asked for
    inputs_of_parts      the same of a table in parts
    drop_unused_inputs   a tree with only those words and pairs that it tests

A text is tested by its `MOST_WORDS` most frequent words. Of numeric attributes, and of nominal ones, at most
`MOST_PAIRED` are paired: where there are more, those whose own best split at the root gains most. A pair of nominal
attributes is left out where it would have more than `MOST_LEVELS` levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.run import run_over
from acumen.errors import DataError
from acumen.preprocessing.words import Vocabulary, WordCounts
from acumen.summaries.algebra import Each
from acumen.trees.grow import grow
from acumen.trees.inputs import Input, Inputs
from acumen.trees.measures import MEASURES
from acumen.trees.node_tests import NONE
from acumen.trees.options import GrowOptions
from acumen.trees.tree import Tree

MOST_WORDS: Final = 1_000
MOST_PAIRED: Final = 14
MOST_LEVELS: Final = 1_000


def inputs_of(rows: Table, *, pairs: bool = False) -> Inputs:
    """The columns, attributes in the schema's order, then words, then pairs."""
    schema = rows.schema
    columns = list(Inputs.of(schema).columns)
    for j, attribute in enumerate(schema.attributes):
        if attribute.kind == "text":
            words = Vocabulary.fit(rows, attribute.name, max_words=MOST_WORDS).words
            columns += [Input("word", j, word=word) for word in words]
    if pairs:
        numeric, nominal = (_most_informative(rows, kind) for kind in _pairable(schema))
        columns += _pairs(numeric, nominal, schema)
    return Inputs(tuple(columns))


def inputs_of_parts(parts: Iterable[Table], schema: Schema, *, pairs: bool = False) -> Inputs:
    """The same from parts of the rows, gone through once and only where there are texts.

    Raises DataError where there are so many attributes that those to be paired must be chosen by the rows.
    """
    columns = list(Inputs.of(schema).columns)
    texts = [j for j, attribute in enumerate(schema.attributes) if attribute.kind == "text"]
    word_counts = run_over(words_of, parts) if texts else None
    for j, counts in zip(texts, () if word_counts is None else word_counts.things, strict=True):
        words = Vocabulary.of(counts, min_count=0, max_words=MOST_WORDS).words
        columns += [Input("word", j, word=word) for word in words]
    if pairs:
        numeric, nominal = _pairable(schema)
        if max(len(numeric), len(nominal)) > MOST_PAIRED:
            raise DataError(
                f"construct='pairs' takes at most {MOST_PAIRED} numeric and {MOST_PAIRED} nominal attributes of a "
                f"stream; there are {len(numeric)} and {len(nominal)}. Leave some out, or use fit."
            )
        columns += _pairs(numeric, nominal, schema)
    return Inputs(tuple(columns))


def words_of(part: Table) -> Each[WordCounts]:
    """The words of each text attribute, in the schema's order."""
    texts = part.text_columns()
    return Each(tuple(WordCounts.of(list(each), part.weights, attribute=a.name) for a, each in texts))


def _pairable(schema: Schema) -> tuple[list[int], list[int]]:
    """The numeric and the nominal attributes."""
    attributes = list(enumerate(schema.attributes))
    return [j for j, a in attributes if a.is_numeric], [j for j, a in attributes if a.is_nominal]


def _pairs(numeric: Sequence[int], nominal: Sequence[int], schema: Schema) -> list[Input]:
    pairs: list[Input] = []
    for a, b in combinations(numeric, 2):
        pairs += [Input("product", a, b), Input("ratio", a, b), Input("difference", a, b)]
    both = [Input("both", a, b) for a, b in combinations(nominal, 2)]
    return pairs + [pair for pair in both if pair.n_levels(schema) <= MOST_LEVELS]


def _most_informative(rows: Table, attributes: Sequence[int]) -> list[int]:
    """At most `MOST_PAIRED` of the attributes, in the schema's order."""
    if len(attributes) <= MOST_PAIRED:
        return list(attributes)
    gains = [_root_gain(rows, j) for j in attributes]
    best = np.argsort(-np.array(gains), kind="stable")[:MOST_PAIRED]
    return sorted(attributes[i] for i in best)


def _root_gain(rows: Table, j: int) -> float:
    """What the best binary split of one attribute gains."""
    inputs = Inputs((Input("itself", j),))
    options = GrowOptions(measure="gain", split="binary", missing="branch", max_depth=1)
    tree = grow(inputs.of_table(rows), inputs, rows.schema, rows.class_codes, rows.weights, options=options)
    return MEASURES["gain"].gain(tree.counts[1:]) if len(tree) > 1 else 0.0


def drop_unused_inputs(tree: Tree) -> Tree:
    """The tree without words and pairs that it never tests; attributes keep their places."""
    used_inputs = np.concatenate([tree.tests.input, tree.surrogates.input])
    keep = np.array([c.form == "itself" for c in tree.inputs.columns], dtype=np.bool_)
    keep[used_inputs[used_inputs != NONE]] = True
    if keep.all():
        return tree
    place = np.append(np.cumsum(keep) - 1, NONE).astype(np.int32)
    return replace(
        tree,
        inputs=Inputs(tuple(c for c, kept in zip(tree.inputs.columns, keep, strict=True) if kept)),
        tests=replace(tree.tests, input=place[tree.tests.input]),
        surrogates=replace(tree.surrogates, input=place[tree.surrogates.input]),
    )


def costs_of_inputs(inputs: Inputs, schema: Schema, by_attribute: Sequence[float]) -> tuple[float, ...]:
    """The cost of looking at each input: that of its attribute, of a pair those of both."""
    return tuple(
        by_attribute[c.first] + (by_attribute[c.second] if c.second >= 0 else 0.0) for c in inputs.columns
    )
