"""`acumen label DATA`: active learning at the terminal; every answer is saved at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.console import delay_interrupts
from acumen.cli.data import NearChoice, Reading, reads_data
from acumen.cli.files import FILE_OUT, STDOUT, Guarded
from acumen.cli.shared_options import drop_uninformative_columns, keep_ids_option
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.table import Table
    from acumen.labelling.label_file import Line
    from acumen.labelling.session import LabellingSession
    from acumen.types import Label

#: The name of the column of labels where DATA has none and none is given.
TARGET = "class"


@click.command(cls=Guarded)
@reads_data
@click.option(
    "--learner",
    metavar="NAME",
    default="naive-bayes",
    show_default=True,
    help="Classifier to train; see `acumen learners`.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter of the learner. May be repeated.",
)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True,
    help="CSV file for the labels; an existing file is continued.",
)  # fmt: skip
@click.option("--classes", metavar="A,B,...", help="Names of the classes, if DATA does not contain them all.")
@click.option(
    "--strategy",
    "by",
    type=NearChoice(["uncertainty", "margin", "entropy", "committee", "density"]),
    default="uncertainty",
    show_default=True,
    help="How to choose the next row to ask about.",
)
@click.option("--budget", type=click.IntRange(1), metavar="N", help="Stop after N answers.")
@click.option(
    "--ask-attribute-every", "attributes", type=click.IntRange(0), metavar="N", default=5, show_default=True,
    help="Ask about the weight of an attribute with every Nth question; 0 for never.",
)  # fmt: skip
@click.option(
    "--show-prediction", "guess", is_flag=True, help="Show the predicted class; this may bias your answers."
)
@click.option(
    "--model", metavar="FILE", type=FILE_OUT, help="Save the trained model to this file, usually NAME.acm."
)
@click.option(
    "--labelled-rows", "rows", metavar="FILE", type=FILE_OUT, help="Write the labelled rows to this file."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@keep_ids_option
def label(
    reading: Reading,
    learner: str,
    settings: tuple[str, ...],
    output: str,
    classes: str | None,
    by: Any,
    budget: int | None,
    attributes: int,
    guess: bool,
    model: str | None,
    rows: str | None,
    seed: int,
    keep_ids: bool,
) -> int:
    """Label rows at the terminal, the most useful rows first (active learning).

    DATA is a file, a database address or the name of a built-in table. --target names the label column: acumen asks
    about rows without a label, or about all rows if there is no such column. Every answer is written to FILE
    before the next question, so nothing is lost if you stop; run the same command again to continue. You can also
    set the weights of attributes, which are stored with the labels. If stdin is not a terminal, answers are read
    from it, one per line.
    """
    from acumen.cli.dialogue import Dialogue
    from acumen.registry import entry

    entry_found = entry(learner)
    learner_made = entry_found.make_seeded(settings, seed)
    _check(reading, output, learner_made, learner)
    with console.busy(f"reading {reading.display_name}"):
        table = _table(reading)
        visible = drop_uninformative_columns(table, keep_ids)
        labelling, keep = _open_session(learner_made, visible, table, output, classes, by, seed)
    talk = Dialogue(
        labelling,
        table,
        keep,
        name=entry_found.name,
        guess=guess,
        every=attributes,
        declared=classes is not None,
    )
    interrupted = False
    try:
        talk.run(budget)
    except KeyboardInterrupt:
        interrupted = True
        console.say("")
    _tell(labelling, output)
    if interrupted:
        console.say("acumen: stopped.")
        return console.STOPPED
    if talk.unanswered and not console.is_terminal(sys.stdin) and model is None and rows is None:
        raise click.UsageError(
            "no answers: stdin is not a terminal and is empty; run the command at a terminal, or pipe answers "
            "into it, one per line."
        )
    _keep_results(labelling, model, rows)
    return console.OK


def _check(reading: Reading, output: str, learner: Any, word: str) -> None:
    from acumen.errors import ParameterError
    from acumen.models.task import CLASSES

    if reading.data == "-":
        raise click.UsageError(
            "answers come from stdin, so DATA must be a file, a database or a built-in table."
        )
    if output == STDOUT:
        raise click.UsageError("labels are stored in a file so that you can continue later; give -o FILE.")
    if learner.task is not CLASSES:
        raise ParameterError(
            f"label: {word} predicts {learner.task.noun}; use a classifier, such as naive-bayes."
        )
    learner.check_parameters()


def _table(reading: Reading) -> Table:
    """The table with a nominal target; one that is no column yet is made, and no row has a label then."""
    from dataclasses import replace

    from acumen.errors import DataError, did_you_mean

    wanted = reading.options.get("target")
    if wanted is None:
        table = reading.read()
        if table.schema.target is not None:
            return _nominal(table)
        if TARGET in table.schema.columns:
            raise DataError(
                f"label: add --target {TARGET} if that column contains the labels, or --target NAME for a new one."
            )
        return _check_unlabelled(table, TARGET)
    kinds = dict(reading.options.get("kinds", {}))
    if not wanted.isdigit():
        kinds = {wanted: "nominal", **kinds}
    try:
        return _nominal(replace(reading, options={**reading.options, "kinds": kinds}).read())
    except DataError:
        others = {key: value for key, value in reading.options.items() if key != "target"}
        table = replace(reading, options=others).read()
        columns = table.schema.columns
        if wanted in columns or wanted.isdigit():
            raise
    console.say(
        f"There is no column {wanted!r}, so acumen creates it, and no row has a label yet."
        f"{did_you_mean(wanted, columns)}"
    )
    if table.schema.target is not None:
        console.say(f"Ignored column {table.schema.target.name!r}, the default target.")
    return _check_unlabelled(table, wanted)


def _nominal(table: Table) -> Table:
    from acumen.errors import DataError

    target = table.schema.target
    if target is not None and not target.is_nominal:
        raise DataError(
            f"label: the target {target.name!r} is {target.kind}, but labels are classes; add --kind "
            f"{target.name}=nominal."
        )
    return table


def _check_unlabelled(table: Table, name: str) -> Table:
    import numpy as np

    from acumen.data.schema import Attribute, Schema
    from acumen.rows.intake import replace_target
    from acumen.types import MISSING

    schema = Schema(table.schema.attributes, Attribute(name, "nominal"))
    return replace_target(table, schema, np.full(len(table), MISSING, dtype=np.int32), table.weights)


def _open_session(
    learner: Any, asked: Table, shown: Table, output: str, classes: str | None, query: Any, seed: int
) -> tuple[LabellingSession, Callable[[], None]]:
    """What was said so far, and how to keep it."""
    import csv

    from acumen.errors import DataError
    from acumen.labelling.pool import LabelPool
    from acumen.labelling.session import LabellingSession

    named = [] if classes is None else [each.strip() for each in next(csv.reader([classes]), [])]
    if any(not each for each in named) or (classes is not None and not named):
        raise click.BadParameter(f"write it as A,B,...; got {classes!r}.", param_hint="'--classes'")
    assert shown.schema.target is not None
    known = {str(level) for level in shown.schema.target.levels}
    pool = LabelPool.of(asked, classes=tuple(each for each in dict.fromkeys(named) if each not in known))
    kept = LabelFile(Path(output), shown, pool.target.name)
    labelling = LabellingSession(learner, pool, query=query, seed=seed, said=kept.read(pool.classes))
    if not len(pool.open) and not labelling.lines:
        what = "every row has a label already" if len(pool.labels) else "there are no rows"
        raise DataError(f"label: {what}; name another label column with --target, or a new one.")
    return labelling, lambda: kept.write(labelling.lines)


class LabelFile:
    """The file of labels: read once, then written as a whole after each answer."""

    def __init__(self, path: Path, table: Table, target: str) -> None:
        self.path, self.table, self.target = path, table, target
        self._checks: dict[int, str] = {}
        self._seen: tuple[int, ...] | None = None

    def read(self, classes: Sequence[Label]) -> list[Line]:
        """What is in it; nothing where it is not there yet."""
        from acumen.labelling.label_file import read_labels

        self._seen = self._state()
        return [] if self._seen is None else read_labels(self.path, self.table, self.target, classes)

    def write(self, lines: Sequence[Line]) -> None:
        """Rewrite the file; DataError, and nothing written, if another program changed it."""
        from acumen.data.out.atomic import replace_text
        from acumen.errors import DataError
        from acumen.labelling.label_file import file_text

        if self._state() != self._seen:
            raise DataError(
                f"label: another program changed {self.path}. It is left unchanged, without your last "
                "answer. Run the command again to continue from it."
            )
        with delay_interrupts():
            replace_text(self.path, file_text(lines, self.target, self._check), "label")
            self._seen = self._state()

    def _check(self, row: int) -> str:
        from acumen.labelling.label_file import digest

        if row not in self._checks:
            self._checks[row] = digest(self.table, row)
        return self._checks[row]

    def _state(self) -> tuple[int, ...] | None:
        """Which file it is, and when it was written; None where there is none."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns


def _tell(labelling: LabellingSession, output: str) -> None:
    counts = [many(labelling.n_labels, "label")]
    if labelling.n_passed:
        counts.append(f"{many(labelling.n_passed, 'row')} skipped")
    if labelling.remarks:
        counts.append(f"{many(len(labelling.remarks), 'attribute')} weighted")
    if labelling.lines:
        console.say(f"{', '.join(counts)}: saved to {output}. Run the same command to continue.")


def _keep_results(labelling: LabellingSession, model: str | None, rows: str | None) -> None:
    if rows is not None:
        from acumen.data.out.write import write

        write(labelling.pool.labelled_rows(), rows)
        console.say(f"{many(len(labelling.pool.known_rows), 'row')} written to {rows}.")
    if model is not None:
        from acumen.store import save

        save(labelling.fit_model(), model)
        console.say(f"Model saved to {model}.")
