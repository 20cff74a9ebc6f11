"""`acumen compare DATA`: which learner is really better on a table."""

from __future__ import annotations

import click

from acumen.cli import console
from acumen.cli.choosing import (
    SUITE_TIME,
    LearnerChoice,
    again,
    choose_learners,
    names_file,
    run_comparison,
    save_best,
    tell_left_out,
    told_kept,
)
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import keeps_ids, label_of, on_engine, said_of, strict, takes_jobs, task_of
from acumen.messages import settings_behind_names


@click.command(cls=Guarded)
@reads_data
@click.option("--suite", type=click.Choice(["quick", "usual", "all"]), default="usual", show_default=True,
              help="Some eight learners that suit the table, the quickest of them, or all.")  # fmt: skip
@click.option("--learners", metavar="A,B,...",
              help="Which learners instead, with settings as in svm(C=10); model files; or `all`.")  # fmt: skip
@click.option("--time", metavar="TIME",
              help="How long to try learners: 90s, 5m, 1h, none. Suites but `all` have 60s unless given.")  # fmt: skip
@click.option("--folds", type=click.IntRange(2),
              help="Folds of the cross-validation: 10, or fewer where time is short, unless given.")  # fmt: skip
@click.option(
    "--repeats", type=click.IntRange(1), default=10, show_default=True, help="How often it is repeated."
)
@click.option("--sample", metavar="ROWS",
              help="Judge on so many rows, drawn at random, or `all`; what time allows unless given.")  # fmt: skip
@click.option("--measure", metavar="NAME",
              help="What is compared: error, for numbers rmse, for an ordinal target cost, unless given.")  # fmt: skip
@click.option("--calibrate", is_flag=True,
              help="Give probabilities to learners without any, where the measure needs them.")  # fmt: skip
@click.option(
    "--baseline",
    metavar="NAME",
    help="Compare every other learner with this one only, which is added to them.",
)
@click.option(
    "--rope", type=click.FloatRange(min=0), default=0.01, show_default=True,
    help="Differences of the measure up to this size do not matter (practically equal).",
)  # fmt: skip
@click.option("--positive", metavar="LABEL", help="The class that precision, recall and f1 are about.")
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="A CSV of costs: a row for each predicted class, a column for each true one.")  # fmt: skip
@keeps_ids
@click.option("--memory", metavar="SIZE", help="What a fit may take, such as 4GB; what is free unless given.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seeds the splits and the learners.")
@takes_jobs
@click.option(
    "--pairs", is_flag=True, help="Add a sentence for every pair of learners, with its own p-value."
)
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT,
              help="Keep the recommended learner, fitted on all rows, usually in NAME.acm.")  # fmt: skip
@click.option("--report", metavar="FILE", type=FILE_OUT,
              help="Write a page that can be mailed: ranking, figures, settings.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, under stable keys.")
@strict
@on_engine
@settings_behind_names()
def compare(
    reading: Reading,
    suite: str,
    learners: str | None,
    time: str | None,
    folds: int | None,
    repeats: int,
    sample: str | None,
    measure: str | None,
    calibrate: bool,
    baseline: str | None,
    rope: float,
    positive: str | None,
    costs: str | None,
    keep_ids: bool,
    memory: str | None,
    seed: int,
    jobs: int | None,
    pairs: bool,
    output: str | None,
    report: str | None,
    as_json: bool,
) -> int:
    """Judge learners on the same splits of a table, and say which differences are significant.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Every learner is tested
    on held-out rows; `majority` (`mean` for numbers) is always among them. Verdicts are tests at 5 % on the rows
    that both learners were tested on, corrected for the number of pairs. Learners take turns, a repeat each; only
    whole repeats count.
    """
    from acumen.assessment.comparison_text import comparison_text
    from acumen.assessment.probing import seconds
    from acumen.assessment.sample import sample_size
    from acumen.assessment.scores import measure as measure_of
    from acumen.engines.memory import limited_memory, size_of
    from acumen.registry import costs_cover, parse_learner, read_costs, split_list

    refuse_terminal(output)
    limited = learners is None and suite != "all"
    allowed = seconds(SUITE_TIME if time is None and limited else time, "--time")
    rows = sample_size(sample)
    if memory is not None:
        size_of(memory, "--memory")
    # What is wrong with the command is said before a large file is read.
    if measure is not None:
        measure_of(measure)
    if learners is not None and learners.strip() != "all":
        for word in split_list(learners):
            if not names_file(word):
                parse_learner(word)
    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        task_of(table.schema)  # what is wrong with the command is said before what is odd about the table
        said_of(table, reading)
    further = {} if costs is None else {"costs": read_costs(costs)}
    costs_cover(further.get("costs"), table.schema.classes)
    with limited_memory(memory):
        choice = choose_learners(suite, learners, baseline, table, further, seed, keep_ids=keep_ids)
        comparison = run_comparison(
            choice, table, folds=folds, repeats=repeats, measure=measure, baseline=named_as(baseline, choice),
            seed=seed, n_jobs=jobs, positive=label_of(positive, table.schema), costs=further.get("costs"), rope=rope,
            time=allowed, keep_ids=keep_ids, calibrate=calibrate, sample=rows,
        )  # fmt: skip
        tell_left_out(choice, comparison, suite)
    to_stdout = STDOUT in (output, report if comparison.complete else None)
    if report is not None and comparison.complete:
        with console.busy(f"writing {report}"):
            comparison.report(report, command=again(choice, comparison))
        if report != STDOUT:
            console.say(f"report in {report}")
    if as_json and not to_stdout:
        console.result_json(comparison.to_dict())
    elif not as_json and report != STDOUT:
        (console.say if to_stdout else console.result)(
            comparison_text(comparison, console.width(), pairs=pairs)
        )
    if comparison.complete:
        if output is not None:  # last: what was found is not lost where the model cannot be written
            with limited_memory(memory):
                save_best(comparison, output)
            for line in told_kept(comparison, output):
                console.say(line)
        return console.OK
    unwritten = " and no ".join(
        word for word, path in (("report", report), ("model", output)) if path is not None
    )
    console.say(
        "acumen: stopped; what was finished is shown." + (f" No {unwritten} is written." if unwritten else "")
    )
    return console.STOPPED


def named_as(baseline: str | None, choice: LearnerChoice) -> str | None:
    """The baseline as the comparison names it; the learner's word, or its class alone, will do."""
    from acumen.registry import entries

    if baseline is None or baseline in choice.named:
        return baseline
    words = {name: each.kind for each in entries() for name in (each.kind, each.name)}
    word = words.get(baseline, baseline)
    alike = [name for name, text in choice.words.items() if text.partition("(")[0] == word]
    return alike[0] if len(alike) == 1 else {each.kind: each.name for each in entries()}.get(word, baseline)
