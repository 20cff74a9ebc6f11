"""`acumen label DATA`: asks a person for the labels that teach a learner most, and keeps every answer at once."""

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
from acumen.cli.shared_options import keeps_ids, without_idle_columns
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
    "--learner", metavar="NAME", default="naive-bayes", show_default=True, help="See `acumen learners`."
)
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter. May be repeated.")
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, required=True,
    help="Where the labels are kept, a CSV; one that is there is gone on with.",
)  # fmt: skip
@click.option("--classes", metavar="A,B,...", help="The classes, where DATA does not tell them all.")
@click.option(
    "--by",
    type=NearChoice(["uncertainty", "margin", "entropy", "committee", "density"]),
    default="uncertainty",
    show_default=True,
    help="What makes a row worth asking about.",
)
@click.option("--budget", type=click.IntRange(1), metavar="N", help="Stop after so many answers.")
@click.option(
    "--attributes", type=click.IntRange(0), metavar="N", default=5, show_default=True,
    help="With every Nth question ask what an attribute is worth; 0 for never.",
)  # fmt: skip
@click.option("--guess", is_flag=True, help="Show what the learner expects; it may lead the person.")
@click.option("--model", metavar="FILE", type=FILE_OUT, help="Keep the model learned, usually NAME.acm.")
@click.option(
    "--table", "rows", metavar="FILE", type=FILE_OUT, help="Write the rows that have a label as a table."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seeds what is drawn.")
@keeps_ids
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
    """Ask for labels at the terminal, row by row, those first that teach the learner most.

    DATA is a file, a database's address or the name of a built-in table. --target names the column of labels: rows
    of DATA that lack one are asked about; where there is no such column, all rows are. Every answer is written to FILE
    before the next question is asked, so nothing is lost whatever stops it; the same command goes on where it
    stopped. What attributes are worth can be said too and is kept with the labels. Where stdin is no terminal, answers
    are read from it, one a line.
    """
    from acumen.cli.dialogue import Dialogue
    from acumen.registry import entry

    entry_found = entry(learner)
    learner_made = entry_found.make_seeded(settings, seed)
    _check(reading, output, learner_made, learner)
    with console.busy(f"reading {reading.display_name}"):
        table = _table(reading)
        visible = without_idle_columns(table, keep_ids)
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
            "there was nobody to ask: stdin is no terminal and had no answer; run it at a terminal, or pipe answers "
            "into it, one a line."
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
        raise click.UsageError("labels are kept in a file, to be gone on with; give -o FILE.")
    if learner.task is not CLASSES:
        raise ParameterError(
            f"label: {word} predicts {learner.task.noun}; take a classifier, such as naive-bayes."
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
                f"label: say --target {TARGET} if that column holds the labels, or --target NAME for a new one."
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
        f"there is no column {wanted!r}, so it is a new one, and no row has a label yet."
        f"{did_you_mean(wanted, columns)}"
    )
    if table.schema.target is not None:
        console.say(f"left out: column {table.schema.target.name!r}, which is the target otherwise.")
    return _check_unlabelled(table, wanted)


def _nominal(table: Table) -> Table:
    from acumen.errors import DataError

    target = table.schema.target
    if target is not None and not target.is_nominal:
        raise DataError(
            f"label: the target {target.name!r} is {target.kind}, and questions are about classes; say --kind "
            f"{target.name}=nominal."
        )
    return table


def _check_unlabelled(table: Table, name: str) -> Table:
    import numpy as np

    from acumen.data.schema import Attribute, Schema
    from acumen.rows.intake import relabelled
    from acumen.types import MISSING

    schema = Schema(table.schema.attributes, Attribute(name, "nominal"))
    return relabelled(table, schema, np.full(len(table), MISSING, dtype=np.int32), table.weights)


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
        raise DataError(f"label: {what}; name another column of labels with --target, or a new one.")
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
        """All of it anew; DataError, and nothing written, where somebody else has written to it meanwhile."""
        from acumen.data.out.atomic import replace_text
        from acumen.errors import DataError
        from acumen.labelling.label_file import file_text

        if self._state() != self._seen:
            raise DataError(
                f"label: {self.path} was changed by another program meanwhile; it is left as it is, without the last "
                "answer. Begin again to go on from it."
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
        counts.append(f"{many(labelling.n_passed, 'row')} passed over")
    if labelling.remarks:
        counts.append(f"{many(len(labelling.remarks), 'attribute')} weighed")
    if labelling.lines:
        console.say(f"{', '.join(counts)}: kept in {output}; the same command goes on from there.")


def _keep_results(labelling: LabellingSession, model: str | None, rows: str | None) -> None:
    if rows is not None:
        from acumen.data.out.write import write

        write(labelling.pool.labelled_rows(), rows)
        console.say(f"{many(len(labelling.pool.known_rows), 'row')} written to {rows}")
    if model is not None:
        from acumen.store import save

        save(labelling.fit_model(), model)
        console.say(f"the model is kept in {model}")
