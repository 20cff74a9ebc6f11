"""What a reader decided about a table and what it warns of, as notes.

Report          the notes of one reading
note_numbers    what is odd about the numbers of a column; and further sentences that several readers of text share
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from acumen import _native
from acumen.data.escape import shorten

Level = Literal["note", "warning"]

#: The note of readings whose caller stated the decimal mark or the order of dates.
STATED_MARKS = "stated-marks"
#: The note of a column whose every decimal point has three digits behind it, as one between thousands has.
POINTS_OF_THREE = "points-of-three"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing decided or found.

    `code` is a stable word for programs, `text` the sentence for people, `lines` the physical lines of
    the source concerned (from 1, header included; the first few), `count` how many there were in all.
    """

    code: str
    text: str
    level: Level = "note"
    column: str | None = None
    lines: tuple[int, ...] = ()
    count: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "level": self.level,
            "text": self.text,
            "column": self.column,
            "lines": list(self.lines),
            "count": self.count,
        }

    def __str__(self) -> str:
        return f"warning: {self.text}" if self.level == "warning" else self.text


@dataclass(slots=True)
class Report:
    """The notes of one reading, in the order they were made."""

    source: str = ""
    notes: list[Note] = field(default_factory=list)
    #: For columns of text read without a schema: the tokens that may have been taken for missing values.
    missing_tokens: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    #: Whether what is odd about the table has been said to whoever learns from it; once is enough.
    warned: bool = field(default=False, compare=False, repr=False)
    #: Whether the warnings among these notes have been.
    warnings_shown: bool = field(default=False, compare=False, repr=False)

    def note(
        self,
        code: str,
        text: str,
        *,
        column: str | None = None,
        lines: Sequence[int] = (),
        count: int | None = None,
    ) -> None:
        """Something decided."""
        self.notes.append(Note(code, text, "note", column, tuple(lines), count))

    def warn(
        self,
        code: str,
        text: str,
        *,
        column: str | None = None,
        lines: Sequence[int] = (),
        count: int | None = None,
    ) -> None:
        """Something odd that a person should look at."""
        self.notes.append(Note(code, text, "warning", column, tuple(lines), count))

    @property
    def warnings(self) -> list[Note]:
        return [note for note in self.notes if note.level == "warning"]

    def about(self, code: str) -> list[Note]:
        """The notes of one code."""
        return [note for note in self.notes if note.code == code]

    def __iter__(self) -> Iterator[Note]:
        return iter(self.notes)

    def __len__(self) -> int:
        return len(self.notes)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, text: object) -> bool:
        """Whether some note holds this text."""
        return isinstance(text, str) and any(text in str(note) for note in self.notes)

    def __str__(self) -> str:
        head = [f"Read {self.source}"] if self.source else []
        return "\n".join([*head, *(f"- {note}" for note in self.notes)])


# -- sentences that readers of text share ---------------------------------------------------------------


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
            f"({short_value(seen[1])}).",
            column=name, lines=(seen[0],), count=n,
        )  # fmt: skip


def note_lost_digits(report: Report, subject: str, name: str, stats: _native.ColumnStats) -> None:
    """Whole numbers that were asked to be numbers although a float cannot hold them."""
    if (seen := stats.first_big) is not None:
        report.warn(
            "big-integers",
            f"{subject} {name!r}: line {seen[0]} holds {short_value(seen[1])}, a whole number beyond 2^53; as a "
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


def short_value(value: str) -> str:
    """A value short enough for a sentence."""
    return shorten(value, 40)
