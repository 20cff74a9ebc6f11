"""`acumen show MODEL`: what a model file holds; needs no scikit-learn."""

from __future__ import annotations

import sys
from typing import Any

import click

from acumen.cli import console
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.render.text import many


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option("--full", is_flag=True, help="Everything, however long.")
@click.option("--json", "as_json", is_flag=True, help="The file's own manifest and description, as JSON.")
@click.option("--steps", is_flag=True, help="The arithmetic: of naive Bayes each probability as its counts.")
@click.option("--rules", is_flag=True, help="The model as rules, each with support and confidence.")
@click.option(
    "--sql", metavar="TABLE", help="The model as a SELECT of that table's rows and their predictions."
)
@click.option("--probabilities", is_flag=True, help="With --sql: the probability of each class too.")
@click.option(
    "--guard",
    is_flag=True,
    help="With --sql, of sums: take NaN and infinite numbers as missing.",
)
@click.option("--python", "as_python", is_flag=True, help="The model as a Python module that needs nothing.")
@click.option("--onnx", metavar="[FILE]", type=FILE_OUT, is_flag=False, flag_value=STDOUT,
              help="Write the model into that file, or to stdout, as an ONNX graph.")  # fmt: skip
@click.option("--pmml", metavar="[FILE]", type=FILE_OUT, is_flag=False, flag_value=STDOUT,
              help="Write the model into that file, or to stdout, as PMML 4.4.")  # fmt: skip
@click.option("--svg", metavar="FILE", type=FILE_OUT, help="Draw the model into that file.")
@click.option("--bif", is_flag=True, help="A Bayesian network as a BIF file, which other programs read.")
@click.option("--odds", is_flag=True,
              help="Odds ratios of a logistic regression, with intervals; with --svg as a forest plot.")  # fmt: skip
@click.option("--reference", metavar="NAME=LEVEL", multiple=True,
              help="With --odds: the level that others of an attribute are compared with; else the first.")  # fmt: skip
@click.option(
    "--against", metavar="CLASS", help="With --odds: the class that odds are against; the first unless given."
)
@click.option("--per", metavar="NAME=UNITS", multiple=True,
              help="With --odds: how many units of a number its ratio is per; 1 unless given.")  # fmt: skip
@click.option(
    "--level", type=float, metavar="SHARE", help="With --odds: the coverage of intervals; 0.95 unless given."
)
@click.option(
    "--depth", type=click.IntRange(min=0), help="How deep --svg draws; by itself as deep as is readable."
)
def show(
    model: str,
    full: bool,
    as_json: bool,
    steps: bool,
    rules: bool,
    sql: str | None,
    probabilities: bool,
    guard: bool,
    as_python: bool,
    onnx: str | None,
    pmml: str | None,
    svg: str | None,
    bif: bool,
    odds: bool,
    reference: tuple[str, ...],
    against: str | None,
    per: tuple[str, ...],
    level: float | None,
    depth: int | None,
) -> None:
    """Show what was learned: the model in words, and what it was learned from.

    Of --json, --steps, --rules, --sql, --python, --onnx, --pmml, --svg and --bif one is taken at a time; --odds goes
    with --json or --svg. Whatever is made of rules can be had as rules; rules, trees, linear and additive models and
    naive Bayes as SQL, as Python and as PMML; these, forests, boosting and support vector machines as ONNX; trees,
    networks and logistic regressions as a drawing.
    """
    from acumen.data.escape import printable_lines
    from acumen.store import manifest
    from acumen.store import open as open_model

    forms = {
        "--json": as_json,
        "--steps": steps,
        "--rules": rules,
        "--sql": sql is not None,
        "--python": as_python,
        "--onnx": onnx is not None,
        "--pmml": pmml is not None,
        "--svg": svg is not None,
        "--bif": bif,
    }
    chosen = [flag for flag, is_given in forms.items() if is_given]
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} do not go together; give one of them.")
    if depth is not None and svg is None:
        raise click.UsageError("--depth is for drawings; give --svg FILE too.")
    for flag, is_given in (("--probabilities", probabilities), ("--guard", guard)):
        if is_given and sql is None:
            raise click.UsageError(f"{flag} is for SQL; give --sql TABLE too.")
    _check_odds(
        odds, chosen, {"--reference": reference, "--against": against, "--per": per, "--level": level}
    )
    predictor = open_model(model)
    if odds:
        _odds(predictor, reference, against, per, level, as_json, svg)
        return
    if onnx is not None or pmml is not None:
        _export_file(predictor, chosen[0], onnx if pmml is None else pmml)
        return
    if chosen and not as_json:
        how = {"probabilities": probabilities, "guard": guard}
        _write_form(predictor, chosen[0], sql, how, svg, depth)
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
            f"\n{about['kind']}, learned from {many(training['rows'], 'row')} of total weight {training['weight']:g}; "
            f"{len(predictor.schema)} attributes, {predictor.promise()}"
        )
    )
    if "comparison" in about:
        from acumen.store.compared import told_comparison

        console.result(printable_lines("\n".join(told_comparison(about["comparison"]))))


def _export_file(predictor: Any, flag: str, path: str | None) -> None:
    """The model in a file that other programs read."""
    from acumen.errors import DataError
    from acumen.exports import onnx, pmml

    if flag == "--onnx" and path == STDOUT and console.is_terminal(sys.stdout):
        raise click.UsageError(
            "--onnx: a graph is not for a terminal; give the name of a file, or send it into one."
        )
    try:
        (onnx.to_onnx if flag == "--onnx" else pmml.to_pmml)(predictor, path)
    except DataError as error:
        sentence = str(error).partition(": ")[2] or str(error)
        raise click.UsageError(f"{flag}: {sentence}") from error
    if path != STDOUT:
        console.say(f"{path} is written.")


def _check_odds(odds: bool, chosen: list[str], further: dict[str, Any]) -> None:
    """What goes with --odds, and what goes only with it."""
    if odds and (other := [flag for flag in chosen if flag not in ("--json", "--svg")]):
        raise click.UsageError(f"--odds and {other[0]} do not go together; give one of them.")
    if not odds and (flags := [flag for flag, value in further.items() if value not in (None, ())]):
        raise click.UsageError(f"{flags[0]} is for odds ratios; give --odds too.")


def _odds(
    predictor: Any, reference: tuple[str, ...], against: str | None, per: tuple[str, ...], level: float | None,
    as_json: bool, svg: str | None,
) -> None:  # fmt: skip
    """Odds ratios as a table, as JSON or as a forest plot."""
    from acumen.data.escape import printable_lines
    from acumen.data.out.atomic import replace_text
    from acumen.errors import AcumenError, article
    from acumen.explain.questions import HasOddsRatios

    if not isinstance(predictor.model, HasOddsRatios):
        raise click.UsageError(
            f"--odds: {article(predictor.model.kind)} model has no odds ratios; a logistic one has."
        )
    try:
        ratios = predictor.model.odds_ratios(
            predictor.schema,
            reference=dict(_pairs("--reference", reference)),
            level=0.95 if level is None else level,
            against=against,
            per={name: _units(name, units) for name, units in _pairs("--per", per)},
        )
    except AcumenError as error:
        raise click.UsageError(f"--odds: {str(error).partition(': ')[2] or error}") from error
    if as_json:
        console.result_json(ratios.to_dict())
    elif svg is not None:
        replace_text(svg, ratios._repr_svg_(), "show")
        if svg != STDOUT:
            console.say(f"{svg} is written.")
    else:
        console.result(printable_lines(str(ratios)))


def _pairs(flag: str, given: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.rpartition("=") for text in given]
    for text, (name, sign, value) in zip(given, pairs, strict=True):
        if not (name and sign and value):
            raise click.UsageError(f"{flag}: write NAME=VALUE; got {text!r}.")
    return [(name, value) for name, _, value in pairs]


def _units(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--per: the units of {name!r} must be a number; got {text!r}.") from None


def _write_form(
    predictor: Any, flag: str, sql: str | None, how: dict[str, bool], svg: str | None, depth: int | None
) -> None:
    """The model in another form, asked of the model itself; SQL and Python as they are, to be piped on."""
    from acumen.codegen import export
    from acumen.data.escape import printable_lines
    from acumen.data.out.atomic import replace_text
    from acumen.errors import AcumenError

    try:
        if flag == "--steps":
            console.result(_steps(predictor))
        elif flag == "--rules":
            console.result(printable_lines(str(export.rules_of(predictor))))
        elif sql is not None:
            statement = (
                export.sql_of(predictor, sql, probabilities=how["probabilities"], guard=how["guard"]) + ";"
            )
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
        sentence = str(error).partition(": ")[2] or str(error)
        raise click.UsageError(f"{flag}: {sentence}") from error


def _steps(predictor: Any) -> str:
    """The arithmetic behind a model, where the model holds it; that of learning is told while it is learned."""
    from acumen.data.escape import printable_lines
    from acumen.errors import DataError, article
    from acumen.explain.questions import HasSteps

    model = predictor.model
    if not isinstance(model, HasSteps):
        raise DataError(
            f"show: {article(predictor.model.kind)} model does not hold the arithmetic behind it. Of trees and "
            "perceptrons `acumen learn DATA --steps` tells it; that of predictions `acumen predict MODEL DATA --steps`."
        )
    return printable_lines(model.to_steps(predictor.schema))
