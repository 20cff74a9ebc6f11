"""Predictions of a source written as parts, where its rows are read: nothing is collected.

    predict_parts   a model, parts as `acumen.scan` gives them, a folder -> one file for each stretch of rows
    Written         how many rows were written, into which files, and what was unfamiliar among them

Each file appears as a whole or not at all, and a task that is run again writes the same file again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acumen.data.align import align
from acumen.data.naming import unique_names
from acumen.data.out.atomic import replacing, replacing_text
from acumen.data.parts import Parts
from acumen.data.table import Table
from acumen.engines.block_source import Placed, placed_of, runs
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.run import cluster
from acumen.engines.tasks import each_task
from acumen.errors import DataError, MissingExtra, ParameterError
from acumen.parts.answer_rows import Answering, Telling, csv_cell, kinds_of
from acumen.profiling.unfamiliar_rows import Unfamiliar

#: A file has the rows of 2^RUN blocks where nobody has asked for more files: a million.
RUN = 4


@dataclass(frozen=True)
class Written:
    """What was written."""

    rows: int
    files: tuple[str, ...]
    unfamiliar: Unfamiliar


def predict_parts(
    model: Any,
    parts: Parts,
    folder: str | Path,
    *,
    form: Literal["parquet", "csv"] = "parquet",
    proba: bool = False,
    fill: bool = False,
    names: Mapping[str, str] | None = None,
    keep: bool = False,
    reasons: int = 0,
) -> Written:
    """Write a model's answers on every row of a source into a new folder, in parts.

    Within `acumen.engine("dask")` every file is written by the task that reads its rows; the folder must be one that
    all workers see.

    Parameters
    ----------
    model : a fitted learner, or the predictor of a model file
    parts : what `acumen.scan` gives
    folder : path
        Is made; it must not hold anything yet. Files are called part-00000.parquet and so on.
    form : {"parquet", "csv"}
    proba : bool
        Add the probability of every class.
    fill : bool
        Take columns that are not there as missing.
    names : mapping, optional
        What the source calls columns of the model.
    keep : bool
        Repeat the columns of the source in front: in CSV as they are written there, in Parquet as numbers and texts.
    reasons : int
        Number of reasons to add for each prediction, with the starting point and a sentence. [default: 0]

    Returns
    -------
    Written
        `rows`, `files` and what was `unfamiliar` to the model.
    """
    if form not in ("parquet", "csv"):
        raise ParameterError(f"predict_parts: form must be 'parquet' or 'csv'; got {form!r}.")
    predictor = getattr(model, "predictor_", model)
    if proba and not predictor.model.probabilistic:
        raise ParameterError(f"predict_parts: {predictor.model.without_probabilities()}.")
    tell = Telling(predictor, reasons) if reasons else None
    kept = tuple(parts.schema.columns) if keep else ()
    answering = Answering(predictor, proba, tell, kept=kept)
    return write_answers(answering, parts, folder, form=form, fill=fill, names=names)


def write_answers(
    answering: Answering,
    parts: Parts,
    folder: str | Path,
    *,
    form: Literal["parquet", "csv"],
    fill: bool = False,
    names: Mapping[str, str] | None = None,
    excel_safe: bool = False,
) -> Written:
    """The same of whatever is asked of each row."""
    if form == "parquet":
        _require_pyarrow()
    placed = placed_of(parts)
    if placed is None:
        raise DataError(
            "predict_parts: rows in memory are predicted where they are; give what acumen.scan gives."
        )
    place = Path(folder).expanduser().resolve()
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise DataError(f"predict_parts: the folder {folder} holds something already; give a new one.")
    engine = cluster()
    k = RUN if engine is None else min(RUN, engine.run_length(placed.n_raw, placed))
    some = [(str(place / f"part-{i:05d}.{form}"), *run) for i, run in enumerate(runs(placed.n_raw, k))]
    predictor = answering.predictor
    whole, rows = Unfamiliar(predictor.inputs, predictor.seen_inputs), 0
    writing = _Writing(answering, placed, fill, dict(names or {}), excel_safe)
    function = _written if engine is None else _written_there

    def stretch(i: int) -> str:
        return f"the predictions of {placed.where(*some[i][1:], raw=True)}"

    for found in each_task(function, some, shared=(writing,), what=stretch):
        rows += found.rows
        whole.include(found)
    return Written(rows, tuple(path for path, *_ in some), whole)


@dataclass(frozen=True)
class _Writing:
    """What tasks are handed: where rows are, the names their source has for the model's columns, what is asked."""

    answering: Answering
    placed: Placed
    fill: bool
    names: Mapping[str, str]  # the model's name of a column -> the source's
    excel_safe: bool

    def under(self, table: Table, unfamiliar: Unfamiliar) -> Table:
        """A table under the model's schema, and counted."""
        if self.names:
            table = _renamed(table, {theirs: mine for mine, theirs in self.names.items()})
        rows = align(table, self.answering.predictor.inputs, fill=self.fill)
        unfamiliar.add(rows, table)
        return rows

    def blocks(self, first: int, last: int, unfamiliar: Unfamiliar, typed: bool) -> Iterator[_Lines]:
        """Of each raw block the rows as they came, as the model has them, and their lines.

        Cells that are kept come as written, or `typed`.
        """
        at, kept = first * BLOCK_ROWS, self.answering.kept
        located = self.placed.located
        cells: Iterator[Sequence[Any]] = repeat(())
        if kept and not typed:
            cells = located.written(at, min(last * BLOCK_ROWS, located.n_rows))
        for table in self.placed.raw(first, last):
            if kept and typed:
                cells = zip(*(table.column(name).tolist() for name in kept), strict=True)
            rows = self.under(table, unfamiliar)
            yield table, rows, list(self.answering.lines(rows, at, cells))
            at += len(rows)


_Lines: TypeAlias = tuple[Table, Table, list[list[Any]]]


def _written_there(writing: _Writing, path: str, first: int, last: int) -> Unfamiliar:
    """The same by a task; what goes wrong is told with the file and the lines."""
    from acumen.engines.dask_tasks import told_where

    with told_where(writing, first, last, raw=True):
        return _written(writing, path, first, last)


def _written(writing: _Writing, path: str, first: int, last: int) -> Unfamiliar:
    """One file."""
    answering = writing.answering
    unfamiliar = Unfamiliar(answering.predictor.inputs, answering.predictor.seen_inputs)
    if path.endswith(".csv"):
        with replacing_text(path, "predict") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow([csv_cell(name, writing.excel_safe) for name in answering.columns])
            for _, _, lines in writing.blocks(first, last, unfamiliar, typed=False):
                writer.writerows([csv_cell(value, writing.excel_safe) for value in line] for line in lines)
        return unfamiliar
    import pyarrow.parquet as pq

    with replacing(path, "predict", DataError) as file:
        into: Any = None
        for table, rows, lines in writing.blocks(first, last, unfamiliar, typed=True):
            made = _arrow(answering, table, rows, lines)
            if into is None:
                into = pq.ParquetWriter(file, made.schema, write_page_checksum=True)
            into.write_table(made)
        into.close()
    return unfamiliar


def _arrow(answering: Answering, table: Table, rows: Table, lines: Sequence[Sequence[Any]]) -> Any:
    """Answers as an Arrow table whose types do not depend on the rows."""
    import pyarrow

    predictor, columns = answering.predictor, answering.columns
    types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
    kinds = [types[kind] for kind in kinds_of(answering, table, rows)]
    said = len(answering.kept) + 1  # the place of the answer
    if columns[said] == "prediction" and predictor.schema.classes and hasattr(predictor, "classes"):
        kinds[said] = pyarrow.array(list(predictor.classes)).type
    arrays = [
        pyarrow.array(
            [None if v is None else str(v) for v in values] if kind == types["text"] else values, type=kind
        )
        for values, kind in zip(zip(*lines, strict=True), kinds, strict=True)
    ]
    return pyarrow.Table.from_arrays(arrays, names=unique_names(columns)[0])


def _renamed(table: Table, names: Mapping[str, str]) -> Table:
    """The same rows, some columns under other names."""
    from acumen.data.schema import Schema

    def called(attribute: Any) -> Any:
        return replace(attribute, name=names.get(attribute.name, attribute.name))

    schema = table.schema
    made = Schema(
        tuple(map(called, schema.attributes)), None if schema.target is None else called(schema.target), schema.weight,
        schema.ignored,
    )  # fmt: skip
    return Table(
        made, len(table), numeric=table.numeric, nominal=table.nominal, text=table.text, sparse=table.sparse,
        labels=table.labels, response=table.response, weights=table.weights, ignored=table.ignored, report=table.report,
    )  # fmt: skip


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401 - only to say so in a sentence
    except ImportError:
        raise MissingExtra("writing Parquet needs pyarrow: pip install 'acumen-learn[arrow]'.") from None
