"""`acumen predict MODEL DATA`: classes or numbers for new rows, streamed; needs no scikit-learn."""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TextIO

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.into import kinds_of, store_predictions
from acumen.cli.matching import Matching, Wish, matches_columns

if TYPE_CHECKING:
    from acumen.base.explanation import Evidence, Explanation, ValueExplanation
    from acumen.base.predictor import AnyPredictor
    from acumen.data.databases.sql import Stored
    from acumen.data.parts import Parts
    from acumen.data.table import Table

    Tell = Callable[[Explanation | ValueExplanation], Any]
    Called = tuple[int, float]

_REASONS = 3
#: What a spreadsheet takes for the beginning of a formula, in the wide forms of East Asian fonts too.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Where to write; stdout unless given.")
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--explain", is_flag=True, help="Add the strongest reasons for each prediction; all of them under --json."
)
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
def predict(
    model: str,
    reading: Reading,
    output: str | None,
    proba: bool,
    explain: bool,
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
    that a transformer makes; with --into a table of these columns, in one transaction. What the model has not learned
    from (levels it never saw, numbers outside the range it saw, columns that are not there) is counted on stderr.
    """
    from acumen.store import open as open_model

    _check_into(into, replace, output, as_json)
    if excel_safe and (as_json or into is not None):
        raise click.UsageError("--excel-safe is for CSV; leave out --json and --into.")

    predictor = open_model(model)
    if proba and not predictor.model.probabilistic:
        from acumen.errors import ParameterError

        raise ParameterError(f"--proba: {predictor.model.without_probabilities()}.")
    called = _called(predictor, threshold, positive)
    with console.busy(f"predicting {reading.shown}"):
        tell = (_explained if as_json else _because) if explain else None
        matching = Matching(predictor, reading, wish)
        columns, kinds, results = _results(matching, proba, tell, keep, called, typed=into is not None)
        first = list(
            itertools.islice(results, 1)
        )  # a table that does not fit fails before anything is written
    rows = itertools.chain(first, results)
    if into is not None:
        with console.busy(f"predicting {reading.shown}"):
            named = list(zip(columns, kinds, strict=True))
            count = store_predictions(reading.data, into, named, rows, replace=replace)
        matching.tell()
        console.say(f"{count:,} rows written to the table {into}.")
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
    matching: Matching, proba: bool, tell: Tell | None, keep: bool, called: Called | None, typed: bool
) -> tuple[list[str], list[Stored], Iterator[list[Any]]]:
    """Names, kinds and rows of the answers; columns that are kept come as written, or `typed` for a database."""
    predictor = matching.predictor
    parts = matching.scan(needs=None if keep else matching.schema.names)
    kept = list(parts.schema.columns) if keep else []
    columns = [*kept, "row", *predictor.headings]
    columns += [f"P({label})" for label in predictor.schema.classes] if proba else []
    columns += ["because"] if tell else []
    tables = matching.tables(parts)
    first = next(tables)
    kinds = kinds_of(columns, kept, first[0], predictor)
    cells: Iterator[Sequence[Any]] = itertools.repeat(())
    if kept:
        cells = _typed(parts, kept) if typed else parts.written()
    return columns, kinds, _rows(predictor, itertools.chain([first], tables), cells, proba, tell, called)


def _typed(parts: Parts, kept: list[str]) -> Iterator[Sequence[Any]]:
    """Numbers as numbers, for a database."""
    for part in parts:
        yield from zip(*(part.column(name).tolist() for name in kept), strict=True)


def _rows(
    predictor: AnyPredictor,
    tables: Iterator[tuple[Table, Table]],
    cells: Iterator[Sequence[Any]],
    proba: bool,
    tell: Tell | None,
    called: Called | None,
) -> Iterator[list[Any]]:
    number, several = 0, predictor.task.columns
    for _, rows in tables:
        shares, answers = _answers(predictor, rows, proba, called)
        for i, answer in enumerate(answers):
            number += 1
            said = answer if several else (answer,)
            made: list[Any] = [*next(cells), number, *said]
            if shares is not None:
                made += shares[i].tolist()
            if tell is not None:
                made.append(tell(predictor.explain(rows.take(slice(i, i + 1)))))
            yield [None if value != value else value for value in made]


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


def _answers(
    predictor: AnyPredictor, rows: Table, proba: bool, called: Called | None
) -> tuple[Any, list[Any]]:
    """Probabilities, if asked for, and the class, number or group of each row."""
    from acumen.base.decision import by_threshold
    from acumen.base.predictor import Predictor

    if not isinstance(predictor, Predictor) or not (proba or called):
        return None, predictor.answers(rows)
    shares = predictor.proba(rows)
    codes = predictor.decide(shares) if called is None else by_threshold(shares, *called)
    return shares if proba else None, [predictor.classes[code] for code in codes.tolist()]


def _explained(explanation: Explanation | ValueExplanation) -> dict[str, Any]:
    """The whole explanation for a program; JSON has no number for infinite log-odds, so they are words."""
    made = explanation.to_dict()
    for reason in made.get("evidence", ()):
        for key in ("contribution", "log_odds"):
            if reason.get(key) is not None and not math.isfinite(reason[key]):
                reason[key] = str(reason[key])
    return made


def _because(explanation: Explanation | ValueExplanation) -> str:
    from acumen.base.explanation import ValueExplanation, strongest

    if isinstance(explanation, ValueExplanation):
        told = [_reason(each, "+.4g") for each in explanation.contributions[:_REASONS]]
        told = [f"from {explanation.start:.4g}", *told]
    else:
        told = [_reason(each, "+.2f") for each in strongest(explanation.evidence)[:_REASONS]]
    return "; ".join([*told, *([explanation.note] if explanation.note else [])])


def _reason(each: Evidence, form: str) -> str:
    return each.text if each.contribution is None else f"{each.text} ({each.contribution:{form}})"


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and "_" not in text and float(text) == float(text)
    except ValueError:
        return False


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
    from acumen.show.escape import printable

    shown = console.is_terminal(out)

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return "" if value is None else repr(value) if isinstance(value, float) else value
        formula = excel_safe and value.lstrip().startswith(_FORMULA) and not _is_number(value)
        made = f"'{value}" if formula else value
        return printable(made) if shown else made

    return cell
