"""`acumen learn DATA --learner best`: the usual learners compared for a minute, and the best of them learned."""

from __future__ import annotations

from typing import Any

from acumen.cli import console
from acumen.cli.choosing import (
    SUITE_TIME,
    choose_learners,
    run_comparison,
    save_best,
    tell_left_out,
    told_kept,
)
from acumen.cli.data import Reading
from acumen.cli.files import STDOUT
from acumen.cli.learn import facts_of
from acumen.cli.learner_choice import task_of
from acumen.cli.warned import said_of


def learn_best(
    reading: Reading, given: dict[str, Any], output: str | None, as_json: bool, keep_ids: bool
) -> int:
    """Compare as `acumen compare` does, say what came of it on stderr, and show the model."""
    from acumen.assessment.comparison_text import comparison_text
    from acumen.assessment.probing import seconds
    from acumen.render.escape import printable_lines

    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        task_of(table.schema)
        said_of(table, reading)
    choice = choose_learners("usual", None, None, table, given, 0, keep_ids=keep_ids)
    comparison = run_comparison(
        choice, table, folds=None, repeats=10, seed=0, costs=given.get("costs"), time=seconds(SUITE_TIME, "--time"),
        keep_ids=keep_ids,
    )  # fmt: skip
    tell_left_out(choice, comparison, "usual", "acumen compare")
    console.say(comparison_text(comparison, console.width()))
    if not comparison.complete:
        console.say("acumen: stopped; what was finished is shown. No model is written.")
        return console.STOPPED
    model = save_best(comparison, output)
    if as_json:
        if output != STDOUT:
            console.result_json({**facts_of(model, output), "comparison": comparison.record()})
    elif output == STDOUT:
        console.say(printable_lines(model.describe()))
    else:
        console.result(printable_lines(model.describe()))
    for line in told_kept(comparison, output):
        console.say(line)
    if output is None:
        console.say("not kept; give -o FILE to keep the model.")
    return console.OK
