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
    report_left_out,
    run_comparison,
    save_best,
    saved_model_messages,
)
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import (
    keep_ids_option,
    label_of,
    on_engine,
    report_table_warnings,
    strict,
    task_of,
    threads_option,
)
from acumen.messages import settings_behind_names


@click.command(cls=Guarded)
@reads_data
@click.option("--suite", type=click.Choice(["quick", "usual", "all"]), default="usual", show_default=True,
              help="Set of learners: about eight suitable ones, the fastest of them, or all.")  # fmt: skip
@click.option("--learners", metavar="A,B,...",
              help="Learners to compare instead of a suite, with settings as in svm(C=10); also model files, or "
              "`all`.")  # fmt: skip
@click.option("--time-limit", "time", metavar="TIME",
              help="Time budget: 90s, 5m, 1h or none.  [default: 60s for the suites quick and usual, else "
              "none]")  # fmt: skip
@click.option("--folds", type=click.IntRange(2),
              help="Number of cross-validation folds.  [default: 10, fewer if time is short]")  # fmt: skip
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of repeats of the cross-validation.",
)
@click.option("--sample", metavar="ROWS",
              help="Number of randomly drawn rows to use, or `all`.  [default: as many as the time limit "
              "allows]")  # fmt: skip
@click.option("--measure", metavar="NAME",
              help="Measure to compare.  [default: error; rmse for numbers; cost for an ordinal target]")  # fmt: skip
@click.option("--calibrate", is_flag=True,
              help="Calibrate learners that have no probabilities if the measure needs them.")  # fmt: skip
@click.option(
    "--baseline",
    metavar="NAME",
    help="Compare every learner only with this one, which is added if necessary.",
)
@click.option(
    "--rope", type=click.FloatRange(min=0), default=0.01, show_default=True,
    help="Differences up to this size do not matter (region of practical equivalence).",
)  # fmt: skip
@click.option(
    "--positive-class", "positive", metavar="LABEL", help="Positive class for precision, recall and f1."
)
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="CSV file of misclassification costs: one row per predicted class, one column per true "
              "class.")  # fmt: skip
@keep_ids_option
@click.option(
    "--memory",
    metavar="SIZE",
    help="Memory limit for training one model, such as 4GB.  [default: free memory]",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed for the splits and the learners."
)
@threads_option
@click.option("--pairs", is_flag=True, help="Also print one line with a p-value for every pair of learners.")
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT,
              help="Train the recommended learner on all rows and save it, usually to NAME.acm.")  # fmt: skip
@click.option("--report", metavar="FILE", type=FILE_OUT,
              help="Write a self-contained HTML report: ranking, figures, settings.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON with stable keys.")
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
    """Compare learners by cross-validation on the same splits, and test which differences are significant.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. Every learner is tested
    on held-out rows; the baseline `majority` (`mean` for numbers) is always included. Each pair of learners is
    tested at the 5 % level on the rows both were tested on, corrected for the number of pairs. Learners take turns,
    one repeat at a time; only complete repeats count.
    """
    from acumen.assessment.comparison_text import comparison_text
    from acumen.assessment.probing import seconds
    from acumen.assessment.sample import sample_size
    from acumen.assessment.scores import measure as measure_of
    from acumen.engines.memory import limited_memory, size_of
    from acumen.registry import costs_cover, parse_learner, read_costs, split_list

    refuse_terminal(output)
    limited = learners is None and suite != "all"
    allowed = seconds(SUITE_TIME if time is None and limited else time, "--time-limit")
    rows = sample_size(sample)
    if memory is not None:
        size_of(memory, "--memory")
    # Report usage errors before reading a large file.
    if measure is not None:
        measure_of(measure)
    if learners is not None and learners.strip() != "all":
        for word in split_list(learners):
            if not names_file(word):
                parse_learner(word)
    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        task_of(table.schema)  # report usage errors before data warnings
        report_table_warnings(table, reading)
    further = {} if costs is None else {"costs": read_costs(costs)}
    costs_cover(further.get("costs"), table.schema.classes)
    with limited_memory(memory):
        choice = choose_learners(suite, learners, baseline, table, further, seed, keep_ids=keep_ids)
        comparison = run_comparison(
            choice, table, folds=folds, repeats=repeats, measure=measure, baseline=named_as(baseline, choice),
            seed=seed, n_jobs=jobs, positive=label_of(positive, table.schema), costs=further.get("costs"), rope=rope,
            time_limit=allowed, keep_ids=keep_ids, calibrate=calibrate, sample=rows,
        )  # fmt: skip
        report_left_out(choice, comparison, suite)
    to_stdout = STDOUT in (output, report if comparison.complete else None)
    if report is not None and comparison.complete:
        with console.busy(f"writing {report}"):
            comparison.report(report, command=again(choice, comparison))
        if report != STDOUT:
            console.say(f"Report written to {report}.")
    if as_json and not to_stdout:
        console.result_json(comparison.to_dict())
    elif not as_json and report != STDOUT:
        (console.say if to_stdout else console.result)(
            comparison_text(comparison, console.width(), pairs=pairs)
        )
    if comparison.complete:
        if output is not None:  # last: the result is shown even if the model cannot be written
            with limited_memory(memory):
                save_best(comparison, output)
            for line in saved_model_messages(comparison, output):
                console.say(line)
        return console.OK
    unwritten = " and no ".join(
        word for word, path in (("report", report), ("model", output)) if path is not None
    )
    console.say(
        "acumen: stopped; showing the finished part." + (f" No {unwritten} was written." if unwritten else "")
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
