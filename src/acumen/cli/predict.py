"""`acumen predict MODEL DATA`: classes or numbers for new rows, streamed; needs no scikit-learn."""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.matching import Matching, MatchWish, matches_columns
from acumen.cli.shared_options import on_engine
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.databases.address import SqlType
    from acumen.models.prediction_columns import PredictionColumns, Threshold
    from acumen.models.predictor import AnyPredictor


_REASONS = 3


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Output file.  [default: stdout]")
@click.option("--probabilities", "proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--explain", is_flag=True,
    help="Add columns with the starting point and the strongest reasons of each prediction; with --json all reasons.",
)  # fmt: skip
@click.option("--reasons", type=click.IntRange(1, 100), metavar="N",
              help="With --explain: number of reasons.  [default: 3]")  # fmt: skip
@click.option("--steps", is_flag=True,
              help="Print how each prediction is computed, step by step, instead of CSV; with --json as "
              "data.")  # fmt: skip
@click.option("--threshold", type=float, metavar="P",
              help="Predict the positive class if its probability is at least P. It is the second of two "
              "classes, or --positive-class.")  # fmt: skip
@click.option("--positive-class", "positive", metavar="LABEL", help="With --threshold: the positive class.")
@click.option(
    "--keep-columns",
    "keep",
    is_flag=True,
    help="Include the columns of DATA, unchanged, before the predictions.",
)
@matches_columns
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line instead of CSV.")
@click.option("--excel-safe", is_flag=True,
              help="Put ' before texts that a spreadsheet would run as a formula: those starting with = + - "
              "@")  # fmt: skip
@click.option("--into", metavar="TABLE", help="Write to a new table of the database given as DATA.")
@click.option("--overwrite", "replace", is_flag=True, help="With --into: replace an existing table.")
@on_engine
def predict(
    model: str,
    reading: Reading,
    output: str | None,
    proba: bool,
    explain: bool,
    reasons: int | None,
    steps: bool,
    threshold: float | None,
    positive: str | None,
    keep: bool,
    wish: MatchWish,
    as_json: bool,
    excel_safe: bool,
    into: str | None,
    replace: bool,
) -> None:
    """Predict the class, number or cluster of every row of a table with a model saved by `acumen learn`.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. Columns are matched by
    name; the target column is optional. Writes CSV with the columns row (from 1) and prediction, or the output columns
    of a transformer; with --into, a database table in one transaction. With --engine dask, -o names a
    folder, NAME.csv or NAME.parquet, and the workers write its files. Counts of unseen categories, numbers outside the
    training range and missing columns are printed on stderr.

    --explain adds rival, start (the training average), reason_1_attribute, reason_1_value, reason_1_effect and
    reason_1_direction, the same for reasons 2 and 3, and because: one sentence with all of it.
    """
    from acumen.engines.run import cluster
    from acumen.store import open as open_model

    _check_into(into, replace, output, as_json)
    if reasons is not None and (as_json or not explain):
        raise click.UsageError(
            "--reasons needs --explain and cannot be combined with --json, which has all reasons."
        )
    if excel_safe and (as_json or into is not None):
        raise click.UsageError("--excel-safe is for CSV; remove --json and --into.")

    if steps:
        others = {"--probabilities": proba, "--explain": explain, "--keep-columns": keep, "--into": into is not None,
                  "--excel-safe": excel_safe, "--threshold": threshold is not None}  # fmt: skip
        if flags := [flag for flag, is_given in others.items() if is_given]:
            raise click.UsageError(f"--steps cannot be combined with {' and '.join(flags)}.")

    predictor = open_model(model)
    if cluster() is not None:
        others = {"--json": as_json, "--into": into is not None, "--steps": steps}
        if flags := [flag for flag, is_given in others.items() if is_given]:
            raise click.UsageError(
                f"--engine dask writes a folder of CSV or Parquet files; remove {' and '.join(flags)}."
            )
    if steps:
        _write_explanations(Matching(predictor, reading, wish), reading, output, as_json)
        return
    if proba and not predictor.model.probabilistic:
        from acumen.errors import ParameterError

        raise ParameterError(f"--probabilities: {predictor.model.without_probabilities()}.")
    from acumen.models.prediction_columns import PredictionColumns, ReasonColumns

    columns = PredictionColumns(
        predictor,
        proba,
        ReasonColumns(predictor, reasons or _REASONS, as_json) if explain else None,
        _threshold(predictor, threshold, positive),
    )
    if cluster() is not None:
        _into_parts(Matching(predictor, reading, wish), wish, columns, output, keep, excel_safe)
        return
    with console.busy(f"predicting {reading.display_name}"):
        matching = Matching(predictor, reading, wish)
        names, kinds, blocks = _predict(matching, columns, keep, typed=into is not None)
        first = list(itertools.islice(blocks, 1))  # data that do not fit fail before anything is written
    blocks = itertools.chain(first, blocks)
    if into is not None:
        with console.busy(f"predicting {reading.display_name}"):
            rows = itertools.chain.from_iterable(zip(*block, strict=True) for block in blocks)
            count = store_predictions(
                reading.data, into, list(zip(names, kinds, strict=True)), rows, replace=replace
            )
        matching.tell()
        console.say(f"Wrote {many(count, 'row')} to the table {into}.")
        return
    with console.busy(f"predicting {reading.display_name}"), _open_output(output) as out:
        if as_json:
            _write_json(out, names, kinds, blocks)
        else:
            _write_csv(out, names, blocks, excel_safe)
    matching.tell()


def _into_parts(
    matching: Matching,
    wish: MatchWish,
    columns: PredictionColumns,
    output: str | None,
    keep: bool,
    excel_safe: bool,
) -> None:
    """Files of a new folder, each written where its rows are read."""
    from acumen.parts.predict_parts import write_predictions

    if output is None or not output.endswith((".csv", ".parquet")):
        raise click.UsageError(
            "--engine dask writes a folder of files: use -o NAME.parquet or -o NAME.csv in a place all workers "
            "can write to."
        )
    form: Literal["csv", "parquet"] = "csv" if output.endswith(".csv") else "parquet"
    if excel_safe and form != "csv":
        raise click.UsageError("--excel-safe is for CSV; use -o NAME.csv.")
    with console.busy(f"predicting {matching.reading.display_name}"):
        parts = matching.scan(needs=None if keep else matching.schema.names)
        columns = replace(columns, kept=tuple(parts.schema.columns) if keep else ())
        written = write_predictions(
            columns, parts, output, form=form, fill=wish.fill, names=matching.names, excel_safe=excel_safe
        )
    matching.unfamiliar.include(written.unfamiliar)
    matching.tell()
    console.say(f"Wrote {many(written.rows, 'row')} to {many(len(written.files), 'file')} in {output}.")


def _write_explanations(matching: Matching, reading: Reading, output: str | None, as_json: bool) -> None:
    """Each prediction with its arithmetic, one after the other."""
    import json

    from acumen.models.worked_explanations import explain_steps

    with console.busy(f"predicting {reading.display_name}"):
        tables = matching.tables(matching.scan(needs=matching.schema.names))
        rows = (part.take(slice(i, i + 1)) for _, part in tables for i in range(len(part)))
        first = [explain_steps(matching.predictor, row) for row in itertools.islice(rows, 1)]
    explanations = itertools.chain(first, (explain_steps(matching.predictor, row) for row in rows))
    with console.busy(f"predicting {reading.display_name}"), _open_output(output) as out:
        for number, explanation in enumerate(explanations, 1):
            if as_json:
                out.write(
                    json.dumps({"row": number, **_finite(explanation.to_dict())}, allow_nan=False) + "\n"
                )
            else:
                out.write(f"{'' if number == 1 else chr(10)}Row {number}: {explanation}\n")
    matching.tell()


def _finite(value: Any) -> Any:
    """The same for JSON, which has no number for what is infinite: it is a word then."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _check_into(into: str | None, replace: bool, output: str | None, as_json: bool) -> None:
    """A table takes the place of a file."""
    from acumen.errors import ParameterError

    if into is not None and (output is not None or as_json):
        raise ParameterError("--into: rows go to a table or to a file, not both; remove --output and --json.")
    if replace and into is None:
        raise ParameterError("--overwrite: name the table to replace with --into.")


def _open_output(output: str | None) -> AbstractContextManager[TextIO]:
    """Stdout, or a file that appears only when it is complete; devices and pipes are written to as they are."""
    if output is None or output == STDOUT:
        return nullcontext(sys.stdout)
    from acumen.data.out.atomic import replacing_text

    return replacing_text(output, "predict")


def _predict(
    matching: Matching, columns: PredictionColumns, keep: bool, typed: bool
) -> tuple[list[str], list[SqlType], Iterator[list[Sequence[Any]]]]:
    """Names, kinds and blocks of columns; those that are kept come as written, or `typed` for a database."""
    parts = matching.scan(needs=None if keep else matching.schema.names)
    columns = replace(columns, kept=tuple(parts.schema.columns) if keep else ())
    tables = matching.tables(parts)
    first = next(tables)

    def blocks() -> Iterator[list[Sequence[Any]]]:
        written = iter(parts.source_cells()) if keep and not typed else iter(())
        n_rows = 0
        for part, rows in itertools.chain([first], tables):
            kept: list[Any] = []
            if columns.kept and typed:
                kept = [part.column(name).tolist() for name in columns.kept]
            elif columns.kept:
                kept = list(zip(*itertools.islice(written, len(rows)), strict=True))
            yield columns.of(rows, n_rows, kept)
            n_rows += len(rows)

    return columns.names, columns.kinds(*first), blocks()


def _threshold(predictor: AnyPredictor, threshold: float | None, positive: str | None) -> Threshold | None:
    """The position of the positive class, and the probability from which it is predicted."""
    from acumen.errors import ParameterError

    if threshold is None:
        if positive is not None:
            raise ParameterError(
                "--positive-class needs --threshold, the probability from which that class is predicted."
            )
        return None
    if not 0 <= threshold <= 1:
        raise ParameterError(f"--threshold must be between 0 and 1; got {threshold:g}.")
    if not predictor.model.probabilistic:
        raise ParameterError(f"--threshold: {predictor.model.without_probabilities()}.")
    from acumen.cli.shared_options import positive_of

    return predictor.schema.classes.index(positive_of(positive, predictor.schema, "--threshold")), threshold


def _write_csv(
    out: TextIO, names: Sequence[str], blocks: Iterator[list[Sequence[Any]]], excel_safe: bool
) -> None:
    """Files and pipes get the data as it is, a terminal nothing that acts on it."""
    from acumen.data.escape import printable
    from acumen.models.prediction_columns import csv_column

    shown = console.is_terminal(out)

    def cells(column: Sequence[Any]) -> list[Any]:
        values = csv_column(column, excel_safe)
        return [printable(v) if isinstance(v, str) else v for v in values] if shown else values

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(cells(names))
    for block in blocks:
        writer.writerows(zip(*map(cells, block), strict=True))


def _write_json(
    out: TextIO, names: Sequence[str], kinds: Sequence[SqlType], blocks: Iterator[list[Sequence[Any]]]
) -> None:
    """One object a line."""
    import json

    for block in blocks:
        columns = [
            [_json_cell(cell, kind) for cell in column] for column, kind in zip(block, kinds, strict=True)
        ]
        out.writelines(
            json.dumps(dict(zip(names, row, strict=True)), allow_nan=False) + "\n"
            for row in zip(*columns, strict=True)
        )


def _json_cell(cell: Any, kind: SqlType) -> Any:
    """A cell as it is written: a number where JSON writes it the same, null where there is nothing."""
    if not isinstance(cell, str) or kind == "text":
        return None if cell == "" else cell
    for number in (int, float):
        try:
            if repr(number(cell)) == cell and cell not in ("inf", "-inf", "nan"):
                return number(cell)
        except ValueError:
            continue
    return cell or None


def store_predictions(
    address: str,
    table: str,
    columns: Sequence[tuple[str, SqlType]],
    rows: Iterator[Sequence[Any]],
    *,
    replace: bool,
) -> int:
    """Make the table, in one transaction; how many rows it has."""
    from acumen.data.databases.sql import store
    from acumen.data.naming import unique_names

    names = unique_names([name for name, _ in columns])[0]
    kinds = [kind for _, kind in columns]
    values = ([_value(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows)
    return store(address, table, list(zip(names, kinds, strict=True)), values, replace=replace)


def _value(value: Any, kind: SqlType) -> Any:
    """A value as its column takes it."""
    return str(value) if kind == "text" and value is not None else value
