"""`acumen complete DATA -o full.csv`: missing values filled from the other attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_OUT, STDOUT, Guarded

if TYPE_CHECKING:
    from collections.abc import Collection

    from acumen.data.parts import Parts
    from acumen.data.table import Table

_WORDS = ("auto", "forest", "boosting", "neighbours", "low-rank", "baseline")


@click.command(cls=Guarded)
@reads_data
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Write the completed table as CSV or ARFF."
)
@click.option(
    "--report", metavar="FILE", type=FILE_OUT, help="Write a self-contained HTML report of the errors."
)
@click.option(
    "--learner",
    type=click.Choice(_WORDS),
    default="auto",
    show_default=True,
    help="Learner that predicts missing values.",
)
@click.option(
    "--max-iter",
    "rounds",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Maximum number of iterations.",
)
@click.option(
    "--use-target",
    is_flag=True,
    help="Also use the target to fill values. Do not use this before training a classifier.",
)
@click.option("--fill-target", is_flag=True, help="Also fill missing values of the target.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed for the cells that are hidden to measure errors.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the errors as JSON.")
def complete(
    reading: Reading,
    output: str | None,
    report: str | None,
    learner: str,
    rounds: int,
    use_target: bool,
    fill_target: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Fill missing values in DATA from the other attributes, and measure the errors.

    Prints for each attribute the error on known cells that were hidden, compared with filling in the mean or mode.
    If nothing predicts an attribute better than its mean, median or mode, that value is used. Name the target with
    --target: by default it is neither used nor filled. Text columns do not change, and in CSV every known cell stays
    exactly as written in DATA.
    """
    from acumen.data.out.write import form_of
    from acumen.imputation.completion import complete as completed

    if output is not None and output != STDOUT:
        form_of(output)  # report a bad file name before the work starts
    with console.busy(f"reading {reading.display_name}"):
        parts = reading.scanning()(**reading.source_independent_options)
        table = _whole(parts)
    _tell_empty(table)
    with console.busy(f"filling missing values in {len(table):,} rows"):
        completion = completed(
            table,
            learner=learner,
            max_iter=rounds,
            use_target=use_target,
            fill_target=fill_target,
            random_state=seed,
        )
    if output is not None:
        with console.busy(f"writing {output}"):
            _write(parts, table, completion.table, output, reading.options.get("merge") or ())
        if output != STDOUT:
            console.say(f"Completed table written to {output}.")
    if report is not None:
        from acumen.data.out.atomic import replace_text

        replace_text(report, completion.to_html(), "complete")
        if report != STDOUT:
            console.say(f"Report written to {report}.")
    if STDOUT in (output, report):
        return
    if as_json:
        console.result_json({"schema_version": 1, **completion.to_dict()})
    else:
        console.result(str(completion))


def _whole(parts: Parts) -> Table:
    from acumen.data.concat import concat

    return concat(list(parts))


def _write(parts: Parts, before: Table, after: Table, output: str, merged: Collection[str | int]) -> None:
    """The table without gaps; cells that were known stay as they are written, but for levels that were merged."""
    from acumen.data.out.atomic import replace_text
    from acumen.data.out.refilled_lines import refilled_lines
    from acumen.data.out.write import form_of, write, write_lines

    form, _ = (".csv", "") if output == STDOUT else form_of(output)
    if form == ".arff":
        write(after, output)
        return
    plain = {before.schema.columns[each] if isinstance(each, int) else each for each in merged}
    lines = refilled_lines(parts, before, after, "," if form == ".csv" else "\t", plain)
    if output == STDOUT:
        replace_text(output, "".join(lines), "complete")
    else:
        write_lines(output, lines)


def _tell_empty(table: Table) -> None:
    """Warn about empty columns: their filled-in values are arbitrary."""
    from acumen.profiling.uninformative import empty_columns
    from acumen.profiling.warning_lines import name_list

    if len(table) and (empty := empty_columns(table)):
        what = "column" if len(empty) == 1 else "columns"
        console.say(
            f"{what} without any value: {name_list(empty)}. The filled-in values are meaningless; use --ignore NAME to "
            "leave a column out."
        )
