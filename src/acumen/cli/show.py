"""`acumen show MODEL`: what a model file holds; needs no scikit-learn."""

from __future__ import annotations

import sys
from typing import Any

import click

from acumen.cli import console
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option("--full", is_flag=True, help="Everything, however long.")
@click.option("--json", "as_json", is_flag=True, help="The file's own manifest and description, as JSON.")
@click.option("--rules", is_flag=True, help="The model as rules, each with support and confidence.")
@click.option(
    "--sql", metavar="TABLE", help="The model as a SELECT of that table's rows and their predictions."
)
@click.option("--python", "as_python", is_flag=True, help="The model as a Python module that needs nothing.")
@click.option("--svg", metavar="FILE", type=FILE_OUT, help="Draw the model into that file.")
@click.option("--bif", is_flag=True, help="A Bayesian network as a BIF file, which other programs read.")
@click.option(
    "--depth", type=click.IntRange(min=0), help="How deep --svg draws; by itself as deep as is readable."
)
def show(
    model: str,
    full: bool,
    as_json: bool,
    rules: bool,
    sql: str | None,
    as_python: bool,
    svg: str | None,
    bif: bool,
    depth: int | None,
) -> None:
    """Show what was learned: the model in words, and what it was learned from.

    Of --json, --rules, --sql, --python, --svg and --bif one is taken at a time. Whatever is made of rules can be had as
    rules; rules, trees and linear models as SQL and as Python; trees and networks as a drawing.
    """
    from acumen.show.escape import printable_lines
    from acumen.store import manifest
    from acumen.store import open as open_model

    asked = {
        "--json": as_json,
        "--rules": rules,
        "--sql": sql is not None,
        "--python": as_python,
        "--svg": svg is not None,
        "--bif": bif,
    }
    chosen = [flag for flag, given in asked.items() if given]
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} do not go together; give one of them.")
    if depth is not None and svg is None:
        raise click.UsageError("--depth is for drawings; give --svg FILE too.")
    predictor = open_model(model)
    if chosen and not as_json:
        _written(predictor, chosen[0], sql, svg, depth)
        return
    about = manifest(model)
    if as_json:
        facts = {key: about[key] for key in ("format", "kind", "acumen", "parameters", "schema", "classes", "training",
                                              "comparison")
                 if key in about}  # fmt: skip
        console.result_json({"schema_version": 1, **facts, "description": predictor.describe(full=True)})
        return
    console.result(printable_lines(predictor.describe(full=full)))
    training = about["training"]
    console.result(
        printable_lines(
            f"\n{about['kind']}, learned from {training['rows']} rows of total weight {training['weight']:g}; "
            f"{len(predictor.schema)} attributes, {predictor.promise()}"
        )
    )
    if "comparison" in about:
        from acumen.store.compared import told_comparison

        console.result(printable_lines("\n".join(told_comparison(about["comparison"]))))


def _written(predictor: Any, flag: str, sql: str | None, svg: str | None, depth: int | None) -> None:
    """The model in another form, asked of the model itself; SQL and Python as they are, to be piped on."""
    from acumen.base import export
    from acumen.data.out.atomic import replace_text
    from acumen.errors import AcumenError
    from acumen.show.escape import printable_lines

    try:
        if flag == "--rules":
            console.result(printable_lines(str(export.rules_of(predictor))))
        elif sql is not None:
            statement = export.sql_of(predictor, sql) + ";"
            if console.is_terminal(sys.stdout) and printable_lines(statement) != statement:
                raise click.UsageError(
                    "--sql: names in this model hold characters that act on a terminal; send the statement to a file."
                )
            console.result(statement)
        elif svg is not None:
            drawn = export.figure_of(predictor, **({} if depth is None else {"max_depth": depth}))
            replace_text(svg, drawn._repr_svg_(), "show")
            if svg != STDOUT:
                console.say(f"{svg} is written.")
        elif flag == "--bif":
            console.result(printable_lines(export.bif_of(predictor)).rstrip("\n"))
        else:
            console.result(export.python_of(predictor))
    except AcumenError as error:
        said = str(error).partition(": ")[2] or str(error)
        raise click.UsageError(f"{flag}: {said}") from error
