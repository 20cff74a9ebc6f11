"""`acumen parts plan`, `summarise` and `merge`: train one model from a table stored in several parts.

acumen parts plan DATA... --target T --learner naive-bayes -o plan.json
acumen parts summarise DATA --plan plan.json -o part.sum       once for each part, on any machine
acumen parts merge *.sum -o all.sum
acumen learn --from all.sum -o model.acm
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data, reads_several
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import keeps_ids, learner_for, tell_columns
from acumen.messages import option
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.parts import PartSum, Plan

_LEARNER = click.option(
    "--learner",
    metavar="NAME",
    help="Whose summaries are to be added; naive-bayes for classes and linear-regression for numbers, unless given.",
)
_SETTINGS = click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter. May be repeated."
)

_JSON = click.option("--json", "as_json", is_flag=True, help="What was done, as JSON.")


@click.group(no_args_is_help=False)
def parts() -> None:
    """Train one model from a table stored in several parts: plan, summarise each part, merge the summaries."""


@parts.command(cls=Guarded, short_help="Create a shared schema for a table stored in several parts.")
@reads_several
@_LEARNER
@_SETTINGS
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Where to keep the plan.")
@_JSON
@keeps_ids
def plan(
    readings: Sequence[Reading],
    learner: str | None,
    settings: tuple[str, ...],
    output: str,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Settle what the parts of a table have in common, so that each can be summarised by itself.

    DATA... are the parts, in the order of their rows: files of one table, of any format. Each is gone through twice:
    columns, levels and classes of all are found, and the rows that count are counted. Or they are plans of single
    parts, made each where its part lies, which are then joined without reading a row.
    """
    from acumen.parts import read_plan, write_plan
    from acumen.parts.plan_parts import is_plan, join, plan_files

    files = [each.data for each in readings]
    plans = [file for file in files if is_plan(file)]
    if plans and len(plans) < len(files):
        raise click.UsageError(
            f"{plans[0]} is a plan, and others are parts; give plans alone, or parts alone."
        )
    if plans:
        flags = {"--learner": learner, "--set": settings, "--keep-ids": keep_ids}
        names = [
            *map(option, sorted(readings[0].options)),
            *(flag for flag, flag_set in flags.items() if flag_set),
        ]
        if names:
            raise click.UsageError(f"{names[0]}: plans say themselves what they are of; leave that out.")
        part_plan = join([read_plan(file) for file in files], files)
    else:
        check_learner(learner, settings)
        with console.busy(f"planning {len(files)} {'part' if len(files) == 1 else 'parts'}"):
            part_plan = plan_files(
                [(each.display_name, each.scanning()) for each in readings],
                _choose_learner(learner, settings),
                readings[0].source_independent_options,
                idle=keep_ids,
                report_left_out=tell_columns,
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
    help="What `acumen parts plan` wrote; needed unless DATA is all there is.",
)
@click.option(
    "--part", metavar="NAME", help="Which part of the plan DATA is, if it goes by another name here."
)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Where to keep the summary."
)
@_JSON
@keeps_ids
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

    DATA is known to the plan by its name; target, learner and how to read it are in the plan, and need not be said
    again. Without a plan DATA is all there is. The summary may hold some rows of DATA as they are, those at its ends:
    keep it as you keep DATA.
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
                raise click.UsageError("--part says which part of a plan DATA is; give --plan FILE too.")
            part_plan = plan_files(
                [(reading.display_name, scan)],
                _choose_learner(learner, settings),
                reading.source_independent_options,
                idle=keep_ids,
                report_left_out=tell_columns,
            )
        else:
            part_plan = read_plan(plan_file)
            _agrees(part_plan, reading, learner, settings, keep_ids)
        place = part_plan.place_of(part if part is not None else reading.display_name)
        part_sum = summarise_scan(scan, part_plan, place, reading.display_name)
    write_sum(part_sum, output)
    return _report_saved(output, _describe_sum(part_sum), as_json, _facts(part_sum.plan, part_sum))


@parts.command(cls=Guarded, short_help="Merge summaries; `learn --from` trains the model.")
@click.argument("files", metavar="SUMMARY...", type=FILE_IN, nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, required=True, help="Where to keep the sum.")
@_JSON
def merge(files: tuple[str, ...], output: str, as_json: bool) -> int:
    """Merge summaries of parts, in any order. You can merge the result with more summaries later."""
    from acumen.parts import merge as merge_sums
    from acumen.parts import read_sum, write_sum

    refuse_terminal(output)
    with console.busy(f"adding {len(files)} summaries"):
        total = merge_sums([read_sum(file) for file in files])
    write_sum(total, output)
    return _report_saved(output, _describe_sum(total), as_json, _facts(total.plan, total))


def learned_from(file: str, word: str | None, settings: tuple[str, ...], given: dict[str, Any]) -> Any:
    """The model of a sum of all parts; parameters may be set that the rows need not be seen for."""
    from acumen.errors import ParameterError
    from acumen.parts import read_sum
    from acumen.registry import costs_cover, entry, parse_learner

    with console.busy(f"learning from {file}"):
        total = read_sum(file)
        kind = type(total.plan.learner).kind
        if word is not None and parse_learner(word)[0].kind != kind:
            raise ParameterError(
                f"--learner {word}: {file} holds sums for {kind}, of which no other model can be made; leave it out."
            )
        costs_cover(given.get("costs"), total.plan.schema.classes)
        one = entry(kind)
        values = dict(given)
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise ParameterError(f"{one.name}: write a setting as name=value; got {setting!r}.")
            spec = one.parameter(name)
            values[spec.name] = one.value(spec, text)
        for name in given:
            one.parameter(name)
        return total.fit(**values)


def check_learner(word: str | None, settings: tuple[str, ...]) -> None:
    """What is wrong with the learner is said before a large file is read."""
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


def _agrees(
    made: Plan, reading: Reading, word: str | None, settings: tuple[str, ...], keep_ids: bool
) -> None:
    """A sentence where something is said again, and otherwise than in the plan."""
    from acumen.data.shared_schema import by_name
    from acumen.errors import ParameterError
    from acumen.registry import parse_learner

    kind = type(made.learner).kind
    if word is not None and parse_learner(word)[0].kind != kind:
        raise ParameterError(f"--learner {word}: the plan is for {kind}; plan anew for another learner.")
    if settings:
        from acumen.registry import entry

        one, now = entry(kind), made.learner.get_params(deep=False)
        parameters = one.make(settings).get_params(deep=False)
        for name in {one.parameter(each.partition("=")[0]).name for each in settings}:
            if parameters[name] != now[name]:
                raise ParameterError(
                    f"--set {name}: the plan has {name}={now[name]!r}; plan anew for {parameters[name]!r}."
                )
    kinds = by_name(reading.source_independent_options, made.schema.columns)
    target = kinds.pop("target", None)
    has = None if made.schema.target is None else made.schema.target.name
    if target is not None and target != has:
        raise ParameterError(f"--target {target}: the plan is for the target {has!r}; plan anew for another.")
    for name, value in kinds.items():
        if made.options.get(name) != value:
            raise ParameterError(
                f"{option(name)}: how the parts are read is settled in the plan, otherwise than said here; leave it "
                "out, or plan anew."
            )
    if keep_ids and made.left_out:
        raise ParameterError(f"--keep-ids: the plan leaves {made.left_out[0]!r} out; plan anew with it.")


def _describe_sum(found: PartSum) -> str:
    rows = sum(found.plan.parts[place].n_counted for place in found.parts)
    held = sum(len(table) for _, table in found.ragged)
    parts = f"{len(found.parts)} of {len(found.plan.parts)} parts"
    kept = f"; {held:,} of them as they are, for blocks that other parts have the rest of" if held else ""
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


def _report_saved(output: str, said: str, as_json: bool, facts: dict[str, Any]) -> int:
    """Say what was kept, and where."""
    if as_json:
        console.result_json({**facts, "file": output})
        return console.OK
    console.say(said)
    if output != STDOUT:
        console.say(f"kept in {output}")
    return console.OK
