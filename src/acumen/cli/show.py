"""`acumen show MODEL`: the contents of a model file; needs no scikit-learn."""

from __future__ import annotations

import sys
from typing import Any

import click

from acumen.cli import console
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.render.text import many


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option("--full", is_flag=True, help="Show the complete model, however long.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest and the description as JSON.")
@click.option(
    "--steps",
    is_flag=True,
    help="Show how the parameters are computed, such as the counts behind each naive Bayes probability.",
)
@click.option("--rules", is_flag=True, help="Print the model as rules with support and confidence.")
@click.option(
    "--sql",
    metavar="TABLE",
    help="Print the model as a SQL SELECT of the rows of TABLE and their predictions.",
)
@click.option("--probabilities", is_flag=True, help="With --sql: also select the probability of each class.")
@click.option(
    "--nan-as-missing",
    "guard",
    is_flag=True,
    help="With --sql, for linear models: treat NaN and infinite numbers as missing.",
)
@click.option(
    "--python", "as_python", is_flag=True, help="Print the model as a Python module without dependencies."
)
@click.option("--onnx", metavar="[FILE]", type=FILE_OUT, is_flag=False, flag_value=STDOUT,
              help="Export the model as ONNX to FILE or stdout.")  # fmt: skip
@click.option("--pmml", metavar="[FILE]", type=FILE_OUT, is_flag=False, flag_value=STDOUT,
              help="Export the model as PMML 4.4 to FILE or stdout.")  # fmt: skip
@click.option("--svg", metavar="FILE", type=FILE_OUT, help="Draw the model to FILE.")
@click.option("--bif", is_flag=True, help="Print a Bayesian network in BIF format.")
@click.option("--odds-ratios", "odds", is_flag=True,
              help="Odds ratios of a logistic regression with confidence intervals; with --svg as a forest "
              "plot.")  # fmt: skip
@click.option("--reference-level", "reference", metavar="NAME=LEVEL", multiple=True,
              help="With --odds-ratios: reference category of an attribute.  [default: the first]")  # fmt: skip
@click.option(
    "--reference-class",
    "against",
    metavar="CLASS",
    help="With --odds-ratios: reference class.  [default: the first]",
)
@click.option("--units", "per", metavar="NAME=UNITS", multiple=True,
              help="With --odds-ratios: number of units of a numeric attribute per ratio.  [default: 1]")  # fmt: skip
@click.option(
    "--level",
    type=float,
    metavar="P",
    help="With --odds-ratios: confidence level of the intervals.  [default: 0.95]",
)
@click.option(
    "--max-depth",
    "depth",
    type=click.IntRange(min=0),
    help="Maximum depth of the --svg drawing.  [default: readable depth]",
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
    """Show a saved model in words, with its training data, or export it.

    Give at most one of --json, --steps, --rules, --sql, --python, --onnx, --pmml, --svg and --bif; --odds-ratios can be
    combined with --json or --svg. Rule-based models can be printed as rules. Rules, trees, linear and additive models
    and naive Bayes can be exported to SQL, Python and PMML; these, forests, boosting and support vector machines to
    ONNX. Trees, networks and logistic regressions can be drawn.
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
        raise click.UsageError(f"{' and '.join(chosen)} cannot be combined; give only one.")
    if depth is not None and svg is None:
        raise click.UsageError("--max-depth is for drawings; add --svg FILE.")
    for flag, is_given in (("--probabilities", probabilities), ("--nan-as-missing", guard)):
        if is_given and sql is None:
            raise click.UsageError(f"{flag} is for SQL; add --sql TABLE.")
    _check_odds(
        odds,
        chosen,
        {"--reference-level": reference, "--reference-class": against, "--units": per, "--level": level},
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
    weight = "" if training["weight"] == training["rows"] else f" of total weight {training['weight']:g}"
    console.result(
        printable_lines(
            f"\n{about['kind']}, trained on {many(training['rows'], 'row')}{weight}; "
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
        raise click.UsageError("--onnx: output is binary; give a file name, or redirect stdout to a file.")
    try:
        (onnx.to_onnx if flag == "--onnx" else pmml.to_pmml)(predictor, path)
    except DataError as error:
        sentence = str(error).partition(": ")[2] or str(error)
        raise click.UsageError(f"{flag}: {sentence}") from error
    if path != STDOUT:
        console.say(f"Model written to {path}.")


def _check_odds(odds: bool, chosen: list[str], further: dict[str, Any]) -> None:
    """What goes with --odds-ratios, and what goes only with it."""
    if odds and (other := [flag for flag in chosen if flag not in ("--json", "--svg")]):
        raise click.UsageError(f"--odds-ratios and {other[0]} cannot be combined; give only one.")
    if not odds and (flags := [flag for flag, value in further.items() if value not in (None, ())]):
        raise click.UsageError(f"{flags[0]} is for odds ratios; add --odds-ratios.")


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
            f"--odds-ratios: {article(predictor.model.kind)} model has no odds ratios; logistic models have them."
        )
    try:
        ratios = predictor.model.odds_ratios(
            predictor.schema,
            reference_levels=dict(_pairs("--reference-level", reference)),
            level=0.95 if level is None else level,
            reference_class=against,
            units={name: _units(name, units) for name, units in _pairs("--units", per)},
        )
    except AcumenError as error:
        raise click.UsageError(f"--odds-ratios: {str(error).partition(': ')[2] or error}") from error
    if as_json:
        console.result_json(ratios.to_dict())
    elif svg is not None:
        replace_text(svg, ratios._repr_svg_(), "show")
        if svg != STDOUT:
            console.say(f"Drawing written to {svg}.")
    else:
        console.result(printable_lines(str(ratios)))


def _pairs(flag: str, given: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.rpartition("=") for text in given]
    for text, (name, sign, value) in zip(given, pairs, strict=True):
        if not (name and sign and value):
            raise click.UsageError(f"{flag}: use the form NAME=VALUE; got {text!r}.")
    return [(name, value) for name, _, value in pairs]


def _units(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--units: the units of {name!r} must be a number; got {text!r}.") from None


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
                    "--sql: names in this model contain terminal control characters; redirect the statement to a file."
                )
            console.result(statement)
        elif svg is not None:
            drawn = export.figure_of(predictor, **({} if depth is None else {"max_depth": depth}))
            replace_text(svg, drawn._repr_svg_(), "show")
            if svg != STDOUT:
                console.say(f"Drawing written to {svg}.")
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
            f"show: {article(predictor.model.kind)} model does not store its computation steps. For trees and "
            "perceptrons use "
            "`acumen learn DATA --steps`; for predictions use `acumen predict MODEL DATA --steps`."
        )
    return printable_lines(model.to_steps(predictor.schema))
