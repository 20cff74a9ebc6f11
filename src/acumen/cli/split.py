"""`acumen split DATA`: rows to learn from in one file, rows to test on in another; needs no scikit-learn."""

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
_PARTS = {2: ("to learn from", "to test on"), 3: ("to learn from", "to choose by", "to test on")}


@click.command(cls=Guarded)
@reads_data
@click.option("--share", metavar="S[,S]", default="0.7", show_default=True,
              help="The share of the rows to learn from; two shares for three files: to learn from, to choose "
              "by, the rest to test on.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE,FILE", required=True, type=FILES_OUT,
              help="Where to write, with commas between: train.csv,test.csv. Names end in .csv or .tsv.")  # fmt: skip
@click.option(
    "--group", metavar="NAME", help="A column: rows of one group (a patient, say) stay in one file."
)
@click.option(
    "--time", metavar="NAME", help="A column of dates or numbers: the earliest rows are learned from."
)
@click.option("--stratify/--no-stratify", default=True, show_default=True,
              help="Whether every file has its share of each class of --target.")  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="What the draw begins with."
)
def split(
    reading: Reading, share: str, output: str, group: str | None, time: str | None, stratify: bool, seed: int
) -> None:
    """Cut a table in two: rows to learn from, and rows to test on that nothing has been learned from.

    Rows are drawn at random, by class where --target names classes, by whole groups with --group, or cut at a moment
    with --time. The files hold the columns of DATA as they are written there, and rows in their order. The same
    seed gives the same files.
    """
    paths = output.split(",")
    shares = _shares(share, len(paths))
    _check_files(paths)
    if group is not None and time is not None:
        raise click.UsageError("--group and --time: rows are cut by groups or at a moment; give one of them.")
    with console.busy(f"splitting {reading.display_name}"):
        rows = reading.scan()
        part = _parts(rows, shares, group, time, stratify, seed)
        _write(rows, part, paths)
    for number, (path, what) in enumerate(zip(paths, _PARTS[len(paths)], strict=True)):
        count = int((part == number).sum())
        console.say(f"{path}: {many(count, 'row')} {what} ({100 * count / len(part):.1f} %).")


def _shares(text: str, files: int) -> tuple[float, ...]:
    """The shares of all files, the last one being what is left."""
    from acumen.errors import ParameterError

    try:
        parts = [float(each) for each in text.split(",")]
    except ValueError:
        parts = []
    if not parts or any(not 0 < each < 1 for each in parts) or not sum(parts) < 1 - 1e-9:
        raise ParameterError(
            f"--share: shares lie between 0 and 1, and something must be left to test on, as in 0.7 or 0.6,0.2; got "
            f"{text!r}."
        )
    if files not in _PARTS or len(parts) != files - 1:
        raise ParameterError(
            f"--output: one share makes two files, two shares make three; got {len(parts)} and {files}."
        )
    return (*parts, 1 - sum(parts))


def _check_files(paths: list[str]) -> None:
    from acumen.errors import ParameterError

    for path in paths:
        if path == STDOUT or not path.lower().endswith((".csv", ".tsv")):
            raise ParameterError(f"--output: the name of a file ends in .csv or .tsv; got {path!r}.")
    if len(set(paths)) < len(paths):
        raise ParameterError("--output: each part needs a file of its own.")


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

    values = _values(rows, name, "--group")
    gone = sum(value is None or value != value for value in values.tolist())
    if gone:
        raise DataError(
            f"--group: {many(gone, 'row')} without {name!r}, so nobody knows where they belong; fill it in or "
            "leave such rows out."
        )
    return values


def _moments(rows: Parts, name: str) -> Array:
    from acumen.errors import ParameterError

    values = _values(rows, name, "--time")
    if values.dtype.kind != "f":
        raise ParameterError(
            f"--time: {name!r} holds neither dates nor numbers; --date-order or --kind {name}=numeric may help."
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
