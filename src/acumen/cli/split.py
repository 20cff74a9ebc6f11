"""`acumen split DATA`: a training set and a test set in files; needs no scikit-learn."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILES_OUT, STDOUT, Guarded
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.data.parts import Parts
    from acumen.types import Array, Codes

#: What the files are called in messages, by how many there are.
_PARTS = {2: ("for training", "for testing"), 3: ("for training", "for validation", "for testing")}


@click.command(cls=Guarded)
@reads_data
@click.option("--train-fraction", "share", metavar="F[,F]", default="0.7", show_default=True,
              help="Fraction of rows for training; with three files two fractions: training and validation. "
              "The rest is the test set.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE,FILE", required=True, type=FILES_OUT,
              help="Output files, separated by commas: train.csv,test.csv. Names must end in .csv or "
              ".tsv.")  # fmt: skip
@click.option(
    "--group-column",
    "group",
    metavar="NAME",
    help="Keep rows with the same value in this column (such as a patient) in one file.",
)
@click.option(
    "--time-column", "time", metavar="NAME", help="Column of dates or numbers: train on the earliest rows."
)
@click.option("--stratify/--no-stratify", default=True, show_default=True,
              help="Split each class of --target in the same proportion.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
def split(
    reading: Reading, share: str, output: str, group: str | None, time: str | None, stratify: bool, seed: int
) -> None:
    """Split a table into a training set and a test set, and optionally a validation set.

    Rows are drawn at random: stratified by class if --target is nominal, by whole groups with --group-column, or by
    time with --time-column. The files keep the columns and the row order of DATA exactly as written there. The same
    seed gives the same files.
    """
    paths = output.split(",")
    shares = _shares(share, len(paths))
    _check_files(paths)
    if group is not None and time is not None:
        raise click.UsageError("give only one of --group-column and --time-column.")
    with console.busy(f"splitting {reading.display_name}"):
        rows = reading.scan()
        part = _parts(rows, shares, group, time, stratify, seed)
        _write(rows, part, paths)
    for number, (path, what) in enumerate(zip(paths, _PARTS[len(paths)], strict=True)):
        count = int((part == number).sum())
        console.say(f"{path}: {many(count, 'row')} {what} ({100 * count / len(part):.1f} %).")


def _shares(text: str, files: int) -> tuple[float, ...]:
    """The fractions of all files; the last one is the rest."""
    from acumen.errors import ParameterError

    try:
        parts = [float(each) for each in text.split(",")]
    except ValueError:
        parts = []
    if not parts or any(not 0 < each < 1 for each in parts) or not sum(parts) < 1 - 1e-9:
        raise ParameterError(
            "--train-fraction: fractions must be between 0 and 1 and leave rows for testing, as in 0.7 or "
            "0.6,0.2; got "
            f"{text!r}."
        )
    if files not in _PARTS or len(parts) != files - 1:
        raise ParameterError(
            f"--output: one fraction needs two files, two fractions need three; got {len(parts)} and {files}."
        )
    return (*parts, 1 - sum(parts))


def _check_files(paths: list[str]) -> None:
    from acumen.errors import ParameterError

    for path in paths:
        if path == STDOUT or not path.lower().endswith((".csv", ".tsv")):
            raise ParameterError(f"--output: file names must end in .csv or .tsv; got {path!r}.")
    if len(set(paths)) < len(paths):
        raise ParameterError("--output: each part needs its own file.")


def _parts(
    rows: Parts, shares: tuple[float, ...], group: str | None, time: str | None, stratify: bool, seed: int
) -> Codes:
    """The file of each row, from 0."""
    import numpy as np

    from acumen.resampling import Holdout, ThreeWay
    from acumen.resampling.holdout import cut_by_time

    if time is not None:
        return cut_by_time(_moments(rows, time), shares, "split")
    groups = None if group is None else _groups(rows, group)
    target = rows.schema.target
    labels = None
    if stratify and target is not None and target.is_nominal:
        labels = np.concatenate([part.labels for part in rows])
    plan: Holdout | ThreeWay
    if len(shares) == 2:
        plan = Holdout(shares[1], stratified=labels is not None, groups=groups)
    else:
        plan = ThreeWay(shares[0], shares[1], stratified=labels is not None, groups=groups)
    drawn = next(iter(plan.splits(rows.n_rows, labels, seed)))
    codes = np.zeros(rows.n_rows, dtype=np.int32)
    codes[drawn.test] = len(shares) - 1
    if drawn.validation is not None:
        codes[drawn.validation] = 1
    return codes


def _values(rows: Parts, name: str, option: str) -> Array:
    """A column, whatever its part in the table."""
    import numpy as np

    from acumen.errors import ParameterError, did_you_mean
    from acumen.profiling.warning_lines import name_list

    known = list(rows.schema.columns)
    if name not in known:
        raise ParameterError(
            f"{option}: there is no column {name!r}; the columns are {name_list(known)}.{did_you_mean(name, known)}"
        )
    return np.concatenate([part.column(name) for part in rows])


def _groups(rows: Parts, name: str) -> Array:
    from acumen.errors import DataError

    values = _values(rows, name, "--group-column")
    gone = sum(value is None or value != value for value in values.tolist())
    if gone:
        raise DataError(
            f"--group-column: {many(gone, 'row')} without {name!r}, so the group is unknown; fill in the value or "
            "remove these rows."
        )
    return values


def _moments(rows: Parts, name: str) -> Array:
    from acumen.errors import ParameterError

    values = _values(rows, name, "--time-column")
    if values.dtype.kind != "f":
        raise ParameterError(
            f"--time-column: {name!r} contains neither dates nor numbers; --date-order or --kind {name}=numeric "
            "may help."
        )
    return values


def _write(rows: Parts, part: Codes, paths: list[str]) -> None:
    """The rows as they are written in DATA; each file appears when it is complete."""
    from acumen.data.out.atomic import replacing_text

    with ExitStack() as stack:
        writers = []
        for path in paths:
            file = stack.enter_context(replacing_text(path, "split"))
            tab = path.lower().endswith(".tsv")
            writers.append(csv.writer(file, delimiter="\t" if tab else ",", lineterminator="\n"))
            writers[-1].writerow(rows.schema.columns)
        for row, which in zip(rows.source_cells(), part.tolist(), strict=True):
            writers[which].writerow(["" if cell is None else cell for cell in row])
