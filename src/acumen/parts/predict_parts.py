"""Predictions of a source written as parts, where its rows are read: nothing is collected.

    predict_parts   a model, parts as `acumen.scan` gives them, a folder -> one file for each stretch of rows
    WrittenParts    how many rows were written, into which files, and what was unfamiliar among them

Each file appears as a whole or not at all, and a task that is run again writes the same file again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acumen.data.align import align
from acumen.data.naming import unique_names
from acumen.data.out.atomic import replacing, replacing_text
from acumen.data.parts import Parts
from acumen.data.table import Table
from acumen.engines.block_source import Placement, placement_of, runs
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.run import cluster
from acumen.engines.tasks import each_task
from acumen.errors import DataError, MissingExtra, ParameterError
from acumen.models.prediction_columns import PredictionColumns, ReasonColumns, csv_column
from acumen.profiling.unfamiliar_rows import Unfamiliar

#: A file has the rows of 2^RUN blocks where nobody has asked for more files: a million.
RUN = 4


@dataclass(frozen=True)
class WrittenParts:
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
    probabilities: bool = False,
    fill: bool = False,
    names: Mapping[str, str] | None = None,
    keep_columns: bool = False,
    reasons: int = 0,
) -> WrittenParts:
    """Predict every row of a source and write the results into a new folder, in parts.

    Within `acumen.engine("dask")` every file is written by the task that reads its rows; the folder must be one that
    all workers see.

    Parameters
    ----------
    model : a fitted learner, or the predictor of a model file
    parts : what `acumen.scan` gives
    folder : path
        Is made; it must not hold anything yet. Files are called part-00000.parquet and so on.
    form : {"parquet", "csv"}
    probabilities : bool
        Add the probability of every class.
    fill : bool
        Take columns that are not there as missing.
    names : mapping, optional
        What the source calls columns of the model.
    keep_columns : bool
        Repeat the columns of the source in front: in CSV as they are written there, in Parquet as numbers and texts.
    reasons : int
        Number of reasons to add for each prediction, with the starting point and a sentence. [default: 0]

    Returns
    -------
    WrittenParts
        `rows`, `files` and what was `unfamiliar` to the model.
    """
    if form not in ("parquet", "csv"):
        raise ParameterError(f"predict_parts: form must be 'parquet' or 'csv'; got {form!r}.")
    predictor = getattr(model, "predictor_", model)
    if probabilities and not predictor.model.probabilistic:
        raise ParameterError(f"predict_parts: {predictor.model.without_probabilities()}.")
    columns = PredictionColumns(
        predictor,
        probabilities,
        ReasonColumns(predictor, reasons) if reasons else None,
        kept=tuple(parts.schema.columns) if keep_columns else (),
    )
    return write_predictions(columns, parts, folder, form=form, fill=fill, names=names)


def write_predictions(
    columns: PredictionColumns,
    parts: Parts,
    folder: str | Path,
    *,
    form: Literal["parquet", "csv"],
    fill: bool = False,
    names: Mapping[str, str] | None = None,
    excel_safe: bool = False,
) -> WrittenParts:
    """Write any columns of predictions into a new folder, in parts."""
    if form == "parquet":
        _require_pyarrow()
    placement = placement_of(parts)
    if placement is None:
        raise DataError(
            "predict_parts: rows in memory are predicted where they are; give what acumen.scan gives."
        )
    place = Path(folder).expanduser().resolve()
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise DataError(f"predict_parts: the folder {folder} holds something already; give a new one.")
    engine = cluster()
    k = RUN if engine is None else min(RUN, engine.run_length(placement.n_raw, placement))
    some = [(str(place / f"part-{i:05d}.{form}"), *run) for i, run in enumerate(runs(placement.n_raw, k))]
    predictor = columns.predictor
    whole, rows = Unfamiliar(predictor.inputs, predictor.seen_inputs), 0
    writing = _Writing(columns, placement, fill, dict(names or {}), excel_safe)
    function = _write_file if engine is None else _write_file_in_task

    def stretch(i: int) -> str:
        return f"the predictions of {placement.where(*some[i][1:], raw=True)}"

    for unfamiliar in each_task(function, some, shared=(writing,), what=stretch):
        rows += unfamiliar.rows
        whole.include(unfamiliar)
    return WrittenParts(rows, tuple(path for path, *_ in some), whole)


@dataclass(frozen=True)
class _Writing:
    """What tasks are handed: the columns to write, where the rows are, and the names their source uses."""

    columns: PredictionColumns
    placement: Placement
    fill: bool
    names: Mapping[str, str]  # the model's name of a column -> the source's
    excel_safe: bool

    def under(self, table: Table, unfamiliar: Unfamiliar) -> Table:
        """A table under the model's schema, and counted."""
        if self.names:
            table = _rename_columns(table, {theirs: mine for mine, theirs in self.names.items()})
        rows = align(table, self.columns.predictor.inputs, fill=self.fill)
        unfamiliar.add(rows, table)
        return rows

    def blocks(self, first: int, last: int, unfamiliar: Unfamiliar, typed: bool) -> Iterator[_Block]:
        """Of each raw block the rows as they came, as the model has them, and the columns to write.

        Cells that are kept come as written, or `typed`.
        """
        at, kept = first * BLOCK_ROWS, self.columns.kept
        located = self.placement.located
        written: Iterator[Sequence[Any]] = iter(())
        if kept and not typed:
            written = located.source_cells(at, min(last * BLOCK_ROWS, located.n_rows))
        for table in self.placement.raw(first, last):
            rows = self.under(table, unfamiliar)
            cells: list[Any] = []
            if kept:
                cells = (
                    [table.column(name).tolist() for name in kept]
                    if typed
                    else list(zip(*islice(written, len(table)), strict=True))
                )
            yield table, rows, self.columns.of(rows, at, cells)
            at += len(rows)


_Block: TypeAlias = tuple[Table, Table, list[Sequence[Any]]]


def _write_file_in_task(writing: _Writing, path: str, first: int, last: int) -> Unfamiliar:
    """Write one file; errors name the source and its lines."""
    from acumen.engines.dask_tasks import locate_errors

    with locate_errors(writing, first, last, raw=True):
        return _write_file(writing, path, first, last)


def _write_file(writing: _Writing, path: str, first: int, last: int) -> Unfamiliar:
    """Write one file; what was unfamiliar among its rows."""
    columns = writing.columns
    unfamiliar = Unfamiliar(columns.predictor.inputs, columns.predictor.seen_inputs)
    if path.endswith(".csv"):
        with replacing_text(path, "predict") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(csv_column(columns.names, writing.excel_safe))
            for _, _, values in writing.blocks(first, last, unfamiliar, typed=False):
                writer.writerows(zip(*(csv_column(each, writing.excel_safe) for each in values), strict=True))
        return unfamiliar
    import pyarrow.parquet as pq

    with replacing(path, "predict", DataError) as file:
        parquet: Any = None
        for table, rows, values in writing.blocks(first, last, unfamiliar, typed=True):
            block = _arrow(columns, table, rows, values)
            if parquet is None:
                parquet = pq.ParquetWriter(file, block.schema, write_page_checksum=True)
            parquet.write_table(block)
        parquet.close()
    return unfamiliar


def _arrow(columns: PredictionColumns, table: Table, rows: Table, values: Sequence[Sequence[Any]]) -> Any:
    """A block as an Arrow table whose types do not depend on the rows."""
    import pyarrow

    predictor, names = columns.predictor, columns.names
    types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
    kinds = [types[kind] for kind in columns.kinds(table, rows)]
    place = len(columns.kept) + 1  # of the prediction
    if names[place] == "prediction" and predictor.schema.classes and hasattr(predictor, "classes"):
        kinds[place] = pyarrow.array(list(predictor.classes)).type
    arrays = [
        pyarrow.array(
            [None if v is None else str(v) for v in column] if kind == types["text"] else column, type=kind
        )
        for column, kind in zip(values, kinds, strict=True)
    ]
    return pyarrow.Table.from_arrays(arrays, names=unique_names(names)[0])


def _rename_columns(table: Table, names: Mapping[str, str]) -> Table:
    """The same rows, some columns under other names."""
    from acumen.data.schema import Schema

    def rename_attribute(attribute: Any) -> Any:
        return replace(attribute, name=names.get(attribute.name, attribute.name))

    schema = table.schema
    target = None if schema.target is None else rename_attribute(schema.target)
    attributes = tuple(map(rename_attribute, schema.attributes))
    new_schema = Schema(attributes, target, schema.weight, schema.ignored)
    return table.replace(schema=new_schema, written={})


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401 - only to say so in a sentence
    except ImportError:
        raise MissingExtra("writing Parquet needs pyarrow: pip install 'acumen-learn[arrow]'.") from None
