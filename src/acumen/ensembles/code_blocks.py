"""Training rows as columns of codes, joined in one place: what forests and boosting learn from, wherever rows are.

plan_codes     where to cut numbers, from evenly spaced rows; and a sample of the rows
codes_of       all rows as codes, in memory or on a worker
require_room   refuses rows that do not fit into the memory there
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from acumen.base.memory_budget import size_said
from acumen.data.concat import concat
from acumen.data.table import Table
from acumen.engines.memory import LITTLE, has_limit
from acumen.ensembles.column_codes import CodedColumns, step_of
from acumen.errors import DataError
from acumen.preprocessing.words import Vocabulary
from acumen.rows.persisted import LocalValue
from acumen.rows.training_rows import ClusterRows, Rows
from acumen.summaries.algebra import Each
from acumen.trees.candidate_inputs import MOST_WORDS, words_of
from acumen.trees.inputs import Input, Inputs
from acumen.types import Array, Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.worker_state import WorkerValue

#: Numbers that are brought together at a time to say where columns are cut.
_AT_ONCE = 1 << 25
#: The share of a worker's memory that may be planned with: Dask begins to write to disk beyond about so much.
ROOM = 0.7
_NARROW = 255  # so many codes fit into one byte
_NO_NUMBERS: Floats = np.empty(0)
_NO_CODES: Codes = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class _SampledColumns:
    """Columns of rows that were picked, in order."""

    columns: tuple[Array, ...]

    def __add__(self, other: _SampledColumns) -> _SampledColumns:
        return _SampledColumns(tuple(map(np.concatenate, zip(self.columns, other.columns, strict=True))))


@dataclass(frozen=True)
class _SampledRows:
    """Rows that were picked, in order."""

    tables: tuple[Table, ...]

    def __add__(self, other: _SampledRows) -> _SampledRows:
        return _SampledRows((*self.tables, *other.tables))


def _sample_block(inputs: Inputs, step: int, kept: int, block: Table, first_row: int) -> Each[Any]:
    """Of a block every `step`-th row of some columns and of the weights, and every `kept`-th row whole."""
    here = slice(-first_row % step, None, step)
    columns = [np.asarray(column)[here].copy() for column in inputs.of_table(block)]
    rows = block.take(np.arange(-first_row % kept, len(block), kept)) if kept else block.take(slice(0, 0))
    return Each((_SampledColumns((*columns, block.weights[here])), _SampledRows((rows,))))


def _inputs(rows: Rows) -> Inputs:
    """The columns, as `inputs_of` has them of a table."""
    schema = rows.schema
    columns = list(Inputs.of(schema).columns)
    texts = [j for j, attribute in enumerate(schema.attributes) if attribute.kind == "text"]
    for j, counts in zip(texts, rows.sum(words_of).things if texts else (), strict=True):
        words = Vocabulary.of(counts, min_count=1, max_words=MOST_WORDS).words
        columns += [Input("word", j, word=word) for word in words]
    return Inputs(tuple(columns))


def plan_codes(rows: Rows, bins: int, kept: int = 0) -> tuple[CodedColumns, Table]:
    """Cuts, and every `kept`-th row (none where that is 0)."""
    schema = rows.schema
    inputs = _inputs(rows)
    step = step_of(len(rows))
    numeric = [j for j, column in enumerate(inputs.columns) if column.is_numeric(schema)]
    values: list[Array] = [_NO_NUMBERS] * len(inputs)
    at_once = max(1, _AT_ONCE // (len(rows) // step + 1))
    sample = weights = None
    for first in range(0, max(len(numeric), 1), at_once):
        some = numeric[first : first + at_once]
        columns: tuple[Input, ...] = tuple(inputs.columns[j] for j in some)
        pick = partial(_sample_block, Inputs(columns), step, kept if sample is None else 0)
        stacked, sampled = rows.sum(pick, numbered=True).things
        for j, column in zip(some, stacked.columns, strict=False):
            values[j] = column
        if sample is None:
            sample, weights = concat(list(sampled.tables)), stacked.columns[-1]
    assert sample is not None
    assert weights is not None
    return CodedColumns.plan(inputs, values, weights, bins, schema), sample


class CodeBlock(NamedTuple):
    """What trees need of some rows."""

    columns: list[Array]
    labels: Codes
    response: Floats
    weights: Floats


def _code_block(coded: CodedColumns, block: Table) -> CodeBlock:
    return CodeBlock(
        coded.coding.columns(block),
        _NO_CODES if block.labels is None else block.labels,
        _NO_NUMBERS if block.response is None else block.response,
        block.weights,
    )


def join_blocks(coded: CodedColumns, blocks: Sequence[CodeBlock]) -> tuple[CodedColumns, CodeBlock]:
    """All rows, from those of the blocks."""
    if len(blocks) == 1:
        return replace(coded, columns=blocks[0].columns), blocks[0]
    columns = [np.concatenate(each) for each in zip(*(block.columns for block in blocks), strict=True)]
    labels, response, weights = (np.concatenate([block[part] for block in blocks]) for part in (1, 2, 3))
    whole = replace(coded, columns=columns)
    return whole, CodeBlock(columns, labels, response, weights)


def codes_of(
    rows: Rows, coded: CodedColumns, join: Callable[[Sequence[CodeBlock]], Any], what: str
) -> LocalValue | WorkerValue:
    """`join` of what trees need of all rows, in one place; `coded` has no rows."""
    return rows.gather(partial(_code_block, coded), join, what=what)


def require_room(rows: Rows, coded: CodedColumns, who: str, work: float, tasks: int) -> None:
    """DataError where memory has not room for all rows as codes, and `work` bytes a task; of tables `fit` has asked."""
    if rows.table is not None:
        return
    row_bytes = len(rows) * (sum(1 if slots <= _NARROW else 2 for slots in coded.coding.slots.tolist()) + 16)
    # While they are joined they are there twice, and while tasks work on them once.
    need = row_bytes + max(float(row_bytes), work * tasks)
    there = isinstance(rows, ClusterRows)
    if there:
        room = ROOM * rows.room if rows.room else need
    else:
        room = need if need < LITTLE and not has_limit() else rows.room
    if need <= room:
        return
    where, whose = (
        ("on a cluster a worker that grows trees", "the smallest worker has")
        if there
        else ("trees of rows in parts are grown by one machine, which", "there is room for")
    )
    more = "Give workers more memory or fewer threads, learn" if there else "Learn"
    raise DataError(
        f"{who}: {where} holds all rows as codes; that takes {size_said(need)}, and {whose} {size_said(rows.room)}. "
        f"{more} from a sample of the rows, or use DecisionTree with method='histogram' or NaiveBayes, which hold "
        "little."
    )
