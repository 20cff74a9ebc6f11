"""`acumen parts plan`, `summarise` and `merge`: train one model from a table stored in several parts.

acumen parts plan DATA... --target T --learner naive-bayes -o plan.json
acumen parts summarise DATA --plan plan.json -o part.sum       once for each part, on any machine
acumen parts merge *.sum -o all.sum
acumen learn --from-summary all.sum -o model.acm
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data, reads_several
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import keep_ids_option, learner_for, report_ignored_columns
from acumen.messages import option
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.parts import PartSum, Plan

_LEARNER = click.option(
    "--learner",
    metavar="NAME",
    help="Learner to train from the summaries.  [default: naive-bayes for classes, linear-regression for numbers]",
)
_SETTINGS = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter of the learner. May be repeated.",
)

_JSON = click.option("--json", "as_json", is_flag=True, help="Print a summary of the result as JSON.")


@click.group(no_args_is_help=False)
def parts() -> None:
    """Train one model from a table stored in several parts: plan, summarise each part, merge the summaries."""


@parts.command(cls=Guarded, short_help="Create a shared schema for a table stored in several parts.")
@reads_several
@_LEARNER
@_SETTINGS
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Output file for the plan."
)
@_JSON
@keep_ids_option
def plan(
    readings: Sequence[Reading],
    learner: str | None,
    settings: tuple[str, ...],
    output: str,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Create a shared schema for a table stored in several parts.

    DATA... are the parts in row order: files of one table, in any format. acumen reads each part twice to
    collect columns, categories and classes, and to count the rows. You can also pass plans of single parts, each
    created on the machine that has the part; they are merged without reading rows.
    """
    from acumen.parts import read_plan, write_plan
    from acumen.parts.plan_parts import is_plan, join, plan_files

    files = [each.data for each in readings]
    plans = [file for file in files if is_plan(file)]
    if plans and len(plans) < len(files):
        raise click.UsageError(
            f"{plans[0]} is a plan, but other arguments are parts; give only plans or only parts."
        )
    if plans:
        flags = {"--learner": learner, "--set": settings, "--keep-ids": keep_ids}
        names = [
            *map(option, sorted(readings[0].options)),
            *(flag for flag, flag_set in flags.items() if flag_set),
        ]
        if names:
            raise click.UsageError(f"{names[0]}: plans already contain this; remove it.")
        part_plan = join([read_plan(file) for file in files], files)
    else:
        check_learner(learner, settings)
        with console.busy(f"planning {len(files)} {'part' if len(files) == 1 else 'parts'}"):
            part_plan = plan_files(
                [(each.display_name, each.scanning()) for each in readings],
                _choose_learner(learner, settings),
                readings[0].source_independent_options,
                idle=keep_ids,
                report_left_out=report_ignored_columns,
            )
    write_plan(part_plan, output)
    count = f"{len(part_plan.parts)} part" + ("" if len(part_plan.parts) == 1 else "s")
    columns = many(len(part_plan.model_schema), "attribute")
    message = f"{count} of {many(part_plan.n_counted, 'row')} for {part_plan.name}, {columns}."
    return _report_saved(
        output, message, as_json, {**_facts(part_plan), "left_out": list(part_plan.left_out)}
    )


@parts.command(cls=Guarded, short_help="Summarise one part of the table.")
@reads_data
@_LEARNER
@_SETTINGS
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=FILE_IN,
    help="Plan written by `acumen parts plan`; not needed if DATA is the whole table.",
)
@click.option("--part", metavar="NAME", help="Name of this part in the plan, if DATA has another name here.")
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Output file for the summary."
)
@_JSON
@keep_ids_option
def summarise(
    reading: Reading,
    learner: str | None,
    settings: tuple[str, ...],
    plan_file: str | None,
    part: str | None,
    output: str,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Summarise one part of a table.

    The plan knows DATA by its name, and contains the target, the learner and the reading options. Without a plan,
    DATA is the whole table. The summary may contain the first and last rows of DATA in plain form, so protect it
    as you protect DATA.
    """  # fmt: skip
    from acumen.parts import read_plan, write_sum
    from acumen.parts.part_sums import summarise_scan
    from acumen.parts.plan_parts import plan_files

    refuse_terminal(output)
    check_learner(learner, settings)
    scan = reading.scanning()
    with console.busy(f"summarising {reading.display_name}"):
        if plan_file is None:
            if part is not None:
                raise click.UsageError("--part names a part of a plan; add --plan FILE.")
            part_plan = plan_files(
                [(reading.display_name, scan)],
                _choose_learner(learner, settings),
                reading.source_independent_options,
                idle=keep_ids,
                report_left_out=report_ignored_columns,
            )
        else:
            part_plan = read_plan(plan_file)
            _check_plan(part_plan, reading, learner, settings, keep_ids)
        place = part_plan.place_of(part if part is not None else reading.display_name)
        part_sum = summarise_scan(scan, part_plan, place, reading.display_name)
    write_sum(part_sum, output)
    return _report_saved(output, _describe_sum(part_sum), as_json, _facts(part_sum.plan, part_sum))


@parts.command(cls=Guarded, short_help="Merge summaries; `learn --from-summary` trains the model.")
@click.argument("files", metavar="SUMMARY...", type=FILE_IN, nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Output file for the merged summary."
)
@_JSON
def merge(files: tuple[str, ...], output: str, as_json: bool) -> int:
    """Merge summaries of parts, in any order. You can merge the result with more summaries later."""
    from acumen.parts import merge as merge_sums
    from acumen.parts import read_sum, write_sum

    refuse_terminal(output)
    with console.busy(f"merging {len(files)} summaries"):
        total = merge_sums([read_sum(file) for file in files])
    write_sum(total, output)
    return _report_saved(output, _describe_sum(total), as_json, _facts(total.plan, total))


def fit_from_summary(file: str, word: str | None, settings: tuple[str, ...], given: dict[str, Any]) -> Any:
    """The model of a sum of all parts; parameters may be set that the rows need not be seen for."""
    from acumen.errors import ParameterError
    from acumen.parts import read_sum
    from acumen.registry import costs_cover, entry, parse_learner

    with console.busy(f"training from {file}"):
        total = read_sum(file)
        kind = type(total.plan.learner).kind
        if word is not None and parse_learner(word)[0].kind != kind:
            raise ParameterError(
                f"--learner {word}: {file} contains summaries for {kind} and cannot train another model; remove it."
            )
        costs_cover(given.get("costs"), total.plan.schema.classes)
        one = entry(kind)
        values = dict(given)
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise ParameterError(f"{one.name}: use the form name=value for a setting; got {setting!r}.")
            spec = one.parameter(name)
            values[spec.name] = one.value(spec, text)
        for name in given:
            one.parameter(name)
        return total.fit(**values)


def check_learner(word: str | None, settings: tuple[str, ...]) -> None:
    """Report a wrong learner before reading a large file."""
    if word is not None:
        from acumen.parts.plan import require_adds
        from acumen.registry import entry

        learner = entry(word).make(settings)
        learner.check_parameters()
        require_adds(learner)


def _choose_learner(word: str | None, settings: tuple[str, ...]) -> Callable[[Schema], Any]:
    """Chooses the learner once the columns are known."""

    def choose(schema: Schema) -> Any:
        from acumen.registry import entry

        return entry(learner_for(word, schema)).make(settings)

    return choose


def _check_plan(
    made: Plan, reading: Reading, word: str | None, settings: tuple[str, ...], keep_ids: bool
) -> None:
    """Raise if an option contradicts the plan."""
    from acumen.data.shared_schema import by_name
    from acumen.errors import ParameterError
    from acumen.registry import parse_learner

    kind = type(made.learner).kind
    if word is not None and parse_learner(word)[0].kind != kind:
        raise ParameterError(
            f"--learner {word}: the plan is for {kind}; create a new plan for another learner."
        )
    if settings:
        from acumen.registry import entry

        one, now = entry(kind), made.learner.get_params(deep=False)
        parameters = one.make(settings).get_params(deep=False)
        for name in {one.parameter(each.partition("=")[0]).name for each in settings}:
            if parameters[name] != now[name]:
                raise ParameterError(
                    f"--set {name}: the plan has {name}={now[name]!r}; create a new plan for {parameters[name]!r}."
                )
    kinds = by_name(reading.source_independent_options, made.schema.columns)
    target = kinds.pop("target", None)
    has = None if made.schema.target is None else made.schema.target.name
    if target is not None and target != has:
        raise ParameterError(
            f"--target {target}: the plan is for the target {has!r}; create a new plan for another target."
        )
    for name, value in kinds.items():
        if made.options.get(name) != value:
            raise ParameterError(
                f"{option(name)}: the plan has a different value; remove this option, or create a new plan."
            )
    if keep_ids and made.left_out:
        raise ParameterError(
            f"--keep-ids: the plan ignores {made.left_out[0]!r}; create a new plan with --keep-ids."
        )


def _describe_sum(found: PartSum) -> str:
    rows = sum(found.plan.parts[place].n_counted for place in found.parts)
    held = sum(len(table) for _, table in found.ragged)
    parts = f"{len(found.parts)} of {len(found.plan.parts)} parts"
    kept = (
        f"; {held:,} of them in plain form, because other parts have the rest of their blocks" if held else ""
    )
    return f"{parts}, {many(rows, 'row')}{kept}."


def _facts(made: Plan, found: PartSum | None = None) -> dict[str, Any]:
    """What was planned or summed up, for JSON."""
    there = range(len(made.parts)) if found is None else found.parts
    facts: dict[str, Any] = {
        "schema_version": 1,
        "learner": type(made.learner).kind,
        "target": None if made.schema.target is None else made.schema.target.name,
        "attributes": list(made.model_schema.names),
        "parts": [
            {"name": part.name, "rows": part.rows, "counted": part.n_counted, "first": made.starts[i]}
            for i, part in enumerate(made.parts)
            if i in there
        ],
        "counted": made.n_counted,
    }
    if found is not None:
        facts["missing"] = found.absent
        facts["held_rows"] = sum(len(table) for _, table in found.ragged)
    return facts


def _report_saved(output: str, message: str, as_json: bool, facts: dict[str, Any]) -> int:
    """Report the saved file."""
    if as_json:
        console.result_json({**facts, "file": output})
        return console.OK
    console.say(message)
    if output != STDOUT:
        console.say(f"Saved to {output}.")
    return console.OK
