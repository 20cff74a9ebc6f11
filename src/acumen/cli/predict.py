"""`acumen predict MODEL DATA`: classes or numbers for new rows, streamed; needs no scikit-learn."""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.engine import on_engine
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.into import store_predictions
from acumen.cli.matching import Matching, Wish, matches_columns
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.databases.database import Stored
    from acumen.data.parts import Parts
    from acumen.models.predictor import AnyPredictor
    from acumen.parts.answer_rows import Answering, Called

_REASONS = 3


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Where to write; stdout unless given.")
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--explain", is_flag=True,
    help="Add the starting point and the strongest reasons of each prediction, in columns; all of them under --json.",
)  # fmt: skip
@click.option("--reasons", type=click.IntRange(1, 100), metavar="N",
              help="With --explain: how many reasons have columns; 3 unless given.")  # fmt: skip
@click.option("--steps", is_flag=True,
              help="The arithmetic of each prediction, written down instead of CSV; as data under --json.")  # fmt: skip
@click.option("--threshold", type=float, metavar="P",
              help="Call a class where its probability is at least this: of two the last, or --positive.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="With --threshold: the class that is called.")
@click.option("--keep", is_flag=True, help="Repeat the columns of DATA in front, as they are written there.")
@matches_columns
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line instead of CSV.")
@click.option("--excel-safe", is_flag=True,
              help="Put ' before texts that spreadsheets take for formulas: those beginning with = + - @")  # fmt: skip
@click.option("--into", metavar="TABLE", help="Write into a new table of the database that DATA is.")
@click.option("--replace", is_flag=True, help="With --into: drop a table of that name first.")
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
    wish: Wish,
    as_json: bool,
    excel_safe: bool,
    into: str | None,
    replace: bool,
) -> None:
    """Predict the class, the number or the group of every row of a table with a model kept by `acumen learn`.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Columns are matched by
    name; the target column may be there or not. Writes CSV with the columns row (from 1) and prediction, or those
    that a transformer makes; with --into a table of these columns, in one transaction. With --engine dask, -o names a
    folder, NAME.csv or NAME.parquet, whose files the workers write. What the model has not learned
    from (levels it never saw, numbers outside the range it saw, columns that are not there) is counted on stderr.

    --explain adds rival, start (the training average), reason_1_attribute, reason_1_value, reason_1_effect and
    reason_1_direction, the same of reason 2 and 3, and all of it in a sentence: because.
    """
    from acumen.engines.run import cluster
    from acumen.store import open as open_model

    _check_into(into, replace, output, as_json)
    if reasons is not None and (as_json or not explain):
        raise click.UsageError("--reasons goes with --explain, and not with --json, which has all of them.")
    if excel_safe and (as_json or into is not None):
        raise click.UsageError("--excel-safe is for CSV; leave out --json and --into.")

    if steps:
        others = {"--proba": proba, "--explain": explain, "--keep": keep, "--into": into is not None,
                  "--excel-safe": excel_safe, "--threshold": threshold is not None}  # fmt: skip
        if given := [flag for flag, asked in others.items() if asked]:
            raise click.UsageError(f"--steps does not go with {' and '.join(given)}.")

    predictor = open_model(model)
    if cluster() is not None:
        others = {"--json": as_json, "--into": into is not None, "--steps": steps}
        if given := [flag for flag, asked in others.items() if asked]:
            raise click.UsageError(
                f"--engine dask writes a folder of CSV or Parquet files; leave out {' and '.join(given)}."
            )
    if steps:
        _worked(Matching(predictor, reading, wish), reading, output, as_json)
        return
    if proba and not predictor.model.probabilistic:
        from acumen.errors import ParameterError

        raise ParameterError(f"--proba: {predictor.model.without_probabilities()}.")
    from acumen.parts.answer_rows import Answering, Telling

    tell = Telling(predictor, reasons or _REASONS, as_json) if explain else None
    answering = Answering(predictor, proba, tell, _called(predictor, threshold, positive))
    if cluster() is not None:
        _into_parts(Matching(predictor, reading, wish), wish, answering, output, keep, excel_safe)
        return
    with console.busy(f"predicting {reading.shown}"):
        matching = Matching(predictor, reading, wish)
        columns, kinds, results = _results(matching, answering, keep, typed=into is not None)
        first = list(
            itertools.islice(results, 1)
        )  # a table that does not fit fails before anything is written
    rows = itertools.chain(first, results)
    if into is not None:
        with console.busy(f"predicting {reading.shown}"):
            named = list(zip(columns, kinds, strict=True))
            count = store_predictions(reading.data, into, named, rows, replace=replace)
        matching.tell()
        console.say(f"{many(count, 'row')} written to the table {into}.")
        return
    with console.busy(f"predicting {reading.shown}"), _opened(output) as out:
        if as_json:
            import json

            for row in rows:
                made = [_json_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)]
                out.write(json.dumps(dict(zip(columns, made, strict=True)), allow_nan=False) + "\n")
        else:
            writer = csv.writer(out, lineterminator="\n")
            dress = _dressed(out, excel_safe)
            writer.writerow(map(dress, columns))
            writer.writerows([dress(value) for value in row] for row in rows)
    matching.tell()


def _into_parts(
    matching: Matching, wish: Wish, answering: Answering, output: str | None, keep: bool, excel_safe: bool
) -> None:
    """Files of a new folder, each written where its rows are read."""
    from acumen.parts.predict_parts import write_answers

    if output is None or not output.endswith((".csv", ".parquet")):
        raise click.UsageError(
            "--engine dask writes a folder of files: say -o NAME.parquet or -o NAME.csv, where all workers can write."
        )
    form: Literal["csv", "parquet"] = "csv" if output.endswith(".csv") else "parquet"
    if excel_safe and form != "csv":
        raise click.UsageError("--excel-safe is for CSV; say -o NAME.csv.")
    with console.busy(f"predicting {matching.reading.shown}"):
        parts = matching.scan(needs=None if keep else matching.schema.names)
        answering = replace(answering, kept=tuple(parts.schema.columns) if keep else ())
        made = write_answers(
            answering, parts, output, form=form, fill=wish.fill, names=matching.names, excel_safe=excel_safe
        )
    matching.unfamiliar.include(made.unfamiliar)
    matching.tell()
    console.say(f"{many(made.rows, 'row')} written to {many(len(made.files), 'file')} in {output}.")


def _worked(matching: Matching, reading: Reading, output: str | None, as_json: bool) -> None:
    """Each prediction with its arithmetic, one after the other."""
    import json

    from acumen.models.worked_explanations import explain_steps

    with console.busy(f"predicting {reading.shown}"):
        tables = matching.tables(matching.scan(needs=matching.schema.names))
        rows = (part.take(slice(i, i + 1)) for _, part in tables for i in range(len(part)))
        first = [explain_steps(matching.predictor, row) for row in itertools.islice(rows, 1)]
    made = itertools.chain(first, (explain_steps(matching.predictor, row) for row in rows))
    with console.busy(f"predicting {reading.shown}"), _opened(output) as out:
        for number, explanation in enumerate(made, 1):
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
        raise ParameterError("--into: rows go into a table or to a file; leave out --output and --json.")
    if replace and into is None:
        raise ParameterError("--replace: say with --into which table is to be replaced.")


def _opened(output: str | None) -> AbstractContextManager[TextIO]:
    """Stdout, or a file that appears only when it is complete; devices and pipes are written to as they are."""
    if output is None or output == STDOUT:
        return nullcontext(sys.stdout)
    from acumen.data.out.atomic import replacing_text

    return replacing_text(output, "predict")


def _results(
    matching: Matching, answering: Answering, keep: bool, typed: bool
) -> tuple[list[str], list[Stored], Iterator[list[Any]]]:
    """Names, kinds and rows of the answers; columns that are kept come as written, or `typed` for a database."""
    from acumen.parts.answer_rows import kinds_of

    parts = matching.scan(needs=None if keep else matching.schema.names)
    answering = replace(answering, kept=tuple(parts.schema.columns) if keep else ())
    tables = matching.tables(parts)
    first = next(tables)
    cells: Iterator[Sequence[Any]] = itertools.repeat(())
    if keep:
        cells = _typed(parts, answering.kept) if typed else iter(parts.written())

    def rows() -> Iterator[list[Any]]:
        number = 0
        for _, some in itertools.chain([first], tables):
            yield from answering.lines(some, number, cells)
            number += len(some)

    return answering.columns, kinds_of(answering, *first), rows()


def _typed(parts: Parts, kept: Sequence[str]) -> Iterator[Sequence[Any]]:
    """Numbers as numbers, for a database."""
    for part in parts:
        yield from zip(*(part.column(name).tolist() for name in kept), strict=True)


def _called(predictor: AnyPredictor, threshold: float | None, positive: str | None) -> Called | None:
    """The place of the class that is called, and from which probability on."""
    from acumen.errors import ParameterError

    if threshold is None:
        if positive is not None:
            raise ParameterError(
                "--positive goes with --threshold: say from which probability on it is called."
            )
        return None
    if not 0 <= threshold <= 1:
        raise ParameterError(f"--threshold: a probability lies between 0 and 1; got {threshold:g}.")
    if not predictor.model.probabilistic:
        raise ParameterError(f"--threshold: {predictor.model.without_probabilities()}.")
    from acumen.cli.arguments import positive_of

    return predictor.schema.classes.index(positive_of(positive, predictor.schema, "--threshold")), threshold


def _json_cell(cell: Any, kind: Stored) -> Any:
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


def _dressed(out: TextIO, excel_safe: bool) -> Callable[[Any], Any]:
    """How a cell is written: files and pipes get the data as it is, a terminal nothing that acts on it."""
    from acumen.parts.answer_rows import csv_cell
    from acumen.render.escape import printable

    shown = console.is_terminal(out)

    def cell(value: Any) -> Any:
        made = csv_cell(value, excel_safe)
        return printable(made) if shown and isinstance(made, str) else made

    return cell
