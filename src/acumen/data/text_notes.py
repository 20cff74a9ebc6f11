"""The sentences that the reports of delimited and ARFF files share: odd numbers, ragged rows."""

from __future__ import annotations

from collections.abc import Sequence

from acumen import _native
from acumen.data.escape import shortened
from acumen.data.report import Report


def note_numbers(report: Report, subject: str, name: str, stats: _native.ColumnStats) -> None:
    """What is odd about the numbers of a column; `subject` is "column" or "attribute"."""
    if (seen := stats.first_quoted_missing) is not None:
        n = stats.quoted_missing
        report.note(
            "quoted-missing",
            f"{subject} {name!r}: {n:,} quoted {seen[1]!r} among numbers (first on line {seen[0]}) "
            f"{'counts' if n == 1 else 'count'} as missing.",
            column=name, lines=(seen[0],), count=n,
        )  # fmt: skip
    if (seen := stats.first_infinite) is not None:
        n = stats.infinite
        report.warn(
            "infinite",
            f"{subject} {name!r}: {n:,} infinite {'value' if n == 1 else 'values'}, the first on line {seen[0]} "
            f"({shown(seen[1])}).",
            column=name, lines=(seen[0],), count=n,
        )  # fmt: skip


def note_lost_digits(report: Report, subject: str, name: str, stats: _native.ColumnStats) -> None:
    """Whole numbers that were asked to be numbers although a float cannot hold them."""
    if (seen := stats.first_big) is not None:
        report.warn(
            "big-integers",
            f"{subject} {name!r}: line {seen[0]} holds {shown(seen[1])}, a whole number beyond 2^53; as a "
            "number it loses its last digits.",
            column=name, lines=(seen[0],),
        )  # fmt: skip


def note_ragged(
    report: Report,
    ragged: Sequence[tuple[int, int]],
    counts: tuple[int, int],
    columns: int,
    whose: str,
    *,
    dropped: bool,
) -> None:
    """Rows of another length: `ragged` has the first lines and their fields, `counts` all short and long ones."""
    for code, n, what, done in (
        ("short-rows", counts[0], "fewer", "left out" if dropped else "filled with missing values"),
        ("long-rows", counts[1], "more", "left out" if dropped else "cut"),
    ):
        if n:
            lines = [line for line, count in ragged if (count < columns) == (code == "short-rows")]
            report.warn(
                code,
                f"{n:,} {'row has' if n == 1 else 'rows have'} {what} fields than the {columns} {whose} "
                f"(line {', '.join(map(str, lines[:5]))}{', ...' if n > 5 else ''}) and "
                f"{'was' if n == 1 else 'were'} {done}.",
                lines=lines, count=n,
            )  # fmt: skip


def shown(value: str) -> str:
    """A value short enough for a sentence."""
    return shortened(value, 40)
