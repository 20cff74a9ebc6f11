"""Boosted stumps as SQL: a sum of votes for each class, one CASE for each test that is asked.

A stump is the votes of the branch that rows without a value take, and what the other branch has more where its test
holds; so a NULL, and a level that nobody knew, needs no words of its own. Stumps of one test are added up first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.codegen import sql_select
from acumen.codegen.terms import Count, TermSum, sum_of
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.ensembles.column_codes import ColumnCoding
from acumen.ensembles.packed_forest import PackedForest
from acumen.models.predictor import Predictor
from acumen.trees.inputs import PRESENT
from acumen.types import Floats

_LEAN = 0x8000_0000


def select_statement(
    predictor: Predictor,
    stumps: PackedForest,
    coding: ColumnCoding,
    start: Floats,
    table: str | Sequence[str],
    column: str | None,
) -> str:
    """The statement; shares of votes are linear in the votes, and so is what an answer is expected to cost."""
    schema = predictor.schema
    constant, tests = votes_of(stumps, coding, schema)
    worth = np.eye(schema.n_classes) if predictor.costs is None else -predictor.costs
    if predictor.shift is not None:
        worth = worth * np.exp(predictor.shift)
    able = np.flatnonzero(start > 0) if predictor.costs is None else np.arange(schema.n_classes)
    worth = np.where(start > 0, worth, 0.0)[able]  # no row is of a class that had no training row
    sums = [
        sum_of(
            float(line @ (start + constant)),
            [Count(float(line @ more), (test,)) for test, more in tests.items()],
        )
        for line in worth
    ]
    texts = [sql_select.weighted_sum(one, schema) for one in sums]
    largest_sum = sql_select.largest(texts, [schema.classes[c] for c in able])
    return sql_select.select(schema, table, column, largest_sum)


def stump_sums(
    stumps: PackedForest, coding: ColumnCoding, start: Floats, schema: Schema
) -> tuple[TermSum, ...]:
    """The votes of each class; none for one that had no training row."""
    constant, tests = votes_of(stumps, coding, schema)
    return tuple(
        sum_of(
            float(start[c] + constant[c]), [Count(float(more[c]), (test,)) for test, more in tests.items()]
        )
        if start[c] > 0
        else TermSum(0.0)
        for c in range(schema.n_classes)
    )


def votes_of(
    stumps: PackedForest, coding: ColumnCoding, schema: Schema
) -> tuple[Floats, dict[Condition, Floats]]:
    """What every row has of votes, and what each test adds to that where it holds."""
    constant = np.zeros(schema.n_classes)
    tests: dict[Condition, Floats] = {}
    for t in range(len(stumps)):
        at = int(stumps.start[t])
        if int(stumps.start[t + 1]) - at == 1:
            constant += stumps.value[at]
            continue
        lean = _lean(stumps, t)
        test = _test(stumps, t, 1 - lean, coding, schema)
        constant += stumps.value[at + 1 + lean]
        more = stumps.value[at + 2 - lean] - stumps.value[at + 1 + lean]
        tests[test] = tests[test] + more if test in tests else more
    return constant, tests


def _lean(stumps: PackedForest, t: int) -> int:
    """The branch of rows without a value: 0 left, 1 right."""
    word, child = stumps.node[int(stumps.start[t])].tolist()
    if stumps.nominal[word & 0xFFFF]:
        child = int(stumps.sets[int(stumps.set_start[t]) + child])
    return int(child >= _LEAN)


def _test(stumps: PackedForest, t: int, side: int, coding: ColumnCoding, schema: Schema) -> Condition:
    """What leads to a side."""
    word, child = stumps.node[int(stumps.start[t])].tolist()
    column, cut = word & 0xFFFF, word >> 16
    column_input = coding.inputs[column]
    attribute = schema.attributes[column_input.first]
    if column_input.form == "word":
        return Condition(attribute.name, "has" if side == PRESENT else "has not", column_input.word)
    if column_input.is_numeric(schema):
        return Condition(attribute.name, ">" if side else "<=", float(coding.cuts[column][cut]))
    if stumps.nominal[column]:
        begin = int(stumps.set_start[t]) + child
        words = int(stumps.sets[begin + 1])
        mine = stumps.sets[begin + 2 + side * words : begin + 2 + (side + 1) * words]
        codes = [c for c in range(int(coding.slots[column])) if int(mine[c >> 5]) >> (c & 31) & 1]
    else:
        codes = list(range(cut + 1, int(coding.slots[column])) if side else range(cut + 1))
    return Condition(attribute.name, "in", tuple(attribute.levels[c] for c in codes))
