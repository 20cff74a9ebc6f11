"""`acumen compare DATA`: which learner is really better on a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.arguments import command_line, label_of
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.learn import task_of
from acumen.cli.warned import said_of, strict

if TYPE_CHECKING:
    from acumen.data.table import Table


@click.command(cls=Guarded)
@reads_data
@click.option("--learners", default="all", show_default=True, metavar="A,B,...",
              help="Which learners, by their words, with parameters as in svm(C=10); `all` takes those that suit the "
                   "target and the table.")  # fmt: skip
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
@click.option(
    "--rope", type=click.FloatRange(min=0), default=0.01, show_default=True,
    help="Differences of the measure up to this size do not matter: practically equal.",
)  # fmt: skip
@click.option("--positive", metavar="LABEL", help="The class that precision, recall and f1 are about.")
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="A CSV of costs: a row for each predicted class, a column for each true one.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seeds the splits and the learners.")
@click.option("--jobs", type=int, help="Threads; all permitted cores unless given.")
@click.option("--report", metavar="FILE", type=FILE_OUT,
              help="Write a page that can be mailed: ranking, figures, settings.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, under stable keys.")
@strict
def compare(
    reading: Reading,
    learners: str,
    folds: int,
    repeats: int,
    measure: str | None,
    baseline: str | None,
    rope: float,
    positive: str | None,
    costs: str | None,
    seed: int,
    jobs: int | None,
    report: str | None,
    as_json: bool,
) -> int:
    """Judge learners on the same splits of a table, and say which differences are more than chance.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Every learner is tested
    on rows it has not seen; `majority` (`mean` for numbers) is always among them. A verdict is
    that of a pair's own test at 5 %, on the rows both were tested on; the sentence about all of them is
    corrected for the number of pairs.
    """
    from acumen.assessment.compare import compare as compare_learners
    from acumen.assessment.comparison_text import comparison_text
    from acumen.catalogue import read_costs, yardstick
    from acumen.resample import KFold

    with console.busy(f"reading {reading.shown}"):
        table = reading.read()
        said_of(table, reading)
    task = task_of(table.schema)
    given = {} if costs is None else {"costs": read_costs(costs)}
    named, left_out = chosen(_with_baseline(learners, baseline), table, given, seed)
    method = KFold(folds, repeats=repeats)
    beaten = yardstick(task).name
    with console.progress(len({*named, beaten}), folds * repeats) as tell:
        found = compare_learners(
            named, table, method, measure, _class_name(baseline, named), random_state=seed, n_jobs=jobs,
            positive=label_of(positive, table.schema), costs=given.get("costs"), rope=rope,
            progress=tell,
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
    """The learners asked for; `all` are those that suit the table, and why the others do not."""
    from acumen.catalogue import listed, named, parsed, suited
    from acumen.cli.learn import learner_for
    from acumen.errors import ParameterError

    task_of(table.schema)  # there must be something to predict
    if words.strip() == "all":
        found = suited(table)
        reasons = [f"{kind}: {why}" for kind, why in found.left_out.items()]
        return found.learners(seed, **given), reasons
    asked = [learner_for(word, table.schema) for word in listed(words)]
    if not asked:
        raise ParameterError("--learners: name at least one learner, or say `all`; got nothing.")
    made: dict[str, Any] = {}
    for text in asked:
        one, settings = parsed(text)
        made[f"{one.name}({', '.join(settings)})" if settings else one.name] = named(text, seed, **given)
    return made, []
