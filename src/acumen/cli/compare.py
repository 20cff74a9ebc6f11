"""`acumen compare DATA`: which learner is really better on a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.arguments import command_line, label_of
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.learn import read_costs, task_of

if TYPE_CHECKING:
    from acumen.data.table import Table


@click.command(cls=Guarded)
@reads_data
@click.option("--learners", default="all", show_default=True, metavar="A,B,...",
              help="Which learners, by their words; `all` takes those that suit the target and the table.")  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, help="Folds of the cross-validation."
)
@click.option(
    "--repeats", type=click.IntRange(1), default=10, show_default=True, help="How often it is repeated."
)
@click.option("--measure", metavar="NAME",
              help="What is compared: error, or for numbers rmse, unless given.")  # fmt: skip
@click.option(
    "--baseline",
    metavar="NAME",
    help="Compare every other learner with this one only, which is added to them.",
)
@click.option("--positive", metavar="LABEL", help="The class that precision, recall and f1 are about.")
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="A CSV of costs: a row for each predicted class, a column for each true one.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seeds the splits and the learners.")
@click.option("--jobs", type=int, help="Threads; all permitted cores unless given.")
@click.option("--report", metavar="FILE", type=FILE_OUT,
              help="Write a page that can be mailed: ranking, figures, settings.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, under stable keys.")
def compare(
    reading: Reading,
    learners: str,
    folds: int,
    repeats: int,
    measure: str | None,
    baseline: str | None,
    positive: str | None,
    costs: str | None,
    seed: int,
    jobs: int | None,
    report: str | None,
    as_json: bool,
) -> int:
    """Judge learners on the same splits of a table, and say which differences are more than chance.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Every learner is tested
    on rows it has not seen; `majority` (`mean` for numbers) is always among them. A verdict is by the
    corrected resampled t-test with Holm's correction.
    """
    from acumen.assessment.compare import compare as compare_learners
    from acumen.assessment.comparison_text import comparison_text
    from acumen.resample import KFold

    with console.busy(f"reading {reading.shown}"):
        table = reading.read()
    task = task_of(table.schema)
    given = {} if costs is None else {"costs": read_costs(costs)}
    named, left_out = chosen(_with_baseline(learners, baseline), table, given, seed)
    method = KFold(folds, repeats=repeats)
    beaten = "Mean" if task == "regression" else "Majority"
    with console.progress(len({*named, beaten}), folds * repeats) as tell:
        found = compare_learners(
            named, table, method, measure, _class_name(baseline, named), random_state=seed, n_jobs=jobs,
            positive=label_of(positive, table.schema), costs=given.get("costs"), progress=tell,
        )  # fmt: skip
    for sentence in left_out:
        console.say(f"left out: {sentence}")
    if report is not None and found.complete:
        with console.busy(f"writing {report}"):
            found.report(report, command=command_line())
        if report == STDOUT:
            return console.OK
        console.say(f"report in {report}")
    if as_json:
        console.result_json(found.to_dict())
    else:
        console.result(comparison_text(found, console.width()))
    if found.complete:
        return console.OK
    console.say("acumen: stopped; what was finished is shown." + (" No report is written." if report else ""))
    return console.STOPPED


def _class_name(baseline: str | None, named: dict[str, Any]) -> str | None:
    """The baseline as the comparison names it; the learner's word will do."""
    from acumen.catalogue import entries

    words = {each.kind: each.name for each in entries()}
    return baseline if baseline is None or baseline in named else words.get(baseline, baseline)


def _with_baseline(words: str, baseline: str | None) -> str:
    """The learners asked for, the baseline among them."""
    from acumen.catalogue import entries

    known = {word: each.kind for each in entries() for word in (each.kind, each.name)}
    return words if words.strip() == "all" or baseline not in known else f"{words},{known[baseline]}"


def chosen(words: str, table: Table, given: dict[str, Any], seed: int) -> tuple[dict[str, Any], list[str]]:
    """The learners asked for; `all` are those that do not object to the table, and the objections of the rest."""
    from acumen.catalogue import entries, entry
    from acumen.cli.learn import learner_for
    from acumen.errors import ParameterError

    every = words.strip() == "all"
    task = task_of(table.schema)
    suited = tuple(each for each in entries() if each.task == task)
    asked = [word.strip() for word in words.split(",") if word.strip()]
    found = suited if every else tuple(entry(learner_for(word, table.schema)) for word in asked)
    if not found:
        raise ParameterError("--learners: name at least one learner, or say `all`; got nothing.")
    named: dict[str, Any] = {}
    left_out = []
    for each in found:
        allowed = {spec.name for spec in each.parameters}
        learner = each.seeded((), seed, **{name: value for name, value in given.items() if name in allowed})
        objection = learner.objection(table.schema)
        if every and each.kind == "text-bayes" and not table.schema.text and table.sparse is None:
            continue  # it would take measurements for counts of words
        if every and objection is not None:
            left_out.append(f"{each.kind}: {objection}")
        else:
            named[each.name] = learner
    return named, left_out
